"""Multiplying whole numbers in primary school: doubles, tables, written products."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, Wrong, generates


@generates("maths.double-half", "CE1")
def double_half(draw: Draw) -> Item:
    """Doubles and halves: small, then of whole tens or without carry, then with a carry."""
    return (_double if draw.one_of([True, False]) else _halve)(draw)


def _double(draw: Draw) -> Item:
    tens, unit = draw.by_level(
        (0, draw.between(3, 10)),
        (draw.between(1, 4), draw.between(1, 4)),
        (draw.between(1, 4), draw.between(6, 9)),
    )
    n = 10 * tens + unit
    key = 2 * n
    wrong = [
        (n + 2, "two-more"),
        (key - 10, "no-carry"),
        (n // 2, "half-instead-of-double"),
        (key + 1, "miscounted"),
    ]
    if draw.difficulty < 3:
        wrong.pop(1)

    return draw.exercise("double", n=n, tens=tens, unit=unit).choice(key, *wrong)


def _halve(draw: Draw) -> Item:
    key = draw.by_level(
        draw.between(3, 10),
        10 * draw.between(1, 4) + draw.between(1, 4),
        10 * draw.between(1, 4) + draw.between(5, 9),
    )
    n = 2 * key
    tens = n // 20 * 20
    steps = [f"${key} + {key} = {n}$"]
    if tens and n > tens:
        steps = [f"${tens} \\div 2 = {tens // 2}$", f"${n - tens} \\div 2 = {(n - tens) // 2}$"]
        steps.append(f"${tens // 2} + {(n - tens) // 2} = {key}$")
    else:
        steps.append(f"${n} \\div 2 = {key}$")

    return draw.exercise("halve", n=n, tens=tens, steps=steps).choice(
        key,
        (n - 2, "two-less"),
        (2 * n, "double-instead-of-half"),
        (key - 5, "odd-ten-badly-shared") if n // 10 % 2 and key > 5 else (key + 1, "miscounted"),
        (key - 1, "miscounted"),
    )


def _table_mistakes(a: int, b: int) -> list[Wrong]:
    """What pupils answer to `a` times `b`: a line above or below in the table, or the sum."""
    neighbour = "one-line-off-in-the-table"
    return [
        (a * (b + 1), neighbour),
        (a + b, "added"),
        (a * (b - 1), neighbour),
        (a * b + 1, "miscounted"),
    ]


def _ask_product(draw: Draw, a: int, b: int) -> Item:
    """Ask for a product of the table of `a`, from the usual level on in either order."""

    shown, other = (b, a) if draw.difficulty > 1 and draw.one_of([True, False]) else (a, b)
    return draw.exercise("ask_product", shown=shown, other=other, a=a, b=b).choice(
        a * b, *_table_mistakes(a, b)
    )


@generates("maths.tables-2-5-10", "CE1")
def tables_2_5_10(draw: Draw) -> Item:
    """Tables of 2 and 10, then of 5, then how many coins make a sum."""
    if draw.difficulty == 1:
        return _ask_product(draw, draw.one_of([2, 10]), draw.between(2, 9))
    if draw.difficulty == 2:
        return _ask_product(draw, 5, draw.between(2, 10))
    coin = draw.one_of([5, 10])
    count = draw.one_of([n for n in range(3, 10) if n != coin])
    total = coin * count
    return draw.exercise("tables_2_5_10", coin=coin, total=total, count=count).open(
        count,
        (total - coin, "subtracted-instead"),
        (coin * total, "multiplied"),
        (count + 1, "miscounted"),
        (count - 1, "miscounted"),
    )


@generates("maths.multiplication-tables", "CE2")
def multiplication_tables(draw: Draw) -> Item:
    """Tables of 3 and 4, then of 6 to 9, then the number that was multiplied."""
    if draw.difficulty == 1:
        return _ask_product(draw, draw.one_of([3, 4]), draw.between(3, 9))
    if draw.difficulty == 2:
        return _ask_product(draw, draw.between(6, 9), draw.between(4, 9))
    a = draw.between(6, 9)
    b = draw.one_of([n for n in range(4, 10) if n != a])
    total = a * b
    return draw.exercise("multiplication_tables", a=a, total=total, b=b).open(
        b,
        (total - a, "subtracted-instead-2"),
        (a * total, "multiplied"),
        (b + 1, "miscounted"),
        (b - 1, "miscounted"),
    )

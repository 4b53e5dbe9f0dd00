"""Exercises on multiplying and dividing whole numbers in primary school."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.market import FRUIT, SCHOOL_THINGS, Goods


@generates("maths.double-half", "CE1")
def double_half(draw: Draw) -> Item:
    """Ask for doubles and halves: small, then whole tens or without carry, then with a carry."""
    return (_double if draw.flip() else _halve)(draw)


def _double(draw: Draw) -> Item:
    tens, unit = draw.by_level(
        (0, draw.between(3, 10)),
        (draw.between(1, 4), draw.between(1, 4)),
        (draw.between(1, 4), draw.between(6, 9)),
    )
    n = 10 * tens + unit
    return draw.exercise("double", n=n, tens=tens, unit=unit).choice(
        2 * n,
        (n + 2, "two-more"),
        (2 * n - 10 if draw.difficulty == 3 else None, "no-carry"),
        (None if n % 2 else n // 2, "half-instead-of-double"),
        (2 * n + 1, "miscounted"),
        (2 * n - 1, "miscounted"),
        (2 * n + 2, "miscounted"),
    )


def _halve(draw: Draw) -> Item:
    key = draw.by_level(
        draw.between(3, 10),
        10 * draw.between(1, 4) + draw.between(1, 4),
        10 * draw.between(1, 4) + draw.between(5, 9),
    )
    n = 2 * key
    tens = n // 20 * 20
    return draw.exercise("halve", n=n, tens=tens).choice(
        key,
        (n - 2, "two-less"),
        (2 * n, "double-instead-of-half"),
        (key - 5, "odd-ten-badly-shared") if n // 10 % 2 and key > 5 else (key + 1, "miscounted"),
        (key - 1, "miscounted"),
    )


def _ask_product(draw: Draw, a: int, b: int) -> Item:
    """Ask for a product in the table of `a`; from the usual level on in either order."""
    shown, other = (b, a) if draw.difficulty > 1 and draw.flip() else (a, b)
    return draw.exercise("ask_product", shown=shown, other=other, a=a, b=b).choice(
        a * b,
        (a * (b + 1), "one-line-off-in-the-table"),
        (a + b, "added"),
        (a * (b - 1), "one-line-off-in-the-table"),
        (a * b + 1, "miscounted"),
    )


def _ask_table(draw: Draw) -> Item:
    """Ask for a product in the table that was asked for, then in either order, then for a missing
    factor."""
    if draw.difficulty < 3:
        return _ask_product(draw, draw.table, draw.between(2, 10))
    return _ask_factor(draw, draw.table, draw.one_of([n for n in range(3, 11) if n != draw.table]))


def _ask_factor(draw: Draw, a: int, b: int) -> Item:
    total = a * b
    return draw.exercise("ask_factor", a=a, total=total, b=b).open(
        b,
        (total - a, "subtracted-from-the-product"),
        (a * total, "multiplied"),
        (b + 1, "miscounted"),
        (b - 1, "miscounted"),
    )


@generates("maths.tables-2-5-10", "CE1")
def tables_2_5_10(draw: Draw) -> Item:
    """Ask for a product in the table of 2 or 10, then of 5, then for how many coins make a sum."""
    if draw.table:
        return _ask_table(draw)
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
    """Ask for a product in the table of 3 or 4, then of 6 to 9, then for a missing factor."""
    if draw.table:
        return _ask_table(draw)
    if draw.difficulty == 1:
        return _ask_product(draw, draw.one_of([3, 4]), draw.between(3, 9))
    if draw.difficulty == 2:
        return _ask_product(draw, draw.between(6, 9), draw.between(4, 9))
    a = draw.between(6, 9)
    return _ask_factor(draw, a, draw.one_of([n for n in range(4, 10) if n != a]))


def _product_mistakes(a: int, b: int) -> list[Wrong]:
    """List wrong answers to `a` times the digit `b`, with or without a carry."""
    key, carry = a * b, a % 10 * b // 10
    with_carry = [
        (key - 10 * carry, "no-carry"),
        (key + 10 * (b - 1) * carry, "carry-added-before-multiplying"),
    ]
    without_carry = [(key + 10, "one-ten-too-many"), (a + b, "added")]
    ones_copied = (a // 10 * 10 * b + a % 10, "ones-not-multiplied")
    chosen = with_carry if carry else without_carry
    return [ones_copied, *chosen, (key + 1, "miscounted")]


@generates("maths.multiply-one-digit", "CE2")
def multiply_one_digit(draw: Draw) -> Item:
    """Ask to multiply two digits without carry, then with carry, then for the price of several."""
    if draw.difficulty == 3:
        return _pay_for_several(draw)
    if draw.difficulty == 1:
        b = draw.one_of([2, 3, 4])
        tens, unit = draw.between(1, 9 // b), draw.between(1, 9 // b)
        tens += 1 if tens == 1 and b < 4 else 0
    else:
        b = draw.between(3, 8)
        tens, unit = draw.between(2, 9), draw.between(10 // b + 1, 9)
    a = 10 * tens + unit
    return draw.exercise("multiply_one_digit", a=a, b=b, tens=tens, unit=unit).choice(
        a * b, *_product_mistakes(a, b)
    )


def _pay_for_several(draw: Draw) -> Item:
    offers = [
        (goods, price)
        for goods in FRUIT + SCHOOL_THINGS
        for price in goods.prices
        if price > 100 and price % 100
    ]
    goods, price = draw.one_of(offers)
    count = draw.between(3, 9)
    hundreds, rest = price // 100 * 100, price % 100
    exercise = draw.exercise(
        "pay_for_several",
        goods=goods,
        price=price,
        count=count,
        hundreds=hundreds,
        rest=rest,
        unit=rest % 10,
    )
    return exercise.open(
        price * count,
        (price + count, "added"),
        (hundreds * count, "stopped-early"),
        (price * count - 100, "no-carry"),
        unit="FCFA",
    )


@generates("maths.multiply-by-10-100", "CE2")
def multiply_by_10_100(draw: Draw) -> Item:
    """Ask to multiply by 10, then by 100 or 10 a number that may end in zero, then for what boxes
    hold or how many are needed."""
    count = 10 * draw.between(1, 9) + draw.between(1, 9)
    if draw.difficulty == 3:
        return _pack_boxes(draw, count)
    by = 10 if draw.difficulty == 1 else draw.one_of([10, 100, 100])
    if draw.difficulty == 2:
        count = draw.one_of([count, 10 * draw.between(2, 9)] if by == 100 else [10 * count])
    shown, other = (by, count) if draw.flip() else (count, by)
    exercise = draw.exercise("multiply_by_10_100", shown=shown, other=other, count=count, by=by)
    return exercise.choice(
        count * by,
        (count * by * 10, "zeros-miscounted"),
        (count * by // 10, "zeros-miscounted") if by == 100 else (count + by, "added"),
        (count // 10 * 10 * by + count % 10, "ones-not-moved"),
        (count if by == 10 and count % 10 == 0 else None, "zeros-miscounted"),
        (count + by, "added"),
    )


def _pack_boxes(draw: Draw, count: int) -> Item:
    """Ask how many things are in full boxes, or how many boxes hold the things."""
    size = draw.one_of([10, 100])
    thing = draw.one_of([("savons", "bars of soap"), ("craies", "sticks of chalk"),
                         ("bougies", "candles")])  # fmt: skip
    asks_boxes = draw.flip()
    total = count * size
    key = count if asks_boxes else total
    exercise = draw.exercise(
        "pack_boxes", count=count, size=size, total=total, thing=thing, asks_boxes=asks_boxes
    )
    return exercise.open(
        key,
        (key * 10, "zeros-miscounted"),
        (total - size, "boxes-subtracted") if asks_boxes else (count + size, "added"),
        (total, "stopped-early") if asks_boxes else (key // 10, "zeros-miscounted"),
    )


@generates("maths.multiply-two-digits", "CM1")
def multiply_two_digits(draw: Draw) -> Item:
    """Ask to multiply by whole tens, then by two digits, then for the price of exercise books."""
    tens = draw.between(2, 9) if draw.difficulty == 1 else draw.between(1, 4)
    unit = 0 if draw.difficulty == 1 else draw.between(2, 6)
    a = 10 * draw.between(1, 6) + draw.between(2, 9)
    if draw.difficulty == 3:
        a = draw.one_of([125, 150, 175, 225, 250, 275, 325, 350])
    b = 10 * tens + unit
    key = a * b
    by_unit = a * unit
    wrong = [
        (a * tens + by_unit, "zero-of-the-tens-forgotten"),
        (a // 10 * 10 * 10 * tens + a % 10 * unit, "places-multiplied-apart"),
        (key - 100, "no-carry"),
        (a + b, "added"),
    ]
    exercise = draw.exercise("multiply_two_digits", a=a, b=b, tens=tens, unit=unit)
    if draw.difficulty < 3:
        return exercise.choice(key, *wrong)
    return exercise.open(key, *wrong, unit="FCFA")


@generates("maths.share-equally", "CE2")
def share_equally(draw: Draw) -> Item:
    """Ask for equal shares, then for the packs that can be filled, then for the remainder."""
    people = draw.between(4, 9) if draw.difficulty > 1 else draw.between(3, 5)
    each = draw.one_of([n for n in range(3, 10) if n != people])
    fruit = draw.one_of(FRUIT[:2])
    if draw.difficulty == 1:
        return _share_without_rest(draw, people, each, fruit)
    rest = draw.one_of([n for n in range(2, people) if n != each])
    return _share_with_rest(draw, people, each, rest)


def _share_without_rest(draw: Draw, people: int, each: int, fruit: Goods) -> Item:
    total = people * each
    exercise = draw.exercise(
        "share_without_rest", total=total, fruit=fruit, people=people, each=each
    )
    return exercise.choice(
        each,
        (total - people, "subtracted"),
        (total * people, "multiplied"),
        (each + 1, "miscounted"),
        (each - 1, "miscounted"),
    )


def _share_with_rest(draw: Draw, size: int, packs: int, rest: int) -> Item:
    total = size * packs + rest
    asks_rest = draw.difficulty == 3
    key, other = (rest, packs) if asks_rest else (packs, rest)
    exercise = draw.exercise(
        "share_with_rest",
        total=total,
        size=size,
        packs=packs,
        rest=rest,
        asks_rest=asks_rest,
        fruit=draw.one_of(FRUIT),
    )
    return exercise.choice(
        key,
        (other, "quotient-and-remainder-swapped"),
        (total - size, "subtracted"),
        (key + 1, "slip-in-subtraction" if asks_rest else "one-bag-too-many"),
    )


@generates("maths.divide-one-digit", "CM1")
def divide_one_digit(draw: Draw) -> Item:
    """Ask for a quotient of two digits, then for one with a zero, then how many journeys are
    needed."""
    if draw.difficulty == 3:
        return _count_journeys(draw)
    divisor = draw.between(3, 8)
    tens = draw.between(1, 9 // divisor) if draw.difficulty == 1 else 10 * draw.between(1, 3)
    # The hint shows what the ones contribute: that must not be the quotient itself.
    ones = draw.one_of([n for n in range(2, 10) if divisor * n != 10 * tens + n])
    quotient = 10 * tens + ones
    total = divisor * quotient
    exercise = draw.exercise(
        "divide_one_digit", total=total, divisor=divisor, tens=tens, ones=ones, quotient=quotient
    )
    return exercise.choice(
        quotient,
        (10 * ones + tens, "quotient-digits-swapped")
        if tens < 10
        else (tens + ones, "zero-left-out-of-quotient"),
        (total - divisor, "subtracted"),
        (quotient + 10, "ten-too-many-in-quotient"),
        (quotient - 1, "miscounted"),
    )


def _count_journeys(draw: Draw) -> Item:
    seats = draw.between(4, 9)
    full = draw.between(11, 24)
    rest = draw.between(1, seats - 1)
    total = seats * full + rest
    return draw.exercise("count_journeys", seats=seats, total=total, full=full, rest=rest).open(
        full + 1,
        (full, "stopped-early"),
        (total - seats, "subtracted"),
        (total * seats, "multiplied"),
    )

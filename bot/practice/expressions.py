"""Exercises on the values of expressions with letters (5e)."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, generates


@generates("maths.literal-expression", "5e")
def literal_expression(draw: Draw) -> Item:
    """Ask for the value of `ax + b`, then of one with a square or a bracket, then with two
    letters."""
    usual = draw.one_of((_evaluate_square, _evaluate_bracket))
    hard = draw.one_of((_evaluate_two_letters, _count_earnings))
    return draw.by_level(_evaluate_sum, usual, hard)(draw)


def _evaluate_sum(draw: Draw) -> Item:
    a, x = draw.random.sample(range(2, 10), 2)
    b = draw.one_of([n for n in range(2, 16) if n not in (a, x)])
    return draw.exercise("evaluate_sum", a=a, b=b, x=x).choice(
        a * x + b,
        (int(f"{a}{x}") + b, "letter-replaced-by-a-digit"),
        (a * (x + b), "added-first"),
        (a + x + b, "product-taken-for-a-sum"),
    )


def _evaluate_square(draw: Draw) -> Item:
    a, x, b = draw.between(2, 5), draw.between(3, 6), draw.between(2, 15)
    return draw.exercise("evaluate_square", a=a, b=b, x=x).choice(
        a * x * x + b,
        ((a * x) ** 2 + b, "factor-squared-too"),
        (2 * a * x + b, "square-taken-for-a-double"),
        (a * x + b, "square-forgotten"),
    )


def _evaluate_bracket(draw: Draw) -> Item:
    a, b, x = draw.between(3, 7), draw.between(2, 9), draw.between(3, 8)
    c = draw.one_of([n for n in (2, 3, 4) if n != a])
    return draw.exercise("evaluate_bracket", a=a, b=b, c=c, x=x).choice(
        a * (x + b) - c * x,
        (a * x + b - c * x, "brackets-left-out"),
        (a * (x + b) - int(f"{c}{x}"), "letter-replaced-by-a-digit"),
        (a * (x + b) - c - x, "last-product-taken-for-a-sum"),
        (a * (x + b), "stopped-early"),
    )


def _evaluate_two_letters(draw: Draw) -> Item:
    a, x = draw.random.sample(range(2, 8), 2)
    b = draw.between(2, 5)
    y = draw.one_of([n for n in range(b + 2, 12) if n != x])
    return draw.exercise("evaluate_two_letters", a=a, b=b, x=x, y=y).open(
        a * x * (y - b),
        (a * x * y - b, "brackets-left-out"),
        (a * y * (x - b), "letters-swapped"),
        (a * x + y - b, "bracket-added"),
        (int(f"{a}{x}") * (y - b), "letter-replaced-by-a-digit"),
    )


def _count_earnings(draw: Draw) -> Item:
    (one, a), (other, b) = draw.random.sample(
        (
            (("beignets", "doughnuts"), 50),
            (("mangues", "mangoes"), 150),
            (("papayes", "papayas"), 300),
            (("sachets de bissap", "bags of hibiscus drink"), 100),
        ),
        2,
    )
    x, y = draw.random.sample(range(4, 13), 2)
    return draw.exercise("count_earnings", one=one, a=a, other=other, b=b, x=x, y=y).open(
        a * x + b * y,
        (a * y + b * x, "letters-swapped"),
        (a + b + x + y, "product-taken-for-a-sum"),
        (a * x, "stopped-early"),
        unit="FCFA",
    )

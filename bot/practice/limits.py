"""Limits of rational functions, in Terminale."""

from __future__ import annotations

from fractions import Fraction

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import INFINITY, MINUS_INFINITY


@generates("maths.limit-rational", "Terminale")
def limit_rational(draw: Draw) -> Item:
    """Equal degrees, then different ones, then a form 0/0 at a point."""
    return draw.by_level(_limit_equal_degrees, _limit_degrees, _limit_at_point)(draw)


def _limit_equal_degrees(draw: Draw) -> Item:
    quotient, c = draw.between(2, 5) * draw.one_of((1, -1)), draw.between(1, 4)
    a, d = quotient * c, draw.between(2, 9)
    b = draw.one_of([n for n in (*range(-9, 0), *range(1, 10)) if Fraction(n, d) != quotient])
    exercise = draw.exercise("limit_equal_degrees", a=a, b=b, c=c, d=d)
    return exercise.choice(
        quotient,
        (Fraction(b, d), "constant-terms"),
        (INFINITY if quotient > 0 else MINUS_INFINITY, "infinite"),
        (0, "zero"),
        (Fraction(1, quotient), "inverted"),
    )


def _limit_degrees(draw: Draw) -> Item:
    """A numerator of degree two over one of degree one, or the other way round."""
    a = draw.between(2, 6) * draw.one_of((1, -1))
    b, c, d = draw.between(1, 9) * draw.one_of((1, -1)), draw.between(2, 6), draw.between(1, 9)
    grows = draw.one_of((True, False))
    infinite = (INFINITY, MINUS_INFINITY)
    key, opposite = infinite if a > 0 else infinite[::-1]
    leading = (Fraction(a, c), "leading-quotient")
    if not grows:
        wrong = [leading, (key, "infinite"), (Fraction(b, d), "constant-terms")]
        key = "0"
    else:
        wrong = [leading, (opposite, "sign-of-infinity"), (0, "zero")]
    exercise = draw.exercise("limit_degrees", a=a, b=b, c=c, d=d, grows=grows)
    return exercise.choice(key, *wrong)


def _limit_at_point(draw: Draw) -> Item:
    """`(x - at)(x - other)` over `x - at`, expanded above."""
    at = draw.between(1, 6) * draw.one_of((1, -1))
    other = draw.one_of([n for n in range(-7, 8) if n not in (0, at, -at)])
    key = at - other
    exercise = draw.exercise("limit_at_point", at=at, other=other)
    return exercise.choice(
        key, (0, "zero-over-zero"), (INFINITY, "zero-below"), (at + other, "factor-sign")
    )

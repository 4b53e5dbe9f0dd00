"""Limits of rational functions, in Terminale."""

from __future__ import annotations

from fractions import Fraction

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import INFINITY, MINUS_INFINITY, polynomial_maths


@generates("maths.limit-rational", "Terminale")
def limit_rational(draw: Draw) -> Item:
    """Equal degrees, then different ones, then a form 0/0 at a point."""
    return draw.by_level(_limit_equal_degrees, _limit_degrees, _limit_at_point)(draw)


def _ask_limit(draw: Draw, above: str, below: str, where: str) -> str:
    fraction = f"\\frac{{{above}}}{{{below}}}"
    return draw.say(
        f"Quelle est la limite de $f(x) = {fraction}$ quand $x$ tend vers ${where}$ ?",
        f"What is the limit of $f(x) = {fraction}$ as $x$ tends to ${where}$?",
    )


def _limit_equal_degrees(draw: Draw) -> Item:
    quotient, c = draw.between(2, 5) * draw.one_of((1, -1)), draw.between(1, 4)
    a, d = quotient * c, draw.between(2, 9)
    b = draw.one_of([n for n in (*range(-9, 0), *range(1, 10)) if Fraction(n, d) != quotient])
    exercise = draw.exercise(
        "limit_equal_degrees",
        ask_limit_b_a_d_c_infty=_ask_limit(
            draw, polynomial_maths((b, a)), polynomial_maths((d, c)), "+\\infty"
        ),
        a=a,
        factor_c=_factor(c),
        c=c,
        quotient=quotient,
    )
    return exercise.choice(
        quotient,
        (Fraction(b, d), "constant-terms"),
        (INFINITY if quotient > 0 else MINUS_INFINITY, "infinite"),
        (0, "zero"),
        (Fraction(1, quotient), "inverted"),
    )


def _factor(number: int) -> str:
    return "" if number == 1 else str(number)


def _limit_degrees(draw: Draw) -> Item:
    """A numerator of degree two over one of degree one, or the other way round."""
    a = draw.between(2, 6) * draw.one_of((1, -1))
    b, c, d = draw.between(1, 9) * draw.one_of((1, -1)), draw.between(2, 6), draw.between(1, 9)
    grows = draw.one_of((True, False))
    above = polynomial_maths((b, 0, a) if grows else (b, a))
    below = polynomial_maths((d, c) if grows else (d, 0, c))
    infinite = (INFINITY, MINUS_INFINITY)
    key, opposite = infinite if a > 0 else infinite[::-1]
    leading = (Fraction(a, c), "leading-quotient")
    if not grows:
        wrong = [leading, (key, "infinite"), (Fraction(b, d), "constant-terms")]
        key = "0"
    else:
        wrong = [leading, (opposite, "sign-of-infinity"), (0, "zero")]
    ratio = f"\\frac{{{a}{'x^2' if grows else 'x'}}}{{{c}{'x' if grows else 'x^2'}}}"

    exercise = draw.exercise(
        "limit_degrees",
        ask_limit_above_below_infty=_ask_limit(draw, above, below, "+\\infty"),
        ratio=ratio,
        v1=f"\\frac{{{a}x}}{{{c}}}" if grows else f"\\frac{{{a}}}{{{c}x}}",
    )
    return exercise.choice(key, *wrong)


def _limit_at_point(draw: Draw) -> Item:
    """`(x - at)(x - other)` over `x - at`, expanded above."""
    at = draw.between(1, 6) * draw.one_of((1, -1))
    other = draw.one_of([n for n in range(-7, 8) if n not in (0, at, -at)])
    above = polynomial_maths((at * other, -(at + other), 1))
    key = at - other
    exercise = draw.exercise(
        "limit_at_point",
        ask_limit_above_minus_at_1_str_at=_ask_limit(
            draw, above, polynomial_maths((-at, 1)), str(at)
        ),
        at=at,
        above=above,
        minus_at_1=polynomial_maths((-at, 1)),
        minus_other_1=polynomial_maths((-other, 1)),
        other=other,
    )
    return exercise.choice(
        key, (0, "zero-over-zero"), (INFINITY, "zero-below"), (at + other, "factor-sign")
    )

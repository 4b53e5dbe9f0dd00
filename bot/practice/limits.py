"""Limits of rational functions, in Terminale."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from bot.practice.algebra_text import (
    INFINITY,
    MINUS_INFINITY,
    polynomial_maths,
    set_maths,
    signed,
)
from bot.practice.generator import Draw, Item, generates
from bot.practice.misconceptions import Mistake

_CONSTANT_TERMS: Final = Mistake(
    "quotient des constantes",
    "quotient of the constants",
    "Les termes constants décident en $0$. Lesquels l'emportent quand $x$ est très grand ?",
    "The constant terms decide at $0$. Which terms win when $x$ is very large?",
)
_INFINITE: Final = Mistake(
    "limite infinie",
    "infinite limit",
    "Les deux termes grandissent : compare leurs degrés.",
    "Both terms grow: compare their degrees.",
)
_ZERO: Final = Mistake(
    "limite nulle",
    "limit zero",
    "Le dénominateur grandit, mais le numérateur aussi : compare leurs degrés.",
    "The denominator grows, but so does the numerator: compare their degrees.",
)
_INVERTED: Final = Mistake(
    "quotient inversé",
    "quotient inverted",
    "Lequel des deux coefficients est en haut ?",
    "Which of the two coefficients is on top?",
)
_LEADING_QUOTIENT: Final = Mistake(
    "quotient des coefficients",
    "quotient of the coefficients",
    "Ce quotient est la limite quand les deux degrés sont égaux. Le sont-ils ?",
    "This quotient is the limit when both degrees are equal. Are they?",
)
_SIGN_OF_INFINITY: Final = Mistake(
    "signe de l'infini",
    "sign of infinity",
    "Revois les signes des termes de plus haut degré.",
    "Check the signs of the terms of the highest degree.",
)
_ZERO_OVER_ZERO: Final = Mistake(
    "forme indéterminée prise pour 0",
    "indeterminate form taken as 0",
    "« 0 sur 0 » ne donne pas la limite : simplifie d'abord.",
    "“0 over 0” does not give the limit: simplify first.",
)
_ZERO_BELOW: Final = Mistake(
    "dénominateur nul",
    "zero denominator",
    "Le dénominateur tend vers 0, mais le numérateur aussi : factorise.",
    "The denominator tends to 0, but so does the numerator: factor it.",
)
_FACTOR_SIGN: Final = Mistake(
    "signe dans la factorisation",
    "sign in the factoring",
    "Développe ta factorisation : retrouves-tu le numérateur ?",
    "Expand your factors: do you get the numerator back?",
)


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
    return draw.choice(
        _ask_limit(draw, polynomial_maths((b, a)), polynomial_maths((d, c)), "+\\infty"),
        key=quotient,
        wrong=[
            _CONSTANT_TERMS.gives(draw, Fraction(b, d)),
            _INFINITE.gives(draw, INFINITY if quotient > 0 else MINUS_INFINITY),
            _ZERO.gives(draw, 0),
            _INVERTED.gives(draw, Fraction(1, quotient)),
        ],
        hints=[
            draw.say(
                "Compare les degrés du numérateur et du dénominateur.",
                "Compare the degrees of the numerator and the denominator.",
            ),
            draw.say(
                f"À l'infini, $f(x)$ se comporte comme $\\frac{{{a}x}}{{{_factor(c)}x}}$.",
                f"At infinity, $f(x)$ behaves like $\\frac{{{a}x}}{{{_factor(c)}x}}$.",
            ),
        ],
        steps=[
            draw.say(
                "On met $x$ en facteur en haut et en bas ; les termes en $\\frac{1}{x}$ tendent "
                "vers $0$.",
                "Take $x$ out as a factor above and below; the terms in $\\frac{1}{x}$ tend to "
                "$0$.",
            ),
            draw.say(
                f"La limite est $\\frac{{{a}}}{{{c}}} = {quotient}$.",
                f"The limit is $\\frac{{{a}}}{{{c}}} = {quotient}$.",
            ),
        ],
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
    leading = _LEADING_QUOTIENT.gives(draw, Fraction(a, c))
    if not grows:
        wrong = [
            leading,
            _INFINITE.gives(draw, key),
            _CONSTANT_TERMS.gives(draw, Fraction(b, d)),
        ]
        key = "0"
    else:
        wrong = [leading, _SIGN_OF_INFINITY.gives(draw, opposite), _ZERO.gives(draw, 0)]
    ratio = f"\\frac{{{a}{'x^2' if grows else 'x'}}}{{{c}{'x' if grows else 'x^2'}}}"
    simple = f"\\frac{{{a}x}}{{{c}}}" if grows else f"\\frac{{{a}}}{{{c}x}}"
    return draw.choice(
        _ask_limit(draw, above, below, "+\\infty"),
        key=key,
        wrong=wrong,
        hints=[
            draw.say(
                "À l'infini, seuls comptent les termes de plus haut degré.",
                "At infinity, only the terms of the highest degree count.",
            ),
            draw.say(f"Simplifie ${ratio}$.", f"Simplify ${ratio}$."),
        ],
        steps=[
            f"${ratio} = {simple}$",
            draw.say(f"La limite est ${set_maths(key)}$.", f"The limit is ${set_maths(key)}$."),
        ],
    )


def _limit_at_point(draw: Draw) -> Item:
    """`(x - at)(x - other)` over `x - at`, expanded above."""
    at = draw.between(1, 6) * draw.one_of((1, -1))
    other = draw.one_of([n for n in range(-7, 8) if n not in (0, at, -at)])
    above = polynomial_maths((at * other, -(at + other), 1))
    key = at - other
    return draw.choice(
        _ask_limit(draw, above, polynomial_maths((-at, 1)), str(at)),
        key=key,
        wrong=[
            _ZERO_OVER_ZERO.gives(draw, 0),
            _ZERO_BELOW.gives(draw, INFINITY),
            _FACTOR_SIGN.gives(draw, at + other),
        ],
        hints=[
            draw.say(
                f"Le numérateur s'annule en ${at}$ : factorise-le.",
                f"The numerator is zero at ${at}$: factor it.",
            ),
            draw.say(
                f"${above} = ({polynomial_maths((-at, 1))})(\\dots)$",
                f"${above} = ({polynomial_maths((-at, 1))})(\\dots)$",
            ),
        ],
        steps=[
            f"${above} = ({polynomial_maths((-at, 1))})({polynomial_maths((-other, 1))})$",
            draw.say(
                f"Pour $x \\neq {at}$, $f(x) = {polynomial_maths((-other, 1))}$.",
                f"For $x \\neq {at}$, $f(x) = {polynomial_maths((-other, 1))}$.",
            ),
            draw.say(
                f"La limite est ${at} {signed(-other)} = {key}$.",
                f"The limit is ${at} {signed(-other)} = {key}$.",
            ),
        ],
    )

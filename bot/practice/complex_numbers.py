"""Exercises on complex numbers in algebraic form, in Terminale."""

from __future__ import annotations

from math import isqrt
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import polynomial_text


@generates("maths.complex-numbers", "Terminale")
def complex_numbers(draw: Draw) -> Item:
    """Ask for a product, then a modulus, then a quotient."""
    return draw.by_level(_product, _modulus, _quotient)(draw)


def _draw_part(draw: Draw, most: int) -> int:
    return draw.signed(1, most)


def _write_text(real: int, imaginary: int) -> str:
    """Write a complex number as text, the real part first: `3 - 2i`."""
    if real == 0 or imaginary == 0:
        return polynomial_text((real, imaginary), "i")
    size = "" if abs(imaginary) == 1 else str(abs(imaginary))
    return f"{real} {'-' if imaginary < 0 else '+'} {size}i"


def _product(draw: Draw) -> Item:
    a, b, c, d = draw.between(1, 6), _draw_part(draw, 6), draw.between(1, 6), _draw_part(draw, 6)
    real, imaginary = a * c - b * d, a * d + b * c
    first, second = _write_text(a, b), _write_text(c, d)
    exercise = draw.exercise("product", first=first, second=second, a=a, c=c, d=d, b=b)
    return exercise.choice(
        _write_text(real, imaginary),
        (_write_text(a * c + b * d, imaginary), "square-of-i"),
        (_write_text(a * c, b * d), "part-by-part"),
        (_write_text(real, a * d - b * c), "cross-sign"),
    )


_TRIPLES: Final = ((3, 4, 5), (5, 12, 13), (6, 8, 10), (8, 15, 17), (9, 12, 15), (7, 24, 25))


def _modulus(draw: Draw) -> Item:
    small, large, key = draw.one_of(_TRIPLES)
    a, b = (small, large) if draw.flip() else (large, small)
    a, b = a * draw.sign(), b * draw.sign()
    number = _write_text(a, b)
    return draw.exercise("modulus", number=number, a=a, b=b).choice(
        key,
        (small + large, "parts-added"),
        (key * key, "root-forgotten"),
        (_root_text(large * large - small * small), "squares-subtracted"),
    )


def _root_text(number: int) -> str:
    """Write the square root of a number as text; a whole root as a number."""
    root = isqrt(number)
    return str(root) if root * root == number else f"√{number}"


def _quotient(draw: Draw) -> Item:
    """Ask for the quotient of `(p + qi)(c + di)`, expanded, by `c + di`."""
    p, q = _draw_part(draw, 4), _draw_part(draw, 4)
    c, d = draw.between(1, 4), _draw_part(draw, 3)
    a, b = p * c - q * d, p * d + q * c
    above, below, size = _write_text(a, b), _write_text(c, d), c * c + d * d
    exercise = draw.exercise(
        "quotient",
        above=above,
        below=below,
        conjugate=_write_text(c, -d),
        c=c,
        d=d,
        expanded=_write_text(p * size, q * size),
        size=size,
    )
    return exercise.choice(
        _write_text(p, q),
        (_write_text(p, -q), "conjugate-of-result"),
        (_write_text(p * size, q * size), "without-dividing"),
        (_write_text(-p, q), "opposite-real"),
    )

"""Writes polynomials, points, sets and intervals as pupils do, in plain text and in LaTeX.

Options and keys are plain text (`3x² - 2x`), since buttons and SMS show no formula; statements and
steps hold LaTeX between `$`. A polynomial is its coefficients, from the constant upwards: `(1, 0,
3)` is `3x² + 1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.practice.generator import Draw, Number

_SUPERSCRIPTS: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def raise_text(base: str, exponent: int) -> str:
    """A power in plain text: `x²`, `2¹⁰`."""
    return base if exponent == 1 else base + str(exponent).translate(_SUPERSCRIPTS)


def raise_maths(base: str, exponent: int) -> str:
    """A power in LaTeX: `x^{2}`."""
    return base if exponent == 1 else f"{base}^{{{exponent}}}"


def polynomial_text(coefficients: Sequence[int], variable: str = "x") -> str:
    """A polynomial in plain text, without its zero terms: `3x² - x + 1`."""
    powers = ["", *(raise_text(variable, n) for n in range(1, len(coefficients)))]
    return _join_terms(coefficients, powers)


def polynomial_maths(coefficients: Sequence[int], variable: str = "x") -> str:
    """A polynomial in LaTeX, for use between `$`."""
    powers = ["", *(raise_maths(variable, n) for n in range(1, len(coefficients)))]
    return _join_terms(coefficients, powers)


def _join_terms(coefficients: Sequence[int], powers: Sequence[str]) -> str:
    written = ""
    for factor, power in reversed(list(zip(coefficients, powers, strict=True))):
        if factor == 0:
            continue
        sign = "-" if factor < 0 else "+"
        size = "" if abs(factor) == 1 and power else str(abs(factor))
        if written:
            written += f" {sign} {size}{power}"
        else:
            written = f"{'-' if factor < 0 else ''}{size}{power}"
    return written or "0"


def signed(number: int) -> str:
    """A number as it continues a sum: `+ 3`, `- 3`."""
    return f"{'-' if number < 0 else '+'} {abs(number)}"


def continue_sum(terms: str) -> str:
    """Terms as they continue a sum: `+ 3x`, `- x + 1`."""
    return f"- {terms[1:]}" if terms.startswith("-") else f"+ {terms}"


def in_brackets(number: int) -> str:
    """A number as a factor or after a minus sign: negative ones stand in brackets."""
    return f"({number})" if number < 0 else str(number)


def separator(draw: Draw) -> str:
    """What stands between coordinates, elements of a set and bounds of an interval."""
    return draw.say(" ; ", ", ")


def point(draw: Draw, x: Number | str, y: Number | str) -> str:
    """Coordinates: `(2 ; -1)` in French, `(2, -1)` in English; also right between `$`."""
    return f"({draw.write(x)}{separator(draw)}{draw.write(y)})"


def solution_set(draw: Draw, elements: Sequence[Number | str]) -> str:
    """A finite set: numbers in rising order, other elements in theirs."""
    numbers = [each for each in elements if not isinstance(each, str)]
    if len(numbers) == len(elements):
        written = [draw.write(each) for each in sorted(numbers, key=float)]
    else:
        written = [draw.write(each) for each in elements]
    return "{" + separator(draw).join(written) + "}"


INFINITY: Final = "+∞"
MINUS_INFINITY: Final = "-∞"


def interval(
    draw: Draw, low: int | str, high: int | str, *, has_low: bool = False, has_high: bool = False
) -> str:
    """An interval: `[2 ; 5[` in French, `[2, 5)` in English.

    Args:
        has_low: the lower bound belongs to it.
        has_high: the upper bound belongs to it.
    """
    opening = "[" if has_low else draw.say("]", "(")
    closing = "]" if has_high else draw.say("[", ")")
    return f"{opening}{low}{separator(draw)}{high}{closing}"


def set_maths(text: str) -> str:
    """A set or an interval in LaTeX, from its plain text."""
    named = text.replace("{", "\\{").replace("}", "\\}").replace("∞", "\\infty")
    return named.replace("∅", "\\varnothing")

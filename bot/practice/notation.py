"""Writes expressions as pupils do, in plain text and in LaTeX.

Options and keys are plain text (`3x² - 2x`), since buttons and SMS show no formula; statements and
steps hold LaTeX between `$`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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


def set_maths(text: str) -> str:
    """A set or an interval in LaTeX, from its plain text."""
    named = text.replace("{", "\\{").replace("}", "\\}").replace("∞", "\\infty")
    return named.replace("∅", "\\varnothing")


def write_polynomial(*coefficients: int) -> str:
    """A polynomial in `x` in LaTeX, from its highest coefficient to its constant."""
    written = ""
    for power, number in zip(range(len(coefficients) - 1, -1, -1), coefficients, strict=True):
        if number == 0:
            continue
        letter = "" if power == 0 else "x" if power == 1 else f"x^{power}"
        size = "" if letter and abs(number) == 1 else str(abs(number))
        sign = "-" if number < 0 else "+"
        start = sign.strip("+") if not written else f" {sign} "
        written += f"{start}{size}{letter}"
    return written or "0"


def write_root(outside: int, inside: int) -> str:
    """`outside` times the square root of `inside`, in LaTeX."""
    return f"\\sqrt{{{inside}}}" if outside == 1 else f"{outside}\\sqrt{{{inside}}}"


def write_fraction(above: object, below: object) -> str:
    """A fraction in LaTeX as it is, not simplified."""
    return f"\\frac{{{above}}}{{{below}}}"

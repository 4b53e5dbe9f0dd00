"""Write expressions as pupils do, in plain text and in LaTeX.

Options and keys are plain text (`3x² - 2x`), since buttons and SMS show no formulas; statements and
steps have LaTeX between `$`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import gcd
from typing import Final

Number = int | Decimal | Fraction
Pair = tuple[str, str]
"""A text in French, then in English."""
INFINITY: Final = "+∞"
MINUS_INFINITY: Final = "-∞"
RELATIONS: Final = {"<": "<", "≤": "\\leq", ">": ">", "≥": "\\geq"}
"""How relations are written in LaTeX."""
_NARROW_SPACE: Final = "\u202f"

_SUPERSCRIPTS: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def raise_text(base: str, exponent: int) -> str:
    """Return a power in plain text: `x²`, `2¹⁰`."""
    return base if exponent == 1 else base + str(exponent).translate(_SUPERSCRIPTS)


def raise_maths(base: str, exponent: int) -> str:
    """Return a power in LaTeX: `x^2`, `x^{10}`."""
    written = str(exponent) if 0 <= exponent < 10 else f"{{{exponent}}}"
    return base if exponent == 1 else f"{base}^{written}"


def polynomial_text(coefficients: Sequence[int], variable: str = "x") -> str:
    """Return a polynomial in plain text, without its zero terms: `3x² - x + 1`."""
    powers = ["", *(raise_text(variable, n) for n in range(1, len(coefficients)))]
    return _join_terms(coefficients, powers)


def polynomial_maths(coefficients: Sequence[int], variable: str = "x") -> str:
    """Return a polynomial in LaTeX, for use between `$`."""
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
    """Return a number as it continues a sum: `+ 3`, `- 3`."""
    return f"{'-' if number < 0 else '+'} {abs(number)}"


def continue_sum(terms: str) -> str:
    """Write terms as they continue a sum: `+ 3x`, `- x + 1`."""
    return f"- {terms[1:]}" if terms.startswith("-") else f"+ {terms}"


def in_brackets(number: int) -> str:
    """Write a number as a factor or after a minus sign; a negative one in brackets."""
    return f"({number})" if number < 0 else str(number)


def set_maths(text: str | Pair) -> str | Pair:
    """Return a set or an interval in LaTeX, from its plain text."""
    if isinstance(text, tuple):
        french, english = (str(set_maths(each)) for each in text)
        return french, english
    named = text.replace("{", "\\{").replace("}", "\\}").replace("∞", "\\infty")
    return named.replace("∅", "\\varnothing").replace("∪", "\\cup")


def write_polynomial(*coefficients: int) -> str:
    """Return a polynomial in `x` in LaTeX, from its highest coefficient to its constant."""
    return polynomial_maths(coefficients[::-1])


def write_root(outside: int, inside: int) -> str:
    """Return `outside` times the square root of `inside`, in LaTeX."""
    return f"\\sqrt{{{inside}}}" if outside == 1 else f"{outside}\\sqrt{{{inside}}}"


def write_fraction(above: object, below: object) -> str:
    """Return a fraction in LaTeX as it is, not simplified."""
    return f"\\frac{{{above}}}{{{below}}}"


def write_number(value: Number, language: str) -> str:
    """Return a number as people write it in the language: `12 500`, `3,5`, `-2/3`."""
    if isinstance(value, Fraction) and value.denominator > 1:
        return f"{value.numerator}/{value.denominator}"
    plain = f"{value.normalize():,f}" if isinstance(value, Decimal) else f"{int(value):,}"
    if language != "fr":
        return plain if abs(value) >= 10_000 else plain.replace(",", "")
    whole, _, part = plain.partition(".")
    whole = whole.replace(",", _NARROW_SPACE if abs(value) >= 10_000 else "")
    return f"{whole},{part}" if part else whole


def write_maths(value: Number, language: str) -> str:
    """Return a number in LaTeX, for use between `$`: `3{,}5`, `\\frac{2}{3}`, `12\\,500`."""
    if isinstance(value, Fraction) and value.denominator > 1:
        sign = "-" if value < 0 else ""
        return f"{sign}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
    return write_number(value, language).replace(",", "{,}").replace(_NARROW_SPACE, "\\,")


def capitalise(text: str) -> str:
    """Return the text with a capital letter first; the others stay as they are."""
    return text[0].upper() + text[1:]


def join_plus(numbers: Iterable[object]) -> str:
    """Return a sum of numbers: `2 + 3 + 5`."""
    return " + ".join(map(str, numbers))


def _write_each(parts: Iterable[Number | str], *, opening: str, closing: str) -> Pair:
    """Write parts between brackets, separated by semicolons in French, by commas in English."""
    french, english = (
        [part if isinstance(part, str) else write_number(part, language) for part in parts]
        for language in ("fr", "en")
    )
    return f"{opening}{' ; '.join(french)}{closing}", f"{opening}{', '.join(english)}{closing}"


def point(x: Number | str, y: Number | str) -> Pair:
    """Write coordinates, `(2 ; -1)` in French, `(2, -1)` in English; also valid between `$`."""
    return _write_each((x, y), opening="(", closing=")")


def solution_set(elements: Sequence[Number | str]) -> Pair:
    """Write a finite set: numbers in rising order, other elements in the given order."""
    numbers = [each for each in elements if not isinstance(each, str)]
    ordered = sorted(numbers) if len(numbers) == len(elements) else elements
    return _write_each(ordered, opening="{", closing="}")


def interval(
    low: int | str, high: int | str, *, has_low: bool = False, has_high: bool = False
) -> Pair:
    """Return an interval: `[2 ; 5[` in French, `[2, 5)` in English.

    Args:
        has_low: whether the lower bound belongs to the interval.
        has_high: whether the upper bound belongs to the interval.
    """
    french = f"{'[' if has_low else ']'}{low} ; {high}{']' if has_high else '['}"
    return french, f"{'[' if has_low else '('}{low}, {high}{']' if has_high else ')'}"


def make_decimal(digits: int, places: int) -> Decimal:
    """Return the number of these digits, with the last `places` of them after the point."""
    return Decimal(digits).scaleb(-places)


def round_quotient(above: int | Decimal, below: int | Decimal) -> Decimal:
    """Return a quotient rounded to two decimals."""
    return round(Decimal(above) / below, 2)


def raise_fraction(base: Fraction, exponent: int) -> str:
    """Return a power of a fraction in LaTeX."""
    return raise_maths(f"\\left({write_maths(base, 'fr')}\\right)", exponent)


def write_scientific(mantissa: Number, exponent: int) -> Pair:
    """Return a number times a power of ten, in LaTeX."""
    french, english = (write_maths(mantissa, language) for language in ("fr", "en"))
    power = f"\\times 10^{{{exponent}}}"
    return f"{french} {power}", f"{english} {power}"


def list_numbers(numbers: Iterable[Number]) -> Pair:
    """Return numbers one after the other: `12 ; 8 ; 15` in French, `12, 8, 15` in English."""
    return _write_each(numbers, opening="", closing="")


def write_ratio(part: int, whole: int) -> str:
    """Write the fraction `part/whole`, then its simplified form if that differs, in LaTeX."""
    counted = str(part) if whole == 1 else write_fraction(part, whole)
    simple = write_maths(Fraction(part, whole), "fr")
    return counted if counted == simple else f"{counted} = {simple}"


def write_quotient(above: int, below: int, right_above: str, right_below: str) -> str:
    """Return a quotient of monomials in LaTeX, with its numbers in lowest terms."""
    quotient = Fraction(above, below)
    top, bottom = quotient.numerator, quotient.denominator
    size = "" if abs(top) == 1 and right_above else str(abs(top))
    low = "" if bottom == 1 and right_below else str(bottom)
    sign, written = "-" if top < 0 else "", f"{size}{right_above}"
    if bottom == 1 and not right_below:
        return f"{sign}{written}"
    return f"{sign}{write_fraction(written, f'{low}{right_below}')}"


def write_time(minutes: int) -> Pair:
    """Return a time of day, given in minutes from midnight: `3 h 05` or `3:05`."""
    return write_clock(minutes // 60, minutes % 60)


def write_clock(hour: int, minute: int) -> Pair:
    """Write a time as a pupil might; the minutes may be 60 or more."""
    return f"{hour} h {minute:02}", f"{hour}:{minute:02}"


def simplified(above: int, below: int) -> Pair:
    """Return the step that simplifies a fraction; empty if it cannot be."""
    divisor = gcd(above, below)
    if divisor == 1:
        return "", ""
    simple = write_maths(Fraction(above, below), "fr")
    equation = f"${write_fraction(above, below)} = {simple}$"
    return (f"On simplifie par ${divisor}$ : {equation}.", f"Simplify by ${divisor}$: {equation}.")

"""Read numbers with marks: the index of a base, the bar of a conjugate, an exponent."""

from __future__ import annotations

import re
from typing import Final

from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    apply,
    find_letters,
    number,
    substitute,
)
from bot.maths.reading.quantities import NotReadable, QuantityReader
from bot.maths.reading.tokens import Token

_LARGEST_BASE: Final = 9
"""The largest base whose digits are read."""


_TERM: Final = re.compile(r"([+-]?)(\d*)([a-z]?)")
"""A term of an exponent: its sign, number and letter."""


def has_base(reader: QuantityReader) -> bool:
    """Return whether an index comes next: `101101_2`, `1101₂`."""
    after = reader.peek()
    is_subscript = after.kind == "break" and after.text in "₀₁₂₃₄₅₆₇₈₉" and not after.is_spaced
    return after.text == "_" or is_subscript


def read_in_base(reader: QuantityReader, token: Token) -> Expr:
    """Read a number with the index of its base. Raises `NotReadable`: it has no such digits."""
    base = reader.peek(2).value or 0
    is_index = reader.peek().text == "_" and reader.peek(3).text == ")"
    if not is_index or not token.text.isdigit() or not 2 <= base <= _LARGEST_BASE:
        raise NotReadable("A number in another base than ten.")
    if int(max(token.text)) >= base:
        raise NotReadable("The base has no such digit.")
    reader.at += 4
    return number(int(token.text, int(base)))


def refuse_base(reader: QuantityReader) -> None:
    """Raise `NotReadable` if the index of a base comes next: `(1101)_2`."""
    if has_base(reader):
        raise NotReadable("A number in another base than ten.")


def ends_instruction(reader: QuantityReader) -> bool:
    """Return whether the number before ends an instruction: `on divise par 3,6 : 54 km/h`."""
    operator, before = reader.peek(-2), reader.peek(-3)
    is_by = operator.text in ("par", "by") or (operator.is_word and operator.text in "*/")
    return is_by and before.kind not in ("number", "close", "unit") and reader.at > 1


def read_conjugate(found: Apply) -> Expr:
    """Return the conjugate of a complex number. Raises `NotReadable`: it has other letters."""
    if not find_letters(found.args[0]) <= {"i", "π", "e"}:
        raise NotReadable("The conjugate of letters.")
    return substitute(found.args[0], {"i": apply("neg", Letter("i"))})


def read_superscript(text: str) -> Expr:
    """Read an exponent that is written in small figures and letters, `2x` of `e²ˣ` or `n+1` of
    `2ⁿ⁺¹`. Raises `NotReadable`."""
    if text.lstrip("-").isdigit():
        return number(int(text))
    exponent: Expr | None = None
    for sign, digits, letter in _TERM.findall(text)[:-1]:  # the last one is empty
        if not digits and not letter:
            raise NotReadable(f"The exponent {text!r}.")
        term = number(int(digits)) if digits else Letter(letter)
        if digits and letter:
            term = apply("*", term, Letter(letter))
        if exponent is None:
            exponent = apply("neg", term) if sign == "-" else term
        else:
            exponent = apply(sign or "*", exponent, term)
    if exponent is None:
        raise NotReadable(f"The exponent {text!r}.")
    return exponent

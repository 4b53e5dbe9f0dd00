"""Find letters that a text uses as unknowns although they have a meaning: e, and units such as f.

`5a + 3e = 8 500` is no equation with Euler's number, `2p + 3f = 16 000` none with francs, if the
text says what e or f stands for. Such letters are written as mathematical italics, which have no
other meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from bot.maths.reading.prose import Sentence
from bot.maths.reading.tokens import Token

_ITALICS: Final = {
    "e": "\U0001d452", "f": "\U0001d453", "g": "\U0001d454", "h": "\u210e", "l": "\U0001d459",
    "L": "\U0001d43f", "m": "\U0001d45a",
}  # fmt: skip
PLAIN: Final = {ord(italic): letter for letter, italic in _ITALICS.items()}
"""A table that writes the letters as usual again."""
_EULER: Final = (Fraction(27, 10), Fraction(272, 100))
_NAMING_WORDS = """
soit soient pose posons appelle appelons note notons nommons designons let call
"""
_NAMING: Final = frozenset(_NAMING_WORDS.split())
_NAMED_WORDS = """
le la les l un une celui celle ceux the designe represente est for be
"""
_NAMED: Final = frozenset(_NAMED_WORDS.split())
"""Words after a letter that say what it stands for."""
_MOST_BETWEEN: Final = 8
"""Most tokens between `soit` and the letter that it names."""


def mark_unknowns(sentences: Sequence[Sentence]) -> None:
    """Write the letters that a text uses as unknowns in its sentences as italics."""
    letters = _find_unknowns(sentences)
    if not letters:
        return
    for sentence in sentences:
        sentence.tokens = [
            msgspec.structs.replace(token, text=_ITALICS[token.text])
            if token.kind == "name" and token.text in letters
            else token
            for token in sentence.tokens
        ]


def _find_unknowns(sentences: Sequence[Sentence]) -> set[str]:
    named, used, others = set[str](), set[str](), set[str]()
    for tokens in (sentence.tokens for sentence in sentences):
        for at, token in enumerate(tokens):
            if token.kind == "function" and token.text in ("ln", "exp"):
                others.add("e")
            if token.kind != "name" or token.text not in _ITALICS:
                continue
            letter = token.text
            if _is_applied(token, tokens[at + 1 : at + 2]):
                others.add(letter)
            elif _is_named(tokens, at):
                named.add(letter)
            elif _is_factor(tokens, at):
                used.add(letter)
    return (named & (used | {"e"})) - others


def _is_applied(letter: Token, after: Sequence[Token]) -> bool:
    """Return whether a letter is a function or Euler's number with an exponent: `f(x)`, `e^x`."""
    if not after:
        return False
    is_call = after[0].text == "(" and not after[0].is_spaced and letter.text != "e"
    is_power = after[0].kind == "power" or after[0].text == "^"
    return is_call or (is_power and letter.text == "e")


def _is_named(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a letter gets a value or a meaning: `f = 2 000`, `soit f le prix`."""
    before = tokens[at - 1] if at else None
    if before is not None and before.kind in ("number", "operator", "power", "close", "unit"):
        return False
    sign, value, other = (*tokens[at + 1 : at + 4], *[tokens[at]] * 3)[:3]
    if sign.text == "=" and not sign.is_word:
        number = other if value.text == "-" else value
        low, high = _EULER
        return number.kind == "number" and not low < (number.value or 0) < high
    is_introduced = any(each.text in _NAMING for each in tokens[max(0, at - _MOST_BETWEEN) : at])
    return is_introduced and sign.text in _NAMED and not value.text.startswith("fonction")


def _is_factor(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a letter with a number before it is a term beside another letter's; f, which
    is no usual sign of francs, may also stand alone beside a sign."""
    letter = tokens[at]
    if not at or tokens[at - 1].kind != "number" or letter.is_spaced:
        return False
    if any(other.text != letter.text for other in _list_neighbours(tokens, at)):
        return True
    follows = tokens[at + 1] if at + 1 < len(tokens) else letter
    return letter.text == "f" and follows.text == "="


def _list_neighbours(tokens: Sequence[Token], at: int) -> Iterator[Token]:
    """Yield the letters of the terms before and after the one that ends at a place."""
    if at > 2 and tokens[at - 2].text in ("+", "-") and tokens[at - 3].kind == "name":
        yield tokens[at - 3]
    sign, *term = [*tokens[at + 1 : at + 4], tokens[at]]
    if sign.text in ("+", "-"):
        last = term[term[0].kind == "number"]
        if last.kind == "name" and (last is term[0] or not last.is_spaced):
            yield last

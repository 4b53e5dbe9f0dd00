"""Pieces of Typst source that cannot be anything but what they show.

Facts: https://typst.app/docs/reference/math/ and /reference/syntax/#escapes: a backslash makes the
next character stand for itself, in strings only `\\` and `"` need one, and letters that touch each
other are a name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

EMPTY: Final = '""'
_CHARACTERS = {"-": "−", "*": "∗", "`": "‘", "/": "∕", "~": " "}
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


class Untypesettable(Exception):
    """The formula is malformed, or holds a command that is not known here."""


def literal(char: str) -> str:
    """One visible character of mathematics."""
    char = _CHARACTERS.get(char, char)
    if (char.isascii() and char.isdigit()) or char.isalpha():
        return char
    if unicodedata.category(char) in _UNSEEN:
        raise Untypesettable("It holds characters that cannot be seen.")
    return "\\" + char


def string(text: str) -> str:
    """Upright text; white space is one space."""
    kept = "".join(" " if char.isspace() else char for char in text)
    if any(unicodedata.category(char) in _UNSEEN for char in kept):
        raise Untypesettable("It holds characters that cannot be seen.")
    while "  " in kept:
        kept = kept.replace("  ", " ")
    return '"' + kept.replace("\\", "\\\\").replace('"', '\\"') + '"'


def call(name: str, *arguments: str, **named: str) -> str:
    """`name(…)`; an argument without content is an empty text."""
    given = [argument.strip() or EMPTY for argument in arguments]
    given += [f"{key}: {value.strip() or EMPTY}" for key, value in named.items()]
    return f"{name}({', '.join(given)})"


def join(pieces: Iterable[str]) -> str:
    """The pieces in a row; a space parts what would otherwise be one name."""
    row: list[str] = []
    before = ""
    for piece in pieces:
        if not piece:
            continue
        touching = before[-1:].isalnum() and piece[0].isalnum()
        row.append(f" {piece}" if touching else piece)
        before = piece
    return "".join(row)

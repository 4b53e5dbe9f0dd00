"""The words of formulas."""

from __future__ import annotations

import re
from typing import NamedTuple

_WORDS = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<string>"(?:[^"]|"")*")
    | (?P<sheet>'(?:[^'\[\]]|'')+'! | [^\W\d][\w.]*!)
    | (?P<header>\[@?[^\[\]]+\])
    | (?P<columns>\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}(?![\w(.]))
    | (?P<cell>\$?[A-Za-z]{1,3}(?:\$\d{1,7}|\{[+-]\d+\})(?![\w(.!]))
    | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?(?![\w.]) | \.\d+(?![\w.]))
    | (?P<name>[^\W\d][\w.]*)
    | (?P<operator><=|>=|<>|[-+*/^&=<>%:])
    | (?P<opening>\()
    | (?P<closing>\))
    | (?P<separator>[,;])
    """,
    re.VERBOSE,
)
_QUOTED = re.compile(r'("(?:[^"]|"")*")')
_FRENCH_COMMA = re.compile(r"(?<=\d),(?=\d)")
_OUTER_COMMA = re.compile(r"[()]|(?<=\d),(?=\d)")


class Lexeme(NamedTuple):
    kind: str
    text: str


def read_lexemes(text: str) -> list[Lexeme] | None:
    """The words of a formula without its sign; None if something in it is no word."""
    text = _point_decimals(text)
    words: list[Lexeme] = []
    at = 0
    while at < len(text):
        found = _WORDS.match(text, at)
        if found is None or found.lastgroup is None:
            return None
        if found.lastgroup != "space":
            words.append(Lexeme(found.lastgroup, found[0]))
        at = found.end()
    return words


def _point_decimals(text: str) -> str:
    """`B2*1,18` with a point: between arguments a French formula has semicolons."""
    parts = _QUOTED.split(text)
    outside = parts[::2]
    if any(";" in part for part in outside):
        parts[::2] = [_FRENCH_COMMA.sub(".", part) for part in outside]
        return "".join(parts)
    depth = 0

    def point(found: re.Match[str]) -> str:
        nonlocal depth
        if found[0] != ",":
            depth += 1 if found[0] == "(" else -1
            return found[0]
        return "," if depth else "."

    parts[::2] = [_OUTER_COMMA.sub(point, part) for part in outside]
    return "".join(parts)

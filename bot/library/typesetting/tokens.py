"""LaTeX in tokens, read from left to right."""

from __future__ import annotations

import re

from bot.library.typesetting.source import Untypesettable

_TOKEN = re.compile(r"\\(?:operatorname\*|[A-Za-z]+|.)?|\s+|.", re.DOTALL)
_GAP = re.compile(r"\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm)\s*\]")
_FARTHEST = 20
"""Tokens that a gap between rows may have."""


class Tokens:
    """The tokens of a formula: a command, white space, or one character."""

    def __init__(self, latex: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(latex)
        self._at = 0

    def peek(self, ahead: int = 0) -> str:
        """The token that comes next, or `ahead` places later; "" at the end."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def peek_visible(self) -> str:
        """The next token that is not white space."""
        ahead = 0
        while self.peek(ahead).isspace():
            ahead += 1
        return self.peek(ahead)

    def take(self) -> str:
        part = self.peek()
        self._at += 1
        return part

    def take_visible(self) -> str:
        while self.peek().isspace():
            self._at += 1
        return self.take()

    def expect(self, wanted: str) -> None:
        """Take `wanted`, after white space. Raises `Untypesettable` if something else comes."""
        if self.take_visible() != wanted:
            raise Untypesettable(f"{wanted!r} is missing.")

    def raw_argument(self) -> str:
        """What the next braces hold, as it is written."""
        self.expect("{")
        start, depth = self._at, 1
        while depth:
            part = self.take()
            if not part:
                raise Untypesettable("Something is not closed.")
            depth += (part == "{") - (part == "}")
        return "".join(self._tokens[start : self._at - 1])

    def skip_gap(self) -> None:
        """Read past the `[2pt]` that may follow the end of a row."""
        ahead = "".join(self._tokens[self._at : self._at + _FARTHEST])
        if gap := _GAP.match(ahead):
            self._at += len(_TOKEN.findall(gap[0]))

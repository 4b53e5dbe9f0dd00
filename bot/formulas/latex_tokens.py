"""Split LaTeX mathematics into tokens."""

from __future__ import annotations

import re
from typing import Final


class Untypesettable(Exception):
    """Raised for a formula that is malformed, or that its target cannot show."""


_TOKEN = re.compile(r"\\(?:operatorname\*|[A-Za-z]+|.)?|\s+|.", re.DOTALL)
_GAP = re.compile(r"\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm)\s*\]")
_FARTHEST: Final = 20
"""Most tokens of a gap between rows."""


class Tokens:
    """The tokens of a formula: a command, white space, or one character each."""

    def __init__(self, latex: str) -> None:
        found: list[str] = _TOKEN.findall(latex)
        self._tokens = ["\\\\" if part == "\\cr" else part for part in found]
        self._at = 0

    def peek(self, ahead: int = 0) -> str:
        """Return the next token, or the one `ahead` places later; "" at the end."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def peek_visible(self) -> str:
        """Return the next token that is not white space."""
        return self.peek(1) if self.peek().isspace() else self.peek()

    def take(self) -> str:
        part = self.peek()
        self._at += 1
        return part

    def take_visible(self) -> str:
        self._at += self.peek().isspace()
        return self.take()

    def expect(self, wanted: str) -> None:
        """Take `wanted`, after white space. Raises `Untypesettable`: another token comes next."""
        if self.take_visible() != wanted:
            raise Untypesettable(f"{wanted!r} is missing.")

    def take_group(self) -> str:
        """Take the next braces, after white space, and return the source with them."""
        if self.peek_visible() != "{":
            raise Untypesettable("'{' is missing.")
        self._at += self.peek().isspace()
        start, depth = self._at, 0
        while depth or self._at == start:
            part = self.take()
            if not part:
                raise Untypesettable("Something is not closed.")
            depth += (part == "{") - (part == "}")
        return "".join(self._tokens[start : self._at])

    def take_groups(self) -> str:
        """Take all groups in braces that follow directly, and return their source."""
        groups: list[str] = []
        while self.peek() == "{":
            groups.append(self.take_group())
        return "".join(groups)

    def skip_gap(self) -> None:
        """Skip the `[2pt]` that may follow the end of a row."""
        ahead = "".join(self._tokens[self._at : self._at + _FARTHEST])
        if gap := _GAP.match(ahead):
            self._at += len(_TOKEN.findall(gap[0]))

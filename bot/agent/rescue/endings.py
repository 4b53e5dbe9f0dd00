"""Where call markup ends, found while it grows; every character is looked at once."""

from __future__ import annotations

import re

from bot.agent.rescue.openings import LONGEST_CLOSING, Opening

_OUTSIDE = re.compile(r"[\"{}\[\]()]")
_INSIDE = re.compile(r"[\"\\]")
_MORE = re.compile(r"\s{0,64}(?:[,;]\s{0,64})?(?=\{|\[(?!/?(?:END_)?TOOL_))", re.IGNORECASE)
_MORE_CUT = re.compile(
    r"\s{0,64}(?:[,;]\s{0,64})?(?:\[[/A-Z_]{0,16}|<(?:/[\w:|｜‖-]{0,64})?)?\Z", re.IGNORECASE
)


class Braces:
    """Follows brackets outside of strings, from an opening one to where they are balanced."""

    def __init__(self) -> None:
        self._depth = 0
        self._quoted = False
        self.at = 0
        """Where to go on."""

    def follow(self, text: str, limit: int) -> bool:
        """Whether they are balanced at `self.at`; nothing from `limit` on is looked at."""
        while self.at < limit:
            pattern = _INSIDE if self._quoted else _OUTSIDE
            if not (found := pattern.search(text, self.at, limit)):
                self.at = limit
            elif not self._pass(found[0], found.end(), limit):
                return False
            elif self._depth == 0 and not self._quoted:
                return True
        return False

    def _pass(self, char: str, end: int, limit: int) -> bool:
        """Step over `char`; False if what follows a backslash is still to come."""
        self.at = end
        if char == "\\":
            if end == limit:
                self.at = end - 1
                return False
            self.at = end + 1
        elif char == '"':
            self._quoted = not self._quoted
        else:
            self._depth += 1 if char in "{[(" else -1
        return True


class Ending:
    """Finds the end of the span that began with `opening`. Ends are counted from its start."""

    def __init__(self, opening: Opening, *, single: bool) -> None:
        """
        Args:
            opening: how it began; its `end` is counted from the start of the span, too.
            single: one object is all; else several may follow each other.
        """
        self._closing = opening.closing
        self._single = single
        self._first = self._seen = self._followed = opening.end
        self._braces = Braces() if opening.braces else None
        self._balanced = False
        self.is_cut = False
        """The text ended before the span did."""

    def find(self, text: str, start: int, *, final: bool) -> int | None:
        """The end of the span that begins at `start`; None if it is still to come."""
        begin = start + max(self._first, self._seen - LONGEST_CLOSING)
        closing = self._closing.search(text, begin) if self._closing else None
        if self._braces:
            limit = closing.start() if closing else len(text)
            end = self._balanced_end(self._braces, text, start, limit, final=final)
            if end is not None:
                return end
        if closing:
            return closing.end() - start
        self._seen = len(text) - start
        self.is_cut = final
        return self._seen if final else None

    def forget(self) -> int:
        """How many characters from the start are not needed any more; they must be removed."""
        size = max(0, self._seen - LONGEST_CLOSING)
        if self._braces:
            size = min(size, self._followed)
        self._seen -= size
        self._followed -= size
        self._first = max(0, self._first - size)
        return size

    def _balanced_end(
        self, braces: Braces, text: str, start: int, limit: int, *, final: bool
    ) -> int | None:
        braces.at = start + self._followed
        while self._balanced or braces.follow(text, limit):
            self._balanced = True
            self._followed = braces.at - start
            if self._single:
                return self._followed
            if not final and _MORE_CUT.match(text, braces.at):
                return None
            more = _MORE.match(text, braces.at)
            if more is None or more.end() >= limit:
                is_closed = limit < len(text) and not text[braces.at : limit].strip()
                return None if is_closed else self._followed
            braces.at = more.end()
            self._balanced = False
        self._followed = max(self._followed, braces.at - start)
        return None

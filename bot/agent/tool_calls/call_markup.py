"""Find the beginning and end of markup in a text that still grows.

The result does not depend on how the text was cut: a row of the table counts only once no further
text can change its match; until then more text is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import regex

from bot.agent.tool_calls.families import END, FAMILIES, THOUGHT_END, Family, Place

_PREFIXES = ("call:", "declaration:", "default_api", "functions", "tools")
_PREFIX = re.compile(r"\A(?:(?:call|declaration|default_api|functions?|tools?)[.:/])+")
_ORDINAL = re.compile(r"(?::\d{1,4}|\.call)\Z")
_LAST_NAME = re.compile(r"[\w.:/-]{0,80}\Z")
_BROKEN_OFF = re.compile(
    r"</?(?:\s?[|｜‖]|[\w-]{2,20}:|too|fun|inv|par|arg|lon|sta)|\[/?\w{4}|`{3}\w{3}"
    r"|(?:(?:```|~~~)[^\n]*\n\s*)?\{\s{0,20}[\"'“”](?:too|act)|Action:[^\n]{1,80}\n\s{0,8}Action",
    re.IGNORECASE,
)
"""The part of an opening after which a text that breaks off is taken for markup."""
_BROKEN = Family("", "", mark="stray")
_BRACKET = re.compile(r"\s*+([{\[(]?)")
_HEAD = 12
"""Number of first characters that are used to select rows quickly."""


class Undecided:
    """The sign that more text is needed to decide."""


UNDECIDED: Final = Undecided()


@dataclass(frozen=True, slots=True)
class Marker:
    """The opening of markup."""

    family: Family
    end: int
    body: int = 0
    """Where the arguments begin: at `end` or after it."""
    name: str = ""
    closing: str = ""


def find_known_name(written: str, known: Collection[str]) -> str:
    """Return the known tool that `written` names (`functions.web_search:0` is web_search), or
    ""."""
    if written in known:
        return written
    short = _ORDINAL.sub("", _PREFIX.sub("", written.strip()))
    names = (short, short.lower(), short.rpartition(".")[2])
    return next((name for name in names if name in known), "")


def find_marker(
    text: str, at: int, places: Collection[Place], known: Collection[str], *, final: bool
) -> Marker | Undecided | None:
    """Return the markup that opens at `at` and counts in one of the `places`."""
    families = [one for one in _find_families(text[at : at + _HEAD]) if one.place in places]
    for family in families:
        if sight := _match(family, text, at, known, final=final):
            return sight
    if final and _BROKEN_OFF.match(text, at):
        plain = (one for one in families if one.mark in ("call", "stray"))
        if any(_match(one, text, at, known, final=False) is UNDECIDED for one in plain):
            return Marker(_BROKEN, len(text))
    return None


def _match(
    family: Family, text: str, at: int, known: Collection[str], *, final: bool
) -> Marker | Undecided | None:
    found = compile_growing(family.opening, final=final).match(text, at, partial=not final)
    if not found:
        return None
    groups = found.groupdict()
    name = groups.get("known") or groups.get("first") or ""
    if found.partial and "bare" not in family.traits:
        return UNDECIDED
    if found.partial and not name:
        return UNDECIDED if _may_be_known(found[0], known) else None
    if name and not find_known_name(name, known):
        return None
    if found.partial:
        return UNDECIDED
    name = groups.get("known") or groups.get("name") or ""
    run = groups.get("run") or ""
    closing = family.closing.replace("{tag}", regex.escape(groups.get("tag") or ""))
    closing = closing.replace("{run}", f"{regex.escape(run[:1])}{{{len(run)}}}")
    body = found.start("body") if "body" in groups else found.end()
    return Marker(family, found.end(), body, name, closing)


def _may_be_known(written: str, known: Collection[str]) -> bool:
    """Return whether a text that ends in `written` may still become the name of a known tool."""
    found = _LAST_NAME.search(written)
    name = _PREFIX.sub("", found[0]) if found else ""
    return any(one.startswith(name) or name.startswith(one) for one in (*known, *_PREFIXES))


@lru_cache(maxsize=256)
def compile_growing(source: str, *, final: bool = False) -> regex.Pattern[str]:
    return regex.compile(source.replace(END, r"\Z" if final else "(?!)"), regex.IGNORECASE)


@lru_cache(maxsize=64)
def _find_families_by(first: str) -> tuple[tuple[Family, ...], regex.Pattern[str]]:
    """Return the rows that may begin with the character `first`, and one pattern for all."""
    rows = tuple(one for one in FAMILIES if compile_growing(one.opening).match(first, partial=True))
    return rows, compile_growing("|".join(one.opening for one in rows) or "(?!)")


@lru_cache(maxsize=4096)
def _find_families(head: str) -> tuple[Family, ...]:
    """Return the rows that a text which begins with `head` may match."""
    rows, any_row = _find_families_by(head[0])
    if not any_row.match(head, partial=True):
        return ()
    return tuple(one for one in rows if compile_growing(one.opening).match(head, partial=True))


class MarkupEnd:
    """Finds the end of markup while the text grows; each character is looked at once.

    The text begins with the markup; positions are counted from there.
    """

    def __init__(self, marker: Marker, *, in_thought: bool) -> None:
        self._marker = marker
        ends_thought = f"|(?={THOUGHT_END})" if in_thought and marker.closing else ""
        self._closing = marker.closing + ends_thought
        self._at = marker.end
        self._scan: regex.Pattern[str] | None = None
        self._depth = 0
        self._quoted = False
        self._is_balanced = False
        """Whether the markup ended with a bracket."""
        self._end: int | None = None
        """Where the markup ends, unless its closing or a further part follows."""
        self.is_cut = False
        """Whether the text ended before the markup did."""

    def find(self, text: str, *, final: bool) -> int | None:
        """Return the end of the markup; None if it has not arrived yet."""
        while (end := self._find_end(text, final=final)) is not None:
            closing = self._closing if self._is_balanced else ""
            rest = _compile_rest(closing, self._marker.family.more)
            found = rest.match(text, end, partial=not final)
            if self.is_cut or not found:
                return end
            if found.partial:
                return None
            if found.lastgroup:
                return found.end()
            self._at, self._end, self._scan = found.end(), None, None
        return None

    def forget(self) -> int:
        """Return the number of leading characters to remove; the caller removes them."""
        size, self._at = self._at, 0
        if self._end is not None:
            self._end -= size
        return size

    def _find_end(self, text: str, *, final: bool) -> int | None:
        """Return where the closing or the last bracket of the body ends."""
        if self._end is not None:
            return self._end
        self._scan = scan = self._scan or self._choose_scan(text, final=final)
        while scan and (found := scan.search(text, self._at, partial=not final)):
            if found.partial or (not final and self._may_close(text, found)):
                self._at = found.start()
                return None
            self._at = found.end()
            self._is_balanced = not found.lastgroup and self._closes_all(found[0])
            if found.lastgroup or self._is_balanced:
                self._end = found.end()
                return self._end
        self.is_cut = final
        return len(text) if final else None

    def _may_close(self, text: str, bracket: regex.Match[str]) -> bool:
        """Return whether a match for a bracket may be the beginning of the closing."""
        if bracket[0] not in ("[", "]") or not self._closing:
            return False
        closing = compile_growing(self._closing).match(text, bracket.start(), partial=True)
        return closing is not None and closing.partial

    def _choose_scan(self, text: str, *, final: bool) -> regex.Pattern[str] | None:
        """Return the pattern to search for, which depends on how the body begins."""
        begin = _BRACKET.match(text, self._at)
        if begin and begin.end() == len(text) and not begin[1] and not final:
            return None
        traits = self._marker.family.traits
        is_bracket = bool(begin and begin[1]) or not self._closing or "brackets" in traits
        return _compile_scan(self._closing, brackets=is_bracket and "no brackets" not in traits)

    def _closes_all(self, char: str) -> bool:
        if char == '"':
            self._quoted = not self._quoted
        elif not self._quoted and len(char) == 1:
            self._depth += 1 if char in "{[(" else -1
            return self._depth <= 0
        return False


@lru_cache(maxsize=256)
def _compile_scan(closing: str, *, brackets: bool) -> regex.Pattern[str]:
    parts = [f"(?P<end>{closing})"] if closing else []
    parts += [r"\\[\s\S]|[\"{}\[\]()]"] if brackets else []
    return regex.compile("|".join(parts), regex.IGNORECASE)


@lru_cache(maxsize=256)
def _compile_rest(closing: str, more: str) -> regex.Pattern[str]:
    parts = [rf"\s{{0,64}}(?P<end>{closing})"] if closing else []
    return regex.compile("|".join([*parts, *filter(None, [more])]) or "(?!)", regex.IGNORECASE)

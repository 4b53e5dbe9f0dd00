"""Find the beginning and end of markup in a text that still grows.

A pattern counts only once no further text can change its match. Until then the generators here
yield, and are resumed when there is more text; so no result depends on how the text was cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, TypeVar

import regex

from bot.agent.tool_calls.families import FAMILIES, THOUGHT_END, Family, Place, expand_pattern

MOST_HELD = 64 * 1024
"""Most characters of one markup; a longer one is taken out of the text and not run."""
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
_BRACKETS = r"\\[\s\S]|[\"{}\[\]()]"
_OPEN_BRACKET = r"\s{0,99}+[{\[(]"
_HEAD = 12
"""Number of first characters that are used to select rows quickly."""

T = TypeVar("T")
Growing: TypeAlias = Generator[None, None, T]
"""Yields where more text is needed, and returns the result."""


class GrowingText:
    """The text that is not processed yet, and the character before it."""

    def __init__(self) -> None:
        self.text = ""
        self.at = 0
        """Where the text that is not processed begins; a position may change at each yield."""
        self.is_whole = False
        """Whether no text follows."""
        self.dropped = 0
        """Number of characters of the current markup that were thrown away."""

    def add(self, piece: str) -> None:
        """Add a piece, and remove what was processed before."""
        done = max(0, self.at - 1)
        self.text = self.text[done:] + piece
        self.at -= done

    def match(self, pattern: str, at: int | None = None) -> Growing[regex.Match[str] | None]:
        """Return the match of `pattern` at a position; without one, at the unprocessed text."""
        while True:
            compiled = compile_growing(pattern, is_whole=self.is_whole)
            start = self.at if at is None else at
            found = compiled.match(self.text, start, partial=not self.is_whole)
            if not found or not found.partial:
                return found
            del found  # it keeps the text
            yield

    def search(
        self, pattern: str, pass_over: Callable[[int], object]
    ) -> Growing[regex.Match[str] | None]:
        """Return the next match of `pattern`, None if there is none in the whole text. The text up
        to it is passed over at once, as it arrives."""
        while True:
            compiled = compile_growing(pattern, is_whole=self.is_whole)
            found = compiled.search(self.text, self.at, partial=not self.is_whole)
            pass_over(found.start() if found else len(self.text))
            if self.is_whole or (found and not found.partial):
                return found
            del found
            yield

    def begin_markup(self) -> None:
        """Make the unprocessed text the whole text; positions stay as they are until its end."""
        self.text, self.at, self.dropped = self.text[self.at :], 0, 0

    def forget(self, end: int) -> int:
        """Throw away text that is too long to be read, up to `end`; return where `end` is then."""
        if end <= MOST_HELD:
            return end
        self.text = self.text[end:]
        self.dropped += end
        return 0


@lru_cache(maxsize=512)
def compile_growing(pattern: str, *, is_whole: bool = False) -> regex.Pattern[str]:
    expanded = expand_pattern(pattern).replace("¶", r"\Z" if is_whole else "(?!)")
    return regex.compile(expanded, regex.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marker:
    """The opening of markup; positions are counted from its beginning."""

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
    text: GrowingText, places: Collection[Place], known: Collection[str]
) -> Growing[Marker | None]:
    """Return the markup that opens where `text` is, and counts in one of the `places`."""
    while True:
        head = text.text[text.at : text.at + _HEAD]
        rows = [one for one in _find_rows(head) if one.place in places]
        found = _match_rows(rows, text, known, is_whole=text.is_whole)
        if not found or not found[1].partial:
            break
        del found  # it keeps the text
        yield
    if found:
        return _make_marker(*found)
    if text.is_whole and _BROKEN_OFF.match(text.text, text.at):
        rows = [one for one in rows if one.mark in ("call", "stray")]
        if _match_rows(rows, text, known, is_whole=False):
            return Marker(_BROKEN, len(text.text) - text.at)
    return None


def _match_rows(
    rows: Iterable[Family], text: GrowingText, known: Collection[str], *, is_whole: bool
) -> tuple[Family, regex.Match[str]] | None:
    """Return the first row that opens here and its match; a partial one may still become whole."""
    for row in rows:
        opening = compile_growing(row.opening, is_whole=is_whole)
        found = opening.match(text.text, text.at, partial=not is_whole)
        if found and _fits_known(row, found, known):
            return row, found
    return None


def _fits_known(row: Family, found: regex.Match[str], known: Collection[str]) -> bool:
    """Return whether the name in a match is that of a known tool, or may become it."""
    if found.partial and "bare" not in row.traits:
        return True
    groups = found.groupdict()
    name = groups.get("known") or groups.get("first") or ""
    if name or not found.partial:
        return not name or find_known_name(name, known) != ""
    last = _LAST_NAME.search(found[0])
    start = _PREFIX.sub("", last[0]) if last else ""
    return any(one.startswith(start) or start.startswith(one) for one in (*known, *_PREFIXES))


def _make_marker(family: Family, found: regex.Match[str]) -> Marker:
    groups = {key: value or "" for key, value in found.groupdict().items()}
    run = groups.get("run", "")
    closing = expand_pattern(family.closing).replace("{tag}", regex.escape(groups.get("tag", "")))
    closing = closing.replace("{run}", f"{regex.escape(run[:1])}{{{len(run)}}}")
    end = found.end() - found.start()
    body = found.start("body") - found.start() if "body" in groups else end
    return Marker(family, end, body, groups.get("known") or groups.get("name", ""), closing)


@lru_cache(maxsize=4096)
def _find_rows(head: str) -> tuple[Family, ...]:
    """Return the rows that a text which begins with `head` may match."""
    rows = _find_rows(head[: len(head) // 2]) if len(head) > 1 else FAMILIES
    return tuple(one for one in rows if compile_growing(one.opening).match(head, partial=True))


def find_end(text: GrowingText, marker: Marker, *, in_thought: bool) -> Growing[int | None]:
    """Return the end of the markup with which `text` begins; None if the text breaks off in it.
    Each character is looked at once."""
    family, at = marker.family, marker.end
    ends_thought = f"|(?={THOUGHT_END})" if in_thought and marker.closing else ""
    closing = marker.closing + ends_thought
    while True:
        has_brackets = family.ending == "bracket" or not closing
        if family.ending == "either" and closing:
            has_brackets = (yield from text.match(_OPEN_BRACKET, at)) is not None
        end, is_balanced = yield from _find_body_end(text, at, closing, has_brackets=has_brackets)
        if end is None:
            return None
        parts = [rf"\s{{0,64}}(?P<end>{closing})"] if closing and is_balanced else []
        rest = yield from text.match("|".join([*parts, family.more or "(?!)"]), end)
        if not rest or rest.lastgroup:
            return rest.end() if rest else end
        at = rest.end()


def _find_body_end(
    text: GrowingText, at: int, closing: str, *, has_brackets: bool
) -> Growing[tuple[int | None, bool]]:
    """Return where the closing or the last bracket ends, and whether it is that bracket."""
    parts = [f"(?P<end>{closing})"] if closing else []
    scan = compile_growing("|".join([*parts, *([_BRACKETS] if has_brackets else [])]))
    depth, is_quoted = 0, False
    while found := scan.search(text.text, at, partial=not text.is_whole):
        at = found.start()
        if found.partial:
            at = text.forget(at)
            del found
            yield
            continue
        if found.lastgroup:
            return found.end(), False
        if found[0] in "[]" and closing and (yield from text.match(closing, at)):
            continue
        at = found.end()
        if found[0] == '"':
            is_quoted = not is_quoted
        elif not is_quoted and len(found[0]) == 1:
            depth += 1 if found[0] in "{[(" else -1
            if depth <= 0:
                return at, True
    return None, False

"""Write styled text for WhatsApp, whose markup is markers in the text.

Facts: https://faq.whatsapp.com/539178204879377 (*bold*, _italic_, ~strikethrough~, ```monospace```,
`inline code`, lines that start with "> ", "- " or "* "). A style is within one line; its opening
marker is at a word's edge before a visible character, its closing one the other way round.
WhatsApp has no escape: a zero-width space on either side keeps a character from being a marker.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Set
from enum import IntEnum
from typing import NamedTuple

from bot.messages.outgoing import Entity
from bot.render.styled_text import Kind, Span, Styled

ZERO_WIDTH = "\u200b"
_MARKS: Mapping[Kind, str] = {"bold": "*", "italic": "_", "strikethrough": "~"}
_LINE = re.compile(r"[^\n]+")
_RUN = re.compile(r"([*_~`])\1*")
_LINE_MARK = re.compile(r"^(?:>|[*-] )", re.MULTILINE)
_VERBATIM = re.compile(
    rf"(```)(?!{ZERO_WIDTH})(.+?)```|(`)(?!{ZERO_WIDTH})([^`\n]+)`|(https?://\S+)", re.DOTALL
)
"""Code, whose markers are removed and whose text is kept as it is, and links."""
_STYLED = {
    mark: re.compile(
        rf"(?<![^\W_])(?<!{re.escape(mark)}){re.escape(mark)}(?![\s{ZERO_WIDTH}{re.escape(mark)}])"
        rf"([^\n{re.escape(mark)}]+)(?<!\s){re.escape(mark)}(?!{re.escape(mark)})(?![^\W_])"
    )
    for mark in _MARKS.values()
}
_QUOTED = re.compile(r"^> ", re.MULTILINE)


class _Rank(IntEnum):
    """The order of several insertions at the same place."""

    AFTER = 0
    CLOSE = 1
    LINE = 2
    BEFORE = 3
    OPEN = 4


class _Insert(NamedTuple):
    place: int
    rank: _Rank
    order: int
    text: str


def write_markers(styled: Styled) -> tuple[str, tuple[Entity, ...]]:
    """Return the text with its markers, and no entities.

    A style that markers cannot show (within a word, or around a character that would end it) is
    left out; characters that only look like markers are protected from being read as such.
    """
    text = styled.text.strip("\n").rstrip()
    if text != styled.text:
        lead = len(styled.text) - len(styled.text.lstrip("\n"))
        styled = styled.part(lead, lead + len(text))
    inserts = [
        insert for order, span in enumerate(styled.spans) for insert in _mark(text, span, order)
    ]
    inserts.extend(_neutralise(styled, inserts))
    return _insert(text, sorted(inserts)), ()


def strip_markers(text: str) -> str:
    """Return the text that `write_markers` was given, without its styles.

    Only what WhatsApp reads as a marker is taken out: `2*500`, `x_1` and `__init__` stay.
    """
    plain = ""
    done = 0
    text = _QUOTED.sub("", text)
    for found in _VERBATIM.finditer(text):
        code = found[2] or found[4] or found[5]
        plain += _unmark_styles(text[done : found.start()]) + code.replace(ZERO_WIDTH, "")
        done = found.end()
    return plain + _unmark_styles(text[done:])


def _unmark_styles(text: str) -> str:
    for _ in _STYLED:  # each of them may enclose the others
        for styled in _STYLED.values():
            text = styled.sub(r"\1", text)
    return text.replace(ZERO_WIDTH, "")


def _insert(text: str, inserts: list[_Insert]) -> str:
    parts: list[str] = []
    done = 0
    for place, _, _, inserted in inserts:
        parts += (text[done:place], inserted)
        done = place
    return "".join((*parts, text[done:]))


def _mark(text: str, span: Span, order: int) -> Iterator[_Insert]:
    """Yield the markers that show `span`."""
    if span.kind in _MARKS:
        for start, end in _lines(text, span):
            if _can_mark(text, start, end, _MARKS[span.kind]):
                yield from _enclose(start, end, _MARKS[span.kind], order)
    elif span.kind == "quote":
        for start in (span.start, *_line_starts(text, span)):
            yield _Insert(start, _Rank.LINE, order, "> ")
    elif span.kind != "link":
        yield from _fence(text, span, order)


def _enclose(start: int, end: int, mark: str, order: int) -> Iterator[_Insert]:
    yield _Insert(start, _Rank.OPEN, order, mark)
    yield _Insert(end, _Rank.CLOSE, -order, mark)


def _lines(text: str, span: Span) -> Iterator[tuple[int, int]]:
    """Yield start and end of the span on each line, without white space around."""
    for found in _LINE.finditer(text, span.start, span.end):
        line = found[0]
        start = found.start() + len(line) - len(line.lstrip())
        end = found.end() - len(line) + len(line.rstrip())
        if start < end:
            yield start, end


def _line_starts(text: str, span: Span) -> Iterator[int]:
    place = text.find("\n", span.start, span.end)
    while place >= 0:
        yield place + 1
        place = text.find("\n", place + 1, span.end)


def _can_mark(text: str, start: int, end: int, mark: str) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isalnum() or after.isalnum() or mark in (before, after):
        return False
    if any(_RUN.fullmatch(text[place - 1 : place + 1]) for place in (start, end) if place):
        return False  # it would split a run of other markers, which might then style something
    return text.find(mark, start, end) < 0


def _fence(text: str, span: Span, order: int) -> Iterator[_Insert]:
    code = text[span.start : span.end]
    short = span.kind == "code" and "`" not in code and code == code.strip() and "\n" not in code
    yield from _enclose(span.start, span.end, "`" if short else "```", order)
    for found in re.finditer("```", code):
        yield _Insert(span.start + found.start() + 1, _Rank.BEFORE, 0, ZERO_WIDTH)


def _neutralise(styled: Styled, inserts: list[_Insert]) -> Iterator[_Insert]:
    """Yield zero-width spaces around characters that would be read as markers, and at the start of
    such lines."""
    text = styled.text
    runs: list[tuple[int, int]] = []
    for start, end in _list_literal_parts(styled):
        for found in _LINE_MARK.finditer(text, start, end):
            yield _Insert(found.start(), _Rank.BEFORE, 0, ZERO_WIDTH)
        runs += [found.span() for found in _RUN.finditer(text, start, end)]
    if not runs:
        return
    line_of = _line_finder(text)
    parted = {insert.place for insert in inserts}
    closers = _last_closers(text, runs, inserts, line_of)
    for start, end in runs:
        can_end = closers.get((text[start], line_of(start)), -1) > end
        if can_end and _opens(text, start, end, parted):
            inner = range(start + 1, end) if text[start] == "`" else ()
            for place in (start, *inner):
                yield _Insert(place, _Rank.BEFORE, 0, ZERO_WIDTH)
            yield _Insert(end, _Rank.AFTER, 0, ZERO_WIDTH)


def _last_closers(
    text: str,
    runs: list[tuple[int, int]],
    inserts: list[_Insert],
    line_of: Callable[[int], int],
) -> dict[tuple[str, int], int]:
    """Return, for each mark and line, the last place where that mark could close a style."""
    parted = {insert.place for insert in inserts}
    places = [(text[start], start) for start, end in runs if _closes(text, start, end, parted)]
    places += [(i.text[0], i.place + 1) for i in inserts if i.rank in (_Rank.OPEN, _Rank.CLOSE)]
    last: dict[tuple[str, int], int] = {}
    for mark, place in places:
        key = (mark, line_of(place - 1))
        last[key] = max(place, last.get(key, -1))
    return last


def _line_finder(text: str) -> Callable[[int], int]:
    """Return a function that gives the number of a place's line."""
    ends = [found.start() for found in re.finditer("\n", text)]
    return lambda place: bisect_left(ends, place)


def _opens(text: str, start: int, end: int, parted: Set[int]) -> bool:
    if text[start] == "`":
        return True
    after = text[end : end + 1]
    is_inside = text[start - 1 : start].isalnum() and start not in parted
    return not is_inside and bool(after) and not after.isspace()


def _closes(text: str, start: int, end: int, parted: Set[int]) -> bool:
    if text[start] == "`":
        return True
    before = text[start - 1 : start]
    is_inside = text[end : end + 1].isalnum() and end not in parted
    return bool(before) and not before.isspace() and not is_inside


def _list_literal_parts(styled: Styled) -> Iterator[tuple[int, int]]:
    """Yield start and end of the parts of the text that are neither in code nor in a link."""
    done = 0
    for span in styled.spans:
        if span.kind in ("code", "pre", "link"):
            if done < span.start:
                yield done, span.start
            done = max(done, span.end)
    yield done, len(styled.text)

"""A text in chunks of about a thousand characters, which end where sentences end. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST = 900
"""Characters of a chunk, without its overlap."""
_LEAST = 450
_OVERLAP = 150
_ENDS = (
    re.compile(r"\n\n"),
    re.compile(r"\n|[.!?…؟。！？]['\"»”’)]?\s"),
    re.compile(r"\s"),
)
"""Where to cut, the best first."""
_MARK = re.compile(r"^\[((?:page|slide) \d{1,6}|sheet [^\n]{1,60})\]$", re.MULTILINE)
"""What readers write where a page, a slide or a sheet begins."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text."""

    body: str
    """At most 1,050 characters."""
    overlap: int
    """So many at its beginning are the end of the chunk before: without them, all chunks together
    are the text."""
    place: str
    """Where it begins: `page 3`. Empty: the text has no such parts."""


def cut(text: str) -> Iterator[Chunk]:
    """The chunks of a text, in order; none of an empty one."""
    place, begin = "", 0
    while begin < len(text):
        end = _end(text, begin)
        start = _overlap_start(text, begin)
        if mark := _MARK.match(text, begin):
            place = mark[1]
        yield Chunk(text[start:end], begin - start, place)
        place = place_at(text[begin:end], end - begin) or place
        begin = end


def place_at(text: str, position: int) -> str:
    """The page, slide or sheet that `position` of the text is on; empty if the text names none."""
    place = ""
    for mark in _MARK.finditer(text):
        if mark.start() > position:
            break
        place = mark[1]
    return place


def _end(text: str, begin: int) -> int:
    """Where the chunk that begins there ends: after the last good place in its second half."""
    if len(text) - begin <= MOST:
        return len(text)
    for ends in _ENDS:
        last = 0
        for found in ends.finditer(text, begin + _LEAST, begin + MOST):
            last = found.end()
        if last:
            return last
    return begin + MOST


def _overlap_start(text: str, begin: int) -> int:
    """Where the overlap of the chunk that begins there starts: with a sentence, else a word."""
    for ends in _ENDS[1:]:
        for found in ends.finditer(text, max(0, begin - _OVERLAP), begin):
            if found.end() < begin:
                return found.end()
    return begin

"""Cutting styled text into pieces whose rendered size fits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bot.gateway.render.graphemes import boundary_after, boundary_before
from bot.gateway.render.styled import Styled
from bot.messages import Entity

Form = Callable[[Styled], tuple[str, tuple[Entity, ...]]]
"""Styled text in a channel's own form."""
Measure = Callable[[str], int]


class Piece(NamedTuple):
    text: str
    entities: tuple[Entity, ...]
    end: int
    """Where in the whole text the next piece starts."""


_SENTENCE_END = re.compile(r"[.!?…][\"»”)]*(?= )")
_JOINING = r"=+*\-−×·÷±∓<>≤≥≠≈≡→⇒⇔∈∉∪∩⊂|"
_BETWEEN_WORDS = re.compile(rf"(?<![{_JOINING}«]) (?![{_JOINING}?!:;»%])")
"""A space that neither a formula nor French punctuation holds together."""
_GAP = re.compile(r"\n+| ")


def count_utf16(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def cut(
    styled: Styled, form: Form, measure: Measure, limit: int, most_spans: int
) -> Iterator[Piece]:
    """Pieces of at most `limit` by `measure`, and at most `most_spans` spans each.

    Cut at the end of a paragraph, else of a line, a sentence, a word (beside no operator, if that
    can be), a grapheme. The white space where it is cut is dropped; a block of code is opened anew
    in each piece. Blank pieces are left out.
    """
    start, length, reach = 0, len(styled.text), limit
    while start < length:
        farthest = _bound(styled, start, min(length, start + reach), most_spans)
        while True:
            stop = farthest if farthest == length else _choose(styled.text, start, farthest)
            rendered = form(styled.part(start, stop))
            size = measure(rendered[0])
            if size <= limit or stop - start <= 1:
                break
            farthest = start + _shrink(stop - start, limit, size)
            if size > 2 * limit:
                reach = farthest - start  # what follows will hardly be shorter
        if size < limit // 2:
            reach = limit
        start = _skip(styled.text, stop)
        if rendered[0].strip():
            yield Piece(*rendered, start)


def keep_end(
    styled: Styled, form: Form, measure: Measure, limit: int
) -> tuple[str, tuple[Entity, ...]]:
    """The last part of `styled` whose rendered size is at most `limit`."""
    length = len(styled.text)
    start = max(0, length - limit)
    while True:
        start = boundary_after(styled.text, start)
        rendered = form(styled.part(start, length))
        size = measure(rendered[0])
        if size <= limit or length - start <= 1:
            return rendered
        start = length - _shrink(length - start, limit, size)


def _shrink(length: int, limit: int, size: int) -> int:
    """How much of `length`, rendered as `size`, to try next so that it fits `limit`."""
    return max(1, min(length - 1, length * limit // size))


def _bound(styled: Styled, start: int, end: int, most_spans: int) -> int:
    """`end`, or earlier, so that `text[start:end]` holds at most `most_spans` spans."""
    if len(styled.spans) <= most_spans:
        return end
    starts = [span.start for span in styled.spans if span.end > start and span.start < end]
    return max(start + 1, starts[most_spans]) if len(starts) > most_spans else end


def _choose(text: str, start: int, end: int) -> int:
    """The best place to cut in `text[start:end]`: far enough, and between what belongs together."""
    low = start + (end - start) // 2
    for line_end in ("\n\n", "\n"):
        place = text.rfind(line_end, low, end + len(line_end))
        if place > low:
            return place
    sentences = [found.end() for found in _SENTENCE_END.finditer(text, low, end + 1)]
    if sentences:
        return sentences[-1]
    gaps = [found.start() for found in _BETWEEN_WORDS.finditer(text, low, end + 2)]
    words = [place for place in gaps if start < place <= end]
    if words:
        return words[-1]
    place = text.rfind(" ", start + 1, end + 1)
    if place > start:
        return place
    place = boundary_before(text, end, start)
    return place if place > start else end


def _skip(text: str, stop: int) -> int:
    """Where the next piece starts: after the line ends or the space at `stop`."""
    found = _GAP.match(text, stop)
    return found.end() if found else stop

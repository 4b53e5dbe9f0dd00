"""Describe styled text, and write it as text with entities.

A styled text is one string and the ranges of it that look different, independent of any channel.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from bot.messages.outgoing import Entity

Kind = Literal["bold", "italic", "strikethrough", "code", "pre", "link", "quote"]
STYLES: frozenset[Kind] = frozenset({"bold", "italic", "strikethrough"})
"""The kinds that only change how letters look."""


class Span(NamedTuple):
    """`text[start:end]` looks like `kind`; offsets in code points."""

    kind: Kind
    start: int
    end: int
    url: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Styled:
    """Text with spans that nest properly, outer before inner, in order of their start.

    `code` and `pre` lie inside no span but `quote` and hold none; no kind lies inside itself.
    """

    text: str
    spans: tuple[Span, ...] = ()

    def part(self, start: int, end: int) -> Styled:
        """Return `text[start:end]` with what remains of its spans."""
        spans = [
            span._replace(start=max(span.start - start, 0), end=min(span.end, end) - start)
            for span in self.spans
            if span.start < end and span.end > start
        ]
        return Styled(self.text[start:end], tuple(spans))


class Writer:
    """Builds styled text, block by block.

    Blocks are separated lazily: `part_blocks` asks for line ends, the next `write` puts them, so a
    text never ends in them and they are outside the spans that they separate.
    """

    def __init__(self) -> None:
        self.indent = ""
        """Text at the start of every line but those of code blocks."""
        self._parts: list[str] = []
        self._length = 0
        self._spans: list[Span] = []
        self._open: dict[Kind, int] = {}
        self._depth: dict[Kind, int] = {}
        self._gap = 0

    def finish(self) -> Styled:
        return Styled("".join(self._parts), tuple(s for s in self._spans if s.end > s.start))

    def part_blocks(self, line_ends: int) -> None:
        """Have at least so many line ends before the next text."""
        if self._length:
            self._gap = max(self._gap, line_ends)

    def write(self, text: str) -> None:
        self._fill_gap(self.indent)
        self._put(text.replace("\n", "\n" + self.indent) if self.indent else text)

    def mark(self) -> int:
        """Return a place for `text_since` to start from."""
        return len(self._parts)

    def text_since(self, mark: int) -> str:
        return "".join(self._parts[mark:])

    def label(self, text: str) -> None:
        """Begin a list item: the next text follows `text` on its line."""
        self.write(text)
        self._gap = 0

    def write_code(self, text: str) -> None:
        """Write inline code; styles around it pause, and within a link it is plain text."""
        if "link" in self._open:
            self.write(text)
            return
        self._fill_gap(self.indent)
        paused: list[Kind] = [kind for kind in self._open if kind in STYLES]
        for kind in paused:
            self._end_span(kind)
        self._spans.append(Span("code", self._length, self._length + len(text)))
        self._put(text)
        for kind in paused:
            self._begin_span(kind)

    def write_block(self, text: str, language: str = "") -> None:
        """Write a block of code, on lines of its own and never indented."""
        if self._length and not self._gap:
            self._gap = 1
        self._fill_gap("")
        self._spans.append(Span("pre", self._length, self._length + len(text), "", language))
        self._put(text)

    def open(self, kind: Kind, url: str = "") -> None:
        """Begin a span; inside one of its kind this does nothing."""
        depth = self._depth[kind] = self._depth.get(kind, 0) + 1
        if depth == 1:
            self._fill_gap(self.indent)
            self._begin_span(kind, url)

    def close(self, kind: Kind) -> None:
        self._depth[kind] -= 1
        if self._depth[kind] == 0:
            self._end_span(kind)

    def append(self, styled: Styled) -> None:
        """Write a finished text with its spans."""
        self._fill_gap(self.indent)
        shift = self._length
        self._spans.extend(
            span._replace(start=span.start + shift, end=span.end + shift) for span in styled.spans
        )
        self._put(styled.text)

    def _fill_gap(self, indent: str) -> None:
        if self._gap:
            self._put("\n" * self._gap + indent)
            self._gap = 0

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _begin_span(self, kind: Kind, url: str = "") -> None:
        self._open[kind] = len(self._spans)
        self._spans.append(Span(kind, self._length, self._length, url))

    def _end_span(self, kind: Kind) -> None:
        index = self._open.pop(kind)
        self._spans[index] = self._spans[index]._replace(end=self._length)


def count_utf16(text: str) -> int:
    """Return the length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


MAX_ENTITIES = 100
"""Entities that Telegram takes in one message; it ignores the others."""
_WIDE = re.compile("[\U00010000-\U0010ffff]")
"""Characters that take two UTF-16 code units."""


def to_entities(styled: Styled) -> tuple[str, tuple[Entity, ...]]:
    """Return the text without surrounding white space, and its entities, outer before inner."""
    text = styled.text.rstrip()
    lead = len(text) - len(text.lstrip("\n"))
    text = text[lead:]
    place = _utf16_places(text)
    entities = (_to_entity(span, text, lead, place) for span in styled.spans)
    return text, tuple(entity for entity in entities if entity.length)


def _to_entity(span: Span, text: str, lead: int, place: Callable[[int], int]) -> Entity:
    start, end = max(span.start - lead, 0), min(span.end - lead, len(text))
    covered = text[start:end]
    end -= len(covered) - len(covered.rstrip())
    if span.kind != "pre":
        start += len(covered) - len(covered.lstrip())
    if end <= start:
        return Entity(span.kind, 0, 0)
    offset = place(start)
    return Entity(span.kind, offset, place(end) - offset, span.url, span.language)


def _utf16_places(text: str) -> Callable[[int], int]:
    """Return a function from an index in code points to one in UTF-16 code units."""
    wide = [found.start() for found in _WIDE.finditer(text)]
    return (lambda index: index + bisect_left(wide, index)) if wide else int

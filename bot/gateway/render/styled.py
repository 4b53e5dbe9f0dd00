"""Describe styled text, cut it into pieces that fit a channel, and write Telegram's entities.

A styled text is one string and the ranges of it that look different, independent of any channel.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator
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


_JOINER = "\u200d"
_PLAIN = re.compile(r"[\x20-\x7e\u00a0-\u02ff]")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
_EXTENDS = re.compile(
    "[\u200c\u200d\ufe00-\ufe0f\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_HANGUL = re.compile("[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb]")
_AFTER: dict[str, str] = {"L": "L V LV LVT", "LV": "V T", "V": "V T", "LVT": "T", "T": "T", "": ""}


def boundary_before(text: str, index: int, start: int = 0) -> int:
    """Return the last place at or before `index` where `text` may be cut; `start` if there is
    none."""
    while index > start and not is_boundary(text, index):
        index -= 1
    return index


def boundary_after(text: str, index: int) -> int:
    """Return the first place at or after `index` where `text` may be cut."""
    while not is_boundary(text, index):
        index += 1
    return index


def is_boundary(text: str, index: int) -> bool:
    """Return whether `text` may be cut between `index - 1` and `index`."""
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if _PLAIN.match(after):
        return before != _JOINER
    if before == _JOINER or _extends(after) or (before == "\r" and after == "\n"):
        return False
    if _FLAG.match(after):
        return _flags_before(text, index) % 2 == 0
    return _syllable(after) not in _AFTER[_syllable(before)].split()


def _extends(char: str) -> bool:
    return unicodedata.category(char).startswith("M") or _EXTENDS.match(char) is not None


def _flags_before(text: str, index: int) -> int:
    first = index
    while first > 0 and _FLAG.match(text[first - 1]):
        first -= 1
    return index - first


def _syllable(char: str) -> str:
    """Return the Hangul syllable type of UAX #29, empty for everything else."""
    if not _HANGUL.match(char):
        return ""
    if "\uac00" <= char <= "\ud7a3":
        return "LV" if (ord(char) - 0xAC00) % 28 == 0 else "LVT"
    if char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    return "V" if char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6" else "T"


Form = Callable[[Styled], tuple[str, tuple[Entity, ...]]]
"""Writes styled text in a channel's own form."""
Measure = Callable[[str], int]


class Piece(NamedTuple):
    text: str
    entities: tuple[Entity, ...]
    end: int
    """Where in the whole text the next piece starts."""


_SENTENCE_END = re.compile(r"[.!?…][\"»”)]*(?= )")
_OPERATORS = r"=+*\-−×·÷±∓<>≤≥≠≈≡→⇒⇔∈∉∪∩⊂|"
_BETWEEN_WORDS = re.compile(rf"(?<![{_OPERATORS}«]) (?![{_OPERATORS}?!:;»%])")
"""A space that is neither next to an operator nor part of French punctuation."""
_GAP = re.compile(r"\n+| ")


def count_utf16(text: str) -> int:
    """Return the length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def cut_styled(
    styled: Styled, form: Form, measure: Measure, limit: int, most_spans: int
) -> Iterator[Piece]:
    """Yield pieces of at most `limit` by `measure`, and at most `most_spans` spans each.

    The text is cut at the end of a paragraph, else of a line, a sentence, a word (not next to an
    operator, if possible), a grapheme. White space at the cut is dropped; a block of code is opened
    again in each piece. Blank pieces are left out.
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
    """Return the last part of `styled` whose rendered size is at most `limit`."""
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
    """Return the length to try next, as `length` gave `size`, so that it may fit `limit`."""
    return max(1, min(length - 1, length * limit // size))


def _bound(styled: Styled, start: int, end: int, most_spans: int) -> int:
    """Return `end`, or earlier, so that `text[start:end]` holds at most `most_spans` spans."""
    if len(styled.spans) <= most_spans:
        return end
    starts = [span.start for span in styled.spans if span.end > start and span.start < end]
    return max(start + 1, starts[most_spans]) if len(starts) > most_spans else end


def _choose(text: str, start: int, end: int) -> int:
    """Return the best place to cut in `text[start:end]`: in its second half, if possible, and not
    within what belongs together."""
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
    """Return where the next piece starts: after the line ends or the space at `stop`."""
    found = _GAP.match(text, stop)
    return found.end() if found else stop


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

"""Cut styled text into pieces that fit a channel, between graphemes and where it reads well.

Graphemes are those of UAX #29.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bot.messages.outgoing import Entity
from bot.render.styled_text import Styled

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

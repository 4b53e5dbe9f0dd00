"""How much fits on a slide, by the widths of the letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.library.office import metrics
from bot.library.office.slides.formulas import Formula

_SAFE: Final = 0.97
"""How much of a line is counted with: programs measure a little otherwise."""
GAP: Final = 0.55
"""After a point, in ems."""
_INDENT: Final = 27.0
"""Of a level, in points."""
_MARK = re.compile(r"(\s*)(?:[-*•–▪◦]\s+)?(.*)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?…;:])\s+")


@dataclass(frozen=True, slots=True)
class Bullet:
    text: str
    level: int = 0
    goes_on: bool = False
    """It is the rest of a point that was too long: it has no mark of its own."""
    is_heading: bool = False
    """It stands over a column, without a mark."""


Item = Bullet | Formula


@dataclass(frozen=True, slots=True)
class Room:
    """Where text stands, in points."""

    width: float
    height: float


def read_bullet(text: str) -> Bullet:
    """A point without its own mark; what is indented is a point below."""
    found = _MARK.fullmatch(text)
    if found is None:
        return Bullet(text)
    spaces = len(found[1].replace("\n", "").expandtabs(4))
    return Bullet(" ".join(found[2].split()), min((spaces + 1) // 2, 2))


def count_lines(text: str, width: float, size: float) -> int:
    """In how many lines `text` stands in letters of that size."""
    return metrics.count_lines(text, width / size * _SAFE)


def height(bullets: Sequence[Item], width: float, size: float) -> float:
    return sum(item_height(bullet, width, size) for bullet in bullets)


def fit(bullets: Sequence[Item], room: Room, sizes: Sequence[float]) -> float:
    """The largest of `sizes` in which all stand on one slide, else the smallest."""
    for size in sizes:
        if height(bullets, room.width, size) <= room.height:
            return size
    return sizes[-1]


def split(bullets: Sequence[Item], room: Room, size: float) -> list[list[Item]]:
    """The points of each slide, as evenly as their order allows."""
    pieces = [piece for bullet in bullets for piece in _cut(bullet, room, size)]
    total = height(pieces, room.width, size)
    slides = max(1, -int(-total // room.height))
    share = min(room.height, total / slides * 1.15)
    parts: list[list[Item]] = [[]]
    used = 0.0
    for piece in pieces:
        tall = item_height(piece, room.width, size)
        if parts[-1] and used + tall > share:
            parts.append([])
            used = 0.0
        parts[-1].append(piece)
        used += tall
    return parts


def split_rows(
    rows: Sequence[Sequence[str]], widths: Sequence[float], tall: float, size: float
) -> list[list[Sequence[str]]]:
    """The rows of each slide, about as many on each; the header, the first, on each of them."""
    header, body = rows[0], rows[1:]
    room = tall - row_height(header, widths, size)
    total = sum(row_height(row, widths, size) for row in body)
    room = min(room, total / max(1, -int(-total // room)) * 1.1) if room > 0 else tall
    parts: list[list[Sequence[str]]] = [[header]]
    used = 0.0
    for row in body:
        high = row_height(row, widths, size)
        if len(parts[-1]) > 1 and used + high > room:
            parts.append([header])
            used = 0.0
        parts[-1].append(row)
        used += high
    return parts


def row_height(row: Sequence[str], widths: Sequence[float], size: float) -> float:
    lines = max((count_lines(c, w - 20, size) for c, w in zip(row, widths, strict=True)), default=1)
    return lines * size * metrics.LINE + 10


def has_room(rows: Sequence[Sequence[str]], widths: Sequence[float], size: float) -> bool:
    """Whether every word fits into its column."""
    return all(
        metrics.longest_word(cell, bold=number == 0) * size / _SAFE <= width - 20
        for number, row in enumerate(rows)
        for cell, width in zip(row, widths, strict=True)
    )


def is_whole(text: str, width: float, size: float) -> bool:
    """Whether no word of a bold line is broken."""
    return metrics.longest_word(text, bold=True) * size <= width


def column_widths(rows: Sequence[Sequence[str]], width: float) -> list[float]:
    """By the longest word and the longest text of each column; together `width`."""
    columns = list(zip(*rows, strict=True))
    least = [max(metrics.longest_word(cell, bold=True) for cell in column) for column in columns]
    wanted = [
        max(min(metrics.measure(cell, bold=True), 16.0) for cell in column) for column in columns
    ]
    weights = [
        max(min(word, 12.0), text, 2.5) + 1.4 for word, text in zip(least, wanted, strict=True)
    ]
    return [width * weight / sum(weights) for weight in weights]


def item_height(bullet: Item, width: float, size: float) -> float:
    if isinstance(bullet, Formula):
        return bullet.height * formula_size(bullet, width, size) + size * (GAP + 0.35)
    if bullet.is_heading:
        larger = size + 2
        lines = count_lines(bullet.text, width / 1.03, larger)
        return lines * larger * metrics.LINE + larger * GAP
    smaller = size - 2 * bullet.level
    inner = width - _INDENT * (bullet.level + 1)
    lines = count_lines(bullet.text, inner, smaller)
    return lines * smaller * metrics.LINE + smaller * GAP


def formula_size(formula: Formula, width: float, size: float) -> float:
    """Of its letters: a little larger than text, but no wider than the place."""
    return min(size * 1.15, (width - _INDENT) / formula.width)


def _cut(bullet: Item, room: Room, size: float) -> list[Item]:
    """A point that is higher than a slide in pieces, at the ends of sentences or of words."""
    if isinstance(bullet, Formula) or item_height(bullet, room.width, size) <= room.height:
        return [bullet]
    pieces: list[Item] = []
    current = ""
    for word in _words(bullet.text):
        longer = f"{current} {word}".strip()
        trial = Bullet(longer, bullet.level)
        if current and item_height(trial, room.width, size) > room.height * 0.9:
            pieces.append(Bullet(current, bullet.level, goes_on=bool(pieces)))
            longer = word
        current = longer
    return [*pieces, Bullet(current, bullet.level, goes_on=bool(pieces))]


def _words(text: str) -> list[str]:
    """The sentences of `text`; those that are very long in pieces, at words where there are any."""
    words: list[str] = []
    for sentence in _SENTENCE.split(text):
        if len(sentence) <= 300:
            words.append(sentence)
        else:
            words += [part for word in sentence.split() for part in re.findall(r".{1,80}", word)]
    return words

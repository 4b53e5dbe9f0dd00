"""How much fits on a slide: text is measured by its characters, on the safe side."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_WIDE: Final = 0.55
"""How wide a character of Calibri is in ems, on average with a margin for capitals."""
_LINE: Final = 1.22
"""How high a line is in ems."""
_BOLD: Final = 1.07
"""How much wider bold letters are."""
_MARK = re.compile(r"(\s*)(?:[-*•–▪◦]\s+)?(.*)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?…;:])\s+")


@dataclass(frozen=True, slots=True)
class Bullet:
    text: str
    level: int = 0
    goes_on: bool = False
    """It is the rest of a point that was too long: it has no mark of its own."""


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
    room = max(width / (size * _WIDE), 1.0)
    lines, left = 1, room
    for word in text.split():
        wide = _ems(word)
        if wide > left and left < room:
            lines, left = lines + 1, room
        while wide > room:
            lines, wide = lines + 1, wide - room
        left -= wide + 1
    return lines


def height(bullets: Sequence[Bullet], width: float, size: float) -> float:
    return sum(_bullet_height(bullet, width, size) for bullet in bullets)


def fit(bullets: Sequence[Bullet], room: Room, sizes: Sequence[float]) -> float:
    """The largest of `sizes` in which all stand on one slide, else the smallest."""
    for size in sizes:
        if height(bullets, room.width, size) <= room.height:
            return size
    return sizes[-1]


def split(bullets: Sequence[Bullet], room: Room, size: float) -> list[list[Bullet]]:
    """The points of each slide, as evenly as their order allows."""
    pieces = [piece for bullet in bullets for piece in _cut(bullet, room, size)]
    total = height(pieces, room.width, size)
    slides = max(1, -int(-total // room.height))
    share = min(room.height, total / slides * 1.15)
    parts: list[list[Bullet]] = [[]]
    used = 0.0
    for piece in pieces:
        tall = _bullet_height(piece, room.width, size)
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
    lines = max(
        (count_lines(c, w - 14.4, size) for c, w in zip(row, widths, strict=True)), default=1
    )
    return lines * size * _LINE + 8


def has_room(rows: Sequence[Sequence[str]], widths: Sequence[float], size: float) -> bool:
    """Whether every word fits into its column."""
    em = size * _WIDE * _BOLD
    return all(
        _ems(word) * em <= width - 14.4
        for row in rows
        for cell, width in zip(row, widths, strict=True)
        for word in cell.split()
    )


def column_widths(rows: Sequence[Sequence[str]], width: float) -> list[float]:
    """By the longest text of each column, within bounds; together `width`."""
    weights = [min(max(max(map(len, column)), 6), 36) for column in zip(*rows, strict=True)]
    return [width * weight / sum(weights) for weight in weights]


def _bullet_height(bullet: Bullet, width: float, size: float) -> float:
    smaller = size - 2 * bullet.level
    inner = width - 27 * (bullet.level + 1)
    return count_lines(bullet.text, inner, smaller) * smaller * _LINE + smaller * 0.45


def _cut(bullet: Bullet, room: Room, size: float) -> list[Bullet]:
    """A point that is higher than a slide in pieces, at the ends of sentences or of words."""
    if _bullet_height(bullet, room.width, size) <= room.height:
        return [bullet]
    pieces: list[Bullet] = []
    current = ""
    for word in _words(bullet.text):
        longer = f"{current} {word}".strip()
        trial = Bullet(longer, bullet.level)
        if current and _bullet_height(trial, room.width, size) > room.height * 0.9:
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


def _ems(word: str) -> float:
    """How many usual characters a word is wide."""
    if word.isascii():
        return float(len(word))
    return sum(1.9 if unicodedata.east_asian_width(char) in "WF" else 1.0 for char in word)

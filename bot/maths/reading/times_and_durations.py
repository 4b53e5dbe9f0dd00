"""Read times of day and durations in plain words: `8 h 35`, `3 p.m.`, `1 h 50`, `2 weeks`. Pure."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NamedTuple

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 24 * HOUR
_SIZES: Final = (
    (r"semaines?|weeks?", 7 * DAY), (r"jours?|days?|j", DAY), (r"heures?|hours?|hrs?|h", HOUR),
    (r"minutes?|mins?|mn", MINUTE), (r"secondes?|seconds?|secs?|s", 1),
)  # fmt: skip
UNIT_OF_TIME: Final = "|".join(pattern for pattern, _ in _SIZES)
"""A pattern for the name of a unit."""
_PART: Final = (
    rf"\d{{1,3}}(?: \d{{3}})+ ?(?:{UNIT_OF_TIME})(?![a-z²])"
    rf"|\d+(?:[.,]\d+)? ?(?:{UNIT_OF_TIME})(?![a-z²])"
)
LENGTH: Final = rf"(?:{_PART})(?:,? ?(?:(?:et|and) )?(?:{_PART}))*(?:(?<=h) ?[0-5]\d(?![\d:]))?"
"""A pattern for a duration."""
_DURATION: Final = re.compile(rf"(?<![\d.,:/])(?:{LENGTH})(?!/)")
_PIECE: Final = re.compile(rf"(\d[\d ]*(?:[.,]\d+)?) ?({UNIT_OF_TIME})?(?![a-z])")
CLOCK: Final = (
    r"(?<![\d.,:])(?:\d{1,2} ?(?:heures?(?![a-z])|h(?![a-z]))(?: ?[0-5]\d(?![\d:]))?"
    r"(?: ?(?:min|mn|minutes)(?![a-z]))?|\d{1,2}:[0-5]\d(?![\d:])"
    r"|(?<=at )\d{1,2}(?= ?[ap]\.?m\b)|\bmidi\b|\bminuit\b|\bnoon\b)"
    r"(?: ?(?:a\.?m\b|du matin|p\.?m\b|du soir|de l'apres-midi))?"
)
"""A pattern for a time of day."""
_HALF: Final = re.compile(r" ?(?:p\.?m\b|du soir|de l'apres-midi)")
_TIME: Final = re.compile(CLOCK)


class Length(NamedTuple):
    """A duration of a text: `3 h 30 min`."""

    start: int
    end: int
    seconds: Fraction
    smallest: int
    """The smallest unit that it shows, in seconds."""
    units: int
    """How many units it shows."""


class Clock(NamedTuple):
    """A time of day of a text, in seconds since midnight."""

    start: int
    end: int
    seconds: int
    is_half: bool
    """Whether it may be of a clock of twelve hours."""


def list_lengths(text: str) -> list[Length]:
    """List the durations of a text, each with its place."""
    return [
        length for found in _DURATION.finditer(text) if (length := read_length(found)) is not None
    ]


def read_length(found: re.Match[str], group: str | int = 0) -> Length | None:
    """Read `1 h 50`, `3 hours and 25 minutes`; None: its units do not become smaller."""
    seconds, last = Fraction(0), 0
    count = 0
    for piece in _PIECE.finditer(found[group]):
        value = Fraction(piece[1].replace(" ", "").replace(",", "."))
        name = piece[2]
        size = next((size for pattern, size in _SIZES if name and re.fullmatch(pattern, name)), 0)
        size = size or MINUTE  # `1 h 50`
        if count and size >= last:
            return None
        seconds, last, count = seconds + value * size, size, count + 1
    return Length(found.start(group), found.end(group), seconds, last, count) if count else None


def list_clocks(text: str) -> list[Clock]:
    """List the times of day of a text, each with its place."""
    return [
        clock for found in _TIME.finditer(text) if (clock := read_clock(found[0], found.start()))
    ]


def read_clock(text: str, start: int) -> Clock | None:
    """Read a time of day that begins at a place of a longer text; None: there is no such time."""
    end = start + len(text)
    if text.startswith(("midi", "noon")):
        return Clock(start, end, 12 * HOUR, is_half=True)
    if text.startswith("minuit"):
        return Clock(start, end, 0, is_half=True)
    hour, *rest = (int(each) for each in re.findall(r"\d+", text))
    minutes = rest[0] if rest else 0
    if hour > 24 or minutes >= MINUTE:
        return None
    is_after_noon = bool(_HALF.search(text))
    hour += 12 if is_after_noon and hour < 12 else 0
    is_half = hour <= 12 and not is_after_noon
    return Clock(start, end, hour * HOUR + minutes * MINUTE, is_half)

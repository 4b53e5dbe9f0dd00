"""How wide columns are: as wide as what they hold, within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.library.office.sheets.values import Value

LEAST_WIDTH: Final = 8.0
MOST_WIDTH: Final = 48.0
"""Characters; longer text is wrapped."""
_LOOKED_AT: Final = 2_000
"""Rows."""
_LONGEST_WORD: Final = 24
"""Of a header: longer ones are wrapped."""


def measure(header: str, values: Sequence[Value], number_format: str) -> float:
    """The width of a column in characters."""
    extra = _signs(number_format)
    widest = _header_width(header)
    for value in values[:_LOOKED_AT]:
        if isinstance(value, float):
            widest = max(widest, _digits(value, number_format) + extra)
        elif isinstance(value, str):
            widest = max(widest, max(map(len, value.split("\n")), default=0))
    return min(max(widest + 3.0, LEAST_WIDTH), MOST_WIDTH)


def count_lines(text: str, width: float) -> int:
    """In how many lines `text` stands in a column of that width."""
    return sum(_count_lines(line, width - 3) for line in text.split("\n"))


def _count_lines(line: str, room: float) -> int:
    count, left = 1, room
    for word in line.split():
        long = len(word)
        if long + 1 > left and left < room:
            count, left = count + 1, room
        while long > room:
            count, long = count + 1, long - int(room)
        left -= long + 1
    return count


def _header_width(header: str) -> int:
    longest = max(map(len, header.split()), default=0)
    filter_arrow = 3
    return max(longest, min(len(header), _LONGEST_WORD)) + filter_arrow


def _digits(value: float, number_format: str) -> int:
    if number_format.endswith("%"):
        value *= 100
    if "yy" in number_format:
        return len(number_format)
    whole = f"{abs(value):,.0f}" if "," in number_format else f"{abs(value):.0f}"
    return len(whole) + (value < 0)


def _signs(number_format: str) -> int:
    """The characters that a format adds to the digits."""
    section = number_format.split(";")[0]
    if "yy" in section:
        return 0
    shown = section.replace('"', "").replace("#,##0", "0").replace("\\", "")
    return max(len(shown) - 1, 0)

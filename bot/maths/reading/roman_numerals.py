"""Read and write Roman numerals."""

from __future__ import annotations

from typing import Final

_VALUES: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_PARTS: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
ROMAN: Final = r"(?:m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3}))(?<=[ivxlcdm])\b"
"""A pattern for a Roman numeral in small letters."""


def read_roman(text: str) -> int:
    """Return the value of letters that are a Roman numeral, small or capital."""
    values = [_VALUES[letter] for letter in text.lower()]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)


def write_roman(number: int) -> str:
    """Return a number as a Roman numeral in small letters; from 4,000 on it repeats `m`."""
    written = ""
    for value, letters in _PARTS:
        count, number = divmod(number, value)
        written += letters * count
    return written

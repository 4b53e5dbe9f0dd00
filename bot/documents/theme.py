"""The look of office documents: colours, one font, and the widths of its letters.

Phones and computers with an office suite have Calibri, or Carlito with the same widths. Previews
and some programs on Linux have neither, and take a wider font.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

FONT: Final = "Calibri"
MONOSPACE: Final = "Consolas"
DEEP: Final = "6B2D14"
"""Headings, and the background of white headers."""
PALE: Final = "F7F2EA"
"""Background of totals, quotes and every second row."""
TAN: Final = "F0E8DB"
"""Background of headers with dark text, and of totals on slides."""
INK: Final = "2B2420"
GREY: Final = "6D6158"
LINE: Final = "E3D8C7"
RIGHT: Final = "1D6B46"
RIGHT_PALE: Final = "DEF0E4"
"""Right answers, and tips."""
SERIES: Final = ("A04520", "E0A030", "2F6F9F", "1D6B46", "7A5C99", "4B9C97", "8C6D46", "6B8E4E")
"""Colours of a chart's series, distinguishable in grey print too."""
LINE_HEIGHT: Final = 1.22
"""Height of a line of Calibri, in ems."""
_BOLD: Final = 1.03
"""Factor by which bold letters are wider."""
_WIDEST_FONT: Final = (1.3, 1.36)
"""Widths of words in plain and bold DejaVu Sans, the widest font that takes the place of Calibri,
in widths of Calibri."""
_GROUPS: Final = {
    23: " il\u00a0\u202f",
    22: "'",
    24: "j",
    25: ",.I’‘",
    27: ":;",
    29: "`",
    30: "()",
    31: "-[]f{}",
    32: "J",
    33: "!t",
    35: "r°²³¹",
    39: "/\\s",
    40: '"z',
    42: "Lc“”",
    43: "x",
    45: "kvy",
    46: "?FS|",
    47: "Zg",
    48: "a",
    49: "ETY",
    50: "#*+<=>^_e~–−×÷",
    51: "$0123456789€«»",
    52: "KPX",
    53: "Cbdhnopqu",
    54: "BR",
    57: "V",
    58: "A",
    62: "DH",
    63: "G",
    64: "U",
    65: "N",
    66: "O",
    67: "Q",
    68: "&",
    69: "…",
    71: "%w",
    80: "m",
    85: "Mœæ",
    89: "@W",
    91: "—→←",
}
"""Widths of the characters of Calibri and Carlito, in hundredths of an em."""
_WIDTHS: Final = {char: width / 100 for width, chars in _GROUPS.items() for char in chars}
_UNKNOWN: Final = 0.6
_EAST_ASIAN: Final = 1.05


def measure_text(text: str, *, bold: bool = False) -> float:
    """Return the width of `text` on one line, in ems."""
    width = sum(map(_measure_character, text))
    return width * _BOLD if bold else width


def measure_longest_word(text: str, *, bold: bool = False, any_font: bool = False) -> float:
    """Return the width of the widest unbreakable piece of `text`, in ems.

    Args:
        any_font: in the widest font that takes the place of Calibri.
    """
    widest = max((measure_text(word, bold=bold) for word in split_words(text)), default=0.0)
    return widest * _WIDEST_FONT[bold] if any_font else widest


def split_words(text: str) -> Iterator[str]:
    """Yield the pieces of `text` in which no line can end; a non-breaking space does not end a
    piece."""
    word = ""
    for char in text:
        if char in " \n\t\u200b":
            yield word
            word = ""
        else:
            word += char
            if char in "-–" and len(word) > 1:
                yield word
                word = ""
    yield word


def count_lines(text: str, width: float) -> int:
    """Count the lines that `text` fills.

    Args:
        width: width of a line, in ems; longer words are broken.
    """
    space_left = max(width, 1.0)
    space = measure_text(" ")
    lines, used = 1, 0.0
    for word in text.split(" "):
        wide = measure_text(word)
        if used and used + space + wide > space_left:
            lines, used = lines + 1, 0.0
        elif used:
            used += space
        while wide > space_left:
            lines, wide = lines + 1, wide - space_left
        used += wide
    return lines


def choose_share_format(values: Sequence[float]) -> str:
    """Return the number format of the shares of a whole: whole percents if they add up to 100."""
    whole = sum(values)
    shares = [100 * value / whole for value in values] if whole else []
    adds_up = sum(math.floor(share + 0.5) for share in shares) in (0, 100)
    return "0%" if adds_up else "0.0%"


def is_cut_off(values: Sequence[float]) -> bool:
    """Return whether programs may begin the axis of bars for these values above zero, so that a
    small difference looks like a large one: they do so for values that are nearly equal."""
    return bool(values) and 0 < max(values) <= 2 * min(values)


@lru_cache(maxsize=4_096)
def _measure_character(char: str) -> float:
    known = _WIDTHS.get(char)
    if known is not None:
        return known
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn"):
        return 0.0
    base = unicodedata.normalize("NFD", char)[0]
    if base != char and base in _WIDTHS:
        return _WIDTHS[base]
    return _EAST_ASIAN if unicodedata.east_asian_width(char) in "WF" else _UNKNOWN

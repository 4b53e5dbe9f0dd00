"""How every office document of ours looks: the colours of our pages, one font.

Calibri is on every phone and computer with an office suite, or Carlito of the same widths.
"""

from __future__ import annotations

from typing import Final

FONT: Final = "Calibri"
MONOSPACE: Final = "Consolas"
DEEP: Final = "6B2D14"
"""Headings, and the ground under white headers."""
PALE: Final = "F7F2EA"
"""The ground of totals, quotes and every second row."""
INK: Final = "2B2420"
GREY: Final = "6D6158"
LINE: Final = "E3D8C7"
RIGHT: Final = "1D6B46"
RIGHT_PALE: Final = "DEF0E4"
"""What is right, and tips."""
SERIES: Final = ("A04520", "E0A030", "2F6F9F", "1D6B46", "7A5C99", "4B9C97", "8C6D46", "6B8E4E")
"""The colours of a chart's series, told apart in grey print too."""

"""How every office document of ours looks: one green, one grey, one font.

Calibri is on every phone and computer with an office suite, or Carlito of the same widths.
"""

from __future__ import annotations

from typing import Final

FONT: Final = "Calibri"
MONOSPACE: Final = "Consolas"
GREEN: Final = "0F5132"
"""Headings, and the ground under white headers."""
PALE: Final = "E8F1EC"
"""The ground of totals, quotes and every second row."""
INK: Final = "212529"
GREY: Final = "6C757D"
LINE: Final = "CED4DA"
SERIES: Final = ("0F5132", "E0A030", "2F6F9F", "B5483A", "6B8E4E", "7A5C99", "4B9C97", "8C6D46")
"""The colours of a chart's series, told apart in grey print too."""

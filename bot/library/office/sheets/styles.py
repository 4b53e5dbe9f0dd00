"""The formats of cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from xlsxwriter.format import Format

from bot.library.office import look

_CELL: Final = {
    "font_name": look.FONT,
    "font_size": 11,
    "font_color": f"#{look.INK}",
    "valign": "top",
    "indent": 1,
    "bottom": 1,
    "bottom_color": f"#{look.LINE}",
}
_HEADER: Final = {
    "font_name": look.FONT,
    "font_size": 11,
    "bold": True,
    "font_color": "#FFFFFF",
    "bg_color": f"#{look.DEEP}",
    "valign": "vcenter",
    "indent": 1,
    "text_wrap": True,
}
_TOTAL: Final = {
    "bold": True,
    "bg_color": f"#{look.PALE}",
    "top": 1,
    "top_color": f"#{look.DEEP}",
    "bottom": 1,
    "bottom_color": f"#{look.DEEP}",
}

_RIGHT: Final = {"align": "right", "indent": 0}
"""Figures and their headers: an indent at the right is not shown alike everywhere."""
_MOST_FORMATS: Final = 150
"""Number formats of a workbook: Excel takes 200
(https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3)."""


@dataclass
class Styles:
    """The formats of a workbook, each made once."""

    book: Any
    _properties: dict[Format, dict[str, Any]] = field(default_factory=dict[Format, dict[str, Any]])
    _formats: set[str] = field(default_factory=set[str])
    _made: dict[tuple[tuple[str, Any], ...], Format] = field(
        default_factory=dict[tuple[tuple[str, Any], ...], Format]
    )

    def header(self, *, right: bool) -> Format:
        return self._make(_HEADER | (_RIGHT if right else {"align": "left"}))

    def cell(self, num_format: str) -> Format:
        return self._make(_CELL | {"num_format": self._allow(num_format)} | _RIGHT)

    def text(self, *, wrapped: bool = False) -> Format:
        return self._make(_CELL | {"align": "left"} | ({"text_wrap": True} if wrapped else {}))

    def literal(self, style: Format) -> Format:
        """`style` for text that begins like a formula, and stays text when somebody edits it."""
        return self._make(self._properties[style] | {"quote_prefix": True})

    def total(self, num_format: str = "") -> Format:
        number = {"num_format": self._allow(num_format)} | _RIGHT
        shown = number if num_format else {"align": "left"}
        return self._make(_CELL | _TOTAL | shown)

    def _allow(self, num_format: str) -> str:
        """`num_format`, or none in particular where a workbook has too many already."""
        if len(self._formats) < _MOST_FORMATS:
            self._formats.add(num_format)
        return num_format if num_format in self._formats else "General"

    def _make(self, properties: dict[str, Any]) -> Format:
        key = tuple(sorted(properties.items()))
        if key not in self._made:
            self._made[key] = self.book.add_format(properties)
            self._properties[self._made[key]] = properties
        return self._made[key]

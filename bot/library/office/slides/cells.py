"""The cells of a slide's table, as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from bot.library.office.spelling import spell_maths
from bot.library.office.text import clean_line

_NUMBER: Final = re.compile(
    r"[-+−(]?[\d\s\u00a0\u202f.,]*\d[\d\s\u00a0\u202f.,)]*(?:%|€|\$|F ?CFA)?\s*"
)
_LARGE: Final = 10_000
"""From here on thousands are parted, so that years stay years."""
_LONGEST: Final = 500
"""Characters of a cell."""


def read_rows(table: Sequence[Sequence[Any]], *, comma: bool) -> list[list[str]]:
    """The cells as text, short rows filled up, blank rows left out.

    Args:
        comma: whether decimals stand after a comma, and thousands apart by spaces, as in French.
    """
    width = max((len(row) for row in table), default=0)
    rows = [[_spell(cell, comma=comma) for cell in row] for row in table]
    return [row + [""] * (width - len(row)) for row in rows if any(row)]


def numeric_columns(rows: Sequence[Sequence[str]]) -> set[int]:
    """The columns that hold numbers alone, their headers apart."""
    columns = list(zip(*rows[1:], strict=True))
    return {
        index
        for index, column in enumerate(columns)
        if any(column) and all(_NUMBER.fullmatch(cell) for cell in column if cell)
    }


def _spell(cell: Any, *, comma: bool) -> str:
    if cell is None:
        return ""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return _spell_number(cell, comma=comma)
    text = spell_maths(clean_line(cell if isinstance(cell, str) else str(cell)))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _spell_number(number: float, *, comma: bool) -> str:
    if abs(number) >= 1e15:
        return str(number)
    text = f"{number:.12g}"
    if "e" in text:
        return text
    whole, point, decimals = text.partition(".")
    if abs(number) >= _LARGE:
        whole = f"{int(whole):,}".replace(",", "\u202f" if comma else ",")
    return whole + (("," if comma else ".") if point else "") + decimals

"""What a workbook is asked to hold, as it passes to the process that makes it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

MOST_SHEETS: Final = 20
MOST_COLUMNS: Final = 100
MOST_ROWS: Final = 20_000
"""Of one sheet."""
MOST_CELLS: Final = 300_000
"""Of all sheets."""


class Column(msgspec.Struct, frozen=True):
    header: str
    kind: str = ""
    """text, number, money, percent, date, formula; empty: each cell as it comes."""
    format: str = ""


class Chart(msgspec.Struct, frozen=True):
    kind: str
    """bar, column, line, pie, scatter."""
    x: str
    y: tuple[str, ...]
    """Headers."""


class Sheet(msgspec.Struct, frozen=True):
    name: str
    columns: tuple[Column, ...]
    rows: list[list[Any]]
    totals: tuple[str, ...] = ()
    """Headers."""
    chart: Chart | None = None


class Workbook(msgspec.Struct, frozen=True):
    title: str
    sheets: tuple[Sheet, ...]
    language: str = "fr"
    total: str = "Total"
    """The word beside totals."""

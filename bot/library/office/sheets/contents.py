"""The cells of a request, read and computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.errors import ToolFailed
from bot.library.office.sheets import formulas
from bot.library.office.sheets.cells import Reading
from bot.library.office.sheets.formulas import Formula, Malformed, Names
from bot.library.office.sheets.grid import Grid
from bot.library.office.sheets.names import find_header, fold, name_sheets
from bot.library.office.sheets.references import column_letters, make_relative
from bot.library.office.sheets.report import Report
from bot.library.office.sheets.request import Column, Sheet, Workbook
from bot.library.office.sheets.values import Value
from bot.library.office.text import clean_line


@dataclass(frozen=True)
class Page:
    """A sheet that was read."""

    name: str
    asked: Sheet
    columns: list[list[Value | Formula]]
    """Header, cells, and a total or nothing where there are totals."""
    has_totals: bool

    @property
    def headers(self) -> list[str]:
        return [str(column[0] or "") for column in self.columns]

    @property
    def rows(self) -> int:
        """Of cells, without header and totals."""
        return len(self.columns[0]) - 1 - self.has_totals


@dataclass
class Contents:
    """All sheets of a workbook."""

    workbook: Workbook
    report: Report
    grid: Grid = field(default_factory=Grid)
    pages: list[Page] = field(default_factory=list[Page])

    def read(self) -> None:
        """Read every cell. Raises `ToolFailed`: rows or totals that do not fit the columns."""
        names = name_sheets(sheet.name for sheet in self.workbook.sheets)
        known = {name.casefold(): (i, name) for i, name in enumerate(names)}
        known = {
            fold(sheet.name): (i, names[i]) for i, sheet in enumerate(self.workbook.sheets)
        } | known
        for name, sheet in zip(names, self.workbook.sheets, strict=True):
            columns = self._read_columns(name, sheet, known)
            self._add_totals(name, sheet, columns)
            self.pages.append(Page(name, sheet, columns, bool(sheet.totals and sheet.rows)))
            self.grid.sheets.append(columns)

    def _read_columns(
        self, name: str, sheet: Sheet, sheets: dict[str, tuple[int, str]]
    ) -> list[list[Value | Formula]]:
        headers = [clean_line(column.header) for column in sheet.columns]
        columns = {fold(header): number for number, header in enumerate(headers, start=1)}
        reader = _FormulaReader(Names(columns, sheets))
        read: list[list[Value | Formula]] = []
        for header, column, cells in zip(headers, sheet.columns, _turn(sheet, name), strict=True):
            values = self._read_column(f"sheet {name!r}, column {header!r}", column, cells, reader)
            read.append([header, *values])
        return read

    def _read_column(
        self, where: str, column: Column, cells: list[Any], reader: _FormulaReader
    ) -> Sequence[Value | Formula]:
        reading = Reading(column.kind, comma=self.workbook.language != "en")
        values: list[Value] = reading.read(cells)
        self.report.add_reading(where, reading)
        if column.kind != "formula":
            return values
        return [
            self._read_formula(where, row, value, reader) if isinstance(value, str) else value
            for row, value in enumerate(values, start=2)
        ]

    def _read_formula(
        self, where: str, row: int, text: str, reader: _FormulaReader
    ) -> Value | Formula:
        if not text.startswith("="):
            self.report.add_refusal(where, row, text, "it does not begin with =")
            return text
        try:
            return reader.read(text, row)
        except Malformed as error:
            self.report.add_refusal(where, row, text, str(error))
            return text

    def _add_totals(self, name: str, sheet: Sheet, columns: list[list[Value | Formula]]) -> None:
        if not (sheet.totals and sheet.rows):
            return
        headers = [column.header for column in sheet.columns]
        totalled = {
            find_header(headers, header, f"Totals of sheet {name!r}") for header in sheet.totals
        }
        for index, column in enumerate(columns):
            column.append(self._total(name, sheet, index, column) if index in totalled else None)
        if 0 not in totalled:
            columns[0][-1] = self.workbook.total

    def _total(self, name: str, sheet: Sheet, index: int, column: list[Value | Formula]) -> Formula:
        kind = sheet.columns[index].kind
        if kind == "date" or not any(isinstance(cell, float | Formula) for cell in column):
            raise ToolFailed(
                f"Totals of sheet {name!r}: the column {column[0]!r} holds no numbers. Give the "
                "column type number, money, percent or formula, or leave it out of the totals."
            )
        function = 109
        if kind == "percent":
            function = 101
            self.report.add(f"Sheet {name!r}: the total of {column[0]!r} is its average.")
        last = len(column)
        letter = column_letters(index + 1)
        text = make_relative(f"=SUBTOTAL({function},{letter}2:{letter}{last})", last + 1)
        return formulas.parse(text, Names({}, {}))


@dataclass
class _FormulaReader:
    """Reads the formulas of a sheet; those that say the same in other rows are read once."""

    names: Names
    read_before: dict[str, Formula | Malformed] = field(
        default_factory=dict[str, "Formula | Malformed"]
    )

    def read(self, text: str, row: int) -> Formula:
        if len(text) > formulas.MAX_LENGTH:
            raise Malformed(f"it is longer than {formulas.MAX_LENGTH} characters")
        relative = make_relative(text, row)
        formula = self.read_before.get(relative)
        if formula is None:
            formula = self.read_before[relative] = self._parse(relative)
        if isinstance(formula, Malformed):
            raise formula
        formula.check_row(row)
        return formula

    def _parse(self, text: str) -> Formula | Malformed:
        try:
            return formulas.parse(text, self.names)
        except Malformed as error:
            return error


def _turn(sheet: Sheet, name: str) -> list[list[Any]]:
    """The rows as columns, short rows filled up."""
    width = len(sheet.columns)
    rows: list[list[Any]] = []
    for number, row in enumerate(sheet.rows, start=1):
        if len(row) > width and any(cell not in (None, "") for cell in row[width:]):
            raise ToolFailed(
                f"Sheet {name!r}, row {number} has {len(row)} cells for {width} columns. Give each "
                "row one cell for each column, in their order."
            )
        rows.append([*row[:width], *[None] * (width - len(row))])
    if not rows:
        return [[] for _ in range(width)]
    return [list(column) for column in zip(*rows, strict=True)]

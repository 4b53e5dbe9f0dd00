"""Read the cells of a workbook by the kinds of their columns, and note what could not be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import msgspec

from bot.documents.characters import clean_line, clean_text, print_scripts
from bot.documents.document_request import (
    Sheet,
    SheetColumn,
    WorkbookRequest,
    quote_text,
    write_count,
)
from bot.documents.xlsx import formulas
from bot.documents.xlsx.formulas import (
    Formula,
    Malformed,
    Names,
    make_relative,
    to_column_letters,
    to_column_number,
)
from bot.documents.xlsx.functions import Value
from bot.documents.xlsx.grid import Grid, Outcome
from bot.documents.xlsx.numerals import (
    fits_number,
    is_certain_day,
    read_currency,
    read_day,
    read_month,
    read_number,
)
from bot.errors import ToolFailed
from bot.typography import shorten


@dataclass(frozen=True)
class SheetContents:
    """A sheet with its cells read."""

    name: str
    asked: Sheet
    columns: list[list[Value | Formula]]
    """For each column its header, its cells and, if the sheet has totals, a total or None."""
    has_totals: bool

    @property
    def headers(self) -> list[str]:
        return [str(column[0] or "") for column in self.columns]

    @property
    def rows(self) -> int:
        """Number of rows without header and totals."""
        return len(self.columns[0]) - 1 - self.has_totals


@dataclass
class WorkbookContents:
    """All sheets of a workbook."""

    workbook: WorkbookRequest
    report: WorkbookReport
    grid: Grid = field(default_factory=Grid)
    pages: list[SheetContents] = field(default_factory=list[SheetContents])

    def read(self) -> None:
        """Read every cell. Raises `ToolFailed`: rows or totals that do not fit the columns."""
        names = name_sheets(sheet.name for sheet in self.workbook.sheets)
        known = {name.casefold(): (i, name) for i, name in enumerate(names)}
        known = {
            fold_name(sheet.name): (i, names[i]) for i, sheet in enumerate(self.workbook.sheets)
        } | known
        for name, given in zip(names, self.workbook.sheets, strict=True):
            cells = _to_columns(given, name)
            asked = tuple(map(_complete_format, given.columns, cells))
            sheet = msgspec.structs.replace(given, columns=asked)
            columns = self._read_columns(name, sheet, cells, known)
            self._add_totals(name, sheet, columns)
            self.pages.append(
                SheetContents(name, sheet, columns, bool(sheet.totals and sheet.rows))
            )
            self.grid.sheets.append(columns)

    def _read_columns(
        self,
        name: str,
        sheet: Sheet,
        given: Sequence[list[Any]],
        sheets: dict[str, tuple[int, str]],
    ) -> list[list[Value | Formula]]:
        headers = [print_scripts(clean_line(column.header)) for column in sheet.columns]
        columns: dict[str, int] = {}
        for number, header in enumerate(headers, start=1):
            if columns.setdefault(fold_name(header), number) != number and header:
                self.report.add(
                    f"Sheet {quote_text(name)}: two columns are called {quote_text(header)}; "
                    "formulas, totals and charts that name it mean the first."
                )
        reader = _FormulaReader(Names(columns, sheets, last_row=len(sheet.rows) + 1))
        read: list[list[Value | Formula]] = []
        for header, column, cells in zip(headers, sheet.columns, given, strict=True):
            values = self._read_column(f"sheet {name!r}, column {header!r}", column, cells, reader)
            read.append([header, *values])
        return read

    def _read_column(
        self, where: str, column: SheetColumn, cells: list[Any], reader: _FormulaReader
    ) -> Sequence[Value | Formula]:
        comma = self.workbook.language != "en"
        currency = read_currency(f"1 {column.format or 'FCFA'}")
        reading = ColumnReader(column.kind, comma, currency)
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
        letter = to_column_letters(index + 1)
        text = make_relative(f"=SUBTOTAL({function},{letter}2:{letter}{last})", last + 1)
        return formulas.parse_formula(text, Names({}, {}))


@dataclass
class _FormulaReader:
    """Reads the formulas of a sheet; one that is the same relative to its row is parsed once."""

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
            return formulas.parse_formula(text, self.names)
        except Malformed as error:
            return error


def _to_columns(sheet: Sheet, name: str) -> list[list[Any]]:
    """Return the rows as columns; short rows are filled up."""
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


LONGEST_CELL: Final = 32_767
"""UTF-16 units that a cell can hold
(https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3)."""
_MOST_LINES: Final = 253
"""Line feeds of a cell, by the same page."""
_PERCENT = re.compile(r"(.*?)\s*%")
_DECIMAL = re.compile(r"[-+−]?\d[\d \u00a0\u202f]*,\d{1,4}")


_FORMULA = re.compile(r"=[\w({+-]")
"""The beginning of a formula: not of `=> page 3`."""
_NOTHING: Final = ("-", "–", "—")
"""Texts that say that a column of numbers or days has nothing here; as text they break formulas."""


@dataclass
class ColumnReader:
    """Reads the cells of one column, and records those that do not fit its kind."""

    kind: str
    comma: bool = True
    """Whether a lone comma is a decimal comma."""
    currency: str = ""
    """The currency of money, in letters: sums in another one stay text; empty: any."""
    kept: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Row index and text of each cell that does not fit its column's kind."""
    formulas: int = 0
    """Number of cells with a formula that is one in a column of formulas only."""
    cut: int = 0
    """Number of cells that were too long."""

    def read(self, cells: list[Any]) -> list[Value]:
        """Return the values of `cells`, the column from top to bottom."""
        reader = _remember(self._reader(cells))
        values: list[Value] = []
        for index, cell in enumerate(cells):
            value = None if cell is None or cell == "" else reader(cell)
            values.append(self._fit(value, index) if isinstance(value, str) else value)
        return values

    def _reader(self, cells: list[Any]) -> Callable[[Any], Value]:
        if self.kind == "money":
            return partial(_read_sum, currency=self.currency, comma=self.comma)
        if self.kind == "number":
            return partial(_read_number, comma=self.comma)
        if self.kind == "percent":
            whole = any(abs(_bare_number(cell, comma=self.comma)) > 2 for cell in cells)
            return partial(_read_percent, comma=self.comma, whole=whole)
        if not self.kind and self.comma and _hold_decimals(cells):
            return partial(_read_number, comma=True)
        if self.kind == "date" and _find_month_format(cells):
            return _read_month
        return _READERS.get(self.kind, _read_any)

    def _fit(self, text: str, index: int) -> str | None:
        text = clean_text(text)
        if self.kind not in ("text", "formula") and _FORMULA.match(text):
            self.formulas += 1
        elif self.kind in ("number", "money", "percent", "date") and text.strip():
            if text.strip() in _NOTHING:
                return None
            self.kept.append((index, text))
        if len(text) > LONGEST_CELL // 2 and (len(text.encode("utf-16-le")) // 2) > LONGEST_CELL:
            self.cut += 1
            text = (
                text.encode("utf-16-le")[: 2 * (LONGEST_CELL - 2)].decode("utf-16-le", "ignore")
                + "…"
            )
        if text.count("\n") > _MOST_LINES:
            text = " ".join(text.split("\n"))
        return text or None


def _remember(reader: Callable[[Any], Value]) -> Callable[[Any], Value]:
    """Return a `reader` that reads each different string only once."""
    known: dict[str, Value] = {}

    def read(cell: Any) -> Value:
        if not isinstance(cell, str):
            return reader(cell)
        if cell not in known:
            known[cell] = reader(cell)
        return known[cell]

    return read


def _hold_decimals(cells: Iterable[Any]) -> bool:
    """Return whether the texts among `cells` are numbers, at least one with a decimal comma."""
    texts = [cell for cell in cells if isinstance(cell, str) and cell]
    return any(map(_DECIMAL.fullmatch, texts)) and all(
        read_number(text) is not None for text in texts
    )


def _read_any(cell: Any) -> Value:
    """Return a cell by its own type: numbers and truth values of JSON, else text."""
    if isinstance(cell, bool | str):
        return cell
    if isinstance(cell, int | float):
        return float(cell) if fits_number(cell) else _write_number(cell)
    return json.dumps(cell, ensure_ascii=False)


def _read_text(cell: Any) -> Value:
    return cell if isinstance(cell, bool | str) else _write_number(cell)


def _write_number(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return json.dumps(cell, ensure_ascii=False)


def _read_number(cell: Any, *, comma: bool) -> Value:
    number = read_number(cell, comma=comma) if isinstance(cell, str) else None
    return _read_any(cell) if number is None else number


def _read_sum(cell: Any, *, currency: str, comma: bool) -> Value:
    """Read a sum of money; one in another currency than `currency` stays text."""
    if not isinstance(cell, str) or (currency and read_currency(cell) not in ("", currency)):
        return _read_any(cell)
    number = read_number(cell, money=True, comma=comma)
    return cell if number is None else number


def _read_percent(cell: Any, *, comma: bool, whole: bool) -> Value:
    """Read a share: `18 %` and 0.18 are the same; `whole` says that bare numbers are percents."""
    if not isinstance(cell, str):
        value = _read_any(cell)
        return value / 100 if whole and isinstance(value, float) else value
    marked = _PERCENT.fullmatch(cell.strip())
    number = read_number(marked[1] if marked else cell, comma=comma)
    if number is None:
        return cell
    return number / 100 if marked or whole else number


def _bare_number(cell: Any, *, comma: bool) -> float:
    """Return a number without a percent sign; 0 if it is something else."""
    if isinstance(cell, str):
        return read_number(cell, comma=comma) or 0.0
    return cell if isinstance(cell, int | float) else 0.0


def _read_date(cell: Any) -> Value:
    if isinstance(cell, str):
        day = read_day(cell)
        return cell if day is None else day
    if isinstance(cell, int | float) and not isinstance(cell, bool) and is_certain_day(cell):
        return (
            _write_number(cell)
            if 1_000 <= cell <= 9_999 and float(cell).is_integer()
            else float(cell)
        )
    return _read_text(cell)


def _read_month(cell: Any) -> Value:
    month = read_month(cell) if isinstance(cell, str) else None
    return _read_date(cell) if month is None else month[0]


def _find_month_format(cells: Iterable[Any]) -> str:
    """Return the format of a column whose texts are all months; "" for another."""
    texts = [cell for cell in cells if cell not in (None, "", *_NOTHING)]
    months = [read_month(cell) if isinstance(cell, str) else None for cell in texts]
    return months[0][1] if months and months[0] and all(months) else ""


def _complete_format(column: SheetColumn, cells: Sequence[Any]) -> SheetColumn:
    """Return a column that has no format with the one of its texts: months, or the currency that
    its header names in brackets or all its sums name."""
    found = ""
    if column.format.strip():
        return column
    if column.kind == "date":
        found = _find_month_format(cells)
    elif column.kind == "money":
        header = re.search(r"\(([^()]{1,9})\)", column.header)
        said = [cell for cell in cells if isinstance(cell, str)]
        named = {read_currency(f"1 {header[1]}" if header else "")} - {""}
        named = named or set(map(read_currency, said)) - {""}
        found = named.pop() if len(named) == 1 else ""
    return msgspec.structs.replace(column, format=found) if found else column


LONGEST_NAME: Final = 31
"""Most UTF-16 units of a sheet's name (XlsxWriter's `Workbook._check_sheetname` has all rules)."""
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
_LETTERS = re.compile(r"[A-Z]{1,2}")
_RESERVED = ("history", "historique")


def fold_name(name: str) -> str:
    """Return `name` in the form for comparisons: without regard to case and spacing."""
    return print_scripts(clean_line(name)).casefold()


def name_sheets(wanted: Iterable[str]) -> list[str]:
    """Return names that every spreadsheet program accepts, all different."""
    names: list[str] = []
    taken: set[str] = set(_RESERVED)
    for number, name in enumerate(wanted, start=1):
        tidy = clean_line(_FORBIDDEN.sub(" ", name)).strip("' ")
        tidy = _cut_name(tidy, LONGEST_NAME) or f"Sheet{number}"
        unique, copy = tidy, 2
        while unique.casefold() in taken:
            unique = f"{_cut_name(tidy, LONGEST_NAME - len(str(copy)) - 3)} ({copy})"
            copy += 1
        names.append(unique)
        taken.add(unique.casefold())
    return names


def find_header(headers: Sequence[str], wanted: str, where: str) -> int:
    """Return the index of the column `wanted`: its header, or else its letter.

    Raises:
        ToolFailed: there is no such column; the message names the headers.
    """
    folded = [fold_name(header) for header in headers]
    if fold_name(wanted) in folded:
        return folded.index(fold_name(wanted))
    letters = wanted.strip()
    if _LETTERS.fullmatch(letters) and to_column_number(letters) <= len(headers):
        return to_column_number(letters) - 1
    known = ", ".join(repr(clean_line(header)) for header in headers[:30])
    raise ToolFailed(
        f"{where}: there is no column {clean_line(wanted)!r}. Its headers are {known}."
    )


def _cut_name(name: str, units: int) -> str:
    return name.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore").strip("' ")


_EXAMPLES = 3
_SHOWN = 40
"""Characters of a cell that a note shows."""
_MOST = 20
"""Most notes of a workbook."""


@dataclass
class WorkbookReport:
    notes: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])
    """Formulas that became text."""
    faults: list[str] = field(default_factory=list[str])
    """Formulas whose result is an error."""
    unknown: int = 0
    """Number of formulas whose result is not known here."""

    def add(self, note: str) -> None:
        self.notes.append(note)

    def add_reading(self, where: str, reading: ColumnReader) -> None:
        if reading.kept:
            shown = ", ".join(
                f"row {index + 2} {_quote(text)}" for index, text in reading.kept[:_EXAMPLES]
            )
            more = ", …" if len(reading.kept) > _EXAMPLES else ""
            self.add(
                f"{write_count(len(reading.kept), 'cell')} could not be read as {reading.kind} "
                f"and stayed text "
                f"({where}: {shown}{more})."
            )
        if reading.formulas:
            self.add(
                f"{write_count(reading.formulas, 'formula')} stayed text ({where}): only a column "
                "of type formula holds formulas."
            )
        if reading.cut:
            cut = write_count(reading.cut, "cell")
            self.add(f"The text of {cut} was cut at {LONGEST_CELL} characters ({where}).")

    def add_refusal(self, where: str, row: int, text: str, reason: str) -> None:
        self.refused.append(f"{where}, row {row}: {_quote(text)}: {reason}")

    def add_outcome(self, where: str, row: int, outcome: Outcome) -> None:
        """Record a formula's outcome, if it is not a value."""
        if outcome.is_circular:
            self.refused.append(f"{where}, row {row}: it depends on itself")
        elif outcome.error:
            self.faults.append(f"{where}, row {row}: {outcome.error}")
        elif outcome.value is None:
            self.unknown += 1

    def finish(self) -> tuple[str, ...]:
        """Return the notes, the most important first, and no more than a model should read."""
        notes = list(self.notes)
        if self.unknown:
            notes.insert(
                0,
                f"What {write_count(self.unknown, 'formula')} would give shows only in a program "
                "that calculates, not in the preview of a phone.",
            )
        if self.faults:
            notes.insert(
                0,
                f"{write_count(len(self.faults), 'formula')} gave an error "
                f"({_list_examples(self.faults)}).",
            )
        if self.refused:
            notes.insert(
                0,
                f"{write_count(len(self.refused), 'formula')} stayed text "
                f"({_list_examples(self.refused)}).",
            )
        if len(notes) > _MOST:
            more = write_count(len(notes) - _MOST, "more note")
            notes[_MOST:] = [f"Left out here: {more} like these."]
        return tuple(notes)


def _list_examples(examples: Sequence[str]) -> str:
    return "; ".join(examples[:_EXAMPLES]) + ("; …" if len(examples) > _EXAMPLES else "")


def _quote(text: str) -> str:
    return quote_text(shorten(" ".join(text.split()), _SHOWN))


_READERS: Final[Mapping[str, Callable[[Any], Value]]] = {"text": _read_text, "date": _read_date}

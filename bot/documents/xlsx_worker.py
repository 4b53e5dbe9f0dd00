"""Make an Excel workbook. Runs as an isolated worker."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from xlsxwriter import Workbook as Book
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_rowcol_to_cell_fast
from xlsxwriter.worksheet import Worksheet

from bot.documents.characters import clean_line
from bot.documents.document_request import Document, WorkbookRequest
from bot.documents.xlsx.charts import check_chart, draw_chart, place_chart
from bot.documents.xlsx.contents import SheetContents, WorkbookContents, WorkbookReport
from bot.documents.xlsx.dates import DateFinder
from bot.documents.xlsx.formatting import (
    MOST_WIDTH,
    Styles,
    choose_format,
    choose_result_format,
    count_lines,
    holds_money,
    measure_column,
    raise_rows,
    set_up_printing,
)
from bot.documents.xlsx.formulas import Formula
from bot.documents.xlsx.functions import Value
from bot.documents.xlsx.grid import Outcome

_OPTIONS: dict[str, Any] = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def serve(request: bytes) -> bytes:
    """Return the workbook of a `WorkbookRequest` in JSON.

    Raises:
        ToolFailed: its parts do not fit together.
    """
    return make_workbook(msgspec.json.decode(request, type=WorkbookRequest)).encode()


def make_workbook(workbook: WorkbookRequest) -> Document:
    contents = WorkbookContents(workbook, WorkbookReport())
    contents.read()
    for page in contents.pages:
        check_chart(page)
    out = io.BytesIO()
    book: Any = Book(out, _OPTIONS)
    title = clean_line(workbook.title)[:200]
    book.set_properties({"title": title, "author": "Griot"})
    write_sheets(book, contents)
    book.close()
    return Document(out.getvalue(), contents.report.finish())


_UNKNOWN: Final = 999_999.0
"""What a result that is not known here is taken for when a column is measured."""
_LITERAL: Final = ("=", "+", "-", "@", "\t")
"""Beginnings of text that spreadsheet programs take for a formula when it is edited."""


class _FastWorksheet(Worksheet):
    """XlsxWriter's sheet without unneeded steps, half of the time of a long sheet."""

    def _prepare_formula(self, formula: str, expand_future_functions: bool = False) -> str:  # noqa: ARG002 (the library calls it so)
        """Return the formula without its sign; it has the prefixes of newer functions already."""
        return formula.removeprefix("=")

    def _write_cell(self, row: int, col: int, cell: Any) -> None:
        """Write numbers and shared strings without escaping, which they never need."""
        kind = cell.__class__.__name__
        if cell.format is None or kind not in ("Number", "String"):
            super()._write_cell(row, col, cell)  # pyright: ignore[reportUnknownMemberType]
            return
        style = cell.format._get_xf_index()  # noqa: SLF001
        start = f'<c r="{xl_rowcol_to_cell_fast(row, col)}" s="{style}"'
        file: Any = getattr(self, "fh")  # noqa: B009 (it has no type)
        if kind == "Number":
            file.write(f"{start}><v>{cell.number:.16G}</v></c>")
        else:
            file.write(f'{start} t="s"><v>{cell.string}</v></c>')


def write_sheets(book: Any, contents: WorkbookContents) -> None:
    """Write all sheets of `contents`, their charts, and their print settings."""
    styles = Styles(book)
    dates = DateFinder(contents.pages)
    for index, page in enumerate(contents.pages):
        sheet: Any = book.add_worksheet(page.name, worksheet_class=_FastWorksheet)
        widths: list[float] = []
        formats: list[str] = []
        figures: list[list[float]] = []
        lines: dict[int, int] = {}
        holds_sums = any(map(holds_money, page.asked.columns))
        for at in range(len(page.columns)):
            column = _ColumnWriter(
                sheet,
                styles,
                contents,
                page,
                index,
                at,
                dates,
                holds_sums=holds_sums,
            )
            column.write()
            widths.append(column.width)
            formats.append(column.format)
            figures.append(column.figures)
            for row, number in column.lines.items():
                lines[row] = max(number, lines.get(row, 1))
        place = place_chart(page, widths)
        set_up_printing(sheet, page, widths, place)
        raise_rows(sheet, lines)
        if place:
            draw_chart(book, sheet, page, formats, figures, place)


class _ColumnWriter:
    """Writes one column."""

    def __init__(
        self,
        sheet: Any,
        styles: Styles,
        contents: WorkbookContents,
        page: SheetContents,
        index: int,
        at: int,
        dates: DateFinder,
        *,
        holds_sums: bool,
    ) -> None:
        self._sheet, self._styles, self._contents = sheet, styles, contents
        self._page, self._index, self._at = page, index, at
        self._dates, self._holds_sums = dates, holds_sums
        self._outcomes = self._compute()
        shown = [self._shown(row) for row in range(1, page.rows + 1)]
        self._date_formats = self._find_date_formats()
        self.format = self._choose_format(shown)
        self._own_formats = self._find_own_formats() | self._date_formats
        totals = [self._shown(row) for row in range(page.rows + 1, self._end)]
        unknown = [] if self._is_known else [_UNKNOWN]
        known = [value for value in shown if isinstance(value, float)]
        self.figures = known if self._is_known else []
        """Its numbers; none if some of its results are not known."""
        self.width = measure_column(page.headers[at], [*totals, *shown, *unknown], self.format)
        for written in set(self._date_formats.values()):
            self.width = max(self.width, measure_column("", [_UNKNOWN], written))
        lines = {
            row: count_lines(text, self.width)
            for row, text in enumerate(shown, start=1)
            if isinstance(text, str) and (len(text) > self.width - 3 or "\n" in text)
        }
        self.lines = {row: number for row, number in lines.items() if number > 1}
        """The number of lines in each row that has more than one."""
        self._holds_numbers = any(isinstance(value, float) for value in shown) or any(
            isinstance(cell, Formula) and not isinstance(shown[row - 1], str)
            for row, cell in enumerate(page.columns[at][1 : page.rows + 1], start=1)
        )
        """Whether it has numbers, or formulas that only the spreadsheet program computes."""

    @property
    def _is_known(self) -> bool:
        """Whether all results are known here, those that are days aside."""
        return not any(
            outcome.value is None and not outcome.error and not outcome.is_circular
            for row, outcome in self._outcomes.items()
            if row not in self._date_formats
        )

    def _find_date_formats(self) -> dict[int, str]:
        """Return the formats of the formulas that yield days, by their rows, unless the column has
        a format of its own."""
        if self._page.asked.columns[self._at].format.strip():
            return {}
        find = self._dates.find_format
        cells = enumerate(self._page.columns[self._at][: self._page.rows + 1])
        found = {row: find(self._index, c) for row, c in cells if isinstance(c, Formula)}
        return {row: written for row, written in found.items() if written}

    def _find_own_formats(self) -> dict[int, str]:
        """Return the formats of the results, by their rows, in a column whose formulas all differ,
        as in a summary: a sum, a number of people and a share look different."""
        asked, cells = self._page.asked.columns[self._at], self._page.columns[self._at]
        rows = [row for row in self._outcomes if row <= self._page.rows]
        is_summary = 1 < len(rows) == len({id(cells[row]) for row in rows})
        if asked.kind != "formula" or asked.format.strip() or not (self._at and is_summary):
            return {}
        language = self._contents.workbook.language
        labels = {row: str(self._page.columns[0][row] or "") for row in rows}
        values = {row: self._outcomes[row].value for row in rows}
        return {
            row: choose_result_format(labels[row], value, language)
            for row, value in values.items()
            if isinstance(value, float)
        }

    def _choose_format(self, shown: Sequence[Value]) -> str:
        if self._date_formats:
            if written := self._dates.find_column_format(self._index, self._at + 1):
                return written
            shown = [v for row, v in enumerate(shown, start=1) if row not in self._date_formats]
        return choose_format(
            self._page.asked.columns[self._at],
            shown,
            self._contents.workbook.language,
            is_known=self._is_known,
            holds_sums=self._holds_sums,
        )

    @property
    def _end(self) -> int:
        return len(self._page.columns[self._at])

    def _compute(self) -> dict[int, Outcome]:
        """Compute the outcomes of the formulas, by their rows, and report errors."""
        outcomes: dict[int, Outcome] = {}
        where = f"sheet {self._page.name!r}, column {self._page.headers[self._at]!r}"
        for row, cell in enumerate(self._page.columns[self._at]):
            if isinstance(cell, Formula):
                outcome = self._contents.grid.outcome(self._index, row + 1, self._at + 1)
                outcomes[row] = outcome
                self._contents.report.add_outcome(where, row + 1, outcome)
        return outcomes

    def _shown(self, row: int) -> Value:
        if row in self._outcomes:
            return self._outcomes[row].error or self._outcomes[row].value
        cell = self._page.columns[self._at][row]
        return None if isinstance(cell, Formula) else cell

    def write(self) -> None:
        header = self._styles.header(right=self._holds_numbers)
        self._write_text(0, self._page.headers[self._at], header)
        number = self._styles.cell(self.format)
        text = self._styles.text(wrapped=self.width >= MOST_WIDTH or bool(self.lines))
        for row in range(1, self._page.rows + 1):
            self._write(row, number, text)
        if self._page.has_totals:
            total = self._styles.total()
            self._write(self._end - 1, self._styles.total(self.format), total)
        self._sheet.set_column(self._at, self._at, self.width)

    def _write(self, row: int, number: Format, text: Format) -> None:
        cell = self._page.columns[self._at][row]
        if isinstance(cell, float):
            self._sheet.write_number(row, self._at, cell, number)
        elif isinstance(cell, str):
            self._write_text(row, cell, text)
        elif isinstance(cell, Formula):
            self._write_formula(row, cell, number, text)
        elif cell is None:
            self._sheet.write_blank(row, self._at, None, text)
        else:
            self._sheet.write_boolean(row, self._at, cell, text)

    def _write_formula(self, row: int, formula: Formula, number: Format, text: Format) -> None:
        outcome, written = self._outcomes[row], formula.written(row + 1)
        if outcome.is_circular:
            self._write_text(row, written, text)
            return
        value = outcome.error or outcome.value
        style = text if isinstance(value, str) and not outcome.error else number
        if style is number and row in self._own_formats:
            style = self._styles.cell(self._own_formats[row])
        self._sheet.write_formula(row, self._at, written, style, "" if value is None else value)

    def _write_text(self, row: int, text: str, style: Format) -> None:
        if text.startswith(_LITERAL):
            style = self._styles.literal(style)
        if text.startswith("<r>"):  # XlsxWriter would take it for its own markup
            self._sheet.write_rich_string(row, self._at, "<", style, text[1:], style)
        else:
            self._sheet.write_string(row, self._at, text, style)

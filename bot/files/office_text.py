"""Read the text of Office documents (Word, PowerPoint, Excel, OpenDocument), which are zips of XML.

Elements are known by their names without namespaces, in which the strict and the transitional
dialect differ. Sources: ECMA-376, part 1 (17, 19, 21); ISO/IEC 29500-1 (strict); OASIS OpenDocument
1.3, part 3.
"""

from __future__ import annotations

import datetime
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from bot.errors import ToolFailed
from bot.files.archives import (
    Archive,
    Attributes,
    ElementHandler,
    collect_attributes,
    find_related,
)
from bot.files.column_totals import ColumnTotals
from bot.files.formula_elements import WordFormula
from bot.files.list_labels import LIST_ELEMENTS, OpenDocumentNumbering, WordNumbering, read_integer

_MOST_SLIDES = 2_000
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_SKIPPED_XML = frozenset({"Fallback", "pPr", "tabLst"})
"""A drawing repeated for older programs; the properties of a paragraph, of which only those that
tell its number are read; lists of tab stops, whose elements are `tab` too."""
_NUMBERED_BY = frozenset({"pStyle", "numId", "ilvl", "del", "moveFrom"})
"""Elements of a paragraph's properties that tell its number, or that it was removed."""
_NOTES = "/notesSlide"


class _OpenXmlText(ElementHandler):
    """Text with a line for each paragraph, table cells side by side, and formulas in one line.

    Args:
        numbering: the lists of a Word document, whose labels are put before their items.
    """

    def __init__(self, numbering: WordNumbering | None = None) -> None:
        self._numbering = numbering
        self._properties: dict[str, str] = {}
        """Those of the open paragraph that tell its number."""
        self._taken: list[str] = []
        self._in_text = False
        self._cells = 0
        self._skipped = 0
        """Number of open elements within one that is skipped, with itself."""
        self._formula: WordFormula | None = None

    def start(self, name: str, attributes: Attributes) -> None:
        is_number_of_slide = name == "fld" and attributes.get("type") == "slidenum"
        if self._skipped or name in _SKIPPED_XML or is_number_of_slide:
            self._skipped += 1
            if name in _NUMBERED_BY and self._skipped <= 3:  # former properties are deeper
                self._properties[name] = attributes.get(":val", "")
            return
        if name == "t":
            self._in_text = True
        if self._formula:
            self._add_to_formula(self._formula, name, attributes)
        elif name == "oMath":
            self._formula = WordFormula()
        elif name == "tc":
            self._cells += 1
        elif name in _BREAKS:
            self._taken.append(_BREAKS[name])

    def _add_to_formula(self, formula: WordFormula, name: str, attributes: Attributes) -> None:
        formula.begin(name, attributes)
        if name in _BREAKS:
            formula.text(_BREAKS[name])
        self._bound(formula)

    def _bound(self, formula: WordFormula) -> None:
        """Write a formula that is too large or too deep as ordinary text."""
        if formula.is_beyond_bounds:
            self._taken.append(formula.spell())
            self._formula = None

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
            if not self._skipped:
                self._add_label(name)
            return
        if name == "t":
            self._in_text = False
        if self._formula:
            self._end_in_formula(self._formula)
        elif name == "p":
            self._taken.append(" " if self._cells else "\n")
        elif name == "tc":
            self._cells -= 1
            self._taken.append("\t")
        elif name == "tr":
            self._taken.append("\n")

    def _end_in_formula(self, formula: WordFormula) -> None:
        if formula.depth:
            formula.end()
        else:
            self._taken.append(formula.spell())
            self._formula = None

    def _add_label(self, name: str) -> None:
        """Write the label of a list's item at the end of its properties (`pPr`)."""
        properties, self._properties = self._properties, {}
        if not self._numbering or name != "pPr" or properties.keys() & {"del", "moveFrom"}:
            return
        level = read_integer(properties.get("ilvl"))
        style, number = properties.get("pStyle", ""), properties.get("numId")
        label = self._numbering.label(style, number, level)
        self._taken.append(label.lstrip() if self._cells else label)

    def text(self, text: str) -> None:
        if not self._in_text or self._skipped:
            return
        if self._formula:
            self._formula.text(text)
            self._bound(self._formula)
        else:
            self._taken.append(text)

    def take(self) -> str:
        taken = "".join(self._taken).replace(" \t", "\t")
        self._taken.clear()
        return taken


def read_docx(archive: Archive) -> Iterator[str]:
    """Yield the headers, the document with its charts, the notes, and the footers."""
    main = archive.first("word/document", ".xml")
    numbering = WordNumbering(archive, main)
    yield from _read_margins(archive, main, "Header")
    yield from _read_part(archive, main, _OpenXmlText(numbering))
    yield from _read_charts(archive, main)
    for kind in ("footnotes", "endnotes"):
        if notes := archive.first(f"word/{kind}", ".xml"):
            yield "\n"
            yield from _read_part(archive, notes, _OpenXmlText(numbering))
    yield from _read_margins(archive, main, "Footer")


_PAGE_WORDS = frozenset({"page", "pages", "p", "of", "sur", "de"})


def _read_margins(archive: Archive, main: str, kind: str) -> Iterator[str]:
    """Yield the headers or the footers of all sections, each wording once."""
    parts = find_related(archive, main, f"/{kind.lower()}").values()
    texts = ("".join(_read_part(archive, part)).split("\n") for part in parts)
    worded = ("\n".join(line for line in lines if not _is_page_number(line)) for lines in texts)
    for text in filter(None, dict.fromkeys(worded)):
        yield f"\n{kind}:\n{text}\n\n"


def _is_page_number(line: str) -> bool:
    """Return whether a line tells nothing (`Page 1 sur 3`): its numbers are not those of pages that
    are read."""
    numbers = re.findall(r"\d+", line)
    words = re.findall(r"[^\W\d_]+", line.lower())
    is_short = len(numbers) <= 2 and all(len(number) <= 3 for number in numbers)
    return is_short and _PAGE_WORDS.issuperset(words)


def read_pptx(archive: Archive) -> Iterator[str]:
    """Yield the slides in the order of the show, each with its charts and its notes."""
    main = "ppt/presentation.xml"
    related = find_related(archive, main, "/slide")
    listed = collect_attributes(archive, main, "sldId")
    for number, slide in enumerate(
        [related[each[":id"]] for each in listed if each.get(":id", "") in related][:_MOST_SLIDES],
        start=1,
    ):
        yield f"\n[slide {number}]\n"
        yield from _read_part(archive, slide)
        yield from _read_charts(archive, slide)
        for notes in find_related(archive, slide, _NOTES).values():
            yield "\nNotes:\n"
            yield from _read_part(archive, notes)


def _read_part(archive: Archive, part: str, words: _OpenXmlText | None = None) -> Iterator[str]:
    words = words or _OpenXmlText()
    yield from archive.walk(part, words, words.take)


_MOST_POINTS = 20_000
"""Most points of a chart that are read."""
_NAME, _CATEGORIES, _VALUES = "name", "categories", "values"
_DATA: Final = {
    "tx": _NAME,
    "cat": _CATEGORIES,
    "xVal": _CATEGORIES,
    "val": _VALUES,
    "yVal": _VALUES,
}
"""Children of a series, by what they hold: ECMA-376, part 1, 21.2.2."""
_AXES = frozenset({"catAx", "dateAx", "serAx", "valAx"})
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
"""Parts of a number format that are no codes."""


@dataclass(slots=True)
class _Series:
    """A series of a chart: by the numbers of its points, their categories and values."""

    name: str = ""
    categories: dict[str, str] = field(default_factory=dict[str, str])
    values: dict[str, str] = field(default_factory=dict[str, str])


class _ChartText(ElementHandler):
    """The titles and the data of a chart, as tables with a line for each category."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._title = ""
        self._axes: list[str] = []
        self._series: list[_Series] = []
        self._data = ""
        """What the open child of a series holds."""
        self._point = ""
        self._points = 0
        self._is_date = False
        self._text = ""
        """The text of the open `t`, `v` or `formatCode`."""

    def start(self, name: str, attributes: Attributes) -> None:
        parent = self._open[-1] if self._open else ""
        self._open.append(name)
        self._text = ""
        if name == "ser":
            self._series.append(_Series())
        elif parent == "ser":
            self._data, self._is_date = _DATA.get(name, ""), False
        elif name == "title" and parent in _AXES:
            self._axes.append("")
        elif name == "pt":
            self._point = attributes.get("idx", "")
            self._points += 1

    def end(self, name: str) -> None:
        self._open.pop()
        if name == "t":
            self._add_to_title()
        elif name == "formatCode":
            self._is_date = "y" in _QUOTED.sub("", self._text).lower()
        elif name == "v" and self._series and self._data and self._points <= _MOST_POINTS:
            self._add_to_series(self._series[-1])
        elif self._open and self._open[-1] == "ser":
            self._data = ""

    def _add_to_title(self) -> None:
        if "title" not in self._open:
            return
        if self._open[self._open.index("title") - 1] not in _AXES:
            self._title += self._text
        elif self._axes:
            self._axes[-1] += self._text

    def _add_to_series(self, series: _Series) -> None:
        text = " ".join(self._text.split())
        if self._data == _NAME:
            series.name = f"{series.name} {text}".strip()
        elif self._data == _VALUES:
            series.values[self._point] = _shorten_number(text)
        else:
            # Further levels of categories follow the innermost one.
            text = _date_of(text) if self._is_date else text
            inner = series.categories.get(self._point, "")
            series.categories[self._point] = f"{text} {inner}".strip()

    def text(self, text: str) -> None:
        if self._open and self._open[-1] in ("t", "v", "formatCode"):
            self._text += text

    def take(self) -> str:
        """Return the whole chart once it has been read."""
        if self._open or not (self._series or self._title):
            return ""
        axes = f" ({', '.join(filter(None, self._axes))})" if any(self._axes) else ""
        lines = [f"\nChart: {self._title}{axes}".rstrip()]
        by_categories: dict[tuple[tuple[str, str], ...], list[_Series]] = {}
        for series in self._series:
            by_categories.setdefault(tuple(series.categories.items()), []).append(series)
        for group in by_categories.values():
            lines += _write_series(group)
        self._series, self._title = [], ""
        return "\n".join(lines) + "\n"


def _write_series(group: list[_Series]) -> Iterator[str]:
    """Yield the lines of a table of series that have the same categories."""
    yield "\t".join(["", *(series.name for series in group)])
    points = dict.fromkeys(point for series in group for point in series.values)
    for point in dict.fromkeys([*group[0].categories, *points]):
        category = group[0].categories.get(point, "")
        yield "\t".join([category, *(series.values.get(point, "") for series in group)])


def _shorten_number(text: str) -> str:
    with suppress(ValueError):
        return f"{float(text):.15g}"
    return text


def _date_of(number: str) -> str:
    """Return the day that a number of Excel stands for (1 is the first day of 1900)."""
    with suppress(ValueError, OverflowError):
        return str(datetime.date(1899, 12, 30) + datetime.timedelta(days=int(float(number))))
    return number


def _read_charts(archive: Archive, part: str) -> Iterator[str]:
    for chart in find_related(archive, part, "/chart").values():
        words = _ChartText()
        yield from archive.walk(chart, words, words.take)


_MOST_ROWS = 200_000
"""Most rows of a sheet; empty ones before the last count too."""
_MOST_CELLS = 500
"""Most cells of a row."""
_MOST_REPEATED = 50
"""Most spaces that one element may stand for; a file may claim a billion."""
_SKIPPED_ODF = frozenset(
    {"tracked-changes", "annotation", "annotation-end", "forms", "font-face-decls", "number"}
)
"""The last is a label that some programs repeat as text."""
_PARAGRAPHS = frozenset({"p", "h"})
_ODF_CELLS = frozenset({"table-cell", "covered-table-cell"})
_MOST_COPIED = 20_000
"""Characters from which a cell or a row that stands for several is not copied any more."""


class _OpenDocumentText(ElementHandler):
    """Text with a line for each paragraph, and cells side by side."""

    def __init__(self, numbering: OpenDocumentNumbering, totals: ColumnTotals) -> None:
        self._numbering = numbering
        self._totals = totals
        self._done: list[str] = []
        """Text that is in its place."""
        self._taken = self._done
        """Where text goes: to its place, or to the open cell of a sheet."""
        self._paragraphs = 0
        self._cells: list[int] = []
        """The number of repetitions of each open cell."""
        self._skipped = 0
        self._pages = 0
        self._sheet: _Sheet | None = None
        """The open sheet, or the last one; None in other documents."""

    def start(self, name: str, attributes: Attributes) -> None:
        if self._skipped or name in _SKIPPED_ODF:
            self._skipped += 1
        elif name in _PARAGRAPHS:
            self._paragraphs += 1
            label = self._numbering.label(name, attributes)
            self._taken.append(label.lstrip() if self._cells else label)
        elif name in LIST_ELEMENTS:
            self._numbering.start(name, attributes)
        elif name in _ODF_CELLS:
            self._begin_cell(attributes)
        elif self._paragraphs:
            self._add_space(name, attributes)
        else:
            self._begin(name, attributes)

    def _begin_cell(self, attributes: Attributes) -> None:
        if self._sheet and not self._cells:
            self._sheet.begin_cell(attributes)
            self._taken = []
        self._cells.append(_read_count(attributes.get(":number-columns-repeated")))

    def _add_space(self, name: str, attributes: Attributes) -> None:
        if name == "s":
            self._taken.append(" " * _read_count(attributes.get(":c")))
        elif name == "tab":
            self._taken.append("\t")
        elif name == "line-break":
            self._taken.append("\n")

    def _begin(self, name: str, attributes: Attributes) -> None:
        if name == "page":
            self._pages += 1
            self._taken.append(f"\n[slide {self._pages}]\n")
        elif name == "spreadsheet":
            self._sheet = _Sheet(self._totals)
        elif not self._sheet or self._cells:
            return
        elif name == "table":
            self._sheet = _Sheet(self._totals)
            self._totals.begin_table(attributes.get(":name", ""))
            self._taken.append(f"\n[sheet {attributes.get(':name', '')[:60]}]\n")
        elif name == "table-row":
            self._sheet.begin_row(attributes)

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif name in _PARAGRAPHS:
            self._paragraphs -= 1
            self._taken.append(" " if self._cells else "\n")
        elif name == "list":
            self._numbering.end(name)
        elif name in _ODF_CELLS and self._cells:
            self._end_cell()
        elif name == "table-row":
            self._taken.append(self._sheet.end_row() if self._sheet and not self._cells else "\n")

    def _end_cell(self) -> None:
        count = self._cells.pop()
        if self._sheet and not self._cells:
            self._sheet.end_cell("".join(self._taken))
            self._taken = self._done
        else:
            self._taken.append("\t" * count)

    def text(self, text: str) -> None:
        if self._paragraphs and not self._skipped:
            self._taken.append(text)

    def take(self) -> str:
        taken = "".join(self._done).replace(" \t", "\t")
        self._done.clear()
        return taken


class _Sheet:
    """A sheet of an OpenDocument workbook, in which equal cells and rows are written once."""

    def __init__(self, totals: ColumnTotals) -> None:
        self._totals = totals
        self._row = 0
        """The rows before the open one."""
        self._times = 1
        self._texts: list[str] = []
        """The cells of the open row as they are shown, up to the last one that is not empty."""
        self._values: list[str] = []
        """The same cells as they are stored, if they are numbers."""
        self._numbers: set[int] = set()
        """Their places."""
        self._empty = 0
        """Empty cells after these."""
        self._repeated = 1
        self._value = ""
        """The number of the open cell; empty if it is none."""

    def begin_row(self, attributes: Attributes) -> None:
        self._times = _read_count(attributes.get(":number-rows-repeated"), _MOST_ROWS)
        self._texts, self._values, self._numbers, self._empty = [], [], set(), 0

    def begin_cell(self, attributes: Attributes) -> None:
        self._repeated = _read_count(attributes.get(":number-columns-repeated"), _MOST_CELLS)
        kind, value = attributes.get(":value-type"), attributes.get(":value", "")
        if kind == "percentage":
            value = f"{_multiply_by_hundred(value)}%"
        self._value = value if kind in ("float", "currency", "percentage") else ""

    def end_cell(self, text: str) -> None:
        text = " ".join(text.split())
        if not text:
            self._empty += self._repeated
            return
        first = len(self._texts) + self._empty
        count = min(self._repeated, _MOST_CELLS - first, 1 + _MOST_COPIED // len(text))
        if count <= 0:
            return
        self._texts += [""] * self._empty + [text] * count
        self._values += [""] * self._empty + [self._value or text] * count
        self._empty = 0
        if self._value:
            self._numbers.update(range(first, first + count))

    def end_row(self) -> str:
        if not self._texts:
            self._row += self._times
            return "\n"
        line = "\t".join(self._texts) + "\n"
        copies = min(self._times, 1 + _MOST_COPIED // len(line))
        for _ in range(copies):
            self._row += 1
            self._totals.add_row(self._row, self._values, self._numbers)
        if copies < self._times:
            self._totals.give_up()
        return line * copies


def _multiply_by_hundred(number: str) -> str:
    with suppress(InvalidOperation):
        return f"{100 * Decimal(number):f}"
    return number


def read_opendocument(archive: Archive, totals: ColumnTotals) -> Iterator[str]:
    """Yield all text of the document, in order. Give the rows of sheets to `totals`."""
    words = _OpenDocumentText(OpenDocumentNumbering(archive), totals)
    yield from archive.walk("content.xml", words, words.take)


def _read_count(written: str | None, most: int = _MOST_REPEATED) -> int:
    with suppress(ValueError):
        return max(1, min(int(written or 1), most))
    return 1


_MOST_SHEETS = 200
_MIDNIGHT = datetime.time()
_STRICT: Final = b"http://purl.oclc.org/ooxml/"
_TRANSITIONAL: Final = {
    b"http://purl.oclc.org/ooxml/spreadsheetml/main": (
        b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    ),
    b"http://purl.oclc.org/ooxml/officeDocument/": (
        b"http://schemas.openxmlformats.org/officeDocument/2006/"
    ),
}
"""Namespaces of the strict dialect, which openpyxl does not know, and those that it knows."""
_UNCOMPUTED = re.compile(
    rb"(?:</(?:\w{1,20}:)?f>|<(?:\w{1,20}:)?f\s[^<>]{0,200}/>)\s{0,9}"
    rb"(?:<(?:\w{1,20}:)?v\s?/>|<(?:\w{1,20}:)?v>\s{0,9}</(?:\w{1,20}:)?v>)?"
    rb"\s{0,9}</(?:\w{1,20}:)?c>"
)
"""The end of a cell with a formula but no result."""
_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, OSError, SyntaxError, zlib.error)
"""What openpyxl raises for wrong content; parsers of XML raise kinds of `SyntaxError`."""
_LONGEST_END = 400


def read_xlsx(content: bytes, archive: Archive, totals: ColumnTotals) -> Iterator[str]:
    """Yield each sheet after its name, its last computed cells separated by tabs. A formula whose
    result is not stored stands for itself: `=SUM(B2:B9)`. Give the rows to `totals`."""
    archive.check_total()
    for name in archive.names:
        if name.endswith((".xml", ".rels")):
            archive.check(name)
    if _is_strict(archive):
        content = _make_transitional(archive)
    try:
        yield from _read_sheets(content, totals, with_formulas=_has_uncomputed(archive))
    except (*_DAMAGE, zipfile.BadZipFile) as error:
        raise ToolFailed(
            "The workbook cannot be read. Ask the person to save it anew, or as CSV."
        ) from error


def _read_sheets(content: bytes, totals: ColumnTotals, *, with_formulas: bool) -> Iterator[str]:
    computed = _load_workbook(content, data_only=True)
    written = _load_workbook(content, data_only=False) if with_formulas else None
    for number, sheet in enumerate(computed.worksheets[:_MOST_SHEETS]):
        hidden = "" if sheet.sheet_state == "visible" else " (hidden)"
        yield f"\n[sheet {' '.join(sheet.title.split())[:50]}{hidden}]\n"
        rows = _read_rows(sheet)
        if written:
            rows = map(_fill_row, rows, _read_rows(written.worksheets[number]))
        totals.begin_table(sheet.title)
        at = 0
        for at, row in enumerate(rows, start=1):
            cells = list(map(_write_cell, row))
            if line := "\t".join(cells).rstrip("\t"):
                totals.add_row(at, cells, _find_numbers(row))
                yield f"{line}\n"
        totals.end_table(limit=_MOST_ROWS if at == _MOST_ROWS else 0)


def _is_strict(archive: Archive) -> bool:
    with archive.open("xl/workbook.xml") as part:
        return _STRICT in part.read(4_096)


def _make_transitional(archive: Archive) -> bytes:
    """Return a strict workbook in the transitional dialect, as far as its cells are concerned."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy:
        for name in archive.names:
            if not name.endswith((".xml", ".rels")):
                continue
            with archive.open(name) as part:
                content = part.read()
            for strict, transitional in _TRANSITIONAL.items():
                content = content.replace(strict, transitional)
            copy.writestr(name, content)
    return held.getvalue()


def _load_workbook(content: bytes, *, data_only: bool) -> Any:
    import openpyxl  # only when there is a workbook: slow to load

    library: Any = openpyxl
    return library.load_workbook(
        io.BytesIO(content), read_only=True, data_only=data_only, keep_links=False
    )


def _has_uncomputed(archive: Archive) -> bool:
    """Return whether any sheet has a formula without a result."""
    for name in archive.names:
        if name.startswith("xl/worksheets/") and name.endswith(".xml"):
            before = b""
            with archive.open(name) as part:
                while block := part.read(1 << 20):
                    if _UNCOMPUTED.search(before + block):
                        return True
                    before = block[-_LONGEST_END:]
    return False


def _read_rows(sheet: Any) -> Iterator[list[Any]]:
    sheet.reset_dimensions()  # the size that the file declares may be wrong
    for row in sheet.iter_rows(max_row=_MOST_ROWS):
        yield list(row[:_MOST_CELLS])


def _fill_row(computed: list[Any], written: list[Any]) -> list[Any]:
    """Return the cells of a row, those as written whose formula has no result; an empty text is
    one."""
    return [
        formula if cell.value is None and cell.data_type != "str" else cell
        for cell, formula in zip(computed, written, strict=False)
    ]


def _find_numbers(row: list[Any]) -> set[int]:
    """Return the places of the cells that are stored as numbers."""
    return {at for at, cell in enumerate(row) if type(cell.value) in (int, float)}


def _write_cell(cell: Any) -> str:
    """Write a cell's value as short as possible without losing anything; a part of a whole that is
    shown in percent as `12.5%`."""
    match cell.value:
        case None:
            return ""
        case bool(value):
            return "TRUE" if value else "FALSE"
        case float(value) | int(value) if "%" in cell.number_format:
            return f"{100 * value:.13g}%"
        case float(value):
            return f"{value:.15g}"
        case datetime.datetime() as moment:
            return str(moment.date() if moment.time() == _MIDNIGHT else moment)
        case value:
            formula = getattr(value, "text", None)  # of several cells (an array)
            return " ".join(str(formula or value).split())

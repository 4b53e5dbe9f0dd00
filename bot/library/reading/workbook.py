"""The cells of Excel workbooks, by openpyxl, which reads row by row."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterable, Iterator
from typing import Any

from bot.errors import ToolFailed
from bot.library.reading.archive import Archive

_MAX_UNPACKED = 200_000_000
_MOST_ROWS = 200_000
"""Of a sheet; empty ones before the last count too."""
_MOST_CELLS = 500
"""Of a row."""
_MOST_SHEETS = 200
_MIDNIGHT = datetime.time()


def read_xlsx(content: bytes, archive: Archive) -> Iterator[str]:
    """Each sheet under its name, its cells as last computed and separated by tabs."""
    if archive.total() > _MAX_UNPACKED:
        raise ToolFailed("The workbook unfolds to more than can be read. Ask for a part of it.")
    for name in archive.names:
        if name.endswith((".xml", ".rels")):
            archive.check(name)
    try:
        yield from _sheets(content)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OSError) as error:
        # What openpyxl raises over workbooks that do not hold what they should.
        raise ToolFailed(
            "The workbook cannot be read. Ask the person to save it anew, or as CSV."
        ) from error


def _sheets(content: bytes) -> Iterator[str]:
    import openpyxl  # only where there is a workbook: slow to load

    library: Any = openpyxl
    book = library.load_workbook(
        io.BytesIO(content), read_only=True, data_only=True, keep_links=False
    )
    for sheet in book.worksheets[:_MOST_SHEETS]:
        yield f"\n[sheet {' '.join(sheet.title.split())[:60]}]\n"
        sheet.reset_dimensions()  # what the file says of its own size may be wrong
        yield from _rows(sheet.iter_rows(max_row=_MOST_ROWS, values_only=True))


def _rows(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    for row in rows:
        line = "\t".join(map(_written, list(row)[:_MOST_CELLS])).rstrip("\t")
        if line:
            yield f"{line}\n"


def _written(value: object) -> str:
    """A cell's value as short as it can be without losing anything."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return f"{value:.15g}"
        case datetime.datetime():
            return str(value.date() if value.time() == _MIDNIGHT else value)
        case _:
            return " ".join(str(value).split())

"""The program that makes a workbook: request in, document out."""

from __future__ import annotations

import io
from typing import Any

import msgspec
from xlsxwriter import Workbook as Book

from bot.library.office.document import Document
from bot.library.office.sheets.charts import check_chart
from bot.library.office.sheets.contents import Contents
from bot.library.office.sheets.report import Report
from bot.library.office.sheets.request import Workbook
from bot.library.office.sheets.writing import write_sheets
from bot.library.office.text import clean_line

_OPTIONS: dict[str, Any] = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def serve(request: bytes) -> bytes:
    """The workbook of a `request.Workbook` in JSON.

    Raises `ToolFailed`: its parts do not fit together."""
    return make_workbook(msgspec.json.decode(request, type=Workbook)).encode()


def make_workbook(workbook: Workbook) -> Document:
    contents = Contents(workbook, Report())
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

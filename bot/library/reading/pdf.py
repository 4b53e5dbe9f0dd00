"""The text of PDF files, by PDFium."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pypdfium2

from bot.errors import ToolFailed

_MOST_PAGES = 3_000
_library: Any = pypdfium2
_PASSWORD = 4
"""FPDF_ERR_PASSWORD: https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdfview.h"""


def read_pdf(content: bytes) -> Iterator[str]:
    """The pages in order, each after a line `[page 1]`; nothing of pages without text."""
    document = _open(content)
    for number in range(min(len(document), _MOST_PAGES)):
        if words := _words(document, number):
            yield f"\n[page {number + 1}]\n{words}\n"


def _open(content: bytes) -> Any:
    try:
        return _library.PdfDocument(content)
    except _library.PdfiumError as error:
        if error.err_code == _PASSWORD:
            raise ToolFailed("The PDF is protected by a password. Ask for one without.") from error
        raise ToolFailed(
            "The PDF is damaged and cannot be read. Ask the person to send it again."
        ) from error


def _words(document: Any, number: int) -> str:
    """The text of a page; none if the page is damaged: the others may be fine."""
    try:
        page = document[number]
        words: str = page.get_textpage().get_text_bounded()
        page.close()
    except _library.PdfiumError:
        return ""
    return words.strip()

"""Which reader a file is for, by its bytes: its name and type only tell kinds of text apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.errors import ToolFailed
from bot.library.reading.archive import Archive
from bot.library.reading.opendocument import read_opendocument
from bot.library.reading.openxml import read_docx, read_pptx
from bot.library.reading.pdf import read_pdf
from bot.library.reading.plain import decode, decode_page, is_text
from bot.library.reading.webpage import read_webpage
from bot.library.reading.workbook import read_xlsx

_PDF = re.compile(rb"[\s\S]{0,1024}%PDF-")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""OLE: https://learn.microsoft.com/openspecs/windows_protocols/ms-cfb"""
_PAGE = re.compile(r"\s*(<!--[\s\S]{0,2000}?-->\s*)*<(!doctype\s+html|html|head|body)", re.I)
_PAGES = (".html", ".htm", ".xhtml", ".xht")


def read(content: bytes, mime_type: str, filename: str) -> Iterator[str]:
    """The text of a file in pieces, uncleaned.

    Raises:
        ToolFailed: it is empty, of a kind that cannot be read, damaged or protected; also later,
            while the pieces are taken.
    """
    if not content:
        raise ToolFailed("The file is empty.")
    if content.startswith(b"PK\x03\x04"):
        return _read_zip(content)
    if _PDF.match(content):
        return read_pdf(content)
    if content.startswith(_OLD_OFFICE):
        raise ToolFailed(
            "The file is of an old Office format (.doc, .xls, .ppt), or protected by a password. "
            "Ask for it as .docx, .xlsx, .pptx or PDF, without a password."
        )
    if content.startswith(rb"{\rtf"):
        raise ToolFailed("RTF files cannot be read. Ask for it as .docx or PDF.")
    if not is_text(content):
        raise ToolFailed("There is no text in a file of this kind, or none that can be read.")
    return _read_text(content, mime_type, filename)


def _read_zip(content: bytes) -> Iterator[str]:
    archive = Archive(content)
    if archive.first("word/document", ".xml"):
        return read_docx(archive)
    if archive.has("xl/workbook.xml"):
        return read_xlsx(content, archive)
    if archive.has("ppt/presentation.xml"):
        return read_pptx(archive)
    if archive.has("mimetype") and archive.has("content.xml"):
        return read_opendocument(archive)
    raise ToolFailed("The file is an archive, which is not opened. Ask for what is in it.")


def _read_text(content: bytes, mime_type: str, filename: str) -> Iterator[str]:
    is_page = mime_type.startswith(("text/html", "application/xhtml"))
    if is_page or filename.lower().endswith(_PAGES) or _PAGE.match(decode(content[:4_096])):
        return read_webpage(decode_page(content))
    return iter((decode(content),))

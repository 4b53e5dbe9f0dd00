"""Files of every kind that can be read, made by the libraries that people's programs resemble."""

from __future__ import annotations

import datetime
import io
import zipfile
import zlib
from typing import Any

import docx
import openpyxl
import pptx
import typst


def zipped(**parts: str | bytes) -> bytes:
    """A zip of such parts; `__` in a name is a slash, `_DOT_` a dot."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), content)
    return held.getvalue()


def make_pdf(*pages: str) -> bytes:
    return typst.compile("#pagebreak()\n".join(f"{page}\n" for page in pages).encode())


def raw_pdf(*objects: bytes, trailer: bytes = b"") -> bytes:
    """A PDF of these objects, from 1; the first is its catalogue."""
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(b"%010d 00000 n \n" % len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(places)
    end = b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n" % (len(objects) + 1, trailer)
    return body + table + end + b"%d\n%%%%EOF" % len(body)


def locked_pdf() -> bytes:
    """One whose password nobody knows."""
    return raw_pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[]/Count 0>>",
        b"<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>" % (b"61" * 32, b"62" * 32),
        trailer=b"/Encrypt 3 0 R/ID[<6162><6162>]",
    )


def bomb_pdf(size: int) -> bytes:
    """One page whose content unfolds to so many bytes."""
    content = zlib.compress(b"BT /F 12 Tf (A) Tj ET\n" * (size // 22), 9)
    return raw_pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>/Contents 4 0 R>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(content), content),
    )


def make_docx(*paragraphs: str, table: tuple[tuple[str, ...], ...] = ()) -> bytes:
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    if table:
        grid = document.add_table(rows=len(table), cols=len(table[0]))
        for row, cells in zip(grid.rows, table, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    return _saved(document)


def make_pptx(*slides: tuple[str, str], notes: str = "") -> bytes:
    show = pptx.Presentation()
    for title, text in slides:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    return _saved(show)


def make_xlsx(**sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return _saved(book)


def make_odt(body: str, *, automatic: str = "", styles: str | bytes = "") -> bytes:
    """OpenDocument with this XML inside `office:body`, with these automatic styles, and with a part
    of this XML for the other styles."""
    namespaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "style", "text", "table")
    )
    namespaces += ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
    content = (
        f'<?xml version="1.0"?><office:document-content {namespaces}>'
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body>{body}</office:body></office:document-content>"
    )
    parts: dict[str, str | bytes] = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": content,
    }
    if isinstance(styles, str) and styles:
        styles = f"<office:document-styles {namespaces}>{styles}</office:document-styles>"
    if styles:
        parts["styles.xml"] = styles
    return zipped(**parts)


def make_epub(*pages: str, folder: str = "OEBPS/", **parts: str | bytes) -> bytes:
    """A book whose pages have these bodies, with names in another order; further parts by their
    names, which may take the place of its own."""
    numbers = range(len(pages), 0, -1)
    items = "".join(
        f'<item id="p{n}" href="text/page%20{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in sorted(numbers)
    )
    order = "".join(f'<itemref idref="p{n}"/>' for n in numbers)
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f"<manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
        f'<rootfiles><rootfile full-path="{folder}content.opf"/></rootfiles></container>'
    )
    page = (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{}</body></html>'
    )
    own: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        f"{folder}content.opf": package,
    }
    for number, body in zip(numbers, pages, strict=True):
        own[f"{folder}text/page {number}.xhtml"] = page.format(body)
    return zipped(**own | parts)


def word_part(body: str, *, head: str = "") -> bytes:
    """A Word document with this XML as its body, and this before its root."""
    namespaces = (
        'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    )
    return zipped(
        **{
            "[Content_Types]_DOT_xml": "<Types/>",
            "word__document_DOT_xml": (
                f'<?xml version="1.0"?>{head}<w:document {namespaces}>'
                f"<w:body>{body}</w:body></w:document>"
            ),
        }
    )


def word_list_parts(body: str, *, numbering: str | bytes = "", styles: str | bytes = "") -> bytes:
    """A Word document with this XML as its body, its numbering and its styles; bytes are whole
    parts."""
    namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts: dict[str, str | bytes] = {
        "word/document.xml": f"<w:document {namespace}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": "<Relationships>"
        f'<Relationship Id="r1" Type="{kinds}/stylesWithEffects" Target="effects.xml"/>'
        f'<Relationship Id="r2" Type="{kinds}/styles" Target="styles.xml"/>'
        f'<Relationship Id="r3" Type="{kinds}/numbering" Target="/word/numbering.xml"/>'
        "</Relationships>",
    }
    for name, part in (("numbering", numbering), ("styles", styles)):
        whole = f"<w:{name} {namespace}>{part}</w:{name}>" if isinstance(part, str) else part
        parts[f"word/{name}.xml"] = whole
    return zipped(**parts)


NOON = datetime.datetime(2026, 11, 21, 12, 30)  # noqa: DTZ001 (a spreadsheet knows no zones)
DAY = datetime.datetime(2026, 11, 21)  # noqa: DTZ001


def _saved(document: Any) -> bytes:
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()

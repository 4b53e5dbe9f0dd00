"""Make a PDF of a text, and make the file small. Runs as an isolated worker.

The objects that Typst writes uncompressed, most of all the tags for screen readers, are put in
compressed object streams (ISO 32000-1, 7.5.7 and 7.5.8; readers know them since PDF 1.5). They are
three quarters of a report: 330 of 566 KB are saved, which matters as people pay for their data.
"""

from __future__ import annotations

import re
import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final

import msgspec
import pypdfium2
import typst

from bot.documents.characters import name_emoji, name_unsupported_scripts, replace_emoji
from bot.documents.document_request import Document, PageRequest
from bot.documents.footnotes import note_unshown
from bot.documents.formula_notes import FormulaReport
from bot.documents.markdown_blocks import read_tokens
from bot.documents.pdf_layouts import lay_out_pages, name_files
from bot.documents.typst_compiler import compile_page, open_compiler
from bot.errors import ToolFailed
from bot.formulas.syntax import Untypesettable
from bot.formulas.typst import PREAMBLE, to_typst

_LONG = 6
"""Pages from which on a report is long."""
_SURELY_LONG = 40_000
"""Characters that never fit on fewer pages."""


def serve(request: bytes) -> bytes:
    """Return a PDF. Raises `ToolFailed`: the text cannot be set at all."""
    page_request = msgspec.json.decode(request, type=PageRequest)
    report = FormulaReport()
    pages = make_pdf(page_request, report)
    return Document(pages, (*report.write_notes(), *_write_notes(page_request))).encode()


def make_pdf(page_request: PageRequest, report: FormulaReport | None = None) -> bytes:
    """Make A4 pages of the text. A formula that cannot be set is shown as it was typed. A report of
    `_LONG` pages or more has a title page.

    Args:
        report: collects the formulas that are shown as they were typed.

    Raises:
        ToolFailed: the text cannot be set at all.
    """
    with tempfile.TemporaryDirectory() as folder:
        for source, name in name_files(page_request).items():
            (Path(folder) / name).write_bytes(page_request.images[source].content)
        compiler = open_compiler(folder)
        is_report = page_request.template == "report"
        is_long = is_report and len(page_request.content) >= _SURELY_LONG
        pages = _set_pages(compiler, page_request, report or FormulaReport(), is_long=is_long)
        if is_report and not is_long and _count_pages(pages) >= _LONG:
            pages = _set_pages(compiler, page_request, FormulaReport(), is_long=True)
    return pack_pdf(pages)


def _set_pages(
    compiler: typst.Compiler, page_request: PageRequest, report: FormulaReport, *, is_long: bool
) -> bytes:
    pages = compile_page(compiler, lay_out_pages(page_request, is_long=is_long, report=report))
    if pages is None:
        rejected = frozenset(find_rejected_formulas(compiler, page_request))
        source = lay_out_pages(page_request, rejected, is_long=is_long, report=report)
        pages = compile_page(compiler, source)
    if pages is None:
        raise ToolFailed(
            "This could not be set as pages. Write it with simpler lists, quotes and tables."
        )
    return pages


def _count_pages(pdf: bytes) -> int:
    document: Any = pypdfium2.PdfDocument(pdf)
    try:
        return len(document)
    finally:
        document.close()


def find_rejected_formulas(compiler: typst.Compiler, page_request: PageRequest) -> Iterable[str]:
    """Yield the formulas of a text that can be written for Typst but that it rejects."""
    for token in read_tokens(replace_emoji(page_request.content), page_request.language):
        for formula in (token, *(token.children or ())):
            if formula.type in ("maths", "maths_block"):
                with suppress(Untypesettable):
                    source = f"{PREAMBLE}$ {to_typst(formula.content, [])} $"
                    if compile_page(compiler, source) is None:
                        yield formula.content


def _write_notes(page_request: PageRequest) -> Iterable[str]:
    """Yield notes for the model about what the PDF does not show as intended."""
    text = page_request.title + "\n" + page_request.content
    if pictures := name_emoji(text):
        yield (
            f"A PDF shows no emoji: {' '.join(pictures)} were left out. Where they matter, put "
            "words in their place, or use generate_docx or generate_html."
        )
    if scripts := name_unsupported_scripts(text):
        yield (
            f"Letters of these scripts cannot be shown in a PDF here: {', '.join(scripts)}. Use "
            "generate_docx or generate_html for them."
        )
    yield from note_unshown(page_request.content, page_request.language)


_TOGETHER: Final = 200
"""Objects in one stream."""
_START = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*\Z")
_TABLE = re.compile(rb"xref\s+0 (\d+)\s+")
_TRAILER = re.compile(rb"trailer\s*<<(.*?)>>\s*startxref", re.DOTALL)
_OBJECT = re.compile(rb"\s*(\d+) 0 obj\s*(.*?)\s*endobj\s*", re.DOTALL)
_SIZE = re.compile(rb"/Size \d+")
_ENTRY: Final = struct.Struct("!BIH")
"""An entry of a cross-reference stream: kind, offset or stream, and generation or index."""
_PLAIN: Final = 1
_PACKED: Final = 2


def pack_pdf(pdf: bytes) -> bytes:
    """Return the document in a smaller form, or unchanged if Typst has not made it."""
    start = _START.search(pdf)
    table = _TABLE.match(pdf, int(start[1])) if start else None
    trailer = _TRAILER.search(pdf, table.end()) if table else None
    if not table or not trailer:
        return pdf
    objects = dict(_read_objects(pdf, table))
    packed = _write_pdf(pdf[: pdf.index(b"\n") + 1], objects, _SIZE.sub(b"", trailer[1]))
    return packed if len(packed) < len(pdf) else pdf


def _read_objects(pdf: bytes, table: re.Match[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield numbers and bodies; a line of the table has twenty bytes, an offset first."""
    lines = (pdf[table.end() + 20 * row :][:20] for row in range(int(table[1])))
    offsets = sorted(int(line[:10]) for line in lines if line[17:18] == b"n")
    for start, end in pairwise([*offsets, table.start()]):
        if found := _OBJECT.fullmatch(pdf, start, end):
            yield int(found[1]), found[2]


def _write_pdf(header: bytes, objects: Mapping[int, bytes], trailer: bytes) -> bytes:
    size = max(objects, default=0) + 1
    entries: dict[int, tuple[int, int, int]] = {}
    written = bytearray(header + b"%\x80\x80\x80\x80\n")
    loose = {
        number: body
        for number, body in objects.items()
        if (body.endswith(b"endstream") or b"/Type/Catalog" in body)
    }
    for number, body in loose.items():
        entries[number] = (_PLAIN, len(written), 0)
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    rest = iter([number for number in objects if number not in loose])
    while group := list(islice(rest, _TOGETHER)):
        entries |= {number: (_PACKED, size, place) for place, number in enumerate(group)}
        entries[size] = (_PLAIN, len(written), 0)
        written += b"%d 0 obj\n%s\nendobj\n" % (size, _object_stream(group, objects))
        size += 1
    entries[size] = (_PLAIN, len(written), 0)
    reference = _reference_stream(entries, size + 1, trailer)
    start = len(written)
    return bytes(written) + b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        reference,
        start,
    )


def _object_stream(group: Sequence[int], objects: Mapping[int, bytes]) -> bytes:
    places: list[bytes] = []
    bodies = bytearray()
    for number in group:
        places.append(b"%d %d" % (number, len(bodies)))
        bodies += objects[number] + b"\n"
    index = b" ".join(places) + b"\n"
    facts = b"/Type/ObjStm/N %d/First %d" % (len(group), len(index))
    return _stream(facts, index + bodies)


def _reference_stream(
    entries: Mapping[int, tuple[int, int, int]], size: int, trailer: bytes
) -> bytes:
    rows = b"".join(_ENTRY.pack(*entries.get(number, (0, 0, 0))) for number in range(size))
    return _stream(b"/Type/XRef/Size %d/W[1 4 2]%s" % (size, trailer), rows)


def _stream(facts: bytes, content: bytes) -> bytes:
    packed = zlib.compress(content, 9)
    return b"<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (
        facts,
        len(packed),
        packed,
    )

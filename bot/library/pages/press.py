"""The program that makes a PDF of a manuscript: it runs in the workshop."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pypdfium2
import typst

from bot.errors import ToolFailed
from bot.library.office.document import Document
from bot.library.pages.blocks import read_tokens, to_blocks
from bot.library.pages.characters import name_pictures, name_unshown, replace_pictures
from bot.library.pages.figures import note_diagrams
from bot.library.pages.footnotes import note_lacking, read_footnotes
from bot.library.pages.layouts import lay_out, name_files
from bot.library.pages.manuscript import Manuscript, decode
from bot.library.pages.packing import pack
from bot.library.typesetting import PREAMBLE, Untypesettable, to_typst

_LONG = 6
"""Pages."""
_SURELY_LONG = 40_000
"""Characters that never fit on fewer."""
_EPOCH = 0
"""In place of the moment of making: the same manuscript makes the same file."""


def serve(request: bytes) -> bytes:
    """A PDF. Raises `ToolFailed`: it cannot be set in any way."""
    manuscript = decode(request)
    return Document(make_pdf(manuscript), tuple(_notes(manuscript))).encode()


def make_pdf(manuscript: Manuscript) -> bytes:
    """A4 pages with the text in them. A formula that cannot be set is shown as it was typed. A
    report of `_LONG` pages or more has a title page.

    Raises:
        ToolFailed: it cannot be set in any way.
    """
    with tempfile.TemporaryDirectory() as folder:
        for source, name in name_files(manuscript).items():
            (Path(folder) / name).write_bytes(manuscript.images[source].content)
        compiler = open_compiler(folder)
        is_report = manuscript.template == "report"
        is_long = is_report and len(manuscript.content) >= _SURELY_LONG
        pages = _set(compiler, manuscript, is_long=is_long)
        if is_report and not is_long and _count_pages(pages) >= _LONG:
            pages = _set(compiler, manuscript, is_long=True)
    return pack(pages)


def _set(compiler: typst.Compiler, manuscript: Manuscript, *, is_long: bool) -> bytes:
    pages = compile_pdf(compiler, lay_out(manuscript, is_long=is_long))
    if pages is None:
        unsound = frozenset(find_unsound(compiler, manuscript))
        pages = compile_pdf(compiler, lay_out(manuscript, unsound, is_long=is_long))
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


def open_compiler(folder: str = ".") -> typst.Compiler:
    """Typst with the fonts of its wheel, which reads only what is in `folder` and fetches no
    package."""
    fonts = typst.Fonts(include_system_fonts=False)
    return typst.Compiler(
        root=folder, font_paths=fonts, package_path=folder, package_cache_path=folder
    )


def compile_pdf(compiler: typst.Compiler, source: str) -> bytes | None:
    """None if the source is refused."""
    try:
        pages = compiler.compile(source.encode(), format="pdf", timestamp=_EPOCH)
    except typst.TypstError:
        return None
    return pages if isinstance(pages, bytes) else None


def find_unsound(compiler: typst.Compiler, manuscript: Manuscript) -> Iterable[str]:
    """The formulas of a text that can be written in Typst, but not set by it."""
    for token in read_tokens(replace_pictures(manuscript.content), manuscript.language):
        for formula in (token, *(token.children or ())):
            if formula.type in ("maths", "maths_block"):
                source = _to_source(formula.content)
                if source and compile_pdf(compiler, source) is None:
                    yield formula.content


def _to_source(latex: str) -> str:
    try:
        return f"{PREAMBLE}$ {to_typst(latex)} $"
    except Untypesettable:
        return ""


def _notes(manuscript: Manuscript) -> Iterable[str]:
    """What the model should know before it speaks of the file."""
    text = manuscript.title + "\n" + manuscript.content
    if pictures := name_pictures(text):
        yield (
            f"A PDF shows no emoji: {' '.join(pictures)} were left out. Where they matter, put "
            "words in their place, or use generate_docx or generate_html."
        )
    if scripts := name_unshown(text):
        yield (
            f"Letters of these scripts cannot be shown in a PDF here: {', '.join(scripts)}. Use "
            "generate_docx or generate_html for them."
        )
    blocks = to_blocks(read_tokens(manuscript.content, manuscript.language))
    yield from note_diagrams(blocks)
    yield from note_lacking(read_footnotes(blocks)[1])

"""The program that makes a Word document: request in, document out."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import docx
import msgspec
from docx.opc.constants import RELATIONSHIP_TYPE

from bot.library.office.document import Document
from bot.library.office.letters.blocks import BlockWriter
from bot.library.office.letters.contents import (
    LEAST_HEADINGS,
    LEAST_PAGES,
    Contents,
    count_pages,
    heading_style,
)
from bot.library.office.letters.footnotes import add_footnotes, fill_footnotes
from bot.library.office.letters.lines import LineWriter
from bot.library.office.letters.markup import paragraph, text_run
from bot.library.office.letters.numbering import Numbering
from bot.library.office.letters.page import LOCALES, set_up
from bot.library.office.letters.request import Letter
from bot.library.office.text import clean_line
from bot.library.office.xml import Element
from bot.library.pages.blocks import Block, drop_title, read_tokens, to_blocks
from bot.library.pages.figures import part_figures
from bot.library.pages.footnotes import read_footnotes

_SHOWN = 3
"""Formulas that are named."""


def serve(request: bytes) -> bytes:
    """The Word document of a `request.Letter` in JSON."""
    return write_letter(msgspec.json.decode(request, type=Letter)).encode()


def write_letter(letter: Letter) -> Document:
    word: Any = docx.Document()
    set_up(word, letter.language)
    title = clean_line(letter.title)
    _describe(word, title or clean_line(letter.name), letter.language)
    writer = LineWriter(_linker(word.part), _embedder(word), letter.images)
    contents = Contents()
    numbering = Numbering(word.part.numbering_part.element)
    blocks = drop_title(to_blocks(read_tokens(letter.content, letter.language)), title)
    blocks, lacking = read_footnotes(part_figures(blocks))
    body = word.element.body.sectPr
    written = BlockWriter(writer, numbering, contents, letter.words).write(blocks)
    if title:
        body.addprevious(paragraph([text_run(title)], style="Title", words=title))
    for element in [*_list_contents(word, letter, contents, blocks), *written]:
        body.addprevious(element)
    if writer.notes:
        _add_notes(word, writer)
    out = io.BytesIO()
    word.save(out)
    return Document(out.getvalue(), _report(writer, lacking))


def _list_contents(
    word: Any, letter: Letter, contents: Contents, blocks: Sequence[Block]
) -> list[Element]:
    """The table of contents, if the document is long enough for one."""
    if len(contents.entries) < LEAST_HEADINGS or count_pages(blocks) < LEAST_PAGES:
        return []
    word.styles.element.extend([heading_style(), *contents.styles()])
    return contents.write(letter.words.get("Contents", "Contents"))


def _add_notes(word: Any, writer: LineWriter) -> None:
    part = add_footnotes(word)
    writer = replace(writer, link=_linker(part))
    fill_footnotes(part, [writer.write(note) for note in writer.notes])


def _describe(word: Any, title: str, language: str) -> None:
    properties = word.core_properties
    properties.title, properties.author = title[:250], "Griot"
    properties.comments, properties.language = "", LOCALES.get(language, "fr-FR")


def _linker(part: Any) -> Callable[[str], str]:
    """Gives the id of the relationship to an address. The library's own way looks through all that
    there are each time."""
    known: dict[str, str] = {}

    def link(url: str) -> str:
        if url not in known:
            known[url] = f"rLink{len(known) + 1}"
            rels = part.rels
            rels.add_relationship(RELATIONSHIP_TYPE.HYPERLINK, url, known[url], is_external=True)
        return known[url]

    return link


def _embedder(word: Any) -> Callable[[bytes], str]:
    """Gives the id of the relationship to a picture."""
    return lambda content: word.part.get_or_add_image(io.BytesIO(content))[0]


def _report(writer: LineWriter, lacking: Sequence[str]) -> tuple[str, ...]:
    notes: list[str] = []
    if writer.unset:
        shown = ", ".join(repr(latex[:60]) for latex in writer.unset[:_SHOWN])
        notes.append(
            f"{len(writer.unset)} formulas could not be set and stand as they were typed: {shown}."
        )
    if lacking:
        shown = ", ".join(f"[^{label[:30]}]" for label in lacking[:_SHOWN])
        notes.append(
            f"Nothing says what these footnotes hold: {shown}. Add a line [^1]: and its text."
        )
    return tuple(notes)

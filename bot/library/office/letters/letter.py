"""The program that makes a Word document: request in, document out."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import docx
import msgspec
from docx.opc.constants import RELATIONSHIP_TYPE

from bot.library.office.document import Document
from bot.library.office.letters.blocks import BlockWriter
from bot.library.office.letters.lines import LineWriter
from bot.library.office.letters.markup import paragraph, text_run
from bot.library.office.letters.numbering import Numbering
from bot.library.office.letters.page import LOCALES, set_up
from bot.library.office.letters.request import Letter
from bot.library.office.text import clean_line
from bot.library.pages.blocks import drop_title, read_tokens, to_blocks

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
    writer = LineWriter(_linker(word))
    numbering = Numbering(word.part.numbering_part.element)
    blocks = drop_title(to_blocks(read_tokens(letter.content, letter.language)), title)
    body = word.element.body
    end = body.sectPr
    if title:
        end.addprevious(paragraph([text_run(title)], style="Title", words=title))
    for element in BlockWriter(writer, numbering).write(blocks):
        end.addprevious(element)
    out = io.BytesIO()
    word.save(out)
    return Document(out.getvalue(), _report(writer))


def _describe(word: Any, title: str, language: str) -> None:
    properties = word.core_properties
    properties.title, properties.author = title[:250], "Griot"
    properties.comments, properties.language = "", LOCALES.get(language, "fr-FR")


def _linker(word: Any) -> Callable[[str], str]:
    """Gives the id of the relationship to an address. The library's own way looks through all that
    there are each time."""
    known: dict[str, str] = {}

    def link(url: str) -> str:
        if url not in known:
            known[url] = f"rLink{len(known) + 1}"
            rels = word.part.rels
            rels.add_relationship(RELATIONSHIP_TYPE.HYPERLINK, url, known[url], is_external=True)
        return known[url]

    return link


def _report(writer: LineWriter) -> tuple[str, ...]:
    if not writer.unset:
        return ()
    shown = ", ".join(repr(latex[:60]) for latex in writer.unset[:_SHOWN])
    return (
        f"{len(writer.unset)} formulas could not be set and stand as they were typed: {shown}.",
    )

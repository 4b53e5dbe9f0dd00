"""Documents for tests, read back by another program than made them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pypdfium2

from bot.documents.document_request import PageRequest, Template, make_page_request
from bot.documents.markdown_blocks import Block, read_tokens, to_blocks
from bot.documents.pdf_worker import make_pdf
from bot.messages.incoming import Person


def page_request(
    content: str,
    template: Template = "report",
    *,
    title: str = "Titre",
    language: str = "fr",
) -> PageRequest:
    person = Person("telegram", "42", account=7, language=language)
    return make_page_request(title, content, person, template=template)


def blocks_of(markdown: str) -> list[Block]:
    return to_blocks(read_tokens(markdown, "en"))


def said(blocks: Sequence[Block]) -> list[str]:
    """What each block says, with what stands in it."""
    return [" ".join(filter(None, [block.words, *said(block.children)])) for block in blocks]


def pages_of(content: str, template: Template = "report", **facts: Any) -> list[str]:
    """The text of each page of a PDF, white space as single spaces."""
    return read_pdf(make_pdf(page_request(content, template, **facts)))


def read_pdf(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    try:
        texts = [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()
    return [" ".join(text.split()) for text in texts]


def letters_of(text: str) -> str:
    """Letters and digits alone: a line may have been broken within a word."""
    return "".join(char for char in text if char.isalnum())

from __future__ import annotations

import pypdfium2
import pytest

from bot.documents.pdf_layouts import lay_out_pages
from bot.documents.pdf_worker import pack_pdf
from bot.documents.typst_compiler import compile_page, open_compiler
from tests.support.documents import page_request, read_pdf

CONTENT = (
    "# Un\n\nTexte avec [un lien](https://a.ci).\n\n| a | b |\n|---|---|\n" + "| 1 | é |\n" * 150
)


@pytest.fixture(scope="module")
def pdf() -> bytes:
    made = compile_page(open_compiler(), lay_out_pages(page_request(CONTENT)))
    assert made is not None
    return made


def facts_of(pdf: bytes) -> tuple[object, ...]:
    """Title, headings, whether there are tags for screen readers, and how each page looks."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        looks = [bytes(page.render(scale=0.5).buffer) for page in document]
        headings = [entry.get_title() for entry in document.get_toc()]
        return document.get_metadata_dict(), headings, document.is_tagged(), looks
    finally:
        document.close()


def test_the_same_document_takes_half_the_bytes(pdf: bytes) -> None:
    packed = pack_pdf(pdf)
    assert len(packed) < len(pdf) / 2
    assert read_pdf(packed) == read_pdf(pdf)
    assert facts_of(packed) == facts_of(pdf)
    assert facts_of(packed)[2]


@pytest.mark.parametrize("other", [b"", b"%PDF-1.7\n", b"startxref\n5\n%%EOF", b"\x00" * 100])
def test_what_is_built_otherwise_is_left_alone(other: bytes) -> None:
    assert pack_pdf(other) == other

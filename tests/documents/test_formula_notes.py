from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from bot.documents import docx_worker, html_worker, pdf_worker, pptx_worker
from bot.documents.document_request import (
    PageRequest,
    Slide,
    SlidesRequest,
    decode_document,
)

TEXT = r"$x=2+\foo{y}$, $\inconnu$, $\SI{9.81}{m/s^2}$, $\frac{1}{2$ et $\frac12$."


@pytest.mark.parametrize(
    ("serve", "request_"),
    [
        (pdf_worker.serve, PageRequest("Titre", TEXT)),
        (html_worker.serve, PageRequest("Titre", TEXT)),
        (docx_worker.serve, PageRequest("Titre", TEXT)),
        (pptx_worker.serve, SlidesRequest("Titre", (Slide("Un", bullets=(TEXT,)),))),
        (pptx_worker.serve, SlidesRequest("Titre", (Slide("Un", table=(("a",), (TEXT,))),))),
    ],
)
def test_every_document_names_the_formulas_that_it_shows_as_typed(
    serve: Callable[[bytes], bytes], request_: msgspec.Struct
) -> None:
    document = decode_document(serve(msgspec.json.encode(request_)))
    assert document.notes == (
        r"2 formulas could not be set and stayed as typed: '\inconnu', '\frac{1}{2'.",
        r"Commands in formulas that are not known here stayed as typed: '\foo'. Write them in "
        "other LaTeX.",
    )

"""Documents for offices are the same bytes whenever they are made."""

from __future__ import annotations

import io
import zipfile

import docx
import msgspec
import openpyxl
import pptx
import pytest
import time_machine

from bot.documents import document_request as sheets
from bot.documents import document_request as slides
from bot.documents.document_request import PageRequest, decode_document
from bot.documents.docx_worker import serve as write_letter
from bot.documents.pptx_worker import serve as write_deck
from bot.documents.xlsx_worker import serve as write_workbook

LETTER = PageRequest(title="Bail", content="Texte $x^2$", name="bail", language="fr")
WORKBOOK = sheets.WorkbookRequest(
    title="Notes",
    sheets=(
        sheets.Sheet(name="Notes", columns=(sheets.SheetColumn(header="Nom"),), rows=[["Awa"]]),
    ),
    language="fr",
    total="Total",
)
DECK = slides.SlidesRequest(
    title="Plan",
    slides=(
        slides.Slide(title="Un"),
        slides.Slide(
            "Deux",
            (r"$\frac{a}{b}$",),
            chart=slides.SlideChart("bar", ("a", "b"), (slides.SlideSeries("x", (1.0, 2.0)),)),
        ),
    ),
    language="fr",
    continued="suite",
)
PROGRAMS = [(write_letter, LETTER), (write_workbook, WORKBOOK), (write_deck, DECK)]


@pytest.mark.parametrize(("serve", "request_"), PROGRAMS, ids=["docx", "xlsx", "pptx"])
def test_the_same_request_makes_the_same_file_on_any_day(serve, request_) -> None:  # type: ignore[no-untyped-def]
    made: list[bytes] = []
    for day in ("2026-03-02T10:00:00Z", "2027-05-04T11:12:14Z"):
        with time_machine.travel(day):
            made.append(decode_document(serve(msgspec.json.encode(request_))).content)
    first, second = made
    assert first == second
    with zipfile.ZipFile(io.BytesIO(first)) as package:
        assert package.testzip() is None
        assert b"dcterms:created" not in package.read("docProps/core.xml")


def test_offices_open_them() -> None:
    letter, workbook, deck = (
        io.BytesIO(decode_document(serve(msgspec.json.encode(asked))).content)
        for serve, asked in PROGRAMS
    )
    assert docx.Document(letter).core_properties.title == "Bail"
    assert openpyxl.load_workbook(workbook).sheetnames == ["Notes"]
    assert len(pptx.Presentation(deck).slides) == 3

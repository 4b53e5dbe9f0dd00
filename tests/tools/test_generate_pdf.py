from __future__ import annotations

import io
import json
from typing import cast

import pypdfium2
import pytest
from PIL import Image
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.messages.outgoing import Outgoing, ShareFile
from tests.tools.fakes import FakeFiles
from tools.generate_pdf import TOOL, GeneratePdf, generate_pdf

FILE_ID = "file-of-telegram:42/1/call-1"


async def make(context: ToolContext, **arguments: str) -> dict[str, object]:
    return json.loads(await generate_pdf(GeneratePdf.model_validate(arguments), context))


def text_of(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    pages = [" ".join(page.get_textpage().get_text_range().split()) for page in document]
    document.close()
    return pages


async def test_the_file_is_kept_delivered_and_named_to_the_model(
    context: ToolContext, files: FakeFiles, delivered: list[Outgoing]
) -> None:
    result = await make(
        context, filename="Étude cajou", title="Le cajou", content="## Un\n\nSoit $x^2$."
    )
    size = len(files.contents[FILE_ID])
    assert result == {"file_id": FILE_ID, "filename": "Étude cajou.pdf", "size": size}
    assert files.types == {FILE_ID: "application/pdf"}
    assert files.accounts == {FILE_ID: 7}
    assert delivered == [ShareFile(FILE_ID, "Étude cajou.pdf", "application/pdf", size)]
    (page,) = text_of(files.contents[FILE_ID])
    assert page.startswith("Le cajou")
    assert "Un Soit" in page


async def test_answers_of_a_sheet_stand_apart(context: ToolContext, files: FakeFiles) -> None:
    content = "2 + 2 ?\n\n## Corrigé\n\nQuatre"
    await make(context, filename="a", title="Calcul", content=content, template="exercise")
    questions, answers = text_of(files.contents[FILE_ID])
    assert "2 + 2" in questions
    assert "Quatre" not in questions
    assert "Quatre" in answers


async def test_what_cannot_be_shown_is_told_to_the_model(context: ToolContext) -> None:
    result = await make(context, filename="a", title="አማርኛ", content="x")
    assert "Ethiopic" in str(result["notes"])


def test_too_long_a_text_is_refused_by_its_length() -> None:
    with pytest.raises(ValidationError, match=r"content\n.*at most 500000 characters"):
        GeneratePdf(filename="a", title="b", content="x" * 5_000_000)


@pytest.mark.parametrize(
    ("field", "value"), [("template", "poster"), ("title", ""), ("content", ""), ("filename", "")]
)
def test_what_makes_no_document_is_refused(field: str, value: str) -> None:
    arguments = {"filename": "a", "title": "b", "content": "c", field: value}
    with pytest.raises(ValidationError, match=field):
        GeneratePdf.model_validate(arguments)


def test_the_person_sees_the_name_of_the_file_in_the_making() -> None:
    args = GeneratePdf(filename="../notes", title="a", content="x")
    assert TOOL.detail(args) == "notes.pdf"


def draw() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), "green").save(out, "PNG")
    return out.getvalue()


async def test_pictures_of_the_person_are_shown_and_what_cannot_be_is_told(
    context: ToolContext, files: FakeFiles
) -> None:
    own = await files.save(7, "carte.png", draw(), mime_type="image/png", source="s", key="own")
    await files.save(8, "b.png", draw(), mime_type="image/png", source="s", key="foreign")
    result = await make(
        context,
        filename="a",
        title="Le Mali",
        content=f"![Carte]({own.file_id})\n\n![Plan](file:file-of-foreign)\n\n"
        "![Photo](http://127.0.0.1/a.png)",
    )
    missing, private = cast("list[str]", result["notes"])
    assert missing.startswith("The picture 'Plan' (file:file-of-foreign) is not shown")
    assert "not on the public internet" in private
    (page,) = text_of(files.contents[FILE_ID])
    assert "Carte Image non affichée : Plan Image non affichée : Photo" in page

from __future__ import annotations

import io
import json
from typing import Any

import docx
import pytest
from docx.oxml.ns import qn
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.documents.document_request import write_today
from bot.messages.incoming import Person
from bot.messages.outgoing import Outgoing, ShareFile
from tests.support.fakes import tool_context
from tests.tools.fakes import FakeFiles
from tools.generate_docx import TOOL, GenerateDocx, generate_docx

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


async def make(context: ToolContext, **arguments: str | bool) -> dict[str, Any]:
    args = GenerateDocx.model_validate({"filename": "bail", "content": "Texte"} | arguments)
    return json.loads(await generate_docx(args, context))


def opened(files: FakeFiles) -> Any:
    (content,) = files.contents.values()
    return docx.Document(io.BytesIO(content))


async def test_the_document_is_kept_delivered_and_named_to_the_model(
    context: ToolContext, files: FakeFiles, delivered: list[Outgoing]
) -> None:
    result = await make(context, filename="bail.docx", title="Contrat", content="## Objet\n\n$x^2$")
    file_id = f"file-of-{context.key}"
    (content,) = files.contents.values()
    assert result == {"file_id": file_id, "filename": "bail.docx", "size": len(content)}
    assert files.types == {file_id: DOCX}
    assert delivered == [ShareFile(file_id, "bail.docx", DOCX, len(content))]
    word = opened(files)
    assert [paragraph.text for paragraph in word.paragraphs[:2]] == ["Contrat", "Objet"]
    assert len(list(word.element.body.iter(qn("m:oMath")))) == 1


async def test_a_letter_needs_no_title(context: ToolContext, files: FakeFiles) -> None:
    await make(context, filename="lettre à M. Ba", content="Monsieur,")
    word = opened(files)
    assert [paragraph.text for paragraph in word.paragraphs] == ["Monsieur,"]
    assert word.core_properties.title == "lettre à M. Ba"


async def test_the_model_learns_of_formulas_that_stand_as_text(context: ToolContext) -> None:
    result = await make(context, content="$\\inconnu{x}$")
    assert "could not be set" in result["notes"][0]


async def test_spelling_is_checked_in_the_persons_language(
    context: ToolContext, files: FakeFiles
) -> None:
    english = tool_context(
        person=Person("telegram", "42", account=7, language="en"), services=context.services
    )
    await make(english)
    assert opened(files).core_properties.language == "en-GB"


async def test_only_what_is_dated_says_the_day(context: ToolContext, files: FakeFiles) -> None:
    await make(context, title="Bail")
    assert [paragraph.text for paragraph in opened(files).paragraphs] == ["Bail", "Texte"]
    files.contents.clear()
    await make(context, title="Bilan", dated=True)
    _, day, _ = [paragraph.text for paragraph in opened(files).paragraphs]
    assert day == write_today(context.person, "fr")


async def test_a_text_has_the_typography_of_its_own_language(
    context: ToolContext, files: FakeFiles
) -> None:
    content = 'The plan of the "House" is for you and that is the end of it: to be with us.'
    await make(context, content=content)
    word = opened(files)
    assert "“House”" in word.paragraphs[0].text
    assert word.core_properties.language == "en-GB"


@pytest.mark.parametrize(
    "wrong", [{"content": ""}, {"content": "x" * 200_001}, {"filename": ""}, {"title": "x" * 301}]
)
def test_nothing_and_far_too_much_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        GenerateDocx.model_validate({"filename": "a", "content": "x"} | wrong)


def test_the_person_sees_the_name_of_the_file_in_the_making() -> None:
    assert TOOL.detail(GenerateDocx(filename="bail", content="x")) == "bail.docx"

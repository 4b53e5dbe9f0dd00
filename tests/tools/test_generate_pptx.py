from __future__ import annotations

import io
import json
from typing import Any

import pptx
import pytest
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.errors import ToolFailed
from bot.messages.incoming import Person
from bot.messages.outgoing import Outgoing, ShareFile
from tests.support.fakes import tool_context
from tests.tools.fakes import FakeFiles
from tools.generate_pptx import TOOL, GeneratePptx, generate_pptx

PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
POINTS = [f"Point {i} : " + "des mots en plus " * 8 for i in range(12)]


def arguments(*slides: dict[str, Any]) -> dict[str, Any]:
    return {"filename": "exposé", "title": "Le sol", "slides": list(slides)}


async def make(context: ToolContext, *slides: dict[str, Any]) -> dict[str, Any]:
    args = GeneratePptx.model_validate(arguments(*slides))
    return json.loads(await generate_pptx(args, context))


def titles(files: FakeFiles) -> list[str]:
    (content,) = files.contents.values()
    return [slide.shapes.title.text for slide in pptx.Presentation(io.BytesIO(content)).slides]


async def test_the_slides_are_kept_delivered_and_named_to_the_model(
    context: ToolContext, files: FakeFiles, delivered: list[Outgoing]
) -> None:
    result = await make(
        context,
        {"title": "L'eau", "bullets": ["Elle manque"], "notes": "À dire"},
        {"title": "Chiffres", "table": [["Ville", "m³"], ["Dakar", 12]]},
    )
    file_id = f"file-of-{context.key}"
    (content,) = files.contents.values()
    assert result == {"file_id": file_id, "filename": "exposé.pptx", "size": len(content)}
    assert files.types == {file_id: PPTX}
    assert delivered == [ShareFile(file_id, "exposé.pptx", PPTX, len(content))]
    assert titles(files) == ["Le sol", "L’eau", "Chiffres"]


@pytest.mark.parametrize(("language", "mark"), [("fr", "(suite)"), ("en", "(continued)")])
async def test_what_goes_on_says_so_in_the_persons_language(
    context: ToolContext, files: FakeFiles, language: str, mark: str
) -> None:
    person = Person("telegram", "42", account=7, language=language)
    result = await make(
        tool_context(person=person, services=context.services),
        {"title": "Long", "bullets": POINTS},
    )
    assert titles(files)[:3] == ["Le sol", "Long", f"Long {mark}"]
    assert "went on" in result["notes"][0]


async def test_half_of_a_character_in_a_cell_is_refused(context: ToolContext) -> None:
    with pytest.raises(ToolFailed, match="half of a character"):
        await make(context, {"title": "A", "table": [[json.loads(r'"\ud83d"')]]})


async def test_a_picture_that_cannot_be_shown_is_told_and_described(
    context: ToolContext, files: FakeFiles
) -> None:
    result = await make(
        context, {"title": "Carte", "picture": "![Les régions du Mali](ftp://example.org/x.png)"}
    )
    assert "'Les régions du Mali' (ftp://example.org/x.png) is not shown" in result["notes"][0]
    (content,) = files.contents.values()
    (_, slide) = pptx.Presentation(io.BytesIO(content)).slides
    assert slide.placeholders[1].text_frame.text == "Les régions du Mali"


async def test_a_chart_may_have_years_as_names(context: ToolContext, files: FakeFiles) -> None:
    chart = {
        "type": "line",
        "categories": [2024, "2025"],
        "series": [{"name": "Tonnes", "values": [1, 2.5]}],
    }
    await make(context, {"title": "Récoltes", "chart": chart})
    (content,) = files.contents.values()
    (_, slide) = pptx.Presentation(io.BytesIO(content)).slides
    (shown,) = [shape.chart for shape in slide.shapes if shape.has_chart]
    assert list(shown.plots[0].categories) == ["2024", "2025"]


def test_a_wrong_chart_is_told_the_right_form() -> None:
    chart = {"type": "bar", "categories": ["a", "b"], "series": [{"name": "x", "values": [1]}]}
    with pytest.raises(ValidationError, match="one value for each category, as in"):
        GeneratePptx.model_validate(arguments({"title": "A", "chart": chart}))
    with pytest.raises(ValidationError, match='"bullets"'):
        GeneratePptx.model_validate(arguments({"title": " "}))


@pytest.mark.parametrize(
    "slides",
    [
        [],
        [{"title": "A"}] * 61,
        [{"title": ""}],
        [{"bullets": ["x"]}],
        [{"title": "A", "bullets": "x"}],
        [{"title": "A", "bullets": ["x"] * 41}],
        [{"title": "A", "bullets": ["x" * 2_001]}],
        [{"title": "A", "table": ["x"]}],
        [{"title": "A", "table": [["x"]] * 121}],
        [{"title": "A", "table": [["x"] * 13]}],
        [{"title": "A", "columns": [["x"]] * 4}],
        [{"title": "A", "columns": ["x"]}],
        [{"title": "A", "chart": {"type": "radar", "categories": ["x"], "series": []}}],
    ],
)
def test_what_is_no_slide_is_refused(slides: list[dict[str, Any]]) -> None:
    with pytest.raises(ValidationError):
        GeneratePptx.model_validate(arguments(*slides))


def test_the_schema_stands_alone() -> None:
    schema = json.dumps(TOOL.spec.parameters)
    assert "$ref" not in schema
    assert "$defs" not in schema
    assert "title" in TOOL.spec.parameters["properties"]["slides"]["items"]["properties"]


def test_the_person_sees_the_name_of_the_file_in_the_making() -> None:
    assert TOOL.detail(GeneratePptx.model_validate(arguments({"title": "A"}))) == "exposé.pptx"

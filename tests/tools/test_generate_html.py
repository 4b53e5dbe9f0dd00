from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import cast

import pytest
from PIL import Image
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.messages.outgoing import Outgoing, ShareFile
from tests.tools.fakes import FakeFiles
from tools.generate_html import TOOL, GenerateHtml, generate_html

FILE_ID = "file-of-telegram:42/1/call-1"


async def make(context: ToolContext, **arguments: str) -> dict[str, object]:
    return json.loads(await generate_html(GenerateHtml.model_validate(arguments), context))


async def test_the_file_is_kept_delivered_and_named_to_the_model(
    context: ToolContext, files: FakeFiles, delivered: list[Outgoing]
) -> None:
    result = await make(context, filename="Guide", title="Le cajou", content="## Un\n\nDeux")
    size = len(files.contents[FILE_ID])
    assert result == {"file_id": FILE_ID, "filename": "Guide.html", "size": size}
    assert files.types == {FILE_ID: "text/html"}
    assert delivered == [ShareFile(FILE_ID, "Guide.html", "text/html", size)]
    page = files.contents[FILE_ID].decode()
    assert "<h1>Le cajou</h1>" in page
    assert "<p>Deux</p>" in page


async def test_pictures_of_the_person_are_shown_and_what_cannot_be_is_told(
    context: ToolContext, files: FakeFiles
) -> None:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), "green").save(out, "PNG")
    own = await files.save(7, "a.png", out.getvalue(), mime_type="image/png", source="s", key="own")
    text = f"![Carte](file:{own.file_id})\n\n![Plan](absent.png)"
    result = await make(context, filename="a", content=text)
    (note,) = cast("list[str]", result["notes"])
    assert note.startswith("The picture 'Plan' (absent.png) is not shown")
    page = files.contents[FILE_ID].decode()
    assert page.count('<img src="data:image/png;base64,') == 1
    assert "Image non affichée" in page


async def test_a_picture_whose_address_the_model_made_up_is_not_fetched(
    context: ToolContext,
) -> None:
    secretive = replace(context, may_open="https://1.1.1.1:9/a".__eq__)
    text = "![A](https://1.1.1.1:9/a)\n\n![B](https://1.1.1.1/?name=Awa)"
    told, made_up = cast("list[str]", (await make(secretive, filename="a", content=text))["notes"])
    assert "Port 9 is not opened" in told
    assert "only addresses that stand in the conversation are opened" in made_up


async def test_a_page_without_a_title_is_named_like_its_file(
    context: ToolContext, files: FakeFiles
) -> None:
    await make(context, filename="bilan 3.html", content="Bonjour")
    (page,) = files.contents.values()
    assert "<title>bilan 3</title>" in page.decode()
    assert "<h1" not in page.decode()


async def test_markup_of_html_is_text(context: ToolContext, files: FakeFiles) -> None:
    await make(context, filename="a", content="# A\n\n<script>alert(1)</script>")
    page = files.contents[FILE_ID].decode()
    assert "<script" not in page
    assert "&lt;script" in page


def test_too_long_a_text_is_refused_by_its_length() -> None:
    with pytest.raises(ValidationError, match=r"content\n.*at most 500000 characters"):
        GenerateHtml(filename="a", content="x" * 5_000_000)


def test_the_person_sees_the_name_of_the_file_in_the_making() -> None:
    assert TOOL.detail(GenerateHtml(filename="notes.html", content="x")) == "notes.html"

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.messages.outgoing import Outgoing, ShareFile
from tests.tools.fakes import FakeFiles
from tools.generate_md import TOOL, GenerateMd, generate_md


async def make(context: ToolContext, **arguments: str) -> dict[str, object]:
    return json.loads(await generate_md(GenerateMd.model_validate(arguments), context))


async def test_the_file_is_kept_delivered_and_named_to_the_model(
    context: ToolContext, files: FakeFiles, delivered: list[Outgoing]
) -> None:
    result = await make(context, filename="Résumé fractions", content="Une moitié : $1/2$")
    content = "Une moitié : $1/2$\n".encode()
    file_id = "file-of-telegram:42/1/call-1"
    assert result == {
        "file_id": file_id,
        "filename": "Résumé fractions.md",
        "size": len(content),
    }
    assert files.contents == {file_id: content}
    assert files.accounts == {file_id: 7}
    assert files.types == {file_id: "text/markdown"}
    assert delivered == [ShareFile(file_id, "Résumé fractions.md", "text/markdown", len(content))]


async def test_the_title_becomes_one_heading_on_top(context: ToolContext, files: FakeFiles) -> None:
    await make(context, filename="a.md", title="Les\nfractions", content="Texte")
    assert list(files.contents.values()) == [b"# Les fractions\n\nTexte\n"]


async def test_a_title_that_the_content_says_already_is_said_once(
    context: ToolContext, files: FakeFiles
) -> None:
    await make(
        context, filename="a.md", title="Les fractions", content="\n## Les  Fractions ##\n\nb"
    )
    assert list(files.contents.values()) == [b"## Les  Fractions ##\n\nb\n"]


async def test_what_nobody_sees_is_left_out_and_indented_code_stays(
    context: ToolContext, files: FakeFiles
) -> None:
    await make(context, filename="a.md", content="    code\x00\r\n\u202efin\t \n\n")
    assert list(files.contents.values()) == [b"    code\nfin\n"]


async def test_a_name_with_a_path_stays_in_the_library(context: ToolContext) -> None:
    result = await make(context, filename="../../etc/passwd", content="x")
    assert result["filename"] == "passwd.md"


def test_half_a_surrogate_pair_from_a_model_is_refused_before_it_does_harm() -> None:
    with pytest.raises(ValidationError, match="unicode"):
        GenerateMd(filename="a.md", content=json.loads(r'"a \ud83d b"'))


@pytest.mark.parametrize("missing", ["filename", "content"])
def test_filename_and_content_are_required(missing: str) -> None:
    arguments = {"filename": "a.md", "content": "x"}
    del arguments[missing]
    with pytest.raises(ValidationError, match=missing):
        GenerateMd.model_validate(arguments)


def test_the_person_sees_the_name_of_the_file_in_the_making() -> None:
    assert TOOL.detail(GenerateMd(filename="notes", content="x")) == "notes.md"

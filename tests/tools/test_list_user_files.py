from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from bot.contracts.services import StoredFile, ToolContext
from tests.tools.fakes import FakeFiles
from tools.list_user_files import TOOL, ListUserFiles, list_user_files


def stored(number: int, filename: str = "cours.pdf") -> StoredFile:
    return StoredFile(f"id-{number}", filename, "pdf", 1_000 + number, created_at=1_763_758_800.0)


async def listed(context: ToolContext, **arguments: object) -> dict[str, object]:
    return json.loads(await list_user_files(ListUserFiles.model_validate(arguments), context))


async def test_each_file_is_shown_with_what_other_tools_need(
    context: ToolContext, files: FakeFiles
) -> None:
    files.listed = [stored(1, 'L’été "à" lire.pdf')]
    assert await listed(context) == {
        "files": [
            {
                "file_id": "id-1",
                "filename": 'L’été "à" lire.pdf',
                "kind": "pdf",
                "size": 1_001,
                "created": "2025-11-21T21:00Z",
            }
        ]
    }
    assert files.asked == [(7, "", 21)]


async def test_a_longer_list_says_that_it_is_cut(context: ToolContext, files: FakeFiles) -> None:
    files.listed = [stored(number) for number in range(60)]
    result = await listed(context, limit=3)
    assert [file["file_id"] for file in result["files"]] == ["id-0", "id-1", "id-2"]
    assert "truncated" in result["note"]
    assert len((await listed(context, limit=1_000))["files"]) == 50


async def test_fifty_files_with_long_names_fit_into_the_result(
    context: ToolContext, files: FakeFiles
) -> None:
    files.listed = [stored(number, "é" * 60) for number in range(50)]
    assert len(await list_user_files(ListUserFiles(limit=50), context)) < TOOL.max_result


async def test_an_empty_list_says_why(context: ToolContext) -> None:
    assert "library is empty" in (await listed(context))["note"]
    assert "no files of this kind" in (await listed(context, kind=" pdf "))["note"]


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": "3"}, {"kind": "x" * 41}])
def test_arguments_that_make_no_sense_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ListUserFiles.model_validate(arguments)

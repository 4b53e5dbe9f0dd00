from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.contracts.services import FileHit, FileHits, ToolContext
from bot.contracts.turn import Spent
from tests.support.fakes import make_services, tool_context
from tests.tools.fakes import FakeFiles
from tools.search_user_files import TOOL, SearchUserFiles, search_user_files


def hit(number: int, snippet: str = "…la photosynthèse…", place: str = "page 3") -> FileHit:
    return FileHit(f"id-{number}", f"cours-{number}.pdf", place, 2, snippet)


async def search(context: ToolContext, query: str = "photosynthèse") -> str:
    return await search_user_files(SearchUserFiles(query=query), context)


async def test_passages_are_shown_with_their_files_and_marked_as_other_peoples_words(
    context: ToolContext, files: FakeFiles
) -> None:
    files.found = FileHits((hit(1), hit(2, "L’eau bout.", place="")), unsearched=0)
    shown = await search(context, "  l'eau ")
    assert shown.startswith("UNTRUSTED CONTENT\n")
    assert shown.endswith(
        '1. cours-1.pdf, page 3 (file_id "id-1", part 2)\n…la photosynthèse…\n\n'
        '2. cours-2.pdf (file_id "id-2", part 2)\nL’eau bout.'
    )
    assert files.asked == [(7, "l'eau", 5)]


async def test_files_that_were_not_searched_are_said(
    context: ToolContext, files: FakeFiles
) -> None:
    files.found = FileHits((hit(1),), unsearched=3)
    assert "3 files are not searched yet" in await search(context)
    files.found = FileHits((), unsearched=1)
    assert "1 file is not searched yet" in await search(context)


async def test_nothing_found_says_what_else_to_try(context: ToolContext) -> None:
    shown = await search(context)
    assert "Nothing was found" in shown
    assert "list_user_files" in shown
    assert "UNTRUSTED" not in shown


async def test_five_long_passages_fit_into_the_result(
    context: ToolContext, files: FakeFiles
) -> None:
    longest = FileHit("i" * 16, "n" * 120, "p" * 66, 99_999, "x" * 500)
    files.found = FileHits((longest,) * 5, unsearched=100_000)
    assert len(await search(context)) < TOOL.max_result


async def test_what_the_meaning_costs_is_counted(files: FakeFiles) -> None:
    spent: list[Spent] = []
    await search(tool_context(services=make_services(files=files), spend=spent.append))
    assert [each.name for each in spent] == ["fake-embedding"]


@pytest.mark.parametrize("query", ["", "   ", "x" * 301])
def test_an_empty_or_endless_query_is_refused(query: str) -> None:
    with pytest.raises(ValidationError):
        SearchUserFiles(query=query)

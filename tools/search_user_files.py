"""Search the text of the person's files."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import FileHit, ToolContext
from bot.contracts.tools import Tool, mark_untrusted

_MOST = 5


class SearchUserFiles(BaseModel):
    """Search all that is written in the person's files. Use it when they ask about something in
    their lessons, contracts, notes or tables and you do not know in which file it stands. It gives
    up to five passages with their file_id; read on with read_user_file where a passage is not
    enough. Not for the web, not for what they have told you, and not to see which files there
    are."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="What to look for: a few telling words, in the language of the files.",
        max_length=300,
    )


async def search_user_files(args: SearchUserFiles, context: ToolContext) -> str:
    found = await context.services.files.search(context.account, args.query, _MOST, context.spend)
    note = _left_out(found.unsearched)
    if not found.hits:
        return (
            "Nothing was found. Try other or fewer words, or look with list_user_files which "
            f"files there are.{note}"
        )
    passages = "\n\n".join(_show(number, hit) for number, hit in enumerate(found.hits, start=1))
    return mark_untrusted(passages, "in files of the person") + note


def _show(number: int, hit: FileHit) -> str:
    place = f", {hit.place}" if hit.place else ""
    return (
        f'{number}. {hit.filename}{place} (file_id "{hit.file_id}", part {hit.part})\n{hit.snippet}'
    )


def _left_out(unsearched: int) -> str:
    if not unsearched:
        return ""
    files = "1 file is" if unsearched == 1 else f"{unsearched} files are"
    return (
        f"\n\n[{files} not searched yet: search again to look through more of them, or read one "
        "with read_user_file]"
    )


TOOL = Tool(
    SearchUserFiles,
    search_user_files,
    modes={"child", "pro"},
    effect="read",
    is_private=True,
    timeout=60,
    max_result=8_000,
    label="Searching your files…",
    detail=lambda args: args.query,
)

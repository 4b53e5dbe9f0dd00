"""Read a file of the person's library."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import FileText, ToolContext
from bot.contracts.tools import Tool, mark_untrusted

_MAX_RESULT = 8_000


class ReadUserFile(BaseModel):
    """Read what is written in one of the person's files: PDF, Word, Excel, PowerPoint,
    OpenDocument, RTF, EPUB, e-mails (.eml), web pages, text, CSV; of a photo or scan, what is
    written and seen in it. Use it before you answer anything about a file's content, with the
    file_id that a message, list_user_files or search_user_files gives. A long file comes in parts;
    part 1 of a long table begins with exact totals of its columns: use these, since so many rows
    cannot be added up by reading. Not for addresses on the web, and never with a file_id that you
    made up."""

    file_id: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="The file's id exactly as it was given, not its name.", max_length=100
    )
    part: int = Field(
        default=1,
        description="Which part of a long file, from 1; the first if left out.",
        ge=1,
        le=1_000_000,
        strict=True,
    )


async def read_user_file(args: ReadUserFile, context: ToolContext) -> str:
    text = await context.services.files.text(
        context.account, args.file_id, args.part, context.spend
    )
    return mark_untrusted(_show(text, args.file_id), "in a file of the person")


def _show(text: FileText, file_id: str) -> str:
    of = f", part {text.part} of {text.parts}" if text.parts > 1 else ""
    return f"{text.filename}{of}\n\n{text.text}{_rest(text, file_id)}"


def _rest(text: FileText, file_id: str) -> str:
    """Say which part to read next, if there is one."""
    if text.part < text.parts:
        return (
            f"\n\n[truncated: this is part {text.part} of {text.parts}; for the next one call "
            f'read_user_file with file_id "{file_id}" and part {text.part + 1}]'
        )
    if text.is_cut:
        return "\n\n[truncated: the file is longer, and its rest cannot be read]"
    return ""


TOOL = Tool(
    ReadUserFile,
    read_user_file,
    modes={"child", "pro"},
    effect="read",
    timeout=60,
    max_result=_MAX_RESULT,
    label="Reading a file…",
)

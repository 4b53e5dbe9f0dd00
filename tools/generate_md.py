"""Make a Markdown file."""

from __future__ import annotations

import json
import re

from pydantic import BaseModel, Field

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.documents.characters import clean_markdown
from bot.files.names import clean_name

_HEADING = re.compile(r"#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)


class GenerateMd(BaseModel):
    """Make a Markdown file and send it to the person. Use it when they ask for a Markdown or plain
    text file, for notes to keep, or for text to edit further. Not for something to print or hand
    in (generate_pdf, generate_docx), and not for a short answer that fits into a message."""

    filename: str = Field(
        description="A short name that says what is in it, such as fractions-summary.md.",
        min_length=1,
        max_length=200,
    )
    title: str = Field(
        default="",
        description="The heading on top; leave it out when the content begins with its own.",
        max_length=300,
    )
    content: str = Field(
        description="The whole text in Markdown, maths between $ signs.",
        min_length=1,
        max_length=200_000,
    )


async def generate_md(args: GenerateMd, context: ToolContext) -> str:
    file = await context.services.files.save(
        context.account,
        clean_name(args.filename, ".md"),
        _compose(args).encode(),
        mime_type="text/markdown",
        source="generated",
        key=context.key,
    )
    context.deliver(file)
    return json.dumps(
        {"file_id": file.file_id, "filename": file.filename, "size": file.size}, ensure_ascii=False
    )


def _compose(args: GenerateMd) -> str:
    """The text under its title, said once, without characters that nobody sees."""
    content = clean_markdown(args.content).strip("\n").rstrip()
    title = " ".join(clean_markdown(args.title).split())
    first = _HEADING.match(content)
    said = first is not None and " ".join(first[1].split()).casefold() == title.casefold()
    return f"{content}\n" if said or not title else f"# {title}\n\n{content}\n"


TOOL = Tool(
    GenerateMd,
    generate_md,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=30,
    shows_arguments=True,
    label="Writing a document…",
    detail=lambda args: clean_name(args.filename, ".md"),
)

"""Make a Markdown file."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.documents.characters import clean_markdown
from bot.files.names import clean_name
from tools._documents import deliver_file

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
    content = clean_markdown(args.content).strip("\n").rstrip()
    title = " ".join(clean_markdown(args.title).split())
    first = _HEADING.match(content)
    has_title = first and " ".join(first[1].split()).casefold() == title.casefold()
    text = f"{content}\n" if has_title or not title else f"# {title}\n\n{content}\n"
    return await deliver_file(
        context, clean_name(args.filename, ".md"), text.encode(), "text/markdown"
    )


TOOL = Tool(
    GenerateMd,
    generate_md,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=30,
    shows_arguments=True,
    speaks=True,
    label="Writing a document…",
    detail=lambda args: clean_name(args.filename, ".md"),
)

"""Make a web page in one file."""

from __future__ import annotations

from pydantic import BaseModel, Field

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.files.names import clean_name
from tools._documents import deliver_page


class GenerateHtml(BaseModel):
    """Make a web page as one file that opens without a network, and send it to the person. Use it
    for something long to read on a phone or a computer: a guide, a summary of a lesson, notes with
    tables and mathematics. Not for what is to be printed or handed in (generate_pdf), and never
    for a web site: scripts and forms are left out. Read the notes of its result: they say what is
    not shown as meant."""

    filename: str = Field(
        description="A short name that says what is in it, such as guide-cajou.html.",
        min_length=1,
        max_length=200,
    )
    title: str = Field(
        default="",
        description="The title on top; leave it out when the content begins with its own.",
        max_length=300,
    )
    content: str = Field(
        description="The whole text in Markdown, not in HTML: ## headings, lists, tables, quotes "
        "that begin with **Définition** or **Exemple**, or with [!NOTE], [!TIP], [!IMPORTANT] or "
        "[!WARNING], as boxes, footnotes ([^1] and [^1]: …), maths between $ signs, pictures "
        "(![description](file:ID) of the person's files, or ![description](https://…)).",
        min_length=1,
        max_length=500_000,
    )


async def generate_html(args: GenerateHtml, context: ToolContext) -> str:
    return await deliver_page(context, args, ".html")


TOOL = Tool(
    GenerateHtml,
    generate_html,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=60,
    shows_arguments=True,
    speaks=True,
    label="Writing a document…",
    detail=lambda args: clean_name(args.filename, ".html"),
)

"""Make a Word document."""

from __future__ import annotations

from pydantic import BaseModel, Field

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.files.names import clean_name
from tools._documents import deliver_page


class GenerateDocx(BaseModel):
    """Make a Word document and send it to the person. Use it for text that they will edit, sign or
    hand in as Word: contracts, letters, CVs, minutes, reports, exercise sheets. Tables, lists,
    tasks, footnotes, pictures and formulas become those of Word. Not for a finished page to print
    (use a PDF where such a tool is on offer), not for calculations (use a spreadsheet), and not for
    a short answer that fits into a message."""

    filename: str = Field(
        description="A short name that says what is in it, such as contrat-de-bail.docx.",
        min_length=1,
        max_length=200,
    )
    title: str = Field(
        default="",
        description="The title on top; leave it out for a letter, or when the content has its own.",
        max_length=300,
    )
    dated: bool = Field(
        default=False,
        description="Whether today's date stands under the title: for a report, a study, a note or "
        "a plan; not for a CV, a contract, exercises, or what gives its own date.",
    )
    content: str = Field(
        description="The whole text in Markdown: headings, lists, tables, maths between $ signs, "
        "[ ] tasks, footnotes [^1], pictures ![what it shows](file:ID or https://…), and boxes: a "
        "quote that begins with [!NOTE], [!TIP], [!IMPORTANT] or [!WARNING].",
        min_length=1,
        max_length=200_000,
    )


async def generate_docx(args: GenerateDocx, context: ToolContext) -> str:
    return await deliver_page(context, args, ".docx", dated=args.dated)


TOOL = Tool(
    GenerateDocx,
    generate_docx,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=60,
    shows_arguments=True,
    speaks=True,
    label="Writing a Word document…",
    detail=lambda args: clean_name(args.filename, ".docx"),
)

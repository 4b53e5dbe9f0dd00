"""Make a PDF: a report, a lesson, a sheet of exercises or a letter."""

from __future__ import annotations

from pydantic import BaseModel, Field

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.documents.document_request import Template
from bot.files.names import clean_name
from tools._documents import deliver_page


class GeneratePdf(BaseModel):
    """Make a PDF with a title, headings, tables, mathematics and page numbers, and send it to the
    person. Use it for what is to be printed, handed in or signed: a report, a lesson, a sheet of
    exercises, a letter. Write the whole content, well structured by headings; what looks good on
    the page is done for you. Not for text that the person will edit (generate_docx), for long lists
    of figures (generate_xlsx), or for a short answer. Never describe the file instead of making
    it. Read the notes of its result: they say what is not shown as meant."""

    filename: str = Field(
        description="A short name that says what is in it, such as les-fractions.pdf.",
        min_length=1,
        max_length=200,
    )
    title: str = Field(
        description="The title on the page (of a letter: the subject); not repeated in content.",
        min_length=1,
        max_length=300,
    )
    content: str = Field(
        description="The whole text in Markdown: ## headings, lists, tables, maths between $ "
        "signs, footnotes ([^1] and [^1]: …), boxes (> [!NOTE], TIP, IMPORTANT, WARNING), pictures "
        "on a line of their own (![description](file:ID) of the person's files, or "
        "![description](https://…)). In a lesson, a quote that begins with **Définition**, "
        "**Exemple**, **Remarque** or **À retenir** becomes a box. In exercises, put all "
        "answers under a last heading Corrigé; a line of ________ is one to write on. A "
        "letter is paragraphs: the sender's address, the recipient's, place and date, the "
        "salutation, the text, the signature.",
        min_length=1,
        max_length=500_000,
    )
    template: Template = Field(
        default="report",
        description="report has a title page and contents from six pages on; lesson has coloured "
        "boxes; exercise is a sheet for pupils with the answers on a page of their own; letter "
        "is a formal letter.",
    )


async def generate_pdf(args: GeneratePdf, context: ToolContext) -> str:
    return await deliver_page(context, args, ".pdf", template=args.template)


TOOL = Tool(
    GeneratePdf,
    generate_pdf,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=60,
    shows_arguments=True,
    speaks=True,
    label="Writing a document…",
    detail=lambda args: clean_name(args.filename, ".pdf"),
)

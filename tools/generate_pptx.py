"""Make slides."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from pydantic import BaseModel, Field, StringConstraints, WithJsonSchema, field_validator

from bot.contracts import Tool, ToolContext
from bot.errors import ToolFailed
from bot.library.names import clean_name
from bot.library.office.slides import request
from bot.texts import best_language, say
from tools._documents import deliver_document, inline

Cell = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}]})]
Row = Annotated[list[Cell], Field(max_length=request.MOST_COLUMNS)]
Bullet = Annotated[str, StringConstraints(max_length=2_000)]


class _Slide(BaseModel):
    title: str = Field(description="What the slide says, in a few words.", max_length=200)
    bullets: list[Bullet] = Field(
        default=[],
        description="3 to 6 short points, without marks before them; two spaces before a point "
        "put it below the last one.",
        max_length=request.MOST_BULLETS,
    )
    table: list[Row] = Field(
        default=[],
        description="A small table: a list of rows, the header first.",
        max_length=request.MOST_ROWS,
    )
    notes: str = Field(
        default="", description="What the speaker says, under the slide.", max_length=10_000
    )


class GeneratePptx(BaseModel):
    """Make PowerPoint slides and send them to the person. Use it when they ask for slides, a
    presentation or a talk. Every slide has a title and a few short points or a small table; what
    is to be said aloud goes into its notes. A slide with a title alone opens a new part. Not for
    continuous text (use a document), and not for long tables (use a spreadsheet)."""

    filename: str = Field(
        description="A short name that says what is in it, such as plan-marketing.pptx.",
        min_length=1,
        max_length=200,
    )
    title: str = Field(
        description="The title of the whole, which has a slide of its own.",
        min_length=1,
        max_length=200,
    )
    slides: list[Annotated[_Slide, inline(_Slide)]] = Field(
        description="The slides after the title slide, in order.",
        min_length=1,
        max_length=request.MOST_SLIDES,
    )

    @field_validator("slides")
    @classmethod
    def _have_something(cls, slides: list[_Slide]) -> list[_Slide]:
        if not any(slide.title.strip() or slide.bullets or slide.table for slide in slides):
            raise ValueError("give each slide a title, and points or a table")
        return slides


async def generate_pptx(args: GeneratePptx, context: ToolContext) -> str:
    return await deliver_document(
        context,
        program="bot.library.office.slides.deck",
        request=_encode(args, best_language(context.person.language)),
        filename=args.filename,
        ending=".pptx",
        mime_type="application/vnd.openxmlformats-officedocument.presentationml.presentation",
        seconds=40,
    )


def _encode(args: GeneratePptx, language: str) -> bytes:
    deck = request.Deck(
        title=args.title,
        slides=tuple(map(_read_slide, args.slides)),
        language=language,
        continued=say(language, "(continued)"),
    )
    try:
        return msgspec.json.encode(deck)
    except UnicodeEncodeError:
        raise ToolFailed("A cell holds half of a character. Write that cell again.") from None


def _read_slide(slide: _Slide) -> request.Slide:
    return request.Slide(
        title=slide.title,
        bullets=tuple(slide.bullets),
        table=tuple(tuple(row) for row in slide.table),
        notes=slide.notes,
    )


TOOL = Tool(
    GeneratePptx,
    generate_pptx,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=60,
    shows_arguments=True,
    label="Drawing slides…",
    detail=lambda args: clean_name(args.filename, ".pptx"),
)

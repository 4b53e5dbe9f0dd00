"""Make slides."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    StringConstraints,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.documents import document_request
from bot.documents.document_request import DocumentImage, ImageReference
from bot.files.names import clean_name
from bot.i18n import best_language, say
from tools._documents import deliver_document, inline_schema, make_image_loader

Cell = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}]})]
Row = Annotated[list[Cell], Field(max_length=document_request.MOST_TABLE_COLUMNS)]


Bullet = Annotated[str, StringConstraints(max_length=2_000)]
Name = Annotated[
    str,
    StringConstraints(max_length=200),
    BeforeValidator(lambda value: str(value) if type(value) in (int, float) else value),
]
_PICTURE = re.compile(r"!\[([^\]]{0,500})\]\(\s*<?([^<>]{1,2000}?)>?\s*\)")


class _Series(BaseModel):
    name: str = Field(description="What its figures are, with the unit.", max_length=100)
    values: list[float | None] = Field(
        description="One number for each category, without units; null where there is none.",
        max_length=document_request.MOST_CATEGORIES,
    )


class _Chart(BaseModel):
    type: Literal["bar", "line", "pie"] = Field(
        description="bar compares, line shows change over time, pie the parts of a whole."
    )
    categories: list[Name] = Field(
        description="The names along the axis, or of the parts.",
        min_length=1,
        max_length=document_request.MOST_CATEGORIES,
    )
    series: list[Annotated[_Series, inline_schema(_Series)]] = Field(
        description="One or more rows of figures; a pie has one.",
        min_length=1,
        max_length=document_request.MOST_SERIES,
    )

    @model_validator(mode="after")
    def _fit_together(self) -> _Chart:
        for series in self.series:
            if len(series.values) != len(self.categories):
                raise ValueError(
                    f"the series {series.name[:40]!r} has {len(series.values)} values for "
                    f"{len(self.categories)} categories; give one value for each category, as in "
                    '{"type": "bar", "categories": ["2024", "2025"], '
                    '"series": [{"name": "Tonnes", "values": [12, 15.5]}]}'
                )
        if self.type == "pie" and len(self.series) > 1:
            raise ValueError("a pie has one series; use a bar chart for several")
        return self


class _Slide(BaseModel):
    title: str = Field(description="What the slide says, in a few words.", max_length=200)
    bullets: list[Bullet] = Field(
        default=[],
        description="3 to 6 short points, without marks before them; two spaces before a point "
        "put it below the last one. Maths between $ signs; an important formula as a point of its "
        "own.",
        max_length=document_request.MOST_BULLETS,
    )
    columns: list[Annotated[list[Bullet], Field(max_length=document_request.MOST_BULLETS)]] = Field(
        default=[],
        description="Instead of bullets, 2 or 3 lists of points side by side, to compare; the "
        "first point of each in **bold** is its heading.",
        max_length=document_request.MOST_SIDES,
    )
    table: list[Row] = Field(
        default=[],
        description="A small table: a list of rows, the header first.",
        max_length=document_request.MOST_TABLE_ROWS,
    )
    chart: Annotated[_Chart | None, inline_schema(_Chart)] = Field(
        default=None, description="A chart, beside the bullets if there are some."
    )
    picture: str = Field(
        default="",
        description="A picture of the person's library or of the web, beside the bullets if there "
        "are some: ![what it shows](file:ID) or ![what it shows](https://…).",
        max_length=2_500,
    )
    notes: str = Field(
        default="", description="What the speaker says, under the slide.", max_length=10_000
    )

    @property
    def is_empty(self) -> bool:
        given = self.bullets or self.columns or self.table or self.chart or self.picture
        return not (self.title.strip() or given)


class GeneratePptx(BaseModel):
    """Make PowerPoint slides and send them to the person. Use it when they ask for slides, a
    presentation or a talk. Every slide has a title and a few short points, two columns, a small
    table, a chart or a picture: vary them. What is to be said aloud goes into its notes. A slide
    with a title alone opens a new part. Not for continuous text (use a document), and not for long
    tables (use a spreadsheet). Read the notes of its result: they say which pictures are not
    shown."""

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
    slides: list[Annotated[_Slide, inline_schema(_Slide)]] = Field(
        description="The slides after the title slide, in order.",
        min_length=1,
        max_length=document_request.MOST_SLIDES,
    )

    @field_validator("slides")
    @classmethod
    def _have_something(cls, slides: list[_Slide]) -> list[_Slide]:
        if all(slide.is_empty for slide in slides):
            raise ValueError(
                "give each slide a title, and points, columns, a table, a chart or a picture: "
                '[{"title": "L\'eau", "bullets": ["Elle manque", "Elle coûte cher"]}]'
            )
        return slides


async def generate_pptx(args: GeneratePptx, context: ToolContext) -> str:
    pictures = [_read_picture(slide.picture) for slide in args.slides]
    images = await make_image_loader(context).load([each for each in pictures if each])
    language = best_language(context.person.language)
    deck = document_request.SlidesRequest(
        title=args.title,
        slides=tuple(
            _read_slide(slide, picture, images.copies)
            for slide, picture in zip(args.slides, pictures, strict=True)
        ),
        language=language,
        continued=say(language, "(continued)"),
    )
    return await deliver_document(context, deck, args.filename, ".pptx", images.notes)


def _read_picture(given: str) -> ImageReference | None:
    """Return the picture that is given as Markdown, or by its source alone; None if empty."""
    if not given.strip():
        return None
    found = _PICTURE.fullmatch(given.strip())
    return ImageReference(found[2], found[1]) if found else ImageReference(given.strip())


def _read_slide(
    slide: _Slide, picture: ImageReference | None, copies: Mapping[str, DocumentImage]
) -> document_request.Slide:
    copy = copies.get(picture.source) if picture else None
    alt = picture.alt if picture else ""
    lost = (alt,) if alt and copy is None else ()
    return document_request.Slide(
        title=slide.title,
        bullets=(*slide.bullets, *lost),
        table=tuple(tuple(row) for row in slide.table),
        notes=slide.notes,
        columns=tuple(map(tuple, slide.columns)),
        chart=slide.chart and _read_chart(slide.chart),
        picture=copy,
        alt=alt,
    )


def _read_chart(chart: _Chart) -> document_request.SlideChart:
    series = (document_request.SlideSeries(each.name, tuple(each.values)) for each in chart.series)
    return document_request.SlideChart(chart.type, tuple(chart.categories), tuple(series))


TOOL = Tool(
    GeneratePptx,
    generate_pptx,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=60,
    shows_arguments=True,
    speaks=True,
    label="Drawing slides…",
    detail=lambda args: clean_name(args.filename, ".pptx"),
)

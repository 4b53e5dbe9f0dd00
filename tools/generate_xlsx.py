"""Make a spreadsheet."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints, WithJsonSchema, model_validator

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.documents import document_request
from bot.files.names import clean_name
from bot.i18n import best_language, say
from tools._documents import deliver_document, inline_schema

Cell = Annotated[
    Any, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]})
]
_NESTED = frozenset({list, dict})
Header = Annotated[str, StringConstraints(max_length=200)]


class _Column(BaseModel):
    header: str = Field(description="What stands on top of the column.", max_length=200)
    type: Literal["text", "number", "money", "percent", "date", "formula"] | None = Field(
        default=None,
        description="What its cells are; left out, numbers are numbers and the rest is text.",
    )
    format: str = Field(
        default="",
        description="Of money: FCFA (usual), EUR, USD; of numbers: a unit (kg) or an Excel "
        "format; of dates: dd/mm/yyyy (usual); of formulas: any of these, or percent, date.",
        max_length=100,
    )


class _Chart(BaseModel):
    type: Literal["bar", "column", "line", "pie", "scatter"] = Field(
        description="The kind: bars lie, columns stand."
    )
    x: Header = Field(description="Header of the column with the names or the x values.")
    y: list[Header] | Header = Field(description="Header of the column to draw, or several.")


class _Sheet(BaseModel):
    name: str = Field(description="A short name for its tab.", max_length=200)
    columns: list[Annotated[_Column, inline_schema(_Column)]] = Field(
        description="The columns from left to right.",
        min_length=1,
        max_length=document_request.MOST_SHEET_COLUMNS,
    )
    rows: list[list[Cell]] = Field(
        description="One list a row, one cell a column. The header is row 1, so these begin in "
        "row 2. Cells of a formula column are formulas, for instance =B2*C2, =B{row}*C{row} or "
        "=[Quantity]*[Price]; =[Price]/SUM([Price]) adds up the whole column.",
        max_length=document_request.MOST_SHEET_ROWS,
    )
    totals: list[Header] = Field(
        default=[],
        description="Headers of the columns to total under the last row.",
        max_length=100,
    )
    chart: Annotated[_Chart | None, inline_schema(_Chart)] = Field(
        default=None, description="A chart of the sheet's own columns."
    )


class GenerateXlsx(BaseModel):
    """Make an Excel spreadsheet and send it to the person. Use it for tables that they will count,
    sort, check or go on with: accounts, budgets, stocks, price lists, timetables, marks. Give
    formulas instead of results that you have worked out, and totals by name, never as a row. Not
    for text to read, and not for a table of a few lines, which fits into a message. Read the notes
    of its result: they say which cells or formulas could not be taken as meant."""

    filename: str = Field(
        description="A short name that says what is in it, such as budget-2026.xlsx.",
        min_length=1,
        max_length=200,
    )
    sheets: list[Annotated[_Sheet, inline_schema(_Sheet)]] = Field(
        description="The sheets, each with its columns and rows.",
        min_length=1,
        max_length=document_request.MOST_SHEETS,
    )

    @model_validator(mode="after")
    def _refuse_nested(self) -> GenerateXlsx:
        for sheet in self.sheets:
            for number, row in enumerate(sheet.rows, 1):
                if any(type(cell) in _NESTED for cell in row):
                    raise ValueError(
                        f"rows: in row {number} of the sheet {sheet.name!r} a cell is a list or an "
                        "object; a cell is one text, number, true or false"
                    )
        return self

    @model_validator(mode="after")
    def _count_cells(self) -> GenerateXlsx:
        cells = sum(len(sheet.rows) * len(sheet.columns) for sheet in self.sheets)
        if cells > document_request.MOST_CELLS:
            raise ValueError(
                f"sheets: {cells} cells are too many; at most {document_request.MOST_CELLS} fit "
                "into one file, so split it into several"
            )
        return self


async def generate_xlsx(args: GenerateXlsx, context: ToolContext) -> str:
    language = best_language(context.person.language)
    workbook = document_request.WorkbookRequest(
        title=clean_name(args.filename, ".xlsx").removesuffix(".xlsx"),
        sheets=tuple(map(_read_sheet, args.sheets)),
        language=language,
        total=say(language, "Total"),
    )
    return await deliver_document(context, workbook, args.filename, ".xlsx")


def _read_sheet(sheet: _Sheet) -> document_request.Sheet:
    chart = sheet.chart
    return document_request.Sheet(
        name=sheet.name,
        columns=tuple(
            document_request.SheetColumn(column.header, column.type or "", column.format)
            for column in sheet.columns
        ),
        rows=sheet.rows,
        totals=tuple(sheet.totals),
        chart=chart
        and document_request.SheetChart(
            chart.type, chart.x, ((chart.y,) if isinstance(chart.y, str) else tuple(chart.y))
        ),
    )


TOOL = Tool(
    GenerateXlsx,
    generate_xlsx,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=60,
    shows_arguments=True,
    speaks=True,
    label="Filling a spreadsheet…",
    detail=lambda args: clean_name(args.filename, ".xlsx"),
)

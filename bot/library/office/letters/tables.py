"""Tables as wide as the page, their header on every page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.library.office import look
from bot.library.office.letters.lines import LineWriter, words_of
from bot.library.office.letters.markup import border, paragraph, shade, tag
from bot.library.office.xml import Element
from bot.library.pages.blocks import Block

_MARGIN: Final = 100
"""Of a cell at the left and at the right, in twentieths of a point."""
WIDTH: Final = 9_638 - _MARGIN
"""Of the text on the page: 17 cm, in twentieths of a point."""
_LEAST: Final = 6
_MOST: Final = 40
"""Characters that count for a column's width."""
_LOOKED_AT: Final = 200
_MANY: Final = 6
"""Columns from which on the letters are smaller."""


def write_table(table: Block, writer: LineWriter) -> list[Element]:
    """The table, and the paragraph that parts it from what follows."""
    rows = [row for part in table.children for row in part.children]
    columns = max((len(row.children) for row in rows), default=0)
    if not columns:
        return []
    widths = _widths(rows, columns)
    made = tag("tbl", _properties(), tag("tblGrid", *(tag("gridCol", w=str(w)) for w in widths)))
    for number, row in enumerate(rows):
        made.append(_row(row, widths, writer, number))
    return [made, paragraph([], tag("spacing", before="0", after="60", line="160"))]


def _properties() -> Element:
    lines = [border(side) for side in ("top", "left", "bottom", "right", "insideH", "insideV")]
    margins = [tag(side, w=str(_MARGIN), type="dxa") for side in ("left", "right")]
    return tag(
        "tblPr",
        tag("tblW", w=str(WIDTH), type="dxa"),
        tag("tblInd", w=str(_MARGIN), type="dxa"),
        tag("tblBorders", *lines),
        tag("tblLayout", type="fixed"),
        tag("tblCellMar", *margins),
    )


def _row(row: Block, widths: Sequence[int], writer: LineWriter, number: int) -> Element:
    header = number == 0
    properties = [tag("cantSplit")] + ([tag("tblHeader")] if header else [])
    made = tag("tr", tag("trPr", *properties))
    cells = [*row.children, *[None] * (len(widths) - len(row.children))]
    for width, cell in zip(widths, cells, strict=True):
        ground = look.GREEN if header else look.PALE if number % 2 == 0 else ""
        given = [tag("tcW", w=str(width), type="dxa")] + ([shade(ground)] if ground else [])
        content = _cell(cell, writer, header=header, small=len(widths) > _MANY)
        made.append(tag("tc", tag("tcPr", *given, tag("vAlign", val="center")), content))
    return made


def _cell(cell: Block | None, writer: LineWriter, *, header: bool, small: bool) -> Element:
    spacing = tag("spacing", before="40", after="40", line="240", lineRule="auto")
    if cell is None:
        return paragraph([], spacing)
    style = str(cell.token.attrs.get("style", ""))
    side = {"text-align:right": "right", "text-align:center": "center"}.get(style, "left")
    content = writer.write(cell.line, bold=header, colour="FFFFFF" if header else "")
    if small:
        _shrink(content)
    return paragraph(content, spacing, tag("jc", val=side), words=words_of(cell.line))


def _shrink(content: Sequence[Element]) -> None:
    """Set the runs in smaller letters."""
    for element in content:
        for run in element.iter(tag("r").tag):
            properties = run.find(tag("rPr").tag)
            if properties is None:
                properties = tag("rPr")
                run.insert(0, properties)
            if properties.find(tag("sz").tag) is None:
                last = properties.find(tag("rtl").tag)  # which the format wants after it
                place = len(properties) if last is None else properties.index(last)
                properties.insert(place, tag("sz", val="18"))


def _widths(rows: Sequence[Block], columns: int) -> list[int]:
    """By the longest word and the longest text of each column."""
    weights = [_LEAST] * columns
    for row in rows[:_LOOKED_AT]:
        for index, cell in enumerate(row.children):
            weights[index] = max(weights[index], min(len(words_of(cell.line)), _MOST))
    total = sum(weights)
    widths = [WIDTH * weight // total for weight in weights]
    widths[-1] += WIDTH - sum(widths)
    return widths

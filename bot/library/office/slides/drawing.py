"""What stands on slides, drawn with python-pptx."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pptx.dml.color import RGBColor
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.util import Pt

from bot.library.office import look
from bot.library.office.slides.cells import numeric_columns
from bot.library.office.slides.fitting import Bullet, row_height
from bot.library.office.text import is_leftward
from bot.library.office.xml import add_element

A: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__")


@dataclass(frozen=True, slots=True)
class Box:
    """A place on a slide, in points."""

    left: float
    top: float
    width: float
    height: float

    @property
    def places(self) -> tuple[Pt, Pt, Pt, Pt]:
        return Pt(self.left), Pt(self.top), Pt(self.width), Pt(self.height)


@dataclass(frozen=True, slots=True)
class Pen:
    """How text is written."""

    size: float
    colour: str = look.INK
    bold: bool = False
    locale: str = "fr-FR"


def colour(name: str) -> RGBColor:
    """`0F5132` as python-pptx wants it."""
    return RGBColor(*bytes.fromhex(name))


def draw_box(shapes: Any, box: Box, fill: str) -> Any:
    """A rectangle without a line around it."""
    shape = shapes.add_shape(MSO_SHAPE.RECTANGLE, *box.places)
    shape.fill.solid()
    shape.fill.fore_color.rgb = colour(fill)
    shape.line.fill.background()
    shape.shadow.inherit = False
    return shape


def take_away(shape: Any) -> None:
    element = shape._element  # noqa: SLF001 (python-pptx takes nothing away)
    element.getparent().remove(element)


def move_to(shape: Any, layout: Any) -> None:
    """Put `shape` behind all else on every slide of `layout`."""
    layout.shapes._spTree.insert(2, shape._element)  # noqa: SLF001 (layouts cannot be drawn on)


def write_line(paragraph: Any, text: str, pen: Pen) -> None:
    """`text` as the runs of a paragraph; what stands between `**` is bold."""
    end = 0
    for found in _BOLD.finditer(text):
        _add_run(paragraph, text[end : found.start()], pen)
        _add_run(paragraph, found[1] or found[2], Pen(pen.size, pen.colour, True, pen.locale))
        end = found.end()
    _add_run(paragraph, text[end:], pen)
    if is_leftward(text):
        properties = paragraph._p.get_or_add_pPr()  # noqa: SLF001 (no other way to turn it)
        properties.set("rtl", "1")
        properties.set("algn", "r")


def _add_run(paragraph: Any, text: str, pen: Pen) -> None:
    if not text:
        return
    run = paragraph.add_run()
    run.text = text
    font = run.font
    font.name, font.size, font.bold = look.FONT, Pt(pen.size), pen.bold
    font.color.rgb = colour(pen.colour)
    run._r.get_or_add_rPr().set("lang", pen.locale)  # noqa: SLF001


def write_title(slide: Any, text: str, box: Box, pen: Pen, *, middle: bool = True) -> None:
    """The slide's title, in its own placeholder, so that outlines show it."""
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = box.places
    frame = title.text_frame
    frame.word_wrap = True
    frame.vertical_anchor = MSO_ANCHOR.MIDDLE if middle else MSO_ANCHOR.BOTTOM
    frame.paragraphs[0].alignment = PP_ALIGN.LEFT
    write_line(frame.paragraphs[0], text, pen)


def write_bullets(shape: Any, bullets: Sequence[Bullet], box: Box, pen: Pen) -> None:
    shape.left, shape.top, shape.width, shape.height = box.places
    frame = shape.text_frame
    frame.word_wrap = True
    frame.vertical_anchor = MSO_ANCHOR.TOP
    for index, bullet in enumerate(bullets):
        paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
        size = pen.size - 2 * bullet.level
        write_line(paragraph, bullet.text, Pen(size, pen.colour, pen.bold, pen.locale))
        paragraph.space_after, paragraph.space_before = Pt(size * 0.45), Pt(0)
        _mark(paragraph._p.get_or_add_pPr(), bullet)  # noqa: SLF001 (python-pptx knows no bullets)


def _mark(properties: Any, bullet: Bullet) -> None:
    """The bullet before a point, and its indent."""
    indent = 27 * 12_700
    properties.set("marL", str(indent * (bullet.level + 1)))
    properties.set("indent", str(-indent if not bullet.goes_on else 0))
    if bullet.goes_on:
        add_element(properties, f"{{{A}}}buNone")
        return
    ink = add_element(properties, f"{{{A}}}buClr")
    add_element(ink, f"{{{A}}}srgbClr", val=look.GREEN)
    add_element(properties, f"{{{A}}}buFont", typeface="Arial")
    add_element(properties, f"{{{A}}}buChar", char="•" if bullet.level == 0 else "–")


def draw_table(
    slide: Any, rows: Sequence[Sequence[str]], widths: Sequence[float], box: Box, pen: Pen
) -> None:
    """A table, its first row the header."""
    frame = slide.shapes.add_table(len(rows), len(widths), *box.places)
    table = frame.table
    table.horz_banding = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Pt(width)
    right = numeric_columns(rows)
    for number, (row, cells) in enumerate(zip(table.rows, rows, strict=True)):
        row.height = Pt(row_height(cells, widths, pen.size))
        for index, (cell, text) in enumerate(zip(row.cells, cells, strict=True)):
            _fill_cell(cell, text, number, pen)
            if index in right:
                cell.text_frame.paragraphs[0].alignment = PP_ALIGN.RIGHT


def _fill_cell(cell: Any, text: str, number: int, pen: Pen) -> None:
    header = number == 0
    cell.fill.solid()
    cell.fill.fore_color.rgb = colour(
        look.GREEN if header else look.PALE if number % 2 == 0 else "FFFFFF"
    )
    cell.margin_top = cell.margin_bottom = Pt(4)
    cell.margin_left = cell.margin_right = Pt(7.2)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    paragraph = cell.text_frame.paragraphs[0]
    ink = "FFFFFF" if header else pen.colour
    write_line(paragraph, text, Pen(pen.size, ink, header, pen.locale))


def number_slide(slide: Any, box: Box, pen: Pen) -> None:
    """The slide's number, which the program keeps right when slides are moved."""
    shape = slide.shapes.add_textbox(*box.places)
    paragraph = shape.text_frame.paragraphs[0]
    paragraph.alignment = PP_ALIGN.RIGHT
    element = paragraph._p  # noqa: SLF001 (python-pptx knows no fields)
    field = add_element(
        element, f"{{{A}}}fld", id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}", type="slidenum"
    )
    properties = add_element(field, f"{{{A}}}rPr", lang=pen.locale, sz=str(int(pen.size * 100)))
    ink = add_element(properties, f"{{{A}}}solidFill")
    add_element(ink, f"{{{A}}}srgbClr", val=pen.colour)
    add_element(field, f"{{{A}}}t").text = "‹#›"

"""What stands on slides, drawn with python-pptx."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pptx.dml.color import RGBColor
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.util import Pt

from bot.library.office import look
from bot.library.office.slides.cells import numeric_columns
from bot.library.office.slides.fitting import GAP, Bullet, row_height
from bot.library.office.text import is_leftward
from bot.library.office.xml import add_element

A: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
P: Final = "http://schemas.openxmlformats.org/presentationml/2006/main"
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
    """`6B2D14` as python-pptx wants it."""
    return RGBColor(*bytes.fromhex(name))


def draw_box(shapes: Any, box: Box, fill: str) -> Any:
    """A rectangle without a line around it."""
    shape = shapes.add_shape(MSO_SHAPE.RECTANGLE, *box.places)
    return _fill(shape, fill)


def _fill(shape: Any, fill: str) -> Any:
    """Give a shape a ground, and take away the lines and shadows of the theme."""
    shape.fill.solid()
    shape.fill.fore_color.rgb = colour(fill)
    shape.line.fill.background()
    style = shape._element.find(f"{{{P}}}style")  # noqa: SLF001 (no other way)
    if style is not None:
        style.getparent().remove(style)
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
    properties = run._r.get_or_add_rPr()  # noqa: SLF001 (no other way)
    properties.set("lang", pen.locale)
    properties.set("cap", "none")  # some layouts write in capitals


def write_title(slide: Any, text: str, box: Box, pen: Pen) -> None:
    """The slide's title, in its own placeholder, so that outlines show it."""
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = box.places
    frame = _clear_margins(title.text_frame, MSO_ANCHOR.MIDDLE)
    frame.paragraphs[0].alignment = PP_ALIGN.LEFT
    write_line(frame.paragraphs[0], text, pen)


def _clear_margins(frame: Any, anchor: Any) -> Any:
    frame.word_wrap = True
    frame.auto_size = MSO_AUTO_SIZE.NONE
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    frame.vertical_anchor = anchor
    return frame


def write_bullets(
    shape: Any,
    bullets: Sequence[Bullet],
    box: Box,
    pen: Pen,
    *,
    gap: float = GAP,
    top: bool = False,
) -> None:
    """Points in the middle of their place.

    Args:
        gap: after each but the last, in ems.
        top: begin at the top instead.
    """
    shape.left, shape.top, shape.width, shape.height = box.places
    frame = _clear_margins(shape.text_frame, MSO_ANCHOR.TOP if top else MSO_ANCHOR.MIDDLE)
    for index, bullet in enumerate(bullets):
        paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
        size = pen.size + 2 if bullet.is_heading else pen.size - 2 * bullet.level
        is_last = index == len(bullets) - 1
        ink = look.DEEP if bullet.is_heading else pen.colour
        write_line(paragraph, bullet.text, Pen(size, ink, bullet.is_heading, pen.locale))
        paragraph.alignment = PP_ALIGN.RIGHT if is_leftward(bullet.text) else PP_ALIGN.LEFT
        paragraph.line_spacing = 1.0
        paragraph.space_before = Pt(0)
        paragraph.space_after = Pt(0 if is_last else size * gap)
        _mark(paragraph._p.get_or_add_pPr(), bullet)  # noqa: SLF001 (python-pptx knows no bullets)


def _mark(properties: Any, bullet: Bullet) -> None:
    """The bullet before a point, and its indent."""
    indent = 0 if bullet.is_heading else 27 * 12_700
    properties.set("marL", str(indent * (bullet.level + 1)))
    properties.set("indent", str(0 if bullet.goes_on or bullet.is_heading else -indent))
    if bullet.goes_on or bullet.is_heading:
        add_element(properties, f"{{{A}}}buNone")
        return
    ink = add_element(properties, f"{{{A}}}buClr")
    add_element(ink, f"{{{A}}}srgbClr", val=look.SERIES[1])
    add_element(properties, f"{{{A}}}buFont", typeface="Arial")
    add_element(properties, f"{{{A}}}buChar", char="•" if bullet.level == 0 else "–")


def add_text_box(slide: Any, box: Box) -> Any:
    """A place for text that the layout does not have."""
    return slide.shapes.add_textbox(*box.places)


def draw_card(slide: Any, box: Box) -> None:
    """A pale ground with round corners behind all else on the slide."""
    shape = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, *box.places)
    shape.adjustments[0] = 0.04
    _fill(shape, look.PALE)
    slide.shapes._spTree.insert(2, shape._element)  # noqa: SLF001 (the library has no order)


def draw_circle(shapes: Any, box: Box, fill: str) -> Any:
    shape = shapes.add_shape(MSO_SHAPE.OVAL, *box.places)
    return _fill(shape, fill)


def draw_picture(slide: Any, content: bytes, box: Box, alt: str) -> None:
    """A picture with words for who cannot see it."""
    picture = slide.shapes.add_picture(io.BytesIO(content), *box.places)
    picture._element.nvPicPr.cNvPr.set("descr", alt)  # noqa: SLF001 (no other way)


def draw_table(
    slide: Any,
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    box: Box,
    pen: Pen,
    *,
    air: float = 0.0,
) -> None:
    """A table, its first row the header.

    Args:
        air: points that each row is higher than its text asks for.
    """
    frame = slide.shapes.add_table(len(rows), len(widths), *box.places)
    table = frame.table
    table.horz_banding = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Pt(width)
    right = numeric_columns(rows)
    for number, (row, cells) in enumerate(zip(table.rows, rows, strict=True)):
        row.height = Pt(row_height(cells, widths, pen.size) + air)
        for index, (cell, text) in enumerate(zip(row.cells, cells, strict=True)):
            _fill_cell(cell, text, number, pen, is_total=_is_total(cells))
            if index in right:
                cell.text_frame.paragraphs[0].alignment = PP_ALIGN.RIGHT


def _is_total(cells: Sequence[str]) -> bool:
    return cells[0].strip("* ").casefold() in ("total", "totaux", "ensemble")


def _fill_cell(cell: Any, text: str, number: int, pen: Pen, *, is_total: bool) -> None:
    header = number == 0
    cell.fill.solid()
    cell.fill.fore_color.rgb = colour(
        look.DEEP
        if header
        else "F0E8DB"
        if is_total
        else look.PALE
        if number % 2 == 0
        else "FFFFFF"
    )
    cell.margin_top = cell.margin_bottom = Pt(4)
    cell.margin_left = cell.margin_right = Pt(10)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    paragraph = cell.text_frame.paragraphs[0]
    ink = "FFFFFF" if header else pen.colour
    write_line(paragraph, text, Pen(pen.size, ink, header or is_total, pen.locale))


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

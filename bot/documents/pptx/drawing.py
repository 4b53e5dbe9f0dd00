"""Draw text, tables, charts and pictures on slides with python-pptx."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import (
    XL_CHART_TYPE,
    XL_LABEL_POSITION,
    XL_LEGEND_POSITION,
    XL_TICK_LABEL_POSITION,
    XL_TICK_MARK,
)
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.util import Pt

from bot.documents import theme
from bot.documents.characters import clean_line, is_right_to_left
from bot.documents.document_request import SlideChart
from bot.documents.pptx.fitting import (
    CODE_SIZE,
    GAP,
    MARKS,
    A,
    Bullet,
    P,
    get_shown,
    measure_indent,
    measure_row,
)
from bot.documents.theme import choose_share_format, is_cut_off, measure_longest_word, measure_text
from bot.formulas.line_text import replace_formulas, to_printed_line
from bot.formulas.omml import add_element
from bot.typography import PHONE, shorten


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
class TextStyle:
    """Size, colour, weight, language and font of text."""

    size: float
    colour: str = theme.INK
    bold: bool = False
    locale: str = "fr-FR"
    italic: bool = False
    font: str = theme.FONT


def to_colour(name: str) -> RGBColor:
    """Convert a colour such as `6B2D14` for python-pptx."""
    return RGBColor(*bytes.fromhex(name))


def draw_shape(shapes: Any, kind: MSO_SHAPE, box: Box, fill: str) -> Any:
    """Draw a shape without the lines and shadows of the theme."""
    shape = shapes.add_shape(kind, *box.places)
    shape.fill.solid()
    shape.fill.fore_color.rgb = to_colour(fill)
    shape.line.fill.background()
    style = shape._element.find(f"{{{P}}}style")  # noqa: SLF001 (no other way)
    if style is not None:
        style.getparent().remove(style)
    return shape


def remove_shape(shape: Any) -> None:
    element = shape._element  # noqa: SLF001 (python-pptx takes nothing away)
    element.getparent().remove(element)


def move_to(shape: Any, layout: Any) -> None:
    """Put `shape` behind everything else on every slide of `layout`."""
    layout.shapes._spTree.insert(2, shape._element)  # noqa: SLF001 (layouts cannot be drawn on)


def write_line(paragraph: Any, text: str, style: TextStyle) -> None:
    """Write `text` as the runs of a paragraph with what its `MARKS` say; links lead away."""
    end = 0
    for found in MARKS.finditer(text):
        _add_run(paragraph, text[end : found.start()], style)
        marked = replace(
            style,
            bold=style.bold or bool(found["bold"] or found["strong"] or found["both"]),
            italic=bool(found["italic"] or found["emphasis"] or found["both"]),
            font=theme.MONOSPACE if found["code"] else style.font,
        )
        run = _add_run(paragraph, get_shown(found), marked)
        if found["url"]:
            run.hyperlink.address = found["url"]
        end = found.end()
    _add_run(paragraph, text[end:], style)
    if is_right_to_left(text):
        properties = paragraph._p.get_or_add_pPr()  # noqa: SLF001 (no other way to turn it)
        properties.set("rtl", "1")
        properties.set("algn", "r")


def _add_run(paragraph: Any, text: str, style: TextStyle) -> Any:
    if not text:
        return None
    run = paragraph.add_run()
    run.text = text
    font = run.font
    font.name, font.size, font.bold = style.font, Pt(style.size), style.bold
    font.italic = style.italic or None
    font.color.rgb = to_colour(style.colour)
    properties = run._r.get_or_add_rPr()  # noqa: SLF001 (no other way)
    properties.set("lang", style.locale)
    properties.set("cap", "none")  # some layouts write in capitals
    return run


def write_title(slide: Any, text: str, box: Box, style: TextStyle) -> None:
    """Write the slide's title into its own placeholder, so that outlines show it."""
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = box.places
    frame = _clear_margins(title.text_frame, MSO_ANCHOR.MIDDLE)
    frame.paragraphs[0].alignment = PP_ALIGN.LEFT
    write_line(frame.paragraphs[0], text, style)


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
    style: TextStyle,
    *,
    gap: float = GAP,
    top: bool = False,
) -> None:
    """Write points in the vertical middle of their place.

    Args:
        gap: space after each but the last, in ems.
        top: begin at the top instead.
    """
    shape.left, shape.top, shape.width, shape.height = box.places
    frame = _clear_margins(shape.text_frame, MSO_ANCHOR.TOP if top else MSO_ANCHOR.MIDDLE)
    frame.auto_size = MSO_AUTO_SIZE.TEXT_TO_FIT_SHAPE
    for index, bullet in enumerate(bullets):
        paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
        size = style.size + 2 if bullet.is_heading else style.size - 2 * bullet.level
        is_last = index == len(bullets) - 1 or (bullet.is_code and bullets[index + 1].is_code)
        ink = theme.DEEP if bullet.is_heading else style.colour
        if bullet.is_code:
            code = replace(style, size=size * CODE_SIZE, font=theme.MONOSPACE)
            _add_run(paragraph, bullet.text, code)
        else:
            shown = TextStyle(size, ink, bullet.is_heading, style.locale)
            write_line(paragraph, bullet.text, shown)
        paragraph.alignment = PP_ALIGN.RIGHT if is_right_to_left(bullet.text) else PP_ALIGN.LEFT
        paragraph.line_spacing = 1.0
        paragraph.space_before = Pt(0)
        paragraph.space_after = Pt(0 if is_last else size * gap)
        _add_bullet(paragraph._p.get_or_add_pPr(), bullet, size)  # noqa: SLF001 (python-pptx knows no bullets)


def _add_bullet(properties: Any, bullet: Bullet, size: float) -> None:
    """Set the bullet before a point, and its indent."""
    left = 0.0 if bullet.is_heading else measure_indent(bullet, size)
    hanging = measure_indent(replace(bullet, level=0), size)
    properties.set("marL", str(Pt(left)))
    properties.set("indent", str(0 if bullet.goes_on or bullet.is_heading else -Pt(hanging)))
    if bullet.goes_on or bullet.is_heading:
        add_element(properties, f"{{{A}}}buNone")
        return
    ink = add_element(properties, f"{{{A}}}buClr")
    add_element(ink, f"{{{A}}}srgbClr", val=theme.SERIES[1])
    if bullet.number:
        start = {"type": bullet.numbering, "startAt": str(bullet.number)}
        add_element(properties, f"{{{A}}}buAutoNum", **start)
        return
    add_element(properties, f"{{{A}}}buFont", typeface="Arial")
    add_element(properties, f"{{{A}}}buChar", char="•" if bullet.level == 0 else "–")


def draw_card(slide: Any, box: Box) -> None:
    """Draw a pale background with round corners behind everything else on the slide."""
    shape = draw_shape(slide.shapes, MSO_SHAPE.ROUNDED_RECTANGLE, box, theme.PALE)
    shape.adjustments[0] = 0.04
    slide.shapes._spTree.insert(2, shape._element)  # noqa: SLF001 (the library has no order)


def draw_picture(slide: Any, content: bytes, box: Box, alt: str) -> None:
    """Draw a picture with a description for people who cannot see it."""
    picture = slide.shapes.add_picture(io.BytesIO(content), *box.places)
    picture._element.nvPicPr.cNvPr.set("descr", alt)  # noqa: SLF001 (no other way)


def draw_table(
    slide: Any,
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    box: Box,
    style: TextStyle,
    *,
    air: float = 0.0,
) -> None:
    """Draw a table; its first row is the header.

    Args:
        air: points that are added to the height of each row.
    """
    frame = slide.shapes.add_table(len(rows), len(widths), *box.places)
    table = frame.table
    table.horz_banding = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Pt(width)
    right = find_numeric_columns(rows)
    for number, (row, cells) in enumerate(zip(table.rows, rows, strict=True)):
        row.height = Pt(measure_row(cells, widths, style.size) + air)
        for index, (cell, text) in enumerate(zip(row.cells, cells, strict=True)):
            is_total = cells[0].strip("* ").casefold() in ("total", "totaux", "ensemble")
            header = number == 0
            cell.fill.solid()
            cell.fill.fore_color.rgb = to_colour(
                theme.DEEP
                if header
                else theme.TAN
                if is_total
                else theme.PALE
                if number % 2 == 0
                else "FFFFFF"
            )
            cell.margin_top = cell.margin_bottom = Pt(4)
            cell.margin_left = cell.margin_right = Pt(10)
            cell.vertical_anchor = MSO_ANCHOR.MIDDLE
            paragraph = cell.text_frame.paragraphs[0]
            ink = "FFFFFF" if header else style.colour
            write_line(
                paragraph, text, TextStyle(style.size, ink, header or is_total, style.locale)
            )
            if index in right:
                cell.text_frame.paragraphs[0].alignment = PP_ALIGN.RIGHT


def number_slide(slide: Any, box: Box, style: TextStyle) -> None:
    """Write the slide's number as a field, which stays correct when slides are moved."""
    shape = slide.shapes.add_textbox(*box.places)
    paragraph = shape.text_frame.paragraphs[0]
    paragraph.alignment = PP_ALIGN.RIGHT
    element = paragraph._p  # noqa: SLF001 (python-pptx knows no fields)
    field = add_element(
        element, f"{{{A}}}fld", id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}", type="slidenum"
    )
    properties = add_element(field, f"{{{A}}}rPr", lang=style.locale, sz=str(int(style.size * 100)))
    ink = add_element(properties, f"{{{A}}}solidFill")
    add_element(ink, f"{{{A}}}srgbClr", val=style.colour)
    add_element(field, f"{{{A}}}t").text = "‹#›"


_NUMBER: Final = re.compile(
    r"[-+−(]?[\d\s\u00a0\u202f.,]*\d[\d\s\u00a0\u202f.,)]*(?:%|€|\$|F ?CFA)?\s*"
)
_LARGE_NUMBER: Final = 10_000
"""Least number whose thousands are separated, so that years are not."""
_LONGEST: Final = 500
"""Most characters of a cell."""


def read_table(table: Sequence[Sequence[Any]], *, comma: bool) -> list[list[str]]:
    """Return the cells as text; short rows are filled up and blank rows left out.

    Args:
        comma: whether to write a decimal comma, and spaces between thousands, as in French.
    """
    width = max((len(row) for row in table), default=0)
    rows = [[_write_cell(cell, comma=comma) for cell in row] for row in table]
    return [row + [""] * (width - len(row)) for row in rows if any(row)]


def find_numeric_columns(rows: Sequence[Sequence[str]]) -> set[int]:
    """Return the columns that hold only numbers, apart from their headers."""
    columns = list(zip(*rows[1:], strict=True))
    return {
        index
        for index, column in enumerate(columns)
        if any(column)
        and all(_NUMBER.fullmatch(cell) and not PHONE.fullmatch(cell) for cell in column if cell)
    }


def _write_cell(cell: Any, *, comma: bool) -> str:
    if cell is None:
        return ""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return _write_number(cell, comma=comma)
    text = replace_formulas(
        clean_line(cell if isinstance(cell, str) else str(cell)), to_printed_line
    )
    return shorten(text, _LONGEST)


def _write_number(number: float, *, comma: bool) -> str:
    if abs(number) >= 1e15:
        return str(number)
    text = f"{number:.12g}"
    if "e" in text:
        return text
    whole, point, decimals = text.partition(".")
    if abs(number) >= _LARGE_NUMBER:
        whole = f"{int(whole):,}".replace(",", "\u202f" if comma else ",")
    return whole + (("," if comma else ".") if point else "") + decimals


_KINDS: Final = {
    "bar": XL_CHART_TYPE.COLUMN_CLUSTERED,
    "lying": XL_CHART_TYPE.BAR_CLUSTERED,
    "line": XL_CHART_TYPE.LINE_MARKERS,
    "pie": XL_CHART_TYPE.PIE,
}
_WIDEST: Final = 5.5
"""Average ems of a name under a bar; with longer names the bars are drawn horizontally."""
_NAMED: Final = 6
"""Number of names up to which they are written beside the parts of a pie."""
_LABELLED: Final = 12
"""Number of figures up to which they are written at their bars."""
_LABEL_SIZES: Final = (17, 16, 15, 14, 13, 12, 11)
_LARGE_FIGURE: Final = 10_000


def draw_chart(slide: Any, chart: SlideChart, places: tuple[Any, ...]) -> None:
    """Draw a chart.

    Args:
        places: left, top, width and height.
    """
    names = [clean_line(name)[:80] for name in chart.categories]
    data: Any = CategoryChartData(number_format=_number_format(chart))
    data.categories = names
    for series in chart.series:
        data.add_series(clean_line(series.name)[:80], series.values)
    kind = _choose_form(chart, names)
    frame = slide.shapes.add_chart(_KINDS[kind], *places, data)
    about = ", ".join(clean_line(series.name) for series in chart.series)
    frame._element.nvGraphicFramePr.cNvPr.set("descr", about)  # noqa: SLF001 (no other way)
    drawn: Any = frame.chart
    names_of_series = [clean_line(series.name)[:80] for series in chart.series]
    _name_series(drawn, names_of_series[0] if len(names_of_series) == 1 else "")
    drawn.font.size, drawn.font.name = Pt(18), theme.FONT
    drawn.font.color.rgb = to_colour(theme.INK)
    is_named = kind == "pie" and len(names) <= _NAMED
    drawn.has_legend = (kind == "pie" and not is_named) or len(chart.series) > 1
    if drawn.has_legend:
        drawn.legend.position = XL_LEGEND_POSITION.BOTTOM
        drawn.legend.include_in_layout = False
        drawn.legend.font.size = Pt(16)
    if kind == "pie":
        _dress_pie(drawn, next(each.values for each in chart.series), is_named=is_named)
    else:
        _dress_axes(drawn, kind)
        if kind != "line" and is_cut_off(_list_figures(chart)):
            drawn.value_axis.minimum_scale = 0
        _dress_series(drawn, kind, chart, places[2].pt)


def _name_series(drawn: Any, name: str) -> None:
    """Write the name of the only series, mostly with the unit, over the chart."""
    drawn.has_title = bool(name)
    if name:
        drawn.chart_title.include_in_layout = False
        drawn.chart_title.text_frame.text = name
        font = drawn.chart_title.text_frame.paragraphs[0].runs[0].font
        font.size, font.bold, font.color.rgb = Pt(16), False, to_colour(theme.GREY)


def _choose_form(chart: SlideChart, names: list[str]) -> str:
    """Return the form of the chart: bars are horizontal if names under them would be broken."""
    if chart.kind != "bar":
        return chart.kind
    average = sum(map(measure_text, names)) / max(len(names), 1)
    return "lying" if average * len(names) > _WIDEST * 7 or average > 9 else "bar"


def _list_figures(chart: SlideChart) -> list[float]:
    return [value for series in chart.series for value in series.values if value is not None]


def _number_format(chart: SlideChart) -> str:
    """Return the number format in English notation; programs adapt it to the person's country."""
    numbers = _list_figures(chart)
    whole = "#,##0" if any(abs(number) >= _LARGE_FIGURE for number in numbers) else "0"
    places = 0
    for number in numbers:
        while places < 2 and round(number, places) != number:
            places += 1
    return f"{whole}.{'0' * places}" if places else whole


def _dress_pie(drawn: Any, values: Sequence[float | None], *, is_named: bool) -> None:
    plot = drawn.plots[0]
    plot.vary_by_categories = True
    for index in range(len(values)):
        fill = plot.series[0].points[index].format.fill
        fill.solid()
        fill.fore_color.rgb = to_colour(theme.SERIES[index % len(theme.SERIES)])
    plot.has_data_labels = True
    labels = plot.data_labels
    labels.show_percentage, labels.show_value = True, False
    labels.show_category_name = is_named
    labels.number_format = choose_share_format([value for value in values if value is not None])
    labels.number_format_is_linked = False
    labels.position = XL_LABEL_POSITION.OUTSIDE_END
    labels.font.size = Pt(18)


def _dress_axes(drawn: Any, kind: str) -> None:
    names, values = drawn.category_axis, drawn.value_axis
    values.has_major_gridlines = True
    values.major_gridlines.format.line.color.rgb = to_colour(theme.LINE)
    values.format.line.fill.background()
    values.major_tick_mark = names.major_tick_mark = XL_TICK_MARK.NONE
    names.format.line.color.rgb = to_colour(theme.LINE)
    names.has_major_gridlines = False
    names.tick_label_position = XL_TICK_LABEL_POSITION.LOW  # not on bars that go below zero
    values.tick_labels.font.size = Pt(15)
    values.tick_labels.font.color.rgb = to_colour(theme.GREY)
    if kind == "lying":
        names.reverse_order = True
        values.visible = False


def _choose_label_size(chart: SlideChart, width: float) -> int:
    """Return the largest size in which each figure fits over its bar, in any font; 0 if none.

    Args:
        width: width of the chart, in points.
    """
    decimals = len(_number_format(chart).partition(".")[2])
    figures = [f"{value:,.{decimals}f}" for each in chart.series for value in each.values if value]
    widest = max(
        (measure_longest_word(each, bold=True, any_font=True) for each in figures), default=1
    )
    bar = width / len(chart.categories) / (len(chart.series) + 0.8)  # with the gap of 80 %
    return next((size for size in _LABEL_SIZES if widest * size <= bar), 0)


def _dress_series(drawn: Any, kind: str, chart: SlideChart, width: float) -> None:
    plot = drawn.plots[0]
    if kind != "line":
        plot.gap_width = 60 if len(chart.series) == 1 else 80
        plot.overlap = -5 if len(chart.series) > 1 else 0
    for index, series in enumerate(plot.series):
        ink = to_colour(theme.SERIES[index % len(theme.SERIES)])
        if kind == "line":
            series.smooth = False
            series.format.line.color.rgb = ink
            series.format.line.width = Pt(3)
            series.marker.format.fill.solid()
            series.marker.format.fill.fore_color.rgb = ink
            series.marker.format.line.color.rgb = ink
            series.marker.size = 8
        else:
            series.format.fill.solid()
            series.format.fill.fore_color.rgb = ink
            series.invert_if_negative = False
    size = _choose_label_size(chart, width) if kind == "bar" else _LABEL_SIZES[0]
    if len(chart.series) * len(chart.categories) <= _LABELLED and kind != "line" and size:
        plot.has_data_labels = True
        labels = plot.data_labels
        labels.position = XL_LABEL_POSITION.OUTSIDE_END
        labels.font.size, labels.font.bold = Pt(size), True
        if kind == "bar":
            drawn.value_axis.has_major_gridlines = False
            drawn.value_axis.visible = False
        else:
            drawn.value_axis.has_major_gridlines = False

"""PowerPoint's own charts, with the figures in them, so that people can change them."""

from __future__ import annotations

from typing import Any, Final

from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION, XL_LEGEND_POSITION, XL_TICK_MARK
from pptx.util import Pt

from bot.library.office import look
from bot.library.office.metrics import measure
from bot.library.office.slides.request import Chart
from bot.library.office.text import clean_line

_KINDS: Final = {
    "bar": XL_CHART_TYPE.COLUMN_CLUSTERED,
    "lying": XL_CHART_TYPE.BAR_CLUSTERED,
    "line": XL_CHART_TYPE.LINE_MARKERS,
    "pie": XL_CHART_TYPE.PIE,
}
_WIDEST: Final = 5.5
"""Ems of a name under a bar on average; with longer ones the bars lie."""
_NAMED: Final = 6
"""Up to so many names stand at the parts of a pie."""
_LABELLED: Final = 12
"""Up to so many figures stand at their bars."""
_LARGE: Final = 10_000


def draw_chart(slide: Any, chart: Chart, places: tuple[Any, ...]) -> None:
    """Draw a chart.

    Args:
        places: left, top, width and height.
    """
    names = [clean_line(name)[:80] for name in chart.categories]
    data: Any = CategoryChartData(number_format=_number_format(chart))
    data.categories = names
    for series in chart.series:
        data.add_series(clean_line(series.name)[:80], series.values)
    kind = _form(chart, names)
    frame = slide.shapes.add_chart(_KINDS[kind], *places, data)
    about = ", ".join(clean_line(series.name) for series in chart.series)
    frame._element.nvGraphicFramePr.cNvPr.set("descr", about)  # noqa: SLF001 (no other way)
    drawn: Any = frame.chart
    drawn.has_title = False
    drawn.font.size, drawn.font.name = Pt(18), look.FONT
    drawn.font.color.rgb = _colour(look.INK)
    is_named = kind == "pie" and len(names) <= _NAMED
    drawn.has_legend = (kind == "pie" and not is_named) or len(chart.series) > 1
    if drawn.has_legend:
        drawn.legend.position = XL_LEGEND_POSITION.BOTTOM
        drawn.legend.include_in_layout = False
        drawn.legend.font.size = Pt(16)
    if kind == "pie":
        _dress_pie(drawn, len(names), is_named=is_named)
    else:
        _dress_axes(drawn, kind)
        _dress_series(drawn, kind, chart)


def _form(chart: Chart, names: list[str]) -> str:
    """Bars lie where the names under them would be broken."""
    if chart.kind != "bar":
        return chart.kind
    average = sum(map(measure, names)) / max(len(names), 1)
    return "lying" if average * len(names) > _WIDEST * 7 or average > 9 else "bar"


def _number_format(chart: Chart) -> str:
    """As files hold it: programs show the comma and the spaces of the person's country."""
    numbers = [value for series in chart.series for value in series.values if value is not None]
    whole = "#,##0" if any(abs(number) >= _LARGE for number in numbers) else "0"
    places = 0
    for number in numbers:
        while places < 2 and round(number, places) != number:
            places += 1
    return f"{whole}.{'0' * places}" if places else whole


def _dress_pie(drawn: Any, points: int, *, is_named: bool) -> None:
    plot = drawn.plots[0]
    plot.vary_by_categories = True
    for index in range(points):
        fill = plot.series[0].points[index].format.fill
        fill.solid()
        fill.fore_color.rgb = _colour(look.SERIES[index % len(look.SERIES)])
    plot.has_data_labels = True
    labels = plot.data_labels
    labels.show_percentage, labels.show_value = True, False
    labels.show_category_name = is_named
    labels.number_format, labels.number_format_is_linked = "0%", False
    labels.position = XL_LABEL_POSITION.OUTSIDE_END
    labels.font.size = Pt(18)


def _dress_axes(drawn: Any, kind: str) -> None:
    names, values = drawn.category_axis, drawn.value_axis
    values.has_major_gridlines = True
    values.major_gridlines.format.line.color.rgb = _colour(look.LINE)
    values.format.line.fill.background()
    values.major_tick_mark = names.major_tick_mark = XL_TICK_MARK.NONE
    names.format.line.color.rgb = _colour(look.LINE)
    names.has_major_gridlines = False
    values.tick_labels.font.size = Pt(15)
    values.tick_labels.font.color.rgb = _colour(look.GREY)
    if kind == "lying":
        names.reverse_order = True
        values.visible = False


def _dress_series(drawn: Any, kind: str, chart: Chart) -> None:
    plot = drawn.plots[0]
    if kind != "line":
        plot.gap_width = 60 if len(chart.series) == 1 else 80
        plot.overlap = -5 if len(chart.series) > 1 else 0
    for index, series in enumerate(plot.series):
        ink = _colour(look.SERIES[index % len(look.SERIES)])
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
    if len(chart.series) * len(chart.categories) <= _LABELLED and kind != "line":
        plot.has_data_labels = True
        labels = plot.data_labels
        labels.position = XL_LABEL_POSITION.OUTSIDE_END
        labels.font.size, labels.font.bold = Pt(17), True
        if kind == "bar":
            drawn.value_axis.has_major_gridlines = False
            drawn.value_axis.visible = False
        else:
            drawn.value_axis.has_major_gridlines = False


def _colour(name: str) -> RGBColor:
    return RGBColor(*bytes.fromhex(name))

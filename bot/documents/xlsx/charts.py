"""Draw charts next to or under their table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from bot.documents import theme
from bot.documents.xlsx.contents import SheetContents, find_header
from bot.documents.xlsx.dates import read_date_format
from bot.documents.xlsx.formulas import Formula
from bot.documents.xlsx.functions import Value
from bot.errors import ToolFailed

_UNDER: Final = 30
"""Rows up to which a chart is always placed under its table, where a phone scrolls to it."""
_MOST_SERIES: Final = 8
_NARROW: Final = 75
"""Most characters across of a table that leaves space for a chart next to it."""
_WIDTH: Final = 620
_LEAST: Final = 480
_WIDEST: Final = 900
_HEIGHT: Final = 340
"""Height of a chart in pixels; the widths above are in pixels too."""
_ROW: Final = 20
_COLUMN: Final = 64
"""Pixels of a row, and of a column without a width of its own."""
_FONT: Final = {"name": theme.FONT, "size": 10, "color": f"#{theme.INK}"}


@dataclass(frozen=True, slots=True)
class ChartPlace:
    """Place of a chart: cells counted from 0, size in pixels."""

    row: int
    column: int
    width: int
    height: int
    last_row: int
    last_column: int


def place_chart(page: SheetContents, widths: Sequence[float]) -> ChartPlace | None:
    """Choose the place of the chart of `page`, if it has one: under its table and as wide, or next
    to it if the table is long and leaves space on the page.

    Args:
        widths: widths of the columns, in characters.
    """
    if page.asked.chart is None or not page.rows:
        return None
    high = -(-_HEIGHT // _ROW)
    if page.rows > _UNDER and sum(widths) <= _NARROW:
        column = len(widths) + 1
        return ChartPlace(1, column, _WIDTH, _HEIGHT, 1 + high, column + -(-_WIDTH // _COLUMN) - 1)
    table = sum(int(width * 7 + 5) for width in widths)
    width = min(max(table, _LEAST), _WIDEST)
    more = max(0, -(-(width - table) // _COLUMN))
    row = page.rows + page.has_totals + 2
    return ChartPlace(row, 0, width, _HEIGHT, row + high, len(widths) - 1 + more)


def draw_chart(
    book: Any,
    sheet: Any,
    page: SheetContents,
    formats: Sequence[str],
    figures: Sequence[Sequence[float]],
    place: ChartPlace,
) -> None:
    """Draw the chart that `page` asks for.

    Args:
        figures: the numbers of each column; none if some of its results are not known.

    Raises:
        ToolFailed: a header is unknown, or a column holds no numbers.
    """
    asked = page.asked.chart
    if asked is None:
        return
    x, ys = _find_columns(page)
    chart: Any = book.add_chart(
        {"type": "scatter", "subtype": "straight_with_markers"}
        if asked.kind == "scatter"
        else {"type": asked.kind}
    )
    for index, y in enumerate(ys):
        chart.add_series(_make_series(page, x, y, theme.SERIES[index % len(theme.SERIES)]))
    _format_chart(chart, page, ys, formats, figures)
    chart.set_size({"width": place.width, "height": place.height})
    sheet.insert_chart(place.row, place.column, chart, {"object_position": 2})


def check_chart(page: SheetContents) -> None:
    """Raise `ToolFailed` if the chart of `page` cannot be drawn."""
    if page.asked.chart is not None:
        _find_columns(page)


def _find_columns(page: SheetContents) -> tuple[int, list[int]]:
    asked, where = page.asked.chart, f"Chart of sheet {page.name!r}"
    if asked is None:
        raise ToolFailed(f"{where}: there is none.")
    x = find_header(page.headers, asked.x, where)
    ys = [find_header(page.headers, header, where) for header in asked.y]
    if not ys or len(ys) > (1 if asked.kind == "pie" else _MOST_SERIES):
        raise ToolFailed(f"{where}: y must name one column, or up to {_MOST_SERIES} unless a pie.")
    for column in [*ys, *([x] if asked.kind == "scatter" else [])]:
        if page.rows and not any(isinstance(c, float | Formula) for c in page.columns[column]):
            raise ToolFailed(
                f"{where}: the column {page.headers[column]!r} holds no numbers. Name a column of "
                "type number, money, percent or formula."
            )
    return x, ys


def _make_series(page: SheetContents, x: int, y: int, colour: str) -> dict[str, Any]:
    kind = page.asked.chart.kind if page.asked.chart else ""
    series: dict[str, Any] = {
        "name": [page.name, 0, y],
        "categories": [page.name, 1, x, page.rows, x],
        "values": [page.name, 1, y, page.rows, y],
    }
    ink = {"color": f"#{colour}"}
    if kind == "pie":
        points = [{"fill": {"color": f"#{c}"}} for c in theme.SERIES]
        series["points"] = [points[row % len(points)] for row in range(page.rows)]
        values = [cell for cell in page.columns[y][1 : page.rows + 1] if isinstance(cell, float)]
        series["data_labels"] = {
            "percentage": True,
            "position": "outside_end",
            "font": _FONT,
            "num_format": theme.choose_share_format(values),
        }
    elif kind in ("bar", "column"):
        series |= {"fill": ink, "gap": 60}
    elif kind == "line":
        series |= {"line": ink | {"width": 2.25}, "marker": _make_marker(ink, page.rows)}
    else:
        series |= {"line": {"none": True}, "marker": _make_marker(ink, 0)}
    return series


def _make_marker(ink: dict[str, str], points: int) -> dict[str, Any]:
    """Make round marks, or none if they would touch each other."""
    kind = "circle" if points <= 40 else "none"
    return {"type": kind, "size": 6, "fill": ink, "border": ink}


def _format_chart(
    chart: Any,
    page: SheetContents,
    ys: Sequence[int],
    formats: Sequence[str],
    figures: Sequence[Sequence[float]],
) -> None:
    asked = page.asked.chart
    if asked is None:
        return
    names = ", ".join(page.headers[y] for y in ys)
    title_font = _FONT | {"size": 13, "bold": True, "color": f"#{theme.DEEP}"}
    chart.set_title({"name": _escape_title(names), "name_font": title_font, "overlay": False})
    chart.set_chartarea({"border": {"color": f"#{theme.LINE}"}})
    if asked.kind == "pie" or len(ys) > 1:
        chart.set_legend({"position": "right" if asked.kind == "pie" else "bottom", "font": _FONT})
    else:
        chart.set_legend({"none": True})
    if asked.kind != "pie":
        drawn = [figures[y] for y in ys]
        starts_at_zero = all(drawn) and theme.is_cut_off([each for some in drawn for each in some])
        _set_axes(chart, page, ys, formats, starts_at_zero=starts_at_zero)


def _set_axes(
    chart: Any,
    page: SheetContents,
    ys: Sequence[int],
    formats: Sequence[str],
    *,
    starts_at_zero: bool,
) -> None:
    x, _ = _find_columns(page)
    kind = page.asked.chart.kind if page.asked.chart else ""
    quiet = _FONT | {"bold": False}
    across: dict[str, Any] = {
        "num_font": _FONT,
        "name": _escape_title(page.headers[x]),
        "name_font": quiet,
        "label_position": "low",  # not in the middle of bars that go below zero
    }
    up: dict[str, Any] = {
        "num_font": _FONT,
        "num_format": formats[ys[0]],
        "line": {"none": True},
        "major_gridlines": {"visible": True, "line": {"color": f"#{theme.LINE}", "width": 0.75}},
    }
    if kind in ("bar", "column") and starts_at_zero:
        up["min"] = 0
    if read_date_format(formats[x]):
        # A line has a scale of time if its days follow each other; names stand in their order.
        days = page.columns[x][1 : page.rows + 1]
        is_scale = kind == "line" and _do_rise(days)
        across |= {"num_format": formats[x], "date_axis" if is_scale else "text_axis": True}
    if kind == "scatter":
        across["num_format"] = formats[x]
        up |= {"name": _escape_title(", ".join(page.headers[y] for y in ys)), "name_font": quiet}
    if kind == "bar":
        across["reverse"] = True  # the first row on top, as in the table
        up["label_position"] = "high"
        across, up = up, across  # XlsxWriter's x axis is the horizontal one, whatever is along it
    chart.set_x_axis(across)
    chart.set_y_axis(up)


def _do_rise(days: Sequence[Value | Formula]) -> bool:
    """Return whether the cells of a column are days, each later than the one before."""
    known = [day for day in days if isinstance(day, float)]
    return len(known) == len(days) and all(early < late for early, late in pairwise(known))


def _escape_title(text: str) -> str:
    """Return a title that XlsxWriter does not take for a formula."""
    return f"\u200b{text}" if text.startswith("=") else text

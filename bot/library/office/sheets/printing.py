"""How a sheet opens and prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.library.office.sheets.charts import Place
from bot.library.office.sheets.contents import Page
from bot.library.office.sheets.widths import count_lines

_PORTRAIT: Final = 95
"""Characters that fit on a page upright."""
_ONE_PAGE: Final = 70
"""Rows of a table and its chart that are made to fit on one page."""
_A4: Final = 9
_LINE: Final = 15.75
"""Points."""
_TALLEST: Final = 408.75
"""Points: Excel's limit of a row."""


def set_up(sheet: Any, page: Page, widths: Sequence[float], chart: Place | None) -> None:
    """Freeze and filter the header, and print table and chart, as many pages down as needed, one
    across."""
    last_column = len(widths) - 1
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(page.rows, 1), last_column)
    headers = zip(page.headers, widths, strict=True)
    high = max(count_lines(header, width) for header, width in headers)
    sheet.set_row(0, _LINE * min(high, 6) + 6)
    sheet.hide_gridlines(2)
    sheet.set_paper(_A4)
    is_beside = chart is not None and chart.column > 0
    if sum(widths) > _PORTRAIT or is_beside:
        sheet.set_landscape()
    last_row = page.rows + page.has_totals
    if chart:
        last_row, last_column = (
            max(last_row, chart.last_row),
            max(last_column, chart.last_column),
        )
    sheet.print_area(0, 0, last_row, last_column)
    is_short = last_row <= _ONE_PAGE
    sheet.fit_to_pages(1, int(chart is not None and not is_beside and is_short))
    if chart and not is_beside and not is_short:
        sheet.set_h_pagebreaks([chart.row])  # not in the middle of the chart
    sheet.repeat_rows(0)
    sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.7)
    sheet.set_footer("&L&A&R&P / &N")


def raise_rows(sheet: Any, lines: Mapping[int, int]) -> None:
    """Make rows as high as their text. Excel would do it by itself; LibreOffice, and programs on
    phones, print one line over the other.

    Args:
        lines: how many lines stand in those rows that hold more than one.
    """
    for row, number in lines.items():
        sheet.set_row(row, min(_LINE * number, _TALLEST))

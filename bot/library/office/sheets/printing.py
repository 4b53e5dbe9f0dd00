"""How a sheet opens and prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.library.office.sheets.charts import stands_beside
from bot.library.office.sheets.contents import Page
from bot.library.office.sheets.widths import count_lines

_PORTRAIT: Final = 95
"""Characters that fit on a page upright."""
_A4: Final = 9
_LINE: Final = 15.75
"""Points."""
_TALLEST: Final = 408.75
"""Points: Excel's limit of a row."""


def set_up(sheet: Any, page: Page, widths: Sequence[float]) -> None:
    """Freeze and filter the header, and print as many pages down as needed, one across."""
    last_column = len(widths) - 1
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(page.rows, 1), last_column)
    headers = zip(page.headers, widths, strict=True)
    high = max(count_lines(header, width) for header, width in headers)
    sheet.set_row(0, _LINE * min(high, 6) + 6)
    sheet.hide_gridlines(2)
    sheet.set_paper(_A4)
    if sum(widths) > _PORTRAIT:
        sheet.set_landscape()
    if stands_beside(page):  # printed too, the chart would make the table small
        sheet.print_area(0, 0, page.rows + page.has_totals, last_column)
    sheet.fit_to_pages(1, 0)
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

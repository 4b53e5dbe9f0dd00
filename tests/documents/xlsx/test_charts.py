from __future__ import annotations

import io
from typing import Any

import openpyxl
import pytest
from openpyxl.utils import range_boundaries

from bot.documents.document_request import Document, Sheet, SheetChart, SheetColumn, WorkbookRequest
from bot.documents.xlsx_worker import make_workbook
from bot.errors import ToolFailed

COLUMNS = (
    SheetColumn("Mois"),
    SheetColumn("Ventes", "money"),
    SheetColumn("Achats", "money"),
    SheetColumn("Marge", "formula"),
)


def make(chart: SheetChart, rows: int = 6) -> Document:
    cells: list[list[Any]] = [[f"Mois {i}", i * 10, i * 5, "=B{row}-C{row}"] for i in range(rows)]
    return make_workbook(WorkbookRequest("V", (Sheet("L'année", COLUMNS, cells, chart=chart),)))


def drawn(document: Document) -> Any:
    (chart,) = openpyxl.load_workbook(io.BytesIO(document.content)).active._charts
    return chart


@pytest.mark.parametrize(
    ("kind", "drawing"),
    [
        ("bar", "BarChart"),
        ("column", "BarChart"),
        ("line", "LineChart"),
        ("pie", "PieChart"),
    ],
)
def test_a_chart_is_drawn_from_the_cells_of_its_columns(kind: str, drawing: str) -> None:
    chart = drawn(make(SheetChart(kind, "Mois", ("Ventes",))))
    assert type(chart).__name__ == drawing
    (series,) = chart.series
    assert series.val.numRef.f == "'L''année'!$B$2:$B$7"
    assert series.cat.strRef.f == "'L''année'!$A$2:$A$7"
    assert [float(point.v) for point in series.val.numRef.numCache.pt] == [0, 10, 20, 30, 40, 50]


def test_bars_lie_and_columns_stand() -> None:
    assert drawn(make(SheetChart("bar", "Mois", ("Ventes",)))).barDir == "bar"
    assert drawn(make(SheetChart("column", "Mois", ("Ventes",)))).barDir == "col"


def test_bars_stand_in_the_order_of_the_rows_and_grow_to_the_right() -> None:
    chart = drawn(make(SheetChart("bar", "Mois", ("Ventes",))))
    assert chart.x_axis.scaling.orientation == "maxMin"
    assert chart.y_axis.scaling.orientation == "minMax"
    assert chart.y_axis.number_format.formatCode == '#,##0 "F CFA"'


@pytest.mark.parametrize(
    ("kind", "given", "least"),
    [
        ("bar", [98, 101], 0),
        ("column", [98, "=B2+3"], 0),
        ("column", [10, 100], None),
        ("column", [98, "=B2-200"], None),
        ("column", [98, "=2*TODAY()"], None),
        ("line", [98, 101], None),
    ],
)
def test_bars_begin_at_zero(kind: str, given: list[Any], least: float | None) -> None:
    columns = (SheetColumn("Mois"), SheetColumn("Indice", "formula"))
    rows: list[list[Any]] = [[f"M{number}", cell] for number, cell in enumerate(given)]
    sheet = Sheet("Feuille", columns, rows, chart=SheetChart(kind, "Mois", ("Indice",)))
    chart = drawn(make_workbook(WorkbookRequest("V", (sheet,))))
    assert chart.y_axis.scaling.min == least


def test_a_scatter_has_numbers_on_both_axes() -> None:
    chart = drawn(make(SheetChart("scatter", "Ventes", ("Marge",))))
    assert type(chart).__name__ == "ScatterChart"
    assert chart.series[0].xVal.numRef.f == "'L''année'!$B$2:$B$7"
    with pytest.raises(ToolFailed, match="'Mois' holds no numbers"):
        make(SheetChart("scatter", "Mois", ("Marge",)))


def test_several_columns_are_several_series_in_different_colours() -> None:
    chart = drawn(make(SheetChart("line", "mois", ("Ventes", "C"))))
    assert [series.tx.strRef.f for series in chart.series] == [
        *("'L''année'!$B$1", "'L''année'!$C$1")
    ]
    colours = {series.spPr.ln.solidFill.srgbClr for series in chart.series}
    assert len(colours) == 2
    assert chart.legend is not None


def test_results_of_formulas_are_drawn_for_phones_too() -> None:
    chart = drawn(make(SheetChart("column", "Mois", ("Marge",))))
    cached = [float(point.v) for point in chart.series[0].val.numRef.numCache.pt]
    assert cached == [0, 5, 10, 15, 20, 25]


@pytest.mark.parametrize(
    ("chart", "reason"),
    [
        (SheetChart("line", "Absent", ("Ventes",)), "no column 'Absent'.*'Mois', 'Ventes'"),
        (SheetChart("line", "Mois", ("Absent",)), "no column 'Absent'"),
        (SheetChart("line", "Mois", ("Mois",)), "holds no numbers"),
        (SheetChart("line", "Mois", ()), "y must name"),
        (SheetChart("pie", "Mois", ("Ventes", "Achats")), "y must name one"),
        (SheetChart("line", "Mois", ("Ventes",) * 9), "up to 8"),
    ],
)
def test_a_chart_that_cannot_be_drawn_teaches(chart: SheetChart, reason: str) -> None:
    with pytest.raises(ToolFailed, match=reason):
        make(chart)


def test_a_chart_stands_under_a_short_table_and_beside_a_long_one() -> None:
    short = drawn(make(SheetChart("line", "Mois", ("Ventes",)))).anchor._from
    long = drawn(make(SheetChart("line", "Mois", ("Ventes",)), rows=100)).anchor._from
    assert (short.row, short.col) == (8, 0)
    assert (long.row, long.col) == (1, 5)


@pytest.mark.parametrize("rows", [6, 60, 100])
@pytest.mark.parametrize("columns", [(), (SheetColumn("Remarque " * 12),)])
def test_a_chart_is_printed_with_its_table(rows: int, columns: tuple[SheetColumn, ...]) -> None:
    cells: list[list[Any]] = [
        [f"Mois {i}", i * 10, i * 5, "=B{row}-C{row}", *["mots " * 12 for _ in columns]]
        for i in range(rows)
    ]
    chart = SheetChart("line", "Mois", ("Ventes",))
    sheet = Sheet("V", (*COLUMNS, *columns), cells, chart=chart)
    document = make_workbook(WorkbookRequest("V", (sheet,)))
    active: Any = openpyxl.load_workbook(io.BytesIO(document.content)).active
    start = drawn(document).anchor._from
    end = drawn(document).anchor.to
    _, _, last_column, last_row = range_boundaries(active.print_area.rpartition("!")[2])
    assert start.row < end.row < last_row
    assert start.col <= end.col - (not end.colOff) < last_column
    assert last_row >= rows + 1
    assert (active.page_setup.orientation == "landscape") == (start.col > 0)
    assert active.page_setup.fitToWidth in (None, 1)


def test_a_chart_is_as_wide_as_the_table_above_it() -> None:
    columns = (SheetColumn("Mois"), SheetColumn("Ventes", "money"), SheetColumn("Remarque"))
    cells = [["Mois", 5, "mots " * 9]] * 3
    sheet = Sheet("V", columns, cells, chart=SheetChart("line", "Mois", ("Ventes",)))
    end = drawn(make_workbook(WorkbookRequest("V", (sheet,)))).anchor.to
    assert (end.col, end.colOff) == (3, 0)


def test_the_shares_of_a_pie_add_up() -> None:
    columns = (SheetColumn("Nom"), SheetColumn("Tonnes", "number"))
    rows = [["Riz", 1], ["Mil", 1], ["Sorgho", 4]]
    sheet = Sheet("V", columns, rows, chart=SheetChart("pie", "Nom", ("Tonnes",)))
    chart = drawn(make_workbook(WorkbookRequest("V", (sheet,))))
    assert chart.series[0].dLbls.numFmt == "0.0%"

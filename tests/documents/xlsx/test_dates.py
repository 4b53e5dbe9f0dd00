from __future__ import annotations

import io
from typing import Any

import openpyxl
import pytest

from bot.documents.document_request import Sheet, SheetChart, SheetColumn, WorkbookRequest
from bot.documents.xlsx.dates import DAY, MOMENT, read_date_format
from bot.documents.xlsx_worker import make_workbook

COLUMNS = (
    SheetColumn("Article"),
    SheetColumn("Reçu", "date"),
    SheetColumn("Délai", "number"),
    SheetColumn("Payé", "date"),
)
ROWS = [["Riz", "2024-01-05", 30, "2024-02-01"], ["Mil", "2024-03-05", 45, "2024-02-11"]]


def opened(*sheets: Sheet) -> Any:
    document = make_workbook(WorkbookRequest("Ventes", sheets))
    return openpyxl.load_workbook(io.BytesIO(document.content))


def show(formula: str, format: str = "") -> str:
    """Return the number format of `formula` beside a table of dates."""
    column = SheetColumn("Calcul", "formula", format)
    rows = [[*row, formula] for row in ROWS]
    lookup = Sheet("Jours", (SheetColumn("Nom"), SheetColumn("Né", "date")), [["A", "2001-01-01"]])
    sheet = Sheet("Ventes", (*COLUMNS, column), rows)
    return opened(sheet, lookup).worksheets[0]["E2"].number_format


@pytest.mark.parametrize(
    "formula",
    [
        *("=TODAY()", "=AUJOURDHUI()", "=TODAY()+30", "=(TODAY()-7)", "=DATE(2026;3;15)"),
        *("=EDATE(B{row};6)", "=FIN.MOIS(B{row};0)", "=WORKDAY(B{row};10)", "=B{row}"),
        *("=B{row}+30", "=B{row}+C{row}", "=[Reçu]+[Délai]", "=30+B{row}", "=B{row}-C{row}"),
        *("=MAX(B2:B3)", "=MIN(B2;D2)", '=IF(D{row}="";"";D{row}+15)', "=SMALL(B2:B3;1)"),
        *("=MAX(Jours!B:B)", "=VLOOKUP(A{row};Jours!A:B;2;FALSE)", "=INDEX(B2:B3;1)"),
        *("=IFERROR(VLOOKUP(A{row};$A$2:$D$3;4;0);TODAY())",),
    ],
)
def test_a_formula_that_yields_a_day_is_shown_as_a_day(formula: str) -> None:
    assert show(formula) == DAY


@pytest.mark.parametrize(
    "formula",
    [
        *("=D{row}-B{row}", "=TODAY()-B{row}", "=YEAR(TODAY())", '=DATEDIF(B{row};D{row};"d")'),
        *("=MONTH(B{row})", "=(D{row}-B{row})*2", "=C{row}*2", "=TODAY()-A{row}", "=B{row}>D{row}"),
        *("=COUNT(B2:B3)", "=IF(B{row}>D{row};C{row};0)", "=VLOOKUP(A{row};A:D;3;0)"),
        *('=TEXT(TODAY();"yyyy")', "=INT((TODAY()-B{row})/365)", '="le "&TODAY()'),
    ],
)
def test_a_formula_that_counts_days_is_shown_as_a_number(formula: str) -> None:
    assert "d" not in show(formula)


def test_moments_and_times_are_shown_as_such() -> None:
    assert show("=NOW()") == MOMENT
    assert show("=TIME(8;30;0)") == "hh:mm"


def test_a_given_format_is_kept() -> None:
    assert show("=TODAY()", "yyyy-mm-dd") == "yyyy-mm-dd"
    assert show("=TODAY()", "0") == "0"


def test_days_and_numbers_may_stand_in_one_column() -> None:
    columns = (SheetColumn("Clé"), SheetColumn("Valeur", "formula"))
    rows = [["Le", "=TODAY()"], ["Somme", "=1.5+1"]]
    sheet = opened(Sheet("A", columns, rows)).active
    assert (sheet["B2"].number_format, sheet["B3"].number_format) == (DAY, "0.0")
    assert sheet.column_dimensions["B"].width >= 12


def test_what_depends_on_itself_is_no_day() -> None:
    assert "d" not in show("=E{row}")


@pytest.mark.parametrize("unit", ["m", "mm", "h", "s", "d", "m/s", "m/h", "dm", "ja"])
def test_a_unit_of_a_formula_is_no_format_of_days(unit: str) -> None:
    assert read_date_format(unit, is_unit=True) == ""


@pytest.mark.parametrize(
    ("given", "written"),
    [
        *(("jj/mm/aaaa", DAY), ("JJ/MM/AA", "dd/mm/yy"), ("mmm yyyy", "mmm yyyy")),
        *(("hh:mm", "hh:mm"), ("h:mm AM/PM", "h:mm AM/PM"), ("jj mmm", "dd mmm"), ("aaaa", "yyyy")),
    ],
)
def test_a_format_of_days_is_read_in_french_too(given: str, written: str) -> None:
    assert read_date_format(given, is_unit=True) == written


def chart_of(kind: str, days: list[str]) -> Any:
    columns = (SheetColumn("Jour", "date"), SheetColumn("Ventes", "number"))
    rows: list[list[Any]] = [[day, 5] for day in days]
    sheet = Sheet("V", columns, rows, chart=SheetChart(kind, "Jour", ("Ventes",)))
    return opened(sheet).active._charts[0]


@pytest.mark.parametrize("kind", ["line", "column", "bar"])
def test_the_axis_of_a_chart_shows_days_as_days(kind: str) -> None:
    chart = chart_of(kind, ["2024-01-05", "2024-01-06", "2024-02-01"])
    assert chart.x_axis.number_format.formatCode == DAY
    assert not chart.x_axis.number_format.sourceLinked

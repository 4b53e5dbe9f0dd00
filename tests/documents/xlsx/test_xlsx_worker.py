from __future__ import annotations

import io
import string
import zipfile
from datetime import datetime
from typing import Any

import msgspec
import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.documents.document_request import (
    Document,
    Sheet,
    SheetChart,
    SheetColumn,
    WorkbookRequest,
    decode_document,
)
from bot.documents.xlsx_worker import make_workbook, serve
from bot.errors import ToolFailed


def make(*sheets: Sheet, language: str = "fr") -> Document:
    return make_workbook(WorkbookRequest("Ventes", sheets, language=language))


def sheet(
    columns: list[SheetColumn], rows: list[list[Any]], name: str = "Feuille", **more: Any
) -> Sheet:
    return Sheet(name, tuple(columns), rows, **more)


def column(cells: list[Any], kind: str = "", format: str = "", **more: Any) -> Document:
    return make(sheet([SheetColumn("Tête", kind, format)], [[cell] for cell in cells], **more))


def opened(document: Document, *, values: bool = True) -> Any:
    return openpyxl.load_workbook(io.BytesIO(document.content), data_only=values)


def cells(document: Document, *, values: bool = True) -> list[list[Any]]:
    active = opened(document, values=values).active
    return [list(row) for row in active.iter_rows(values_only=True)]


def part(document: Document, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(document.content)) as archive:
        return archive.read(name).decode()


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ([12.5, "12,25", "3", None, "1 200,5"], [12.5, 12.25, 3, None, 1200.5]),
        (["12,5", "absent"], ["12,5", "absent"]),
        (["12,5", "007"], ["12,5", "007"]),
        (["3.1", "3.2"], ["3.1", "3.2"]),
        (["225", "226"], ["225", "226"]),
    ],
)
def test_decimals_in_a_column_without_a_type_are_numbers(given: list[Any], read: list[Any]) -> None:
    assert [cell for (cell,) in cells(column(given))[1:]] == read


def test_a_decimal_comma_is_none_in_english() -> None:
    columns = [SheetColumn("Head")]
    assert cells(make(sheet(columns, [["12,5"]]), language="en"))[1] == ["12,5"]


def test_a_header_has_scripts_as_characters_and_is_found_as_typed() -> None:
    columns = [SheetColumn("Surface (m^2^)", "number")]
    document = make(sheet(columns, [[2], [3]], totals=("Surface (m^2^)",)))
    assert cells(document, values=False) == [["Surface (m²)"], [2], [3], ["=SUBTOTAL(109,A2:A3)"]]


def sales(**more: Any) -> Sheet:
    return sheet(
        [
            SheetColumn("Article"),
            SheetColumn("Jour", "date"),
            SheetColumn("Quantité", "number"),
            SheetColumn("Prix", "money"),
            SheetColumn("Remise", "percent"),
            SheetColumn("Montant", "formula", "FCFA"),
        ],
        [
            ["Riz", "2024-01-05", 12, "18 500", "5 %", "=C{row}*D{row}*(1-E{row})"],
            ["Huile", "15/01/2024", "30", 7250, 0.1, "=[Quantité]*[Prix]*(1-[Remise])"],
        ],
        name="Ventes",
        **more,
    )


def test_cells_have_the_types_of_their_columns() -> None:
    rows = cells(make(sales()))
    assert rows[0] == ["Article", "Jour", "Quantité", "Prix", "Remise", "Montant"]
    assert rows[1] == ["Riz", datetime(2024, 1, 5), 12, 18500, 0.05, 210900]  # noqa: DTZ001
    assert rows[2] == ["Huile", datetime(2024, 1, 15), 30, 7250, 0.1, 195750]  # noqa: DTZ001


def test_formulas_are_formulas_and_their_results_are_there_for_phones() -> None:
    document = make(sales())
    formulas = cells(document, values=False)
    assert formulas[1][5] == "=C2*D2*(1-E2)"
    assert formulas[2][5] == "=$C3*$D3*(1-$E3)"
    assert document.notes == ()


def test_shares_of_a_long_column_are_there_for_phones() -> None:
    columns = [SheetColumn("CA", "number"), SheetColumn("Part", "formula", "percent")]
    rows = [[2, "=[CA]/SOMME([CA])"] for _ in range(4_000)]
    document = make(sheet(columns, rows))
    assert {row[1] for row in cells(document)[1:]} == {1 / 4_000}
    assert document.notes == ()


def test_totals_are_formulas_with_their_results() -> None:
    document = make(sales(totals=("montant", "Quantité")))
    assert cells(document)[3] == ["Total", None, 42, None, None, 406650]
    assert cells(document, values=False)[3][5] == "=SUBTOTAL(109,F2:F3)"


def test_percents_are_averaged_and_the_model_is_told() -> None:
    document = make(sales(totals=("Remise",)))
    assert cells(document)[3][4] == pytest.approx(0.075)
    assert "average" in document.notes[0]


def test_numbers_look_like_money_percents_and_days() -> None:
    row = opened(make(sales())).active[2]
    assert [cell.number_format for cell in row[1:]] == [
        *("dd/mm/yyyy", "0", '#,##0 "F CFA"', "0\u00a0%", '#,##0 "F CFA"')
    ]


def test_figures_are_flush_and_the_filter_covers_no_header() -> None:
    columns = (SheetColumn("Nom"), SheetColumn("Nombre", "number"), SheetColumn("Somme", "formula"))
    sheet = Sheet("S", columns, [["a", 2, "=NETWORKDAYS(B2,B2+30)"]])
    active: Any = opened(make_workbook(WorkbookRequest("V", (sheet,)))).active
    for column in "BC":
        header, cell = active[f"{column}1"].alignment, active[f"{column}2"].alignment
        assert (header.horizontal, header.indent) == ("right", 2)
        assert (cell.horizontal, cell.indent) == ("right", 0)


def test_signs_stand_behind_figures_in_french() -> None:
    columns = (SheetColumn("Prix", "money", "USD"), SheetColumn("Part", "formula", "percent"))
    for language, formats in (
        ("fr", ['#,##0.00\u00a0"$"', "0.0\u00a0%"]),
        ("en", ['"$"#,##0.00', "0.0%"]),
    ):
        sheet = Sheet("S", columns, [[12, "=1/3"]])
        row = opened(make_workbook(WorkbookRequest("V", (sheet,), language))).active[2]
        assert [cell.number_format for cell in row] == formats


def test_the_header_stays_in_sight_filters_and_prints_on_every_page() -> None:
    active = opened(make(sales(totals=("Montant",)))).active
    assert active.freeze_panes == "A2"
    assert active.auto_filter.ref == "A1:F3"
    assert active.print_title_rows == "$1:$1"
    assert active.sheet_properties.pageSetUpPr.fitToPage
    assert active.page_setup.fitToHeight == 0
    assert active["A1"].font.bold
    assert active["A1"].fill.fgColor.rgb == "FF6B2D14"


def test_a_wide_sheet_prints_lying() -> None:
    columns = [SheetColumn(f"Une colonne {i}") for i in range(12)]
    assert opened(make(sheet(columns, []))).active.page_setup.orientation == "landscape"
    assert opened(make(sales())).active.page_setup.orientation != "landscape"


def test_a_very_wide_sheet_prints_legibly_with_its_names_on_each_page() -> None:
    columns = [SheetColumn("Nom"), *(SheetColumn(f"Compétence {i}") for i in range(30))]
    active = opened(make(sheet(columns, [["Awa"]]))).active
    assert active.page_setup.fitToWidth == 3
    assert active.print_title_cols == "$A:$A"
    assert active.freeze_panes == "B2"
    usual = opened(make(sales())).active
    assert usual.page_setup.fitToWidth in (None, 1)
    assert usual.print_title_cols is None


def test_columns_are_as_wide_as_what_they_hold_within_bounds() -> None:
    columns = [SheetColumn("A"), SheetColumn("B"), SheetColumn("C", "money")]
    active = opened(make(sheet(columns, [["x" * 25, "y" * 500, 123456789]]))).active
    widths = [active.column_dimensions[letter].width for letter in "ABC"]
    assert 26 < widths[0] < 32
    assert widths[1] < 55
    assert widths[2] > len("123 456 789 F CFA")
    assert active["B2"].alignment.wrap_text


@pytest.mark.parametrize(
    "text",
    [
        "=cmd|' /C calc'!A0",
        '=HYPERLINK("http://example.org")',
        "+1+1",
        "-1+1",
        "@SUM(1)",
        "http://example.org",
        "mailto:a@example.org",
        "{=1+1}",
        "<r>bold</r>",
        "<r><t>x</t></r><evil/></r>",
        "_x0041_",
        "1234",
        "0012",
        " both ends ",
        "a\nb",
        "مرحبا",
        "😀",
    ],
)
def test_text_stays_the_text_it_was(text: str) -> None:
    document = column([text], "text")
    found = opened(document, values=False).active["A2"]
    assert found.value == text
    assert found.data_type == "s"
    assert found.hyperlink is None


def test_text_that_begins_like_a_formula_stays_text_when_it_is_edited() -> None:
    document = column(["=1+1", "one"])
    assert 'quotePrefix="1"' in part(document, "xl/styles.xml")
    active = opened(document).active
    assert active["A2"].quotePrefix
    assert not active["A3"].quotePrefix


@pytest.mark.parametrize("kind", ["number", "money", "percent", "date"])
def test_a_dash_for_nothing_is_an_empty_cell_that_formulas_can_read(kind: str) -> None:
    document = column(["-", "–", " — "], kind)
    assert [row[0] for row in cells(document)][1:] == [None, None, None]
    assert document.notes == ()


def test_cells_that_are_not_what_their_column_says_stay_text_and_are_counted() -> None:
    document = column([1, "beaucoup", "007", 2], "number")
    assert [row[0] for row in cells(document)] == ["Tête", 1, "beaucoup", "007", 2]
    assert document.notes[0].startswith("2 cells could not be read as number")
    assert "row 3 'beaucoup'" in document.notes[0]


@pytest.mark.parametrize("kind", ["", "number", "money", "percent"])
def test_numbers_that_no_spreadsheet_holds_stay_text(kind: str) -> None:
    document = column([1, "1e999", "1e400", "1e308", 10**400, "1,5"], kind)
    shown = [row[0] for row in cells(document)]
    assert shown[2:5] == ["1e999", "1e400", "1e308"]
    assert isinstance(shown[5], str)


def test_formulas_with_numbers_that_no_spreadsheet_holds_do_no_harm() -> None:
    document = column(["=1e999", "=1e300*1e300", "=-1E400+1"], "formula")
    assert len(cells(document, values=False)) == 4


def test_a_refused_formula_is_text_and_the_model_learns_why() -> None:
    document = column(['=WEBSERVICE("http://example.org")', "=1+", "=A{row-9}"], "formula")
    assert opened(document, values=False).active["A2"].data_type == "s"
    assert "3 formulas stayed text" in document.notes[0]
    assert "WEBSERVICE is not allowed" in document.notes[0]


def test_formulas_with_errors_and_without_known_results_are_told() -> None:
    document = column(["=1/0", "=TODAY()", "=A4"], "formula")
    assert opened(document).active["A2"].value == "#DIV/0!"
    assert any("#DIV/0!" in note for note in document.notes)
    assert any("What 1 formula would give shows only" in note for note in document.notes)
    assert any("depends on itself" in note for note in document.notes)
    assert opened(document, values=False).active["A4"].data_type == "s"


def test_only_formula_columns_hold_formulas() -> None:
    for kind in ("", "text", "number", "money", "percent", "date"):
        assert opened(column(["=1+1"], kind), values=False).active["A2"].data_type == "s"


@pytest.mark.parametrize("kind", ["", "number", "money"])
def test_a_note_says_that_formulas_stayed_text(kind: str) -> None:
    assert column([3, "=A2*2", "=A2*3"], kind).notes == (
        "2 formulas stayed text (sheet 'Feuille', column 'Tête'): only a column of type formula "
        "holds formulas.",
    )
    assert column(["=A1", "texte"], "text").notes == column(["=> page 3"], "").notes == ()


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (["01/2026", "2/2026", "", "12/2026"], "mm/yyyy"),
        (["2026-01", "2026-02", "2026-12"], "mm/yyyy"),
        (["janvier 2026", "Févr. 2026", "décembre 2026"], "mmmm yyyy"),
    ],
)
def test_months_are_days_that_look_like_months(given: list[Any], written: str) -> None:
    document = column(given, "date")
    shown = [cell for cell in opened(document).active["A"][1:] if cell.value is not None]
    assert (shown[0].value.month, shown[0].value.day) == (1, 1)
    assert shown[-1].value.month == 12
    assert {cell.number_format for cell in shown} == {written}
    assert opened(document).active.column_dimensions["A"].width >= 10
    assert not any("could not be read" in note for note in document.notes)


def test_a_month_among_days_stays_text() -> None:
    document = column(["15/01/2026", "02/2026"], "date")
    assert cells(document)[2] == ["02/2026"]
    assert "could not be read as date" in document.notes[0]


def test_money_is_in_the_currency_that_its_cells_name() -> None:
    active = opened(column(["12,50 €", "7€05", 3], "money")).active
    assert [cell.value for cell in active["A"]] == ["Tête", 12.5, 7.05, 3]
    assert active["A4"].number_format == "#,##0.00 €"
    document = make(sheet([SheetColumn("Prix (USD)", "money")], [[5], ["7 $"]]))
    assert cells(document)[1:] == [[5], [7]]
    assert "$" in opened(document).active["A2"].number_format
    assert cells(column(["12 €"], "money", "# ##0 €"))[1] == [12]


@pytest.mark.parametrize(("format", "kept"), [("", "12 €"), ("F CFA", "12 €"), ("€", "500 F CFA")])
def test_no_sum_is_shown_in_another_currency(format: str, kept: str) -> None:
    document = column(["12 €", "500 F CFA", 3], "money", format)
    assert [row[0] for row in cells(document) if isinstance(row[0], str)] == ["Tête", kept]
    assert kept in document.notes[0]


def test_one_sheet_may_look_at_another_by_the_name_it_was_given() -> None:
    other = sheet([SheetColumn("Total", "formula")], [["='Ventes/2024'!B2*2"]], name="Bilan")
    first = sheet([SheetColumn("A"), SheetColumn("B")], [["x", 21]], name="Ventes/2024")
    book = opened(make(first, other))
    assert book["Bilan"]["A2"].value == 42
    assert book.sheetnames == ["Ventes 2024", "Bilan"]


def test_names_of_sheets_are_cleaned_and_differ() -> None:
    names = ["a/b:c*d?[e]", "", "Ventes", "VENTES", "x" * 50, "x" * 50, "History", "'", "😀" * 40]
    book = opened(make(*(sheet([SheetColumn("A")], [], name=name) for name in names)))
    assert len({name.casefold() for name in book.sheetnames}) == len(names)
    for name in book.sheetnames:
        assert 0 < len(name.encode("utf-16-le")) // 2 <= 31
        assert not set(name) & set("[]:*?/\\")
        assert name.strip("'") == name


def test_a_long_cell_is_cut_and_said() -> None:
    document = column(["x" * 40_000, "😀" * 20_000])
    rows = cells(document)
    assert rows[1][0] == "x" * 32_765 + "…"
    assert len(rows[2][0].encode("utf-16-le")) // 2 <= 32_767
    assert "The text of 2 cells was cut" in document.notes[0]


def test_a_cell_of_very_many_lines_becomes_one() -> None:
    assert cells(column(["a\n" * 253]))[1][0] == "a\n" * 253
    assert "\n" not in cells(column(["a\n" * 254]))[1][0]


def test_a_workbook_has_no_more_number_formats_than_excel_takes() -> None:
    sheets = [
        sheet(
            [SheetColumn("A", "number", f"unit{s}x{c}") for c in range(50)],
            [[1] * 50],
            name=f"s{s}",
        )
        for s in range(6)
    ]
    book = opened(make(*sheets))
    used = {cell.number_format for active in book for cell in active[2]}
    assert 100 < len(used) < 200


def test_numbers_that_would_lose_digits_are_text() -> None:
    document = column([2250708091011121314, "2250708091011121314", 1e400], "number")
    assert [row[0] for row in cells(document)][1:3] == ["2250708091011121314"] * 2
    assert cells(column([22507080910], "text"))[1][0] == "22507080910"


def test_percents_written_whole_are_not_a_hundred_times_too_much() -> None:
    assert [row[0] for row in cells(column([18, 5.5], "percent"))][1:] == [0.18, 0.055]
    assert [row[0] for row in cells(column(["18 %", 0.05, "5,5%"], "percent"))][1:] == [
        *(0.18, 0.05, 0.055)
    ]


def test_truth_values_nothing_and_what_is_no_cell() -> None:
    found = cells(column([True, None, "", ["a", 1], {"b": 2}, 1.5]))
    assert [row[0] for row in found[1:]] == [True, None, None, '["a", 1]', '{"b": 2}', 1.5]


def test_short_rows_are_filled_up_and_a_long_one_is_refused() -> None:
    columns = [SheetColumn("A"), SheetColumn("B")]
    assert cells(make(sheet(columns, [["x"], ["y", 1, None, ""]])))[1:] == [["x", None], ["y", 1]]
    with pytest.raises(ToolFailed, match="row 2 has 3 cells for 2 columns"):
        make(sheet(columns, [["x", 1], ["y", 1, 2]]))


def test_a_sheet_without_rows_is_a_header() -> None:
    empty = sheet(
        [SheetColumn("A"), SheetColumn("A")],
        [],
        totals=("A",),
        chart=SheetChart("line", "A", ("A",)),
    )
    assert cells(make(empty)) == [["A", "A"]]


@pytest.mark.parametrize("totals", ["Absent", "Article", "Jour"])
def test_a_total_of_nothing_countable_teaches(totals: str) -> None:
    with pytest.raises(ToolFailed, match=f"{totals}.*(headers are|no numbers)"):
        make(sales(totals=(totals,)))


def test_control_characters_are_left_out() -> None:
    assert cells(column(["a\x00b\x0bc\ud800d\ufffee"]))[1][0] == "abcde"


def test_english_people_have_their_own_comma() -> None:
    english = make(sheet([SheetColumn("A", "number")], [["1,234"]]), language="en")
    assert cells(english)[1][0] == 1234
    assert cells(column(["1,234"], "number"))[1][0] == 1.234


def test_the_program_takes_and_gives_bytes() -> None:
    request = msgspec.json.encode(WorkbookRequest("V", (sales(),)))
    assert cells(decode_document(serve(request)))[1][0] == "Riz"


def test_ten_thousand_rows_arrive_all() -> None:
    columns = [
        SheetColumn("Client"),
        SheetColumn("Montant", "money"),
        SheetColumn("Double", "formula"),
    ]
    rows = [[f"Client {i}", i, "=B{row}*2"] for i in range(10_000)]
    document = make(sheet(columns, rows, totals=("Montant", "Double")))
    active = openpyxl.load_workbook(
        io.BytesIO(document.content), read_only=True, data_only=True
    ).active
    found = list(active.iter_rows(values_only=True))
    assert len(found) == 10_002
    assert found[9_999] == ("Client 9998", 9_998, 19_996)
    assert found[-1] == ("Total", 49_995_000, 99_990_000)


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.text(alphabet="=+-@|!'\"[]{}()$%&<>#0123456789ABC.,;:row \x00\x0b", max_size=20),
)
KINDS = st.sampled_from(["", "text", "number", "money", "percent", "date", "formula"])


@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.text(max_size=10), KINDS, st.text(max_size=12)), min_size=1, max_size=4),
    st.data(),
)
@settings(max_examples=40)
def test_whatever_is_in_it_it_opens_and_only_formula_columns_hold_formulas(
    name: str, heads: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    columns = [SheetColumn(*head) for head in heads]
    rows = data.draw(st.lists(st.lists(CELLS, max_size=len(columns)), max_size=5))
    active = opened(make(sheet(columns, rows, name=name)), values=False).active
    for index, wanted in enumerate(columns, start=1):
        kinds = {active.cell(row, index).data_type for row in range(2, len(rows) + 2)}
        if wanted.kind != "formula":
            assert "f" not in kinds


FORMULAS = st.text(
    alphabet=string.ascii_letters + string.digits + "+-*/^&=<>%(),;:.$\"'! []{}", max_size=30
)


@given(st.lists(FORMULAS, min_size=20, max_size=20))
@settings(max_examples=15)
def test_whatever_formulas_say_the_file_opens(texts: list[str]) -> None:
    rows = cells(column([f"={text}" for text in texts], "formula"), values=False)
    assert len(rows) == 21


def test_rows_are_as_high_as_their_text() -> None:
    document = column(["mot " * 60, "court", "un\ndeux\ntrois", "x" * 30_000])
    active = opened(document).active
    heights = [active.row_dimensions[row].height for row in range(2, 6)]
    assert heights == [6 * 15.75, None, 3 * 15.75, 408.75]
    assert active["A4"].alignment.wrap_text


def test_no_row_is_much_higher_than_its_text() -> None:
    short = opened(column(["Maths\nM. Kouadio"])).active
    assert short.row_dimensions[2].height == 2 * 15.75
    long = opened(column(["Le texte très long de la cellule " * 10])).active
    assert long.row_dimensions[2].height == 7 * 15.75


def test_each_result_of_a_summary_has_its_own_format() -> None:
    columns = [SheetColumn("Mesure"), SheetColumn("Valeur", "formula")]
    rows: list[list[Any]] = [
        ["Total", "=1250000+528500"],
        ["Nombre d’élèves", "=20+16"],
        ["Moyenne", "=35/3"],
        ["Taux de réussite", "=26/36"],
        ["% de filles", "=1/2"],
        ["Rapport", "=1/3"],
    ]
    active = opened(make(sheet(columns, rows))).active
    assert [cell.number_format for cell in active["B"][1:]] == [
        *("#,##0", "0", "0.00", "0.0\u00a0%", "0\u00a0%", "0.00"),
    ]


@pytest.mark.parametrize("format", ["", "percent"])
def test_results_of_one_formula_look_alike(format: str) -> None:
    columns = [SheetColumn("Part"), SheetColumn("B", "number"), SheetColumn("C", "formula", format)]
    active = opened(make(sheet(columns, [["a", 2, "=B2/4"], ["b", 4, "=B3/4"]]))).active
    assert active["C2"].number_format == active["C3"].number_format


def test_looked_up_numbers_are_not_rounded() -> None:
    prices = sheet([SheetColumn("Nom"), SheetColumn("Prix", "number")], [["Riz", 12.5]], "Prix")
    looked = sheet(
        [SheetColumn("Nom"), SheetColumn("Prix", "formula")],
        [["Riz", "=LOOKUP(A2;Prix!A:A;Prix!B:B)"]],
        "Devis",
    )
    document = make(looked, prices)
    active = opened(document).active
    assert active["B2"].number_format == "General"
    assert active.column_dimensions["B"].width >= 9
    assert document.notes[0].startswith("What 1 formula would give shows only")


def test_looked_up_sums_of_money_have_space() -> None:
    columns = [SheetColumn("A"), SheetColumn("B", "formula", "FCFA")]
    active = opened(make(sheet(columns, [["x", "=LOOKUP(A2;A:A)"]]))).active
    assert active.column_dimensions["B"].width >= len("999 999 F CFA") + 2


def test_two_columns_of_one_name_get_a_note() -> None:
    columns = [*map(SheetColumn, ("Nom", "Prix", "prix")), SheetColumn("T", "formula")]
    document = make(sheet(columns, [["Riz", 5, 7, "=[Prix]*2"]]))
    assert document.notes == (
        "Sheet 'Feuille': two columns are called 'prix'; formulas, totals and charts that name it "
        "mean the first.",
    )
    assert cells(document)[1][3] == 10


def test_columns_without_names_get_no_note() -> None:
    assert make(sheet([SheetColumn(""), SheetColumn("")], [[1, 2]])).notes == ()

"""The columns of a long table are added up exactly, and what was counted is said."""

from __future__ import annotations

import csv
import datetime
import io
import itertools
import random
from decimal import Decimal

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.files.sample_files import make_docx, make_odt, make_xlsx
from tests.support.file_fakes import change_zip, read, text_of

HEAD = "[totals, computed exactly from all rows of the file, also those of later parts]\n"
ROWS = 400


def table(header: list[object], *rows: list[object], many: int = ROWS) -> list[list[object]]:
    """These rows over and over below the header."""
    return [header, *([*rows[at % len(rows)]] for at in range(many))]


def as_csv(rows: list[list[object]], delimiter: str = ";", encoding: str = "utf-8") -> bytes:
    held = io.StringIO()
    csv.writer(held, delimiter=delimiter).writerows(rows)
    return held.getvalue().encode(encoding)


def totals_of(content: bytes, name: str = "") -> list[str]:
    """The lines of the totals; none if the text does not begin with any."""
    text = text_of(content, name)
    if not text.startswith(HEAD):
        assert "computed exactly" not in text
        return []
    return text.removeprefix(HEAD).split("\n\n")[0].split("\n")


def totals_of_csv(*columns: list[str]) -> list[str]:
    """The lines for columns of a CSV file, each its header and the cells that come over and over;
    the first column is text."""
    rows = table(
        ["Nom", *(column[0] for column in columns)],
        *(
            [f"Client {at}", *(column[1 + at % (len(column) - 1)] for column in columns)]
            for at in range(max(len(column) for column in columns) - 1)
        ),
    )
    return totals_of(as_csv(rows), "a.csv")[1:]


def test_a_long_csv_begins_with_the_totals_of_its_columns() -> None:
    chance = random.Random(4)
    amounts = [Decimal(chance.randrange(10**7) * 10 + 1) / 100 for _ in range(3_003)]
    rows: list[list[object]] = [["Date", "Libellé", "Montant", "Quantité"]]
    for at, amount in enumerate(amounts):
        french = f"{amount:,.2f}".replace(",", " ").replace(".", ",")
        rows.append([f"{at % 28 + 1:02}/03/2026", "Riz", french, at % 7])
    content = as_csv(rows, encoding="cp1252")
    assert totals_of(content, "ventes.csv") == [
        "rows 2–3004: 3003 rows with numbers are counted; row 1 is the header",
        f"Montant (C): 3003 numbers, sum {sum(amounts)}, min {min(amounts)}, max {max(amounts)}",
        f"Quantité (D): 3003 numbers, sum {sum(at % 7 for at in range(3_003))}, min 0, max 6",
    ]
    assert "Date;Libellé;Montant" in text_of(content, "ventes.csv")


def test_short_tables_and_texts_have_no_totals() -> None:
    assert totals_of(as_csv(table(["Nom", "Note"], ["Awa", 12], many=9)), "a.csv") == []
    assert totals_of(make_xlsx(A=table(["Nom", "Note"], ["Awa", 12], many=9))) == []
    assert totals_of(as_csv(table(["Nom", "Note"], ["Awa", 12])), "a.txt") == []
    assert totals_of(make_docx(*["Awa\t12"] * ROWS)) == []


def test_rows_beyond_what_can_be_read_are_counted_too() -> None:
    rows = table(["Libellé", "Montant"], ["x" * 500, 3], many=9_000)
    for content, name in ((as_csv(rows), "a.csv"), (make_xlsx(A=rows), "")):
        result, _ = read(content, name)
        assert result.cut
        assert totals_of(content, name)[1] == "Montant (B): 9000 numbers, sum 27000, min 3, max 3"


def test_a_table_that_takes_too_long_is_read_without_its_totals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = itertools.count()
    content = make_xlsx(
        A=table(["Libellé", "Montant"], ["x", 3]),
        B=table(["Libellé", "Montant"], ["x" * 1_000, 3], many=3_000),
        C=table(["Libellé", "Montant"], ["x", 3]),
    )
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    assert totals_of(content) == [
        "sheet A: rows 2–401: 400 rows with numbers are counted; row 1 is the header",
        "Montant (B): 400 numbers, sum 1200, min 3, max 3",
        "sheet B: not added up: it is damaged or too long",
        "(what follows in the file is not added up either)",
    ]


def test_a_table_whose_unread_rest_is_damaged_is_read() -> None:
    sheet = table(["Libellé", "Montant"], ["x" * 1_000, 3], many=3_000)
    content = make_xlsx(A=sheet, B=sheet)
    damage = {"xl/worksheets/sheet2.xml": lambda part: part[: len(part) // 2]}
    assert totals_of(change_zip(content, **damage)) == [
        "sheet A: rows 2–3001: 3000 rows with numbers are counted; row 1 is the header",
        "Montant (B): 3000 numbers, sum 9000, min 3, max 3",
        "sheet B: not added up: it is damaged or too long",
        "(what follows in the file is not added up either)",
    ]


# Notations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (["1 234,56", "0,44"], "sum 247000, min 0.44, max 1234.56"),
        (["1\u202f234,56", "1\xa0234 567,1"], "sum 247160332, min 1234.56, max 1234567.1"),
        (["1,234.56", "0.44"], "sum 247000, min 0.44, max 1234.56"),
        (["1.234,56", "1.000"], "sum 446912, min 1000, max 1234.56"),
        (["1'234.5", "2"], "sum 247300, min 2, max 1234.5"),
        (["1,234,567", "1,000"], "sum 247113400, min 1000, max 1234567"),
        (["-5", "+2", "(1)", "3-", "−4"], "sum -880, min -5, max 2"),
        (["0,1", "0,2"], "sum 60, min 0.1, max 0.2"),
        (["12", ""], "200 numbers, sum 2400, min 12, max 12"),
        (["12", "-"], "200 numbers, sum 2400, min 12, max 12"),
    ],
)
def test_numbers_are_read_as_french_and_english_write_them(cells: list[str], shown: str) -> None:
    [line] = totals_of_csv(["Prix", *cells])
    assert line.endswith(shown)


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        (["1 500 FCFA", "500"], ", FCFA"),
        (["1500 F CFA", "500F CFA"], ", FCFA"),
        (["XOF 1500", "500 xof"], ", XOF"),
        (["1500 €", "500€"], ", €"),
        (["$1500", "$ 500"], ", $"),
        (["1500 %", "500%"], ", %"),
    ],
)
def test_units_of_numbers_are_told(cells: list[str], unit: str) -> None:
    assert totals_of_csv(["Prix", *cells]) == [
        f"Prix (B){unit}: 400 numbers, sum 400000, min 500, max 1500"
    ]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["1,234", "12,345"], "“1,234” may mean two numbers"),
        (["1,5", "1.5"], "its numbers are written in two ways"),
        (["1 €", "1 FCFA"], "its numbers have several units"),
        (["18 %", "0"], "its numbers have several units"),
        (["12", "offert"], "200 of its cells are no numbers"),
        (["=B1", "5"], "it has formulas without results"),
    ],
)
def test_columns_that_are_not_plainly_numbers_are_left_out(cells: list[str], reason: str) -> None:
    assert totals_of_csv(["Prix", *cells], ["Note", "1"]) == [
        "Note (C): 400 numbers, sum 400, min 1, max 1",
        f"not added up: Prix (B): {reason}",
    ]


def test_a_notation_that_another_column_settles_is_believed() -> None:
    assert totals_of_csv(["Poids", "1,234", "2,000"], ["Prix", "1,5"]) == [
        "Poids (B): 400 numbers, sum 646.8, min 1.234, max 2",
        "Prix (C): 400 numbers, sum 600, min 1.5, max 1.5",
    ]


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("Téléphone", ["225 070 809", "225 070 808"]),
        ("N° facture", ["12", "13"]),
        ("Code postal", ["12000"]),
        ("customer_id", ["5", "7"]),
        ("Année", ["2024", "2025"]),
        ("Compte général", ["411000", "701000"]),
        ("Joindre", ["2250708091011", "2250102030406"]),
        ("", [str(at) for at in range(1, ROWS + 1)]),
    ],
)
def test_identifiers_are_not_added_up(header: str, cells: list[str]) -> None:
    assert totals_of_csv([header, *cells]) == [
        f"not added up: {f'{header} (B)' if header else 'column B'}: it looks like identifiers"
    ]


@pytest.mark.parametrize("cell", ["0708091011", "07 08 09 10 11", "12/03/2026", "10:30", "A12"])
def test_phones_dates_and_words_are_not_even_named(cell: str) -> None:
    assert totals_of_csv(["Divers", cell], ["Note", "1"])[0].startswith("Note (C)")
    assert len(totals_of_csv(["Divers", cell], ["Note", "1"])) == 1


@pytest.mark.parametrize(
    "header", ["Année 1", "Exercice N", "N", "N-1", "Mois 12", "Nombre", "Notes"]
)
def test_amounts_of_periods_are_added_up(header: str) -> None:
    assert totals_of_csv([header, "15000", "25001"])[0].startswith(f"{header} (B): 400 numbers")


def test_amounts_that_resemble_identifiers_are_added_up() -> None:
    assert totals_of_csv(["Budget", "15000000", "25000000"], ["Jours", "2000"]) == [
        "Budget (B): 400 numbers, sum 8000000000, min 15000000, max 25000000",
        "Jours (C): 400 numbers, sum 800000, min 2000, max 2000",
    ]


def test_few_cells_without_a_number_are_told() -> None:
    rows = table(["Nom", "Montant"], ["Awa", 5])
    rows[16][1], rows[20][1] = "offert à\nAwa", "#REF!"
    for content, name in ((as_csv(rows), "a.csv"), (make_xlsx(A=rows), "")):
        assert totals_of(content, name)[1] == (
            "Montant (B): 398 numbers, sum 1990, min 5, max 5; "
            "cells without a number: 2 (first: row 17 “offert à Awa”)"
        )


# Rows --------------------------------------------------------------------------------------------


def test_total_rows_are_not_counted_twice() -> None:
    rows = table(["Nom", "Fournisseur", "Montant"], ["Awa", "TOTAL", 5], ["Bou", "Total", 7])
    rows.insert(101, ["Sous-total", "", 600])
    rows.append(["TOTAL GÉNÉRAL :", "400 lignes", 2_400])
    for content, name in ((as_csv(rows), "a.csv"), (make_xlsx(A=rows), "")):
        assert totals_of(content, name) == [
            f"{'' if name else 'sheet A: '}rows 2–402: 400 rows with numbers are counted; "
            "row 1 is the header; not counted: totals in rows 102, 403",
            "Montant (C): 400 numbers, sum 2400, min 5, max 7",
        ]


def test_a_last_row_that_sums_up_the_others_is_a_total() -> None:
    rows = table(["Nom", "Montant", "Prix"], ["Awa", 5, 1])
    assert totals_of(as_csv([*rows, ["Net à payer", 2_000, 3]]), "a.csv") == [
        "rows 2–401: 400 rows with numbers are counted; row 1 is the header; "
        "not counted: totals in row 402",
        "Montant (B): 400 numbers, sum 2000, min 5, max 5",
        "Prix (C): 400 numbers, sum 400, min 1, max 1",
    ]
    assert totals_of(as_csv([*rows, ["Net à payer", 2_001, 3]]), "a.csv")[0].startswith(
        "rows 2–402: 401 rows with numbers"
    )


def test_what_follows_a_total_with_fewer_words_is_not_counted() -> None:
    rows = table(["Date", "Client", "Montant"], ["01/02/2026", "Awa", 500])
    rows += [["", "Total HT", 200_000], ["", "TVA 18 %", 36_000], ["", "Net", 236_000], []]
    rows += [["Arrêté à la somme de", "deux cent mille francs"], ["Le comptable", "Bou"]]
    assert totals_of(make_xlsx(A=rows)) == [
        "sheet A: rows 2–401: 400 rows with numbers are counted; row 1 is the header; "
        "not counted: totals in rows 402, 403, 404",
        "Montant (C): 400 numbers, sum 200000, min 500, max 500",
    ]


def test_totals_of_groups_are_not_counted_even_of_one_row() -> None:
    group = [["Janvier", "Riz", "kg", 5], ["Janvier", "Total", "", 5]]
    group += [["Mars", "Blé", "kg", 7], ["Mars", "Mil", "kg", 8], ["Mars", "Total", "", 15]]
    rows = table(["Mois", "Produit", "Unité", "Prix"], *group)
    assert totals_of(as_csv(rows), "a.csv")[1] == "Prix (D): 240 numbers, sum 1600, min 5, max 8"


def test_tables_below_each_other_are_added_up_each_by_itself() -> None:
    rows = [*table(["Nom", "Montant"], ["Awa", 5], many=10), []]
    rows += [*table(["Nom", "Montant"], ["Awa", 5], many=300), [], ["Stock"]]
    rows += [*table(["Produit", "Quantité", "Prix"], ["Riz", 2, 3], many=200), []]
    rows += table(["Produit", "Perte"], ["Riz", 1], many=4)
    assert totals_of(make_xlsx(A=rows)) == [
        "sheet A: rows 2–313: 310 rows with numbers are counted; row 1 is the header",
        "Montant (B): 310 numbers, sum 1550, min 5, max 5",
        "sheet A: rows 317–516: 200 rows with numbers are counted; row 316 is the header",
        "Quantité (B): 200 numbers, sum 400, min 2, max 2",
        "Prix (C): 200 numbers, sum 600, min 3, max 3",
        "sheet A: rows 519–522: 4 rows with numbers are counted; row 518 is the header",
        "Perte (B): 4 numbers, sum 4, min 1, max 1",
    ]


def test_of_endlessly_many_tables_some_are_added_up() -> None:
    rows = [row for at in range(200) for row in ([], ["Nom", f"Prix {at}"], ["Awa", 5], ["Bou", 6])]
    text = text_of(make_xlsx(A=rows))
    assert text.startswith(HEAD)
    assert "(there are more columns or sheets" in text.split("\n\n")[0][-60:]


def test_many_total_rows_are_told_shortly() -> None:
    rows = table(["Nom", "Montant"], ["Awa", 5], ["Total", 5])
    assert totals_of(as_csv(rows), "a.csv")[0].endswith(
        "not counted: totals in rows 3, 5, 7 and 197 more"
    )


def test_titles_above_the_header_and_headers_that_come_again_are_passed_over() -> None:
    rows: list[list[object]] = [["SARL Diop"], ["Année", 2026], []]
    rows += table(["Libellé", "Tiers", "Débit", "Crédit"], ["Riz", "Awa", 5, ""], many=200)
    rows += table(["Libellé", "Tiers", "Débit", "Crédit"], ["Riz", "Awa", "", 7], many=200)
    assert totals_of(make_xlsx(Journal=rows)) == [
        "sheet Journal: rows 5–405: 400 rows with numbers are counted; row 4 is the header",
        "Débit (C): 200 numbers, sum 1000, min 5, max 5",
        "Crédit (D): 200 numbers, sum 1400, min 7, max 7",
    ]


@pytest.mark.parametrize("header", [[2024, 2025, 2026], [1, 2, 3]])
def test_years_and_days_may_be_headers(header: list[object]) -> None:
    lines = totals_of(make_xlsx(A=table(["Compte", *header], ["Achats", 10, 20, 30])))
    assert lines[0] == "sheet A: rows 2–401: 400 rows with numbers are counted; row 1 is the header"
    assert lines[1] == f"{header[0]} (B): 400 numbers, sum 4000, min 10, max 10"


def test_a_table_without_a_header_has_columns_by_their_letters() -> None:
    rows = table(["Awa", 5], ["Awa", 5])
    assert totals_of(as_csv(rows), "a.csv") == [
        "rows 1–401: 401 rows with numbers are counted; there is no header",
        "column B: 401 numbers, sum 2005, min 5, max 5",
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_is_read_with_its_delimiter_and_its_quotes(delimiter: str) -> None:
    rows = table(["Nom", "Note", "Prix"], [f"Riz; {delimiter} et\nblé", 12, "1,5"])
    assert totals_of(as_csv(rows, delimiter), "a.csv")[1:] == [
        "Note (B): 400 numbers, sum 4800, min 12, max 12",
        "Prix (C): 400 numbers, sum 600, min 1.5, max 1.5",
    ]


def test_rows_are_numbered_as_excel_shows_them() -> None:
    rows = table(["Nom", "Montant"], ["Awa", 5])
    assert totals_of(b"sep=;\n" + as_csv(rows), "a.csv")[0].startswith("rows 2–401: 400 rows")


def test_rows_with_other_numbers_of_cells_are_not_counted() -> None:
    rows = table(["Nom", "Montant", "Suite"], ["Awa", 5, ""])
    rows[10], rows[20], rows[30] = ["Awa", "Bis", 5, 3], ["coupé"], ["Awa", 5, "", "", ""]
    assert totals_of(as_csv(rows), "a.csv") == [
        "rows 2–401: 398 rows with numbers are counted; row 1 is the header; "
        "not counted: rows 11, 21 with another number of cells",
        "Montant (B): 398 numbers, sum 1990, min 5, max 5",
    ]
    broken = "\n".join(["Nom,Montant", *["Awa,1234,50"] * ROWS])
    assert totals_of(broken.encode(), "a.csv") == [
        "not added up: 400 of 400 rows have another number of cells than the header"
    ]


# Workbooks ---------------------------------------------------------------------------------------


def test_sheets_are_added_up_each_by_itself() -> None:
    held = io.BytesIO()
    with xlsxwriter.Workbook(held) as book:
        percent, day = (book.add_format({"num_format": form}) for form in ("0.0%", "dd/mm/yyyy"))
        for name, factor in (("Janvier", 1), ("Février", 2)):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["Date", "Taux", "Montant", "Reste", "Payé"])
            for row in range(1, ROWS + 1):
                sheet.write_datetime(row, 0, datetime.datetime(2026, 1, 1), day)  # noqa: DTZ001
                sheet.write_number(row, 1, 0.125, percent)
                sheet.write_number(row, 2, factor * 0.1)
                sheet.write_formula(row, 3, "=C2*2", None, 0.3)
                sheet.write_boolean(row, 4, True)
        book.add_worksheet("Vide")
    assert totals_of(held.getvalue()) == [
        "sheet Janvier: rows 2–401: 400 rows with numbers are counted; row 1 is the header",
        "Taux (B), %: 400 numbers, sum 5000, min 12.5, max 12.5",
        "Montant (C): 400 numbers, sum 40, min 0.1, max 0.1",
        "Reste (D): 400 numbers, sum 120, min 0.3, max 0.3",
        "sheet Février: rows 2–401: 400 rows with numbers are counted; row 1 is the header",
        "Taux (B), %: 400 numbers, sum 5000, min 12.5, max 12.5",
        "Montant (C): 400 numbers, sum 80, min 0.2, max 0.2",
        "Reste (D): 400 numbers, sum 120, min 0.3, max 0.3",
    ]


def test_rows_of_a_workbook_have_their_own_numbers() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "A"
    sheet["B3"], sheet["C3"] = "Nom", "Montant"
    for row in range(ROWS):
        sheet.cell(2 * row + 10, 2, "Awa")
        sheet.cell(2 * row + 10, 3, "1 500 FCFA" if row % 2 else 2.5)
    held = io.BytesIO()
    book.save(held)
    assert totals_of(held.getvalue()) == [
        "sheet A: rows 10–808: 400 rows with numbers are counted; row 3 is the header",
        "Montant (C), FCFA: 400 numbers, sum 300500, min 2.5, max 1500",
    ]


def test_formulas_that_were_never_computed_are_left_out() -> None:
    bare = table(["Nom", "Double"], ["Awa", "=B2*2"])
    assert totals_of(make_xlsx(A=bare)) == [
        "sheet A: no row has numbers; row 1 is the header",
        "not added up: Double (B): it has formulas without results",
    ]
    rows = table(["Nom", "Montant", "Double"], ["Awa", 5, "=B2*2"])
    assert totals_of(make_xlsx(A=rows))[1:] == [
        "Montant (B): 400 numbers, sum 2000, min 5, max 5",
        "not added up: Double (C): it has formulas without results",
    ]


def cell(value: str = "", kind: str = "", *, text: str = "", times: int = 1) -> str:
    typed = f' office:value-type="{kind}" office:value="{value}"' if kind else ""
    shown = text or value
    inner = f"<text:p>{shown}</text:p>" if shown else ""
    return (
        f'<table:table-cell table:number-columns-repeated="{times}"{typed}>{inner}'
        "</table:table-cell>"
    )


def row_of(*cells: str, times: int = 1) -> str:
    return (
        f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'
    )


def ods(*rows: str, name: str = "Ventes") -> bytes:
    return make_odt(
        f'<office:spreadsheet><table:table table:name="{name}">{"".join(rows)}</table:table>'
        "</office:spreadsheet>"
    )


def test_sheets_of_open_documents_are_added_up() -> None:
    fill = cell(times=16_000)
    header = row_of(*map(cell, ("Nom", "Prix", "Payé", "Taux", "Le")), fill)
    day = cell("2026-01-01", "date", text="01/01/26")
    rate = cell("0.18", "percentage", text="18,0 %")
    money = cell("1234.564", "currency", text="1 234,56 €", times=2)
    one = row_of(cell("Awa"), money, rate, day, fill)
    covered = cell("6", "float").replace("table-cell", "covered-table-cell")
    other = row_of(cell("Bou"), covered, cell("7", "float"), fill)
    short, end = row_of(cell("Awa"), money, rate), row_of(fill, times=10**9)
    content = ods(header, row_of(fill, times=3), one * 199, short, other, end)
    assert totals_of(content) == [
        "sheet Ventes: rows 5–205: 201 rows with numbers are counted; row 1 is the header",
        "Prix (B): 201 numbers, sum 246918.8, min 6, max 1234.564",
        "Payé (C): 201 numbers, sum 246919.8, min 7, max 1234.564",
        "Taux (D), %: 200 numbers, sum 3600, min 18, max 18",
    ]
    assert "\nBou\t6\t7\n" in f"{text_of(content)}\n"


def test_repeated_cells_and_rows_of_open_documents_are_read() -> None:
    three = row_of(cell("a"), cell("5", "float", times=2), cell(times=900), times=3)
    assert text_of(ods(three, row_of(cell(times=3), cell("b")))) == (
        "[sheet Ventes]\na\t5\t5\na\t5\t5\na\t5\t5\n\t\t\tb"
    )
    content = ods(
        row_of(cell("Nom"), cell("Prix")), row_of(cell("Awa"), cell("5", "float"), times=700)
    )
    assert totals_of(content)[1] == "Prix (B): 700 numbers, sum 3500, min 5, max 5"


# Bounds ------------------------------------------------------------------------------------------


def test_totals_are_short_however_many_columns_there_are() -> None:
    names = [f"Colonne au nom beaucoup trop long numéro {at}" * 3 for at in range(300)]
    sheets = {f"F{at}": table([*names], [7] * 300, many=30) for at in range(4)}
    text = text_of(make_xlsx(**sheets))
    head = text.split("\n\n")[0]
    assert text.startswith(HEAD)
    assert 1_000 < len(head) <= 1_500
    assert head.endswith("\n(there are more columns or sheets than are added up here)")


@pytest.mark.parametrize("value", ["9" * 19, "1e400", "1E5", "nan", "inf", "١٢", "1" * 5_000])
def test_numbers_that_no_account_has_are_no_numbers(value: str) -> None:
    assert totals_of_csv(["Prix", value], ["Note", "1"]) == [
        "Note (C): 400 numbers, sum 400, min 1, max 1"
    ]


def test_floats_of_any_size_are_added_up_or_left_out() -> None:
    small = table(["Nom", "Reste"], ["Awa", 1e-17], ["Awa", 0.1 + 0.2])
    assert totals_of(make_xlsx(A=small))[1] == "Reste (B): 400 numbers, sum 60, min 0, max 0.3"
    large = table(["Nom", "Reste", "Note"], ["Awa", 1e300, 1])
    assert totals_of(make_xlsx(A=large))[1:] == ["Note (C): 400 numbers, sum 400, min 1, max 1"]


@pytest.mark.parametrize(
    "text",
    [
        "a;b\n" * 4_000,
        '"' * 9_000,
        f'Nom;Prix\n"{"x" * 200_000}";1\n' + "a;1\n" * 2_000,
        "Nom;Prix\n" + "a;1\n" * 2_000 + ";" * 1_000_001,
    ],
)
def test_csv_that_is_none_is_read_without_totals(text: str) -> None:
    assert totals_of(text.encode(), "a.csv") == []


def test_names_of_columns_cannot_break_lines() -> None:
    rows = table(["Nom", "Prix\n\n[sheet A]\u202e"], ["Awa", 5])
    assert totals_of(make_xlsx(A=rows))[1].startswith("Prix [sheet A] (B): 400 numbers")


@settings(max_examples=50)
@given(
    st.lists(st.decimals("-1e9", "1e9", places=2), min_size=1, max_size=40),
    st.sampled_from([" ,", ".,", ",.", "\u202f,", "'.", " ."]),
)
def test_sums_of_amounts_are_exact(amounts: list[Decimal], signs: str) -> None:
    written = [f"{each:,}".translate(str.maketrans(",.", signs)) for each in amounts]
    rows: list[list[object]] = [[f"Client {'x' * 90}", "ville", each] for each in written]
    rows += [["Fin", "de page", ""]] * 150
    content = as_csv([["Nom", "Ville", "Prix"], *rows])
    [_, line] = totals_of(content, "a.csv")
    shown = f"{sum(amounts):f}".rstrip("0").rstrip(".")
    assert f": {len(amounts)} numbers, sum {'0' if shown == '-0' else shown}, min " in line


@settings(max_examples=50)
@given(st.text("0123456789,.;-\" \n%FCFAtotal'", min_size=2_001, max_size=4_000))
def test_no_csv_breaks_its_totals(text: str) -> None:
    result, _ = read(text.encode(), "x.csv")
    assert result.state == "kept"

from __future__ import annotations

import pytest

from bot.documents.document_request import SheetColumn
from bot.documents.xlsx.formatting import (
    choose_date_format,
    choose_format,
    choose_formula_format,
    choose_money_format,
    choose_number_format,
    choose_percent_format,
)


@pytest.mark.parametrize("kind", ["number", "money", "percent", "date", "formula", ""])
def test_control_characters_in_a_format_break_no_file(kind: str) -> None:
    assert "\x1b" not in choose_format(SheetColumn("x", kind, "k\x1b\ufffeg"), [1.0])


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("", '#,##0 "F CFA"'),
        ("FCFA", '#,##0 "F CFA"'),
        ("eur", "#,##0.00 €"),
        ('# ##0 "F CFA"', '#,##0 "F CFA"'),
        ("# ##0 F CFA", '#,##0 "F CFA"'),
        ("# ##0,00 €", "#,##0.00 €"),
        ("Dinars", '#,##0 "Dinars"'),
        ("#,##0.00", "#,##0.00"),
    ],
)
def test_money_has_its_currency_in_the_form_that_files_want(given: str, written: str) -> None:
    assert choose_money_format(given) == written


@pytest.mark.parametrize(
    "given",
    ["abc;;;", '"', "[DBNum1]0", "0" * 200, "=1", "\\", "0;0;0;0;0", "@", "<script>", "[h]"],
)
def test_a_format_that_would_break_the_file_is_not_written(given: str) -> None:
    assert choose_number_format(given, [1.0]) == "0"
    assert choose_money_format(given) == '#,##0 "F CFA"'


@pytest.mark.parametrize(
    ("numbers", "written"),
    [
        ([1.0, 2.0], "0"),
        ([1.5, 2.0], "0.0"),
        ([12.5, 12.25, 3.0], "0.00"),
        ([655.957, 1.0], "0.000"),
        ([5.3599, -4.0083], "0.0000"),
        ([12.5, 1 / 3], "0.00"),
        ([0.1 + 0.2, 1.5], "0.0"),
        ([0.012_345, 0.02], "0.0000"),
        ([0.000_012], "0.00E+00"),
        ([12_000.0], "#,##0"),
        ([12_000.5], "#,##0.0"),
        ([], "0"),
    ],
)
def test_numbers_show_as_many_decimals_as_they_have_up_to_four(
    numbers: list[float], written: str
) -> None:
    assert choose_number_format("", numbers) == written


def test_results_show_two_decimals_at_most_unless_they_are_small() -> None:
    assert choose_formula_format("", [12.375, 1.0]) == "0.00"
    assert choose_formula_format("", [0.0012]) == "0.0000"


@pytest.mark.parametrize(
    ("header", "written"),
    [
        ("Code postal", "0"),
        ("N° de compte", "0"),
        ("Téléphone", "0"),
        ("Compte", "0"),
        ("Comptes clients", "#,##0"),
        ("Nombre", "#,##0"),
        ("Coder", "#,##0"),
    ],
)
def test_codes_are_not_parted_into_thousands(header: str, written: str) -> None:
    assert choose_format(SheetColumn(header), [225_000.0]) == written


def test_years_are_not_parted_into_thousands() -> None:
    assert choose_number_format("", [1960.0, 2026.0]) == "0"


def test_a_word_alone_is_the_unit() -> None:
    assert choose_number_format("kg", [2.0]) == '0 "kg"'


def test_percents_keep_a_format_that_says_so() -> None:
    assert choose_percent_format("0.00%", []) == "0.00%"
    assert choose_percent_format("0.00", [0.5]) == "0%"
    assert choose_percent_format("", [0.185]) == "0.0%"


def test_french_letters_of_dates_are_translated() -> None:
    assert choose_date_format("jj/mm/aaaa", []) == "dd/mm/yyyy"
    assert choose_date_format("nonsense", [1.0]) == "dd/mm/yyyy"
    assert choose_date_format("", [1.5]) == "dd/mm/yyyy hh:mm"


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("money", '#,##0 "F CFA"'),
        ("EUR", "#,##0.00 €"),
        ("percent", "0%"),
        ("date", "dd/mm/yyyy"),
        ("0.00", "0.00"),
        ("", "0"),
    ],
)
def test_a_formula_may_be_of_any_kind(given: str, written: str) -> None:
    assert choose_formula_format(given, [1.0]) == written


@pytest.mark.parametrize("number", [-693_594.0, -0.5, 2_958_466.0])
def test_beside_formulas_a_number_that_is_no_day_is_shown_as_a_number(number: float) -> None:
    assert choose_formula_format("date", [45_000.0]) == "dd/mm/yyyy"
    assert "d" not in choose_formula_format("date", [number]).replace('"date"', "")
    assert choose_formula_format("d m", [number]) == choose_number_format("d m", [number])


@pytest.mark.parametrize(
    ("given", "written"),
    [
        *(("", "General"), ("kg", 'General "kg"'), ("percent", "0.0%"), ("0.00", "0.00")),
        *(("EUR", "#,##0.00 €"), ("date", "dd/mm/yyyy"), ("nonsense!", "General")),
    ],
)
def test_results_that_are_not_known_are_not_rounded(given: str, written: str) -> None:
    assert choose_formula_format(given, [], is_known=False) == written
    assert choose_formula_format(given, [13.0], is_known=False) == written


@pytest.mark.parametrize(
    ("given", "written"),
    [
        *(("°C", '0 "°C"'), ("°F", '0 "°F"'), ("°", '0 "°"'), ("km/h", '0 "km/h"')),
        *(("g/100 g", '0 "g/100 g"'), ("0.0 °C", '0.0 "°C"'), ("0,00 m/s²", '0.00 "m/s²"')),
        *(("‰", '0 "‰"'), ("µg", '0 "µg"')),
    ],
)
def test_a_unit_may_begin_with_a_sign(given: str, written: str) -> None:
    assert choose_number_format(given, [2.0]) == written


def test_thousands_are_parted_beside_money() -> None:
    def choose(header: str, *numbers: float) -> str:
        return choose_format(SheetColumn(header, "number"), numbers, holds_sums=True)

    assert choose("Quantité", 12.0, 1250.0) == "#,##0"
    assert choose("Poids", 1250.5) == "#,##0.0"
    assert choose("Quantité", 12.0, 150.0) == "0"
    assert choose("Année", 2025.0, 2026.0) == "0"
    assert choose("Code", 4500.0) == "0"
    assert choose_format(SheetColumn("Quantité", "number"), [1250.0]) == "0"

from __future__ import annotations

import pytest

from bot.documents.xlsx.numerals import fits_number, read_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1234.5", 1234.5),
        ("1 234,5", 1234.5),
        ("1\u202f234\u00a0567,25", 1234567.25),
        ("1.234,56", 1234.56),
        ("1,234.56", 1234.56),
        ("1.234.567", 1234567),
        ("1,5", 1.5),
        ("-5", -5),
        ("− 1 500", -1500),
        ("(500)", -500),
        ("0,5", 0.5),
        ("1e3", 1000),
        (" 7 ", 7),
    ],
)
def test_numbers_are_read_as_french_and_english_write_them(text: str, number: float) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", "abc", "12 kg", "007", "+22507080910", "77 123 45 67", "1,2,3", "1.23.4", "--1"),
        *("1234567890123456", "12/05", "=1+1", "nan", "inf", "1_000", "0x10", "9" * 60),
        *("1e999", "-1e400", "1e308", "12-"),
    ],
)
def test_codes_dates_and_words_are_no_numbers(text: str) -> None:
    assert read_number(text) is None


def test_a_lone_comma_before_three_digits_is_what_the_language_makes_of_it() -> None:
    assert read_number("1,234", comma=True) == 1.234
    assert read_number("1,234", comma=False) == 1234


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("12 000 F CFA", 12000),
        ("12 000 FCFA", 12000),
        ("1.500", 1500),
        ("€ 12,50", 12.5),
        ("12,50 EUR", 12.5),
        ("5 F", 5),
        ("0,567 €", 0.567),
        ("FCFA 1 500", 1500),
        ("12€50", 12.5),
        ("1 200 € 05", 1200.05),
    ],
)
def test_money_may_name_its_currency_and_has_no_tenth_of_a_cent(text: str, amount: float) -> None:
    assert read_number(text, money=True) == amount


def test_what_a_spreadsheet_would_round_does_not_fit() -> None:
    assert fits_number(123456789012345)
    assert not fits_number(1234567890123456)
    assert not fits_number(10**400)
    assert not fits_number(float("nan"))
    assert not fits_number(float("inf"))

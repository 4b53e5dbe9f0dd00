from __future__ import annotations

from decimal import Decimal

import pytest

from bot.files.amounts import read_amount


@pytest.mark.parametrize(
    ("text", "values", "unit"),
    [
        ("12", {",": "12", ".": "12"}, ""),
        ("-1,5", {",": "-1.5"}, ""),
        ("3,4-", {",": "-3.4"}, ""),
        ("(1.234)", {",": "-1234", ".": "-1.234"}, ""),
        ("1.234.567,8", {",": "1234567.8"}, ""),
        ("1 500 F. CFA", {",": "1500", ".": "1500"}, "FCFA"),
        ("₦ 1,500", {",": "1.500", ".": "1500"}, "₦"),
        ("18 %", {",": "18", ".": "18"}, "%"),
    ],
)
def test_a_number_has_a_value_for_each_sign_it_may_have(
    text: str, values: dict[str, str], unit: str
) -> None:
    amount = read_amount(text)
    assert amount is not None
    assert amount.values == {sign: Decimal(value) for sign, value in values.items()}
    assert amount.unit == unit


@pytest.mark.parametrize("text", ["", "007", "1 23", "(5", "5)", "(-5)", "$5 €", "1,2,3", "9" * 19])
def test_codes_and_words_are_no_amounts(text: str) -> None:
    assert read_amount(text) is None

from __future__ import annotations

import pytest

from bot.accounts.numbers import InvalidNumber, parse_number

PHONE = "+2250701020304"


@pytest.mark.parametrize(
    ("text", "country", "number"),
    [
        ("+225 07 01 02 03 04", None, PHONE),
        ("2250701020304", None, PHONE),
        ("002250701020304", None, PHONE),
        ("07 01 02 03 04", "CI", PHONE),
        ("(0701) 020-304", "CI", PHONE),
    ],
)
def test_a_number_is_read_however_it_is_written(
    text: str, country: str | None, number: str
) -> None:
    assert parse_number(text, country) == number


@pytest.mark.parametrize(
    "text", ["", "abc", "+225", "+1", "+999123456789", "12", "+2250", "+" * 50]
)
def test_what_cannot_be_a_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidNumber):
        parse_number(text)

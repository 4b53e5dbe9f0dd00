"""Numbers in words, in the French of each country and in English."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.maths.reading.number_words import read_number, words_to_number


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("zéro", 0),
        ("dix-sept", 17),
        ("vingt-et-un", 21),
        ("vingt et un", 21),
        ("soixante et onze", 71),
        ("soixante-dix-sept", 77),
        ("quatre-vingts", 80),
        ("quatre-vingt-un", 81),
        ("quatre-vingt-dix-neuf", 99),
        ("septante-deux", 72),
        ("huitante", 80),
        ("octante-trois", 83),
        ("nonante-neuf", 99),
        ("cent un", 101),
        ("cinq cents", 500),
        ("quatre cent vingt", 420),
        ("mille", 1000),
        ("mille neuf cent quatre-vingt-quatre", 1984),
        ("deux cent mille", 200_000),
        ("deux millions trois cent mille", 2_300_000),
        ("un milliard", 10**9),
        ("Moins Sept", -7),
        ("one hundred and five", 105),
        ("twenty-one thousand three hundred", 21_300),
        ("six million", 6_000_000),
        ("deux millions et demi", 2_500_000),
        ("one million and a half", 1_500_000),
    ],
)
def test_whole_numbers_are_read(words: str, value: int) -> None:
    assert words_to_number(words) == value


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("trois quarts", "3/4"),
        ("un demi", "1/2"),
        ("deux tiers", "2/3"),
        ("cinq huitièmes", "5/8"),
        ("trois dixièmes", "3/10"),
        ("deux et demi", "5/2"),
        ("trois virgule quatorze", "3.14"),
        ("trois virgule zéro cinq", "3.05"),
        ("zéro virgule cinq", "0.5"),
        ("three point one four", "3.14"),
        ("two thirds", "2/3"),
        ("a half", "1/2"),
        ("two and a half", "5/2"),
    ],
)
def test_parts_are_read(words: str, value: str) -> None:
    assert words_to_number(words) == Fraction(value)


@pytest.mark.parametrize(
    "words", ["", "bonjour", "deux trois", "vingt trente", "et deux", "cent zéro", "deux pommes"]
)
def test_what_is_no_number_is_none(words: str) -> None:
    assert words_to_number(words) is None


def test_a_number_ends_where_its_words_end() -> None:
    found = read_number(["sept", "fois", "huit"])
    assert found is not None
    assert (found.value, found.length) == (7, 1)


SMALL = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze"
UNITS = [*SMALL.split(), "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf"]
TENS = ["", "", "vingt", "trente", "quarante", "cinquante", "soixante"]


def _say_tens(n: int) -> str:
    if n < 20:
        return UNITS[n]
    if n >= 80:
        return "quatre-vingts" if n == 80 else f"quatre-vingt-{UNITS[n - 80]}"
    tens, unit = (6, n - 60) if n >= 60 else divmod(n, 10)
    if unit == 0:
        return TENS[tens]
    return f"{TENS[tens]} et {UNITS[unit]}" if unit in (1, 11) else f"{TENS[tens]}-{UNITS[unit]}"


def say(n: int) -> str:
    """The number in French words."""
    parts: list[str] = []
    for size, name in ((10**6, "million"), (1000, "mille")):
        count, n = divmod(n, size)
        if count:
            many = "s" if name == "million" and count > 1 else ""
            parts.append(name if name == "mille" and count == 1 else f"{say(count)} {name}{many}")
    hundreds, n = divmod(n, 100)
    if hundreds:
        parts.append("cent" if hundreds == 1 else f"{UNITS[hundreds]} cent")
    if n or not parts:
        parts.append(_say_tens(n))
    return " ".join(parts)


@given(st.integers(min_value=0, max_value=999_999_999))
def test_each_number_is_read_back(n: int) -> None:
    assert words_to_number(say(n)) == n

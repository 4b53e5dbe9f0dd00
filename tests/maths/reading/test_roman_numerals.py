from __future__ import annotations

import re

from bot.maths.reading.roman_numerals import ROMAN, read_roman, write_roman


def test_numerals_are_read_as_they_are_written() -> None:
    for number in range(1, 4_000):
        numeral = write_roman(number)
        assert read_roman(numeral) == read_roman(numeral.upper()) == number
        assert re.fullmatch(ROMAN, numeral)


def test_letters_that_are_no_numeral_are_not_found() -> None:
    assert not any(re.fullmatch(ROMAN, letters) for letters in ("", "iiii", "vx", "ic", "mil"))


def test_numerals_of_large_numbers_repeat_m() -> None:
    assert write_roman(5_004) == "mmmmmiv"

from __future__ import annotations

import pytest

from bot.contracts.storage import MAX_BIGINT, parse_whole_number


@pytest.mark.parametrize("number", [0, 1, 99, MAX_BIGINT])
def test_a_number_up_to_the_greatest_is_read(number: int) -> None:
    assert parse_whole_number(str(number), MAX_BIGINT) == number


def test_noughts_may_lead_as_far_as_the_greatest_is_long() -> None:
    assert parse_whole_number("007", 100) == 7
    assert parse_whole_number("0007", 100) is None


@pytest.mark.parametrize("text", [str(MAX_BIGINT + 1), "0" * 20, "9" * 5_000])
def test_one_beyond_it_is_none(text: str) -> None:
    assert parse_whole_number(text, MAX_BIGINT) is None


@pytest.mark.parametrize(
    "text", ["", " 1", "+1", "-1", "1.0", "1e3", "1_0", "0x1", "²", "٣", "1\n"]
)
def test_only_digits_make_a_number(text: str) -> None:
    assert parse_whole_number(text, MAX_BIGINT) is None

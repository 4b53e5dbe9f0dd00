from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.documents.xlsx.numerals import EPOCH, is_certain_day, read_day


def to_datetime(serial: float) -> datetime:
    return EPOCH + timedelta(days=serial)


@pytest.mark.parametrize(
    "text",
    [
        *("2024-03-15", "15/03/2024", "15-03-2024", "15.03.24", "15 mars 2024", "15 Mar. 2024"),
        *("vendredi 15 mars 2024", "March 15, 2024", "15 march 2024", " 15/3/2024 "),
    ],
)
def test_a_day_is_read_however_it_is_written(text: str) -> None:
    serial = read_day(text)
    assert serial is not None
    assert to_datetime(serial) == datetime(2024, 3, 15)  # noqa: DTZ001


def test_the_first_and_accents_are_understood() -> None:
    first, august = read_day("1er février 2024"), read_day("12 août 2025")
    assert first is not None
    assert august is not None
    assert (to_datetime(first).day, to_datetime(first).month) == (1, 2)
    assert to_datetime(august).month == 8


def test_the_hour_is_kept() -> None:
    serial = read_day("2024-03-15T10:30:00Z")
    assert serial is not None
    assert (to_datetime(serial).hour, to_datetime(serial).minute) == (10, 30)
    assert read_day("15/03/2024 à 10h30") == serial


@pytest.mark.parametrize(
    "text",
    ["", "demain", "31/02/2024", "2024-13-01", "15/03-2024", "01/01/1850", "2024", "x" * 100],
)
def test_what_is_no_day_is_none(text: str) -> None:
    assert read_day(text) is None


def test_days_that_programs_disagree_over_are_left_out() -> None:
    assert not is_certain_day(60)
    assert is_certain_day(61)
    assert not is_certain_day(float("nan"))

"""When it is quiet, and until when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.i18n import find_zone
from bot.learning.quiet_hours import GRACE, QuietHours

NIGHT = QuietHours.read("21-7")
ZONES = ["Africa/Abidjan", "Africa/Casablanca", "Europe/Paris", "America/New_York", "Asia/Kolkata"]
MOMENTS = st.integers(1_700_000_000, 2_000_000_000).map(float)


def utc(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("now", "zone", "end"),
    [
        ("2026-05-31 20:59", "Africa/Abidjan", "2026-05-31 20:59"),
        ("2026-05-31 21:00", "Africa/Abidjan", "2026-06-01 07:00"),
        ("2026-06-01 03:00", "Africa/Abidjan", "2026-06-01 07:00"),
        ("2026-06-01 06:59", "Africa/Abidjan", "2026-06-01 07:00"),
        ("2026-06-01 07:00", "Africa/Abidjan", "2026-06-01 07:00"),
        ("2026-05-31 19:30", "Europe/Paris", "2026-06-01 05:00"),
        ("2026-05-31 16:00", "Asia/Kolkata", "2026-06-01 01:30"),
        ("2026-10-24 22:00", "Europe/Paris", "2026-10-25 06:00"),  # the clocks are put back
        ("2026-03-28 22:00", "Europe/Paris", "2026-03-29 05:00"),  # and forward
    ],
)
def test_the_night_ends_in_the_morning_by_the_persons_clock(now: str, zone: str, end: str) -> None:
    assert NIGHT.until(utc(now), zone) == utc(end)


def test_hours_within_one_day_end_on_that_day() -> None:
    noon = QuietHours.read("12-14")
    assert noon.until(utc("2026-05-31 13:30"), "UTC") == utc("2026-05-31 14:00")
    assert noon.until(utc("2026-05-31 14:00"), "UTC") == utc("2026-05-31 14:00")
    assert QuietHours.read("20-24").until(utc("2026-05-31 23:30"), "UTC") == utc("2026-06-01 00:00")


@given(now=MOMENTS, zone=st.sampled_from(ZONES))
def test_without_quiet_hours_it_is_never_quiet(now: float, zone: str) -> None:
    assert QuietHours.read("0-0").until(now, zone) == now


@given(now=MOMENTS, zone=st.sampled_from(ZONES), start=st.integers(0, 24), end=st.integers(0, 24))
def test_it_is_never_quiet_when_it_ends_and_that_is_within_a_day(
    now: float, zone: str, start: int, end: int
) -> None:
    quiet = QuietHours.read(f"{start}-{end}")
    over = quiet.until(now, zone)
    assert now <= over < now + 25 * 3600
    assert quiet.until(over, zone) == over
    if over > now:
        local = datetime.fromtimestamp(over, find_zone(zone))
        assert (local.minute, local.second) == (0, 0)


def test_the_moment_that_the_person_chose_is_never_held_back() -> None:
    chosen = utc("2026-05-31 23:00")
    assert NIGHT.hold(chosen, chosen, "UTC") == chosen
    assert NIGHT.hold(chosen, chosen + GRACE, "UTC") == chosen + GRACE
    assert NIGHT.hold(chosen, chosen + GRACE + 1, "UTC") == utc("2026-06-01 07:00")
    late = utc("2026-05-31 18:00")
    assert NIGHT.hold(late, utc("2026-05-31 19:00"), "UTC") == utc("2026-05-31 19:00")

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import ToolFailed
from bot.learning.tasks import parse_due

NOW = 1_780_000_000.0


def due_of(text: str, zone: str) -> float:
    return parse_due(text, zone, NOW)


def utc(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "zone", "moment"),
    [
        ("2026-05-31T17:30", "Africa/Abidjan", "2026-05-31 17:30"),
        ("2026-05-31T17:30", "Africa/Lagos", "2026-05-31 16:30"),
        ("2026-05-31 17:30:15", "Africa/Lagos", "2026-05-31 16:30:15"),
        (" 2026-05-31t17:30 ", "Africa/Lagos", "2026-05-31 16:30"),
        ("2026-05-31T17:30Z", "Africa/Lagos", "2026-05-31 17:30"),
        ("2026-05-31T17:30:00.500+02:00", "Africa/Lagos", "2026-05-31 15:30:00.500"),
        ("2026-05-31T17:30-0500", "Africa/Lagos", "2026-05-31 22:30"),
        ("2026-05-31", "Africa/Lagos", "2026-05-31 07:00"),
        ("2026-07-01", "Europe/Paris", "2026-07-01 06:00"),
        ("2026-12-01", "Europe/Paris", "2026-12-01 07:00"),
        ("2028-02-29", "Africa/Abidjan", "2028-02-29 08:00"),
        ("2026-05-31T17:30", "No/Where", "2026-05-31 17:30"),
        ("2026-05-31T17:30", "../../etc/passwd", "2026-05-31 17:30"),
        ("2026-05-31T17:30", "", "2026-05-31 17:30"),
        ("20260531", "Africa/Lagos", "2026-05-31 07:00"),
        ("20260531T1730Z", "Africa/Lagos", "2026-05-31 17:30"),
        ("2026-W22-7T17:30", "Africa/Abidjan", "2026-05-31 17:30"),
        ("2026-05-31T17", "Africa/Lagos", "2026-05-31 16:00"),
        ("2026-05-31T17:30+02", "Africa/Lagos", "2026-05-31 15:30"),
        ("2026-05-31T24:00", "Africa/Lagos", "2026-05-31 23:00"),
        ("20261231T2400Z", "Africa/Lagos", "2027-01-01 00:00"),
    ],
)
def test_a_due_date_is_meant_where_the_person_is_unless_it_says_otherwise(
    text: str, zone: str, moment: str
) -> None:
    assert due_of(text, zone) == utc(moment)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("PT10M", 10),
        ("pt2h", 120),
        ("P1D", 1440),
        ("P1DT2H30M", 1590),
        ("PT90S", 1.5),
        ("P2W", 20160),
    ],
)
def test_a_duration_counts_from_now(text: str, minutes: float) -> None:
    assert due_of(text, "Africa/Lagos") == NOW + 60 * minutes


@pytest.mark.parametrize(
    "text",
    [
        "tomorrow", "demain 8h", "31/05/2026", "2026-05", "2026-W22", "202605", "2026-151", "17:30",
        "2026-05-31T", "2026-05-31T7", "2026-05-31X17:30", "2026-05-31T17:30 please",
        "P", "PT", "P1DT", "P1Y", "PT10", "10M", "PT-5M", "PT1.5H",
        "٢٠٢٦-٠٥-٣١", "2026-05-31T17:30\x00", "1780000000", "-2026-05-31", "2026-05-31Z",
    ],
)  # fmt: skip
def test_what_is_not_written_as_a_date_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(ToolFailed, match="like 2026-05-31 or 2026-05-31T17:30"):
        due_of(text, "Africa/Abidjan")


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31T08:00", "2026-05-31T24:01",
        "2026-05-31T17:60", "2026-05-31T17:30:60", "2026-05-31T17:30+24:00", "0000-01-01",
        "2026-W60-1",
    ],
)  # fmt: skip
def test_what_no_calendar_has_is_refused(text: str) -> None:
    with pytest.raises(ToolFailed, match="no such date or time"):
        due_of(text, "Africa/Abidjan")


@pytest.mark.parametrize(
    "text", ["0001-01-01T00:00", "1999-12-31", "2200-01-01", "9999-12-31T23:59-23:59"]
)
def test_a_year_beyond_all_use_is_refused(text: str) -> None:
    with pytest.raises(ToolFailed, match="check the year"):
        due_of(text, "Africa/Abidjan")


def test_an_hour_that_clocks_skip_is_refused_with_one_that_they_show() -> None:
    with pytest.raises(ToolFailed, match=r"skip 02:30 on 2026-03-29; write 2026-03-29T03:30"):
        due_of("2026-03-29T02:30", "Europe/Paris")
    assert due_of("2026-03-29T03:30", "Europe/Paris") == utc("2026-03-29 01:30")
    assert due_of("2026-03-29T02:30+01:00", "Europe/Paris") == utc("2026-03-29 01:30")


def test_of_an_hour_that_comes_twice_the_first_is_meant() -> None:
    assert due_of("2026-10-25T02:30", "Europe/Paris") == utc("2026-10-25 00:30")


# Zones ------------------------------------------------------------------------------------------

ZONES = [
    "Africa/Abidjan", "Africa/Dakar", "Africa/Casablanca", "Europe/Paris", "America/New_York",
    "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC",
]  # fmt: skip
WALLS = st.integers(0, 14 * 366 * 1440).map(
    lambda minutes: datetime.fromisoformat("2024-01-01") + timedelta(minutes=minutes)
)
"""What clocks may show, to the minute."""


@given(wall=WALLS, zone=st.sampled_from(ZONES))
def test_clocks_there_show_what_was_written_or_it_is_refused(wall: datetime, zone: str) -> None:
    text = f"{wall:%Y-%m-%dT%H:%M}"
    if show(wall.replace(tzinfo=ZoneInfo(zone)).timestamp(), zone) == wall:
        assert show(due_of(text, zone), zone) == wall
    else:
        with pytest.raises(ToolFailed, match=f"skip {wall:%H:%M}"):
            due_of(text, zone)


@given(wall=WALLS, zone=st.sampled_from(ZONES))
def test_of_two_moments_that_clocks_show_alike_the_earlier_is_meant(
    wall: datetime, zone: str
) -> None:
    alike = [wall.replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp() for fold in (0, 1)]
    shown = [moment for moment in alike if show(moment, zone) == wall]
    if shown:
        assert due_of(f"{wall:%Y-%m-%dT%H:%M}", zone) == min(shown)


@given(wall=WALLS, zone=st.sampled_from(ZONES))
def test_a_date_alone_means_eight_in_the_morning_there(wall: datetime, zone: str) -> None:
    shown = show(due_of(f"{wall:%Y-%m-%d}", zone), zone)
    assert shown == datetime.combine(wall.date(), time(8))


@given(
    wall=WALLS,
    zone=st.sampled_from(ZONES),
    minutes=st.integers(-14 * 60, 14 * 60),
)
def test_an_offset_that_is_written_counts_whatever_the_zone(
    wall: datetime, zone: str, minutes: int
) -> None:
    offset = timezone(timedelta(minutes=minutes))
    moment = wall.replace(tzinfo=offset)
    assert due_of(moment.isoformat(), zone) == moment.timestamp()


@pytest.mark.parametrize("zone", ["Africa/Abidjan", "Africa/Dakar"])
@given(wall=WALLS)
def test_where_clocks_show_utc_nothing_is_moved(wall: datetime, zone: str) -> None:
    assert due_of(f"{wall:%Y-%m-%dT%H:%M}", zone) == wall.replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "zone", "moment"),
    [
        ("2026-02-10T12:00", "Africa/Casablanca", "2026-02-10 11:00"),
        ("2026-03-10T12:00", "Africa/Casablanca", "2026-03-10 12:00"),  # Ramadan
        ("2026-04-10T12:00", "Africa/Casablanca", "2026-04-10 11:00"),
        ("2026-11-01T01:30", "America/New_York", "2026-11-01 05:30"),  # the first of two
        ("2026-05-31T12:00", "Asia/Kolkata", "2026-05-31 06:30"),
    ],
)
def test_shifts_of_clocks_that_are_known(text: str, zone: str, moment: str) -> None:
    assert due_of(text, zone) == utc(moment)


@pytest.mark.parametrize(
    ("text", "zone", "instead"),
    [
        ("2026-03-08T02:30", "America/New_York", "2026-03-08T03:30"),
        ("2026-03-22T02:30", "Africa/Casablanca", "2026-03-22T03:30"),  # Ramadan has ended
    ],
)
def test_an_hour_skipped_anywhere_is_refused(text: str, zone: str, instead: str) -> None:
    with pytest.raises(ToolFailed, match=f"write {instead}"):
        due_of(text, zone)


def show(moment: float, zone: str) -> datetime:
    """What clocks show there."""
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).replace(tzinfo=None)

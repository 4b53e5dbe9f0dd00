"""Until when a person puts a task off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.i18n import find_zone
from bot.learning.tasks import parse_snooze

NOW = 1_780_000_000.0
ZONES = ["Africa/Abidjan", "Africa/Casablanca", "Europe/Paris", "America/New_York", "Asia/Kolkata"]


@pytest.mark.parametrize(
    ("words", "minutes"),
    [("", 60), ("1h", 60), ("30m", 30), ("30 min", 30), ("2 H", 120), ("1d", 1440), ("2j", 2880)],
)
def test_a_span_counts_from_now(words: str, minutes: int) -> None:
    assert parse_snooze(words, "Europe/Paris", NOW) == NOW + 60 * minutes


@pytest.mark.parametrize(
    "words", ["soon", "0h", "h", "1000h", "1 h 30", "-1h", "1w", "²h", "１h", "tomorrow 9"]
)
def test_what_names_no_moment_is_none(words: str) -> None:
    assert parse_snooze(words, "Europe/Paris", NOW) is None


@given(
    now=st.integers(1_700_000_000, 2_000_000_000).map(float),
    zone=st.sampled_from(ZONES),
    word=st.sampled_from(["tomorrow", "demain", "Demain "]),
)
def test_tomorrow_is_the_next_day_at_eight_by_the_persons_clock(
    now: float, zone: str, word: str
) -> None:
    at = parse_snooze(word, zone, now)
    assert at is not None
    today, then = (datetime.fromtimestamp(moment, find_zone(zone)) for moment in (now, at))
    assert then.date() == today.date() + timedelta(days=1)
    assert (then.hour, then.minute, then.second) == (8, 0, 0)


def test_tomorrow_is_meant_where_the_person_is() -> None:
    late = datetime(2026, 5, 31, 23, 30, tzinfo=UTC).timestamp()
    in_paris = datetime(2026, 6, 2, 6, tzinfo=UTC).timestamp()
    assert parse_snooze("tomorrow", "Europe/Paris", late) == in_paris

"""Parse when a task is due, and until when a person puts it off."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta, tzinfo

from bot.errors import ToolFailed
from bot.i18n import find_zone

MORNING = time(8)
"""The hour at which a task is due that has only a date."""
_FORM = re.compile(
    r"[0-9]{4}(?:-?[0-9]{2}-?[0-9]{2}|-?W[0-9]{2}-?[0-9])"
    r"(?P<time>[T ][0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2}(?:[.,][0-9]{1,6})?)?)?"
    r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_MIDNIGHT = re.compile(r"(?<=[T ])24(?=(?::?00(?::?00(?:[.,]0+)?)?)?(?:Z|[+-]|$))")
"""24:00, the end of a day, for which Python has only 00:00 of the next day."""
_FROM_NOW = re.compile(
    r"P(?:(?P<weeks>[0-9]{1,3})W)?(?:(?P<days>[0-9]{1,4})D)?"
    r"(?:T(?:(?P<hours>[0-9]{1,4})H)?(?:(?P<minutes>[0-9]{1,5})M)?(?:(?P<seconds>[0-9]{1,6})S)?)?(?<![PT])"
)
_YEARS = range(2000, 2200)
_HOW = "due: write the date, or date and time, like 2026-05-31 or 2026-05-31T17:30"


def parse_due(text: str, zone: str, now: float) -> float:
    """Return when a task is due, in Unix seconds, between the years 2000 and 2200.

    A duration (`PT10M`, `P1DT2H`) counts from `now`, Unix seconds. A time without an offset is in
    `zone` (UTC if no zone has this name); of an hour that comes twice, when clocks are put back, it
    is the first. A date without a time is at `MORNING`.

    Raises:
        ToolFailed: the text is no date, or clocks never show it in `zone`; the message says what to
            write.
    """
    written = text.strip().upper()
    if span := _FROM_NOW.fullmatch(written):
        return (
            now + timedelta(**{k: int(n) for k, n in span.groupdict("0").items()}).total_seconds()
        )
    form = _FORM.fullmatch(written)
    if form is None:
        raise ToolFailed(f"{_HOW}, or the time from now, like PT30M; not in words.")
    begins, ends_a_day = _MIDNIGHT.subn("00", written)
    try:
        moment = datetime.fromisoformat(begins) + timedelta(days=ends_a_day)
    except (ValueError, OverflowError):
        raise ToolFailed(f"{_HOW}; there is no such date or time in the calendar.") from None
    if moment.year not in _YEARS:
        raise ToolFailed(f"{_HOW}; check the year.")
    if not form["time"]:
        moment = datetime.combine(moment.date(), MORNING)
    return (moment if moment.tzinfo else _locate(moment, find_zone(zone))).timestamp()


def _locate(wall: datetime, zone: tzinfo) -> datetime:
    """Return when clocks in the zone show `wall`. Raises `ToolFailed`: they never show it."""
    moment = wall.replace(tzinfo=zone)
    there_and_back = moment.astimezone(UTC).astimezone(zone)
    if there_and_back.replace(tzinfo=None) != wall:
        raise ToolFailed(
            f"due: clocks in {zone} skip {wall:%H:%M} on {wall:%Y-%m-%d}; "
            f"write {there_and_back:%Y-%m-%dT%H:%M} or another time."
        )
    return moment


_TOMORROW = frozenset({"tomorrow", "demain"})
_SPAN = re.compile(r"(?P<number>[0-9]{1,3}) ?(?P<unit>min|m|h|d|j)")
_SECONDS = {"min": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "j": 86_400.0}


def parse_snooze(words: str, zone: str, now: float) -> float | None:
    """Return until when to put off a task, after `now`, in Unix seconds; None: no such words.

    Minutes, hours and days count from now; without words it is one hour. Tomorrow is the next day
    in the person's `zone`, at `MORNING`.
    """
    text = words.casefold().strip() or "1h"
    if text in _TOMORROW:
        local = datetime.fromtimestamp(now, find_zone(zone))
        day = local.date() + timedelta(days=1)
        return datetime.combine(day, MORNING, tzinfo=local.tzinfo).timestamp()
    span = _SPAN.fullmatch(text)
    if span is None or not int(span["number"]):
        return None
    return now + int(span["number"]) * _SECONDS[span["unit"]]

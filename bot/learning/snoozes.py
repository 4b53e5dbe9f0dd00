"""Until when a person puts a task off: `1h`, `30 min`, `2j`, `tomorrow`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from bot.learning.due import MORNING
from bot.zones import find_zone

_TOMORROW = frozenset({"tomorrow", "demain"})
_SPAN = re.compile(r"(?P<number>[0-9]{1,3}) ?(?P<unit>min|m|h|d|j)")
_SECONDS = {"min": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "j": 86_400.0}


def parse_snooze(words: str, zone: str, now: float) -> float | None:
    """The moment, later than `now`, both in Unix seconds; None if the words name none.

    Minutes, hours and days count from now, and without a word it is an hour. Tomorrow is the next
    day in the person's `zone`, at `MORNING`.
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

"""Quiet hours: when nobody is told what they did not ask to be told just then."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from bot.zones import find_zone

GRACE = 15 * 60.0
"""Seconds after the moment that a person chose in which a reminder is still what they asked for."""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From one full hour to another, by the clock of whoever is to be told; if both are the same,
    there are none."""

    start: int = 0
    end: int = 0

    @classmethod
    def read(cls, setting: str) -> QuietHours:
        """What `QUIET_HOURS` says, such as `21-7`."""
        start, _, end = setting.partition("-")
        return cls(int(start) % 24, int(end) % 24)

    def until(self, now: float, zone: str) -> float:
        """The moment at which they end, in Unix seconds, if it is quiet `now`; else `now`."""
        local = datetime.fromtimestamp(now, find_zone(zone))
        if (local.hour - self.start) % 24 >= (self.end - self.start) % 24:
            return now
        day = local.date() + timedelta(days=local.hour >= self.end)
        end = datetime.combine(day, time(self.end), tzinfo=local.tzinfo).timestamp()
        return max(now, end)

    def hold(self, chosen: float, now: float, zone: str) -> float:
        """When to say what was to be said at `chosen`, all in Unix seconds: `now`, unless that is
        another moment than the person chose, and a quiet one."""
        return now if now <= chosen + GRACE else self.until(now, zone)

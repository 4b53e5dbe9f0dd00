"""Decide when it is quiet: the hours in which nobody is reminded of anything."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from bot.i18n import find_zone

GRACE = 15 * 60.0
"""Seconds after the person's chosen moment in which a reminder ignores quiet hours."""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Quiet hours from one full hour to another, by the person's clock; none if both are the
    same."""

    start: int = 0
    end: int = 0

    @classmethod
    def read(cls, setting: str) -> QuietHours:
        """Read the setting `QUIET_HOURS`, such as `21-7`."""
        start, _, end = setting.partition("-")
        return cls(int(start) % 24, int(end) % 24)

    def covers(self, hour: int) -> bool:
        """Return whether an hour of the day, 0 to 23, is quiet from its first minute."""
        return (hour - self.start) % 24 < (self.end - self.start) % 24

    def until(self, now: float, zone: str) -> float:
        """Return when quiet hours end if it is quiet `now`, else `now`; in Unix seconds."""
        local = datetime.fromtimestamp(now, find_zone(zone))
        if not self.covers(local.hour):
            return now
        day = local.date() + timedelta(days=local.hour >= self.end)
        end = datetime.combine(day, time(self.end), tzinfo=local.tzinfo).timestamp()
        return max(now, end)

    def hold(self, chosen: float, now: float, zone: str) -> float:
        """Return when to send a reminder that was wanted at `chosen`, in Unix seconds: `now`,
        unless that is more than `GRACE` later and quiet."""
        return now if now <= chosen + GRACE else self.until(now, zone)

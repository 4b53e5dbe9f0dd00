"""Time zones of people: where their days begin, and how a moment reads there."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo


def find_zone(name: str) -> tzinfo:
    """The zone of this name; UTC where there is none (Abidjan's since 1912)."""
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # unknown, not a name, a folder
        return UTC


def describe_moment(at: float, zone: str) -> str:
    """`Saturday 2026-11-28 08:00 (Africa/Abidjan)`, for models.

    Args:
        at: Unix seconds, within the years that `datetime` knows.
    """
    local = datetime.fromtimestamp(at, find_zone(zone))
    return f"{local:%A %Y-%m-%d %H:%M} ({local.tzinfo})"

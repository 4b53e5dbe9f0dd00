"""Which momentary store the settings ask for."""

from __future__ import annotations

from bot.contracts import Momentary
from bot.settings import Settings
from bot.storage.momentary_memory import MemoryMomentary


def open_momentary(settings: Settings) -> Momentary:
    """Redis when `REDIS_URL` is set, else its twin in memory, which other processes do not see.

    It connects on first use: `ping` tells whether the store can be reached.
    """
    if settings.redis_url is None:
        return MemoryMomentary()
    # Here, because a process without Redis should not pay for importing it.
    from bot.storage.momentary_redis import RedisMomentary

    return RedisMomentary(settings.redis_url)

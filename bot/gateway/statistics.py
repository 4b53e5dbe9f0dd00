"""What happened in the last hours and days, for operators: what is tallied, and the hours since."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.contracts import Clock, Database, Transaction
from bot.gateway.tallies import HOUR, Tally, count_hour, read_tallies

DAY: Final = 24 * HOUR
_FRESH: Final = 15.0
"""Seconds for which what was counted of the last hours is good enough."""
_UNCOUNTED: Final = 24
"""Hours that are counted here at most, where tallies lag behind."""


@dataclass(slots=True)
class ModelUse:
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0

    def add(self, other: ModelUse | Tally) -> None:
        self.calls += other.calls
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.usd += other.usd


@dataclass(slots=True)
class Period:
    """What happened in an hour, or in more of them together."""

    start: int = 0
    """Unix seconds."""
    turns: int = 0
    failed: int = 0
    """Of these turns."""
    segments: int = 0
    """Of SMS."""
    usd: float = 0.0
    """All that was spent: on models, tools and SMS."""
    messages: Counter[str] = field(default_factory=Counter[str])
    """Updates by channel; `other` are jobs and reminders."""
    models: dict[str, ModelUse] = field(default_factory=dict[str, ModelUse])

    def take(self, tally: Tally) -> None:
        self.usd += tally.usd
        match tally.kind:
            case "messages":
                self.messages[tally.name] += tally.calls
            case "turns":
                self.turns += tally.calls
                self.failed += tally.failed
            case "segments":
                self.segments += tally.calls
            case "model" | "summary":
                self.models.setdefault(tally.name, ModelUse()).add(tally)
            case _:
                pass

    def add(self, other: Period) -> None:
        self.turns += other.turns
        self.failed += other.failed
        self.segments += other.segments
        self.usd += other.usd
        self.messages.update(other.messages)
        for name, use in other.models.items():
            self.models.setdefault(name, ModelUse()).add(use)


class Statistics:
    def __init__(self, database: Database, clock: Clock = time.time) -> None:
        self._database = database
        self._clock = clock
        self._counted_at = 0.0
        self._counted: Sequence[Tally] = ()
        self._turn = asyncio.Lock()

    async def last_hours(self, number: int = 24) -> list[Period]:
        """The last hours, the current one included, oldest first."""
        last = int(self._clock()) // HOUR
        return await self._collect(range(last - number + 1, last + 1), 1)

    async def last_days(self, number: int = 30) -> list[Period]:
        """The last days (UTC), today included, oldest first."""
        today = int(self._clock()) // DAY
        return await self._collect(range((today - number + 1) * 24, (today + 1) * 24), 24)

    async def _collect(self, hours: range, step: int) -> list[Period]:
        tallies = await self._database.read(lambda tx: read_tallies(tx, hours[0]))
        periods = {first: Period(first * HOUR) for first in hours[::step]}
        for tally in [*tallies, *await self._count_since(tallies)]:
            first = tally.hour - (tally.hour - hours[0]) % step
            if first in periods:
                periods[first].take(tally)
        return list(periods.values())

    async def _count_since(self, tallies: Sequence[Tally]) -> Sequence[Tally]:
        """The hours after those that are tallied; by one reader at a time."""
        async with self._turn:
            now = self._clock()
            current = int(now) // HOUR
            first = max(tallies[-1].hour + 1 if tallies else 0, current - _UNCOUNTED)
            if now - self._counted_at > _FRESH:
                self._counted = await self._database.read(lambda tx: _count(tx, first, current))
                self._counted_at = now
            return [tally for tally in self._counted if tally.hour >= first]


async def _count(tx: Transaction, first: int, last: int) -> list[Tally]:
    return [tally for hour in range(first, last + 1) for tally in await count_hour(tx, hour)]


def sum_up(periods: Sequence[Period]) -> Period:
    """All of them together."""
    total = Period(periods[0].start if periods else 0)
    for period in periods:
        total.add(period)
    return total

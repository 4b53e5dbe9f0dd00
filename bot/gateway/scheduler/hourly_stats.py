"""Count hours once they are over: updates and turns by channel, spending by model, and the cost of
messages that were booked in the hour, by channel.

Updates are numbered in the order in which they are stored, so the first one of an hour is found by
halving, and an hour's rows by existing keys: storing a message keeps up no index of times. Every
process that runs lanes counts; counted twice, an hour is the same. A tally names no person, and
stays when one is erased.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, get_args

from bot.contracts.storage import Clock, Database, Transaction
from bot.gateway.delivery.message_costs import millionths_to_usd
from bot.gateway.scheduler.scheduler import DueWork
from bot.messages.channels import PAID_CHANNELS, Channel

HOUR: Final = 3600
KEPT_HOURS: Final = 31 * 24
"""Hours before now that are counted at most, if they were not counted yet."""
_SETTLED: Final = 2 * HOUR
"""Seconds after an hour's end by which its last turns have ended too."""
_LOOK_EVERY: Final = 60.0
_BETWEEN: Final = 0.05
"""Seconds between two hours when many are left, so that other queries can run."""


@dataclass(frozen=True, slots=True)
class HourlyStats:
    hour: int
    """Hours since 1970 (UTC)."""
    kind: str
    """counted: marks the hour as counted; messages, turns, delivered: by channel; else as in
    `spending`."""
    name: str
    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0


class HourlyStatsTask:
    def __init__(self, database: Database, clock: Clock = time.time) -> None:
        self._database = database
        self._clock = clock
        self.work = DueWork("tally", self.count_all, pause=_LOOK_EVERY)

    async def count_next(self) -> bool:
        """Count the first hour that is over and is not counted; return whether there was one."""
        now = self._clock()
        hour = await self._database.read(lambda tx: _find_next(tx, int(now) // HOUR))
        if hour is None or (hour + 1) * HOUR + _SETTLED > now:
            return False
        tallies = await self._database.read(lambda tx: count_hour(tx, hour))
        rows = [asdict(tally) for tally in [*tallies, HourlyStats(hour, "counted", "")]]
        await self._database.write(lambda tx: tx.execute_many(_KEEP, rows))
        return True

    async def count_all(self) -> None:
        """Count all hours that are over and are not counted."""
        for _ in range(KEPT_HOURS):
            if not await self.count_next():
                return
            await asyncio.sleep(_BETWEEN)


async def read_hourly_stats(tx: Transaction, first: int) -> list[HourlyStats]:
    """Return the tallies of the hours from `first` on, in their order."""
    rows = await tx.fetch(_STATS, first=first)
    return [HourlyStats(**{name: row[name] for name in HourlyStats.__slots__}) for row in rows]


async def count_hour(tx: Transaction, hour: int) -> list[HourlyStats]:
    bounds = {
        "first": await _first_since(tx, hour * HOUR),
        "end": await _first_since(tx, (hour + 1) * HOUR),
    }
    tallies: list[HourlyStats] = []
    for row in await tx.fetch(_TURNS, **bounds):
        tallies.append(HourlyStats(hour, "messages", row["channel"], row["messages"]))
        tallies.append(HourlyStats(hour, "turns", row["channel"], row["turns"], int(row["failed"])))
    for row in await tx.fetch(_SPENT, **bounds):
        counts = (int(row[name]) for name in ("calls", "failed", "input_tokens", "output_tokens"))
        tallies.append(HourlyStats(hour, row["kind"], row["name"], *counts, usd=row["usd"]))
    hours = {"from_": hour * HOUR, "until": (hour + 1) * HOUR}
    for row in await tx.fetch(_DELIVERED, **hours):
        usd = millionths_to_usd(int(row["amount"]))
        tallies.append(HourlyStats(hour, "delivered", row["channel"], row["calls"], usd=usd))
    return tallies


@dataclass(frozen=True, slots=True)
class MonthlyCosts:
    """The cost of a month's updates (UTC) so far, without those of erased people."""

    start: float
    """Unix seconds."""
    learners: int
    """Number of accounts with a turn."""
    usd: Mapping[str, float]
    """`model`, and the messages by channel."""


async def read_monthly_costs(tx: Transaction, now: float, number: int) -> list[MonthlyCosts]:
    """Return the costs of the last months, the current one first. Reads all of their rows."""
    months: list[MonthlyCosts] = []
    start = datetime.fromtimestamp(now, UTC).replace(day=1, hour=0, minute=0, second=0)
    end = await _first_since(tx, now + HOUR)
    for _ in range(number):
        at = float(int(start.timestamp()))
        first = await _first_since(tx, at)
        bounds = {"first": first, "end": end}
        row = await tx.fetch_one(_MONTH, **bounds)
        spent = dict.fromkeys(PAID_CHANNELS, 0.0)
        for paid in await tx.fetch(_MONTH_MESSAGES, **bounds):
            spent[paid["channel"]] = millionths_to_usd(int(paid["amount"]))
        if row is not None:
            months.append(MonthlyCosts(at, row["learners"], {"model": row["usd"], **spent}))
        start, end = (start - timedelta(days=1)).replace(day=1), first
    return months


async def _find_next(tx: Transaction, now: int) -> int | None:
    """Return the hour after the last one that is counted, or the hour of the first update."""
    last = await tx.fetch_one("SELECT hour FROM tally ORDER BY hour DESC LIMIT 1")
    if last is not None:
        return max(last["hour"] + 1, now - KEPT_HOURS)
    first = await tx.fetch_one(_UPDATE_FROM, number=0)
    return max(int(first["at"]) // HOUR, now - KEPT_HOURS) if first else None


async def _first_since(tx: Transaction, at: float) -> int:
    """Return the number of the first update that was stored at `at` (Unix seconds) or later."""
    newest = await tx.fetch_one("SELECT coalesce(max(seq), 0) AS seq FROM inbox")
    low, high = 0, newest["seq"] + 1 if newest else 1
    while low < high:
        middle = (low + high) // 2
        row = await tx.fetch_one(_UPDATE_FROM, number=middle)
        if row is None or row["at"] >= at:
            high = middle
        else:
            low = int(row["number"]) + 1
    return low


_UPDATE_FROM = """
SELECT seq AS number, stored_at AS at FROM inbox WHERE seq >= :number ORDER BY seq LIMIT 1
"""

_CHANNEL = " ".join(
    f"WHEN substr(inbox.lane, 1, {len(channel) + 1}) = '{channel}:' THEN '{channel}'"
    for channel in get_args(Channel)
)

_TURNS = f"""
SELECT CASE {_CHANNEL} ELSE 'other' END AS channel, count(*) AS messages,
    count(turn.id) AS turns,
    sum(CASE WHEN turn.state = 'dead' OR (turn.state = 'done' AND turn.reason = 'failed')
        THEN 1 ELSE 0 END) AS failed
FROM inbox LEFT JOIN turn ON turn.lane = inbox.lane AND turn.id = inbox.seq
WHERE inbox.seq >= :first AND inbox.seq < :end GROUP BY 1
"""  # noqa: S608 (made of constants)

_SPENT = """
SELECT spending.kind, spending.name, sum(spending.calls) AS calls, 0 AS failed,
    sum(spending.input_tokens) AS input_tokens, sum(spending.output_tokens) AS output_tokens,
    sum(spending.usd) AS usd
FROM inbox JOIN spending ON spending.lane = inbox.lane AND spending.turn = inbox.seq
WHERE inbox.seq >= :first AND inbox.seq < :end GROUP BY 1, 2
"""

_MONTH = """
SELECT (
    SELECT coalesce(sum(spending.usd), 0)
    FROM inbox JOIN spending ON spending.lane = inbox.lane AND spending.turn = inbox.seq
    WHERE inbox.seq >= :first AND inbox.seq < :end
) AS usd, (
    SELECT count(DISTINCT coalesce(account.part_of, account.id))
    FROM inbox JOIN turn ON turn.lane = inbox.lane AND turn.id = inbox.seq
    JOIN account ON account.id = turn.account
    WHERE inbox.seq >= :first AND inbox.seq < :end
) AS learners
"""

_MONTH_MESSAGES = """
SELECT cost.channel, sum(cost.amount) AS amount
FROM inbox JOIN cost ON cost.lane = inbox.lane AND cost.turn = inbox.seq
WHERE inbox.seq >= :first AND inbox.seq < :end GROUP BY cost.channel
"""

_DELIVERED = """
SELECT channel, count(*) AS calls, sum(amount) AS amount FROM cost
WHERE booked_at >= :from_ AND booked_at < :until GROUP BY channel
"""

_KEEP = """
INSERT INTO tally (hour, kind, name, calls, failed, input_tokens, output_tokens, usd)
VALUES (:hour, :kind, :name, :calls, :failed, :input_tokens, :output_tokens, :usd)
ON CONFLICT (hour, kind, name) DO NOTHING
"""

_STATS = """
SELECT hour, kind, name, calls, failed, input_tokens, output_tokens, usd FROM tally
WHERE hour >= :first ORDER BY hour
"""

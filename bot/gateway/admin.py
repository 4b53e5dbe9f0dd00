"""Show operators turns, queues, failed deliveries, statistics and accounts; replay given-up turns,
grant credits."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from bot.accounts.ledger import balance_of, book, is_booked
from bot.accounts.people import Account, People, account_of_row
from bot.contracts.storage import MAX_BIGINT, Clock, Database, Row, Transaction, fetch_count
from bot.errors import BadRequest, NotFound, PersonError
from bot.gateway.delivery.message_costs import millionths_to_usd, read_turn_costs
from bot.gateway.inbox_rows import revive_updates
from bot.gateway.lanes import wake_lane
from bot.gateway.scheduler.hourly_stats import HOUR, HourlyStats, count_hour, read_hourly_stats
from bot.gateway.sender_restrictions import Restriction, list_restrictions
from bot.gateway.turn_rows import revive_turn
from bot.gateway.worker import count_alive
from bot.messages.channels import NUMBER_CHANNEL, PAID_CHANNELS
from bot.messages.incoming import Sender
from bot.messages.outgoing import MESSAGES, decode_body

TurnState = Literal["queued", "running", "done", "dead"]
WINDOW: Final = 200_000
"""Number of updates that are searched for the turns of one channel: no index finds them."""


class NotDead(PersonError):
    """Only a dead turn can be replayed."""

    code = "not_dead"


async def list_turns(
    database: Database,
    *,
    state: TurnState | None = None,
    lane: str = "",
    channel: str = "",
    before: int = MAX_BIGINT,
    limit: int = 50,
) -> list[dict[str, Any]]:
    """Return the turns before number `before`, newest first, filtered by state, lane and channel.

    A channel's turns are searched among the last `WINDOW` updates before it. Each is `{"id",
    "lane", "state", "reason", "error", "attempts", "credits", "stored_at", "deliveries"}`; the id
    is a string, as in events, times are Unix seconds, and deliveries are `[{"part", "state"}]`
    (part -1: the message that the turn failed).
    """
    conditions = [_STATES[state] if state else "", _OF_LANE if lane else ""]
    conditions.append(_OF_CHANNEL if channel else "")
    number = "(inbox.seq + 0)" if state == "queued" else "inbox.seq"  # few: not by their number
    sql = _LISTING.replace("{conditions}", " ".join(conditions)).replace("{seq}", number)
    values: dict[str, Any] = {"before": before, "most": limit}
    values |= {"lane": lane} if lane else {}

    async def work(tx: Transaction) -> list[dict[str, Any]]:
        if channel:
            newest = await tx.fetch_one("SELECT coalesce(max(seq), 0) AS seq FROM inbox")
            top = min(before, newest["seq"] if newest else 0)
            values.update(begin=f"{channel}:", after=top - WINDOW)
        turns = itertools.groupby(await tx.fetch(sql, **values), key=lambda row: row["id"])
        return [_summary([*group]) for _, group in turns]

    return await database.read(work)


async def show_turn(database: Database, turn: int) -> dict[str, Any]:
    """Return one turn as `list_turns` does, with its account, its times and what it used.

    Times are Unix seconds. Its deliveries are `[{"part", "state", "attempts", "error",
    "provider_id"}]`; `messages` is how many of them were handed to a provider. `usd` is what it
    cost so far: `{"model": …}` and, by channel, the messages that have arrived.

    Raises:
        NotFound: no such turn.
    """

    async def work(tx: Transaction) -> dict[str, Any]:
        row = await tx.fetch_one(_TURN, turn=turn)
        if row is None:
            raise NotFound(f"There is no turn {turn}.")
        deliveries = await tx.fetch(_DELIVERIES, lane=row["lane"], turn=turn)
        details = {name: row[name] for name in _DETAILS}
        shown = [{name: item[name] for name in _DELIVERY_DETAILS} for item in deliveries]
        return {
            **_facts(row),
            **details,
            "messages": sum(map(_was_handed_over, deliveries)),
            "usd": await _sum_up_costs(tx, row),
            "deliveries": shown,
        }

    return await database.read(work)


async def replay_turn(database: Database, turn: int) -> None:
    """Have a dead turn go on from its journal, before the updates that wait behind it.

    Its reserved credits were given back when it died, and it is not charged again.

    Raises:
        NotFound: no such turn.
        NotDead: it waits, runs, or has ended well.
    """

    async def work(tx: Transaction) -> None:
        row = await tx.fetch_one(_TURN, turn=turn)
        if row is None:
            raise NotFound(f"There is no turn {turn}.")
        await wake_lane(tx, row["lane"])
        if not await revive_updates(tx, row["lane"], turn):
            raise NotDead(f"Turn {turn} is {row['state']}: only a dead turn can be replayed.")
        await revive_turn(tx, row["lane"], turn)
        await tx.announce(row["lane"])

    await database.write(work)


def _was_handed_over(row: Row) -> bool:
    """Return whether a provider was given this message, or may have been."""
    if row["provider_id"] is None and row["state"] != "unknown":
        return False
    return isinstance(decode_body(row["body"]), MESSAGES)


async def _sum_up_costs(tx: Transaction, turn: Row) -> dict[str, float]:
    """Sum up what a turn cost, to the millionth: its models, and its messages by channel."""
    costs = await read_turn_costs(tx, turn["lane"], turn["id"])
    messages = {channel: millionths_to_usd(costs.get(channel, 0)) for channel in PAID_CHANNELS}
    return {"model": round(turn["usd"], 6), **messages}


def _summary(rows: Sequence[Row]) -> dict[str, Any]:
    deliveries = [
        {"part": row["part"], "state": row["delivery"]} for row in rows if row["part"] is not None
    ]
    return {**_facts(rows[0]), "deliveries": deliveries}


def _facts(row: Row) -> dict[str, Any]:
    return {"id": str(row["id"]), **{name: row[name] for name in _FACTS}}


@dataclass(frozen=True, slots=True)
class QueueStatus:
    workers: int
    """Number of workers that are alive."""
    running: int
    """Number of lanes that some worker holds."""
    waiting: int
    """Number of lanes that are due and that no worker has claimed."""
    oldest_wait: float
    """Seconds for which the first of these has waited."""
    dead: int
    """Number of turns that were given up."""
    pending: int
    """Number of deliveries in this state; the next two likewise."""
    attempting: int
    waiting_for_window: int
    restrictions: tuple[Restriction, ...]
    """Senders that may not send, with the deliveries that wait for them."""


async def read_queue_status(tx: Transaction) -> QueueStatus:
    """Read the status from partial indexes, so the cost grows only with what is open."""
    waiting = await tx.fetch_one(_STATUS_WAITING)
    open_ = {row["state"]: row["n"] for row in await tx.fetch(_STATUS_OPEN)}
    return QueueStatus(
        workers=await count_alive(tx),
        running=await fetch_count(tx, _STATUS_RUNNING),
        waiting=waiting["n"] if waiting else 0,
        oldest_wait=max(0.0, waiting["oldest"]) if waiting else 0.0,
        dead=await fetch_count(tx, _STATUS_DEAD),
        pending=open_.get("pending", 0),
        attempting=open_.get("attempting", 0),
        waiting_for_window=open_.get("waiting_for_window", 0),
        restrictions=tuple(await list_restrictions(tx)),
    )


DAY: Final = 24 * HOUR
_FRESH: Final = 15.0
"""Seconds for which the counts of the last hours are reused."""
_UNCOUNTED: Final = 24
"""Hours that are counted here at most, if the hourly tallies lag behind."""


@dataclass(slots=True)
class ModelUse:
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0

    def add(self, other: ModelUse | HourlyStats) -> None:
        self.calls += other.calls
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.usd += other.usd


@dataclass(slots=True)
class Period:
    """What happened in one hour, or in several together."""

    start: int = 0
    """Unix seconds."""
    turns: int = 0
    failed: int = 0
    """Number of these turns that failed."""
    segments: int = 0
    """Number of SMS segments."""
    usd: float = 0.0
    """All that was spent: on models, tools and messages."""
    messages: Counter[str] = field(default_factory=Counter[str])
    """Updates by channel; `other` are jobs and reminders."""
    models: dict[str, ModelUse] = field(default_factory=dict[str, ModelUse])

    def take(self, tally: HourlyStats) -> None:
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
        self._counted: Sequence[HourlyStats] = ()
        self._turn = asyncio.Lock()

    async def last_hours(self) -> list[Period]:
        """Return the last 24 hours, the current one included, oldest first."""
        last = int(self._clock()) // HOUR
        return await self._collect(range(last - 23, last + 1), 1)

    async def last_days(self) -> list[Period]:
        """Return the last 30 days (UTC), today included, oldest first."""
        today = int(self._clock()) // DAY
        return await self._collect(range((today - 29) * 24, (today + 1) * 24), 24)

    async def _collect(self, hours: range, step: int) -> list[Period]:
        tallies = await self._database.read(lambda tx: read_hourly_stats(tx, hours[0]))
        periods = {first: Period(first * HOUR) for first in hours[::step]}
        for tally in [*tallies, *await self._count_since(tallies)]:
            first = tally.hour - (tally.hour - hours[0]) % step
            if first in periods:
                periods[first].take(tally)
        return list(periods.values())

    async def _count_since(self, tallies: Sequence[HourlyStats]) -> Sequence[HourlyStats]:
        """Count the hours after the last tallied one, for one caller at a time."""
        async with self._turn:
            now = self._clock()
            current = int(now) // HOUR
            first = max(tallies[-1].hour + 1 if tallies else 0, current - _UNCOUNTED)
            if now - self._counted_at > _FRESH:
                self._counted = await self._database.read(lambda tx: _count(tx, first, current))
                self._counted_at = now
            return [tally for tally in self._counted if tally.hour >= first]


async def _count(tx: Transaction, first: int, last: int) -> list[HourlyStats]:
    return [tally for hour in range(first, last + 1) for tally in await count_hour(tx, hour)]


def sum_up(periods: Sequence[Period]) -> Period:
    """Return the sum of the periods, with the start of the first."""
    total = Period(periods[0].start if periods else 0)
    for period in periods:
        total.add(period)
    return total


FailedState = Literal["refused", "unknown"]


@dataclass(frozen=True, slots=True)
class FailedDelivery:
    id: int
    lane: str
    turn: int
    part: int
    state: str
    attempts: int
    error: str
    """The reason, for operators."""
    created_at: float


async def list_failed_deliveries(
    database: Database,
    *,
    state: FailedState | None = None,
    before: int = MAX_BIGINT,
    limit: int = 50,
) -> list[FailedDelivery]:
    """Return the deliveries before id `before` that were refused or are in doubt, newest first."""
    sql = _FAILED_LISTING.replace("{condition}", _OF_FAILED_STATE if state else "")
    values = {"state": state} if state else {}
    rows = await database.read(lambda tx: tx.fetch(sql, before=before, most=limit, **values))
    return [
        FailedDelivery(**{name: row[name] for name in FailedDelivery.__slots__}) for row in rows
    ]


async def count_failed_deliveries(database: Database, since: float) -> dict[FailedState, int]:
    """Return how many deliveries made since then (Unix seconds) were refused, or are in doubt."""
    rows = await database.read(lambda tx: tx.fetch(_FAILED_COUNT, since=since))
    counts: dict[FailedState, int] = {"refused": 0, "unknown": 0}
    return counts | {row["state"]: row["n"] for row in rows}


_FACTS = ("lane", "state", "reason", "error", "attempts", "credits", "stored_at")

_DETAILS = (
    "account",
    "started_at",
    "ended_at",
    "input_tokens",
    "output_tokens",
)

_DELIVERY_DETAILS = ("part", "state", "attempts", "error", "provider_id")

_RECORD = """
SELECT inbox.seq AS id, inbox.lane, inbox.stored_at, turn.account, turn.started_at, turn.ended_at,
    coalesce(turn.state, CASE inbox.state WHEN 'pending' THEN 'queued' ELSE inbox.state END)
        AS state,
    coalesce(turn.reason, '') AS reason, coalesce(turn.error, '') AS error,
    coalesce(turn.attempts, 0) AS attempts, coalesce(turn.credits, 0) AS credits,
    coalesce(turn.input_tokens, 0) AS input_tokens,
    coalesce(turn.output_tokens, 0) AS output_tokens, coalesce(turn.usd, 0) AS usd
FROM inbox LEFT JOIN turn ON turn.lane = inbox.lane AND turn.id = inbox.seq
WHERE coalesce(inbox.turn, inbox.seq) = inbox.seq
"""

# Each is written so that the planner uses the partial index of open rows, however many rows there
# are in all, and does not take "done" for a rare state.
_STATES: dict[TurnState, str] = {
    "queued": "AND inbox.state = 'pending' AND turn.id IS NULL",
    "running": "AND turn.state IN ('running', 'dead') AND turn.state = 'running'",
    "dead": "AND turn.state IN ('running', 'dead') AND turn.state = 'dead'",
    "done": "AND inbox.state = 'done' AND (turn.state IS NULL OR turn.state = 'done')",
}

_OF_LANE = "AND inbox.lane = :lane"

_OF_CHANNEL = """
AND inbox.seq > :after
AND substr(inbox.lane, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)
"""

_DELIVERY_STATE = """
CASE WHEN outbox.state IN ('waiting_for_window', 'waiting_for_sender') THEN 'pending'
    ELSE outbox.state END
"""

_LISTING = f"""
WITH chosen AS (
    {_RECORD} AND {{seq}} < :before {{conditions}}
    ORDER BY {{seq}} DESC LIMIT :most
)
SELECT chosen.*, outbox.part,
    {_DELIVERY_STATE} AS delivery
FROM chosen LEFT JOIN outbox ON outbox.lane = chosen.lane AND outbox.turn = chosen.id
ORDER BY chosen.id DESC, outbox.part
"""  # noqa: S608 (made of constants)

_TURN = f"{_RECORD} AND inbox.seq = :turn"

_DELIVERIES = f"""
SELECT part, {_DELIVERY_STATE} AS state, attempts,
    CASE state WHEN 'waiting_for_window' THEN 'waits until the person writes'
        WHEN 'waiting_for_sender' THEN 'waits until our number may send again'
        ELSE error END AS error,
    provider_id, body
FROM outbox WHERE lane = :lane AND turn = :turn ORDER BY part
"""  # noqa: S608 (made of constants)

_STATUS_WAITING = """
SELECT count(*) AS n, coalesce({now} - min(due_at), 0) AS oldest FROM lane WHERE due_at <= {now}
"""

_STATUS_RUNNING = """
SELECT count(*) AS n FROM lane WHERE owner IS NOT NULL
"""

_STATUS_OPEN = """
SELECT state, count(*) AS n FROM outbox WHERE state IN ('pending', 'attempting') GROUP BY state
UNION ALL
SELECT 'waiting_for_window' AS state, count(*) AS n FROM outbox WHERE state = 'waiting_for_window'
"""

_STATUS_DEAD = """
SELECT count(*) AS n FROM turn WHERE state IN ('running', 'dead') AND state = 'dead'
"""

_OF_FAILED_STATE = "AND state = :state"

_FAILED_LISTING = """
SELECT id, lane, turn, part, state, attempts, error, created_at FROM outbox
WHERE state IN ('refused', 'unknown') AND id < :before {condition}
ORDER BY id DESC LIMIT :most
"""

_FAILED_COUNT = """
SELECT state, count(*) AS n FROM outbox
WHERE state IN ('refused', 'unknown') AND created_at >= :since GROUP BY state
"""

# Accounts ----------------------------------------------------------------------------------------


async def list_accounts(
    database: Database, *, before: int = MAX_BIGINT, limit: int = 50
) -> list[Account]:
    """Return the newest accounts whose id is less than `before`, newest first; without those that
    were merged into another, which have no data of their own."""
    rows = await database.read(lambda tx: tx.fetch(_ACCOUNTS, before=before, most=limit))
    return [account_of_row(row) for row in rows]


async def grant_credits(
    database: Database,
    people: People,
    account: int | None,
    amount: int,
    *,
    key: str,
    phone: str = "",
) -> tuple[bool, int]:
    """Book credits once per `key`; return whether they were booked now, and the balance after it.

    Args:
        account: None opens one for `phone` (E.164), reached by that number itself, which is what an
            SMS proves.
        amount: credits, more than 0.

    Raises:
        BadRequest: something else was booked under this key.
    """

    async def work(tx: Transaction) -> tuple[bool, int]:
        known = account
        if known is None:
            known = (await people.log_in(tx, NUMBER_CHANNEL, Sender(phone), phone)).account or 0
        booked = await book(tx, account=known, amount=amount, kind="grant", key=key)
        if not booked and not await is_booked(tx, known, amount, kind="grant", key=key):
            raise BadRequest(
                "This key has booked something else. Nothing was given: choose a new one."
            )
        return booked, await balance_of(tx, known)

    return await database.write(work)


_ACCOUNTS = """
SELECT * FROM account WHERE id < :before AND part_of IS NULL ORDER BY id DESC LIMIT :most
"""

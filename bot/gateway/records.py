"""Turns as operators see them: listed, shown, and replayed when they are dead.

A turn is named by the number of its first update, so the inbox lists them all: those that wait and
those that never came to a turn of their own included.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final, Literal

from bot.contracts import Database, Row, Transaction
from bot.errors import NotFound, PersonError
from bot.gateway.lanes import make_due
from bot.whole_numbers import BIGGEST

State = Literal["queued", "running", "done", "dead"]
WINDOW: Final = 200_000
"""Updates among which the turns of one channel are looked for: no index leads to them."""


class NotDead(PersonError):
    """Only a dead turn can be replayed."""

    code = "not_dead"


async def list_turns(
    database: Database,
    *,
    state: State | None = None,
    lane: str = "",
    channel: str = "",
    before: int = BIGGEST,
    limit: int = 50,
) -> list[dict[str, Any]]:
    """The newest turns before one, newest first, of one state, lane or channel if asked for.

    Of a channel, those among the last `WINDOW` updates before it. Each is `{"id", "lane", "state",
    "reason", "error", "attempts", "credits", "stored_at", "deliveries"}`; the id is a string, as in
    events, times are Unix seconds, and deliveries are `[{"part", "state"}]` (part -1: a word about
    its failure).
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
    """What `list_turns` says of it, with when, for whom, and what it used; times in Unix seconds.

    Its deliveries are `[{"part", "state", "attempts", "error", "provider_id"}]`.

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
        return {**_facts(row), **details, "deliveries": shown}

    return await database.read(work)


async def replay_turn(database: Database, turn: int) -> None:
    """Have a dead turn taken up again, from what its journal holds, before what waits behind it.

    What it held was given back when it died, and it is not charged again.

    Raises:
        NotFound: no such turn.
        NotDead: it waits, runs, or has ended well.
    """

    async def work(tx: Transaction) -> None:
        row = await tx.fetch_one(_TURN, turn=turn)
        if row is None:
            raise NotFound(f"There is no turn {turn}.")
        await make_due(tx, row["lane"])
        if not await tx.execute(_WAIT_AGAIN, lane=row["lane"], turn=turn):
            raise NotDead(f"Turn {turn} is {row['state']}: only a dead turn can be replayed.")
        await tx.execute(_TRY_AGAIN, lane=row["lane"], turn=turn)
        await tx.announce(row["lane"])

    await database.write(work)


def _summary(rows: Sequence[Row]) -> dict[str, Any]:
    deliveries = [
        {"part": row["part"], "state": row["delivery"]} for row in rows if row["part"] is not None
    ]
    return {**_facts(rows[0]), "deliveries": deliveries}


def _facts(row: Row) -> dict[str, Any]:
    return {"id": str(row["id"]), **{name: row[name] for name in _FACTS}}


_FACTS = ("lane", "state", "reason", "error", "attempts", "credits", "stored_at")
_DETAILS = (
    "account",
    "started_at",
    "ended_at",
    "input_tokens",
    "output_tokens",
    "usd",
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

# Written so that each finds the partial index of what is open, however much there is in all, and
# that no planner takes what is done for rare.
_STATES: dict[State, str] = {
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

_LISTING = f"""
WITH chosen AS (
    {_RECORD} AND {{seq}} < :before {{conditions}}
    ORDER BY {{seq}} DESC LIMIT :most
)
SELECT chosen.*, outbox.part, outbox.state AS delivery
FROM chosen LEFT JOIN outbox ON outbox.lane = chosen.lane AND outbox.turn = chosen.id
ORDER BY chosen.id DESC, outbox.part
"""  # noqa: S608 (made of constants)

_TURN = f"{_RECORD} AND inbox.seq = :turn"

_DELIVERIES = """
SELECT part, state, attempts, error, provider_id FROM outbox
WHERE lane = :lane AND turn = :turn ORDER BY part
"""

_WAIT_AGAIN = """
UPDATE inbox SET state = 'pending', aside = 0, ready_at = {now}
WHERE lane = :lane AND (seq = :turn OR turn = :turn) AND state = 'dead'
"""

# Attempt 1, not 0: from the second attempt on a turn goes on from its journal, so that no tool
# whose effect happened before it died runs again.
_TRY_AGAIN = """
UPDATE turn SET state = 'running', attempts = 1, failures = 0, deaths = 0, worker = '',
    seconds_used = 0, reason = '', error = '', ended_at = NULL
WHERE lane = :lane AND id = :turn
"""

"""Deliveries that did not arrive, or of which nobody can tell: for operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.contracts import Database, Transaction
from bot.whole_numbers import BIGGEST

Trouble = Literal["refused", "unknown"]


@dataclass(frozen=True, slots=True)
class Undelivered:
    id: int
    lane: str
    turn: int
    part: int
    state: str
    attempts: int
    error: str
    """For operators."""
    created_at: float


async def list_troubles(
    database: Database, *, state: Trouble | None = None, before: int = BIGGEST, limit: int = 50
) -> list[Undelivered]:
    """The newest before one that were refused or are in doubt, newest first."""

    async def work(tx: Transaction) -> list[Undelivered]:
        sql = _LISTING.replace("{condition}", _OF_STATE if state else "")
        values = {"state": state} if state else {}
        rows = await tx.fetch(sql, before=before, most=limit, **values)
        return [Undelivered(**{name: row[name] for name in Undelivered.__slots__}) for row in rows]

    return await database.read(work)


async def count_troubles(database: Database, since: float) -> dict[Trouble, int]:
    """How many deliveries made since then (Unix seconds) were refused, or are in doubt."""

    async def work(tx: Transaction) -> dict[Trouble, int]:
        counts: dict[Trouble, int] = {"refused": 0, "unknown": 0}
        for row in await tx.fetch(_COUNT, since=since):
            counts[row["state"]] = row["n"]
        return counts

    return await database.read(work)


_OF_STATE = "AND state = :state"

_LISTING = """
SELECT id, lane, turn, part, state, attempts, error, created_at FROM outbox
WHERE state IN ('refused', 'unknown') AND id < :before {condition}
ORDER BY id DESC LIMIT :most
"""

_COUNT = """
SELECT state, count(*) AS n FROM outbox
WHERE state IN ('refused', 'unknown') AND created_at >= :since GROUP BY state
"""

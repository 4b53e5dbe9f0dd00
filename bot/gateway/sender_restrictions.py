"""Write the table `restriction`: senders that their provider has forbidden to send.

A sender is our number or account at a provider, identified by the name of its adapter. While it is
restricted, it sends only one message an hour, and one at each start, as a trial. Once the provider
takes a trial and reports no failure of it for `TRUST_SECONDS`, the restriction is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.contracts.storage import Database, Transaction

TRY_EVERY: Final = 3600.0
"""Seconds between two trials."""
_TRY_ANOTHER: Final = 60.0
"""Seconds until the next trial after one that failed for a reason unrelated to the sender."""
TRUST_SECONDS: Final = 5.0
"""Seconds: a provider may take a message and report a moment later that its sender is restricted.
"""


@dataclass(frozen=True, slots=True)
class Restriction:
    """A sender that may not send."""

    via: str
    """Name of the adapter."""
    reason: str
    since: float
    waiting: int
    """Deliveries that wait for it."""


async def note_restricted(tx: Transaction, via: str, reason: str) -> float | None:
    """Note that a provider has restricted a sender; return since when, or None if it was known."""
    values = {"via": via, "reason": reason[:500], "pause": TRY_EVERY}
    if row := await tx.fetch_one(_NOTE, **values):
        return row["since"]
    await tx.execute(_NOTE_AGAIN, **values)
    return None


async def is_restricted(tx: Transaction, via: str) -> bool:
    """Return whether a sender is restricted, as far as we know."""
    return await tx.fetch_one("SELECT 1 FROM restriction WHERE via = :via", via=via) is not None


async def find_restricted_since(tx: Transaction, via: str) -> float:
    """Return since when (Unix seconds) a sender is restricted; 0: it is not."""
    row = await tx.fetch_one("SELECT since FROM restriction WHERE via = :via", via=via)
    return row["since"] if row else 0.0


async def begin_trial(tx: Transaction, via: str, delivery: int) -> bool:
    """Note that a delivery is sent as a trial; return False if no trial is due."""
    return bool(await tx.execute(_BEGIN, via=via, delivery=delivery, pause=TRY_EVERY))


async def note_trial_taken(tx: Transaction, via: str, delivery: int) -> None:
    """Note that the provider has taken a trial."""
    await tx.execute(_TAKEN, via=via, delivery=delivery, seconds=TRUST_SECONDS)


async def note_trial_void(tx: Transaction, via: str, delivery: int) -> None:
    """Note that a trial showed nothing about the sender: another message may be tried soon."""
    await tx.execute(_VOID, via=via, delivery=delivery, pause=_TRY_ANOTHER)


async def try_all_now(database: Database) -> None:
    """Make a trial of each restricted sender due at once, as this process has just started."""
    await database.run(_TRY_NOW)


async def end_trusted(tx: Transaction) -> list[str]:
    """End the restrictions whose trial the provider took; return the names of their adapters."""
    return [row["via"] for row in await tx.fetch(_END_TRUSTED)]


async def list_due_trials(tx: Transaction) -> list[str]:
    """Return the adapters whose sender may be tried now."""
    return [row["via"] for row in await tx.fetch(_DUE)]


async def list_restrictions(tx: Transaction) -> list[Restriction]:
    """Return all senders that are restricted now, in the order of their adapters' names."""
    rows = await tx.fetch(_LIST)
    return [Restriction(row["via"], row["reason"], row["since"], row["waiting"]) for row in rows]


NEXT_STEP: Final = """
SELECT min(at) FROM (
    SELECT trusted_at AS at FROM restriction WHERE trusted_at IS NOT NULL
    UNION ALL
    SELECT try_at AS at FROM restriction WHERE EXISTS (
        SELECT 1 FROM outbox WHERE state = 'waiting_for_sender' AND outbox.via = restriction.via
    )
    UNION ALL
    SELECT 0 AS at WHERE EXISTS (
        SELECT 1 FROM outbox WHERE state = 'waiting_for_sender' AND NOT EXISTS (
            SELECT 1 FROM restriction WHERE restriction.via = outbox.via
        )
    )
    UNION ALL
    SELECT 0 AS at FROM restriction WHERE try_at > {now} AND EXISTS (
        SELECT 1 FROM outbox
        WHERE outbox.via = restriction.via AND outbox.state = 'pending' AND outbox.due_at > {now}
    )
) AS steps
"""
"""A query for the time of the next step: to end a restriction, make a trial, release deliveries."""

_NOTE = """
INSERT INTO restriction (via, reason, since, try_at)
VALUES (:via, :reason, {now}, {now} + :pause)
ON CONFLICT (via) DO NOTHING RETURNING since
"""

_NOTE_AGAIN = """
UPDATE restriction SET reason = :reason, try_at = {now} + :pause, trusted_at = NULL
WHERE via = :via
"""

_BEGIN = """
UPDATE restriction SET trial = :delivery, try_at = {now} + :pause, trusted_at = NULL
WHERE via = :via AND try_at <= {now}
"""

_TAKEN = """
UPDATE restriction SET trusted_at = {now} + :seconds WHERE via = :via AND trial = :delivery
"""

_VOID = """
UPDATE restriction SET try_at = {now} + :pause WHERE via = :via AND trial = :delivery
"""

_TRY_NOW = """
UPDATE restriction SET try_at = {now} WHERE trusted_at IS NULL
"""

_END_TRUSTED = """
DELETE FROM restriction WHERE trusted_at <= {now} RETURNING via
"""

_DUE = """
SELECT via FROM restriction WHERE try_at <= {now} ORDER BY via
"""

_LIST = """
SELECT via, reason, since, (
    SELECT count(*) FROM outbox
    WHERE state = 'waiting_for_sender' AND outbox.via = restriction.via
) AS waiting
FROM restriction ORDER BY via
"""

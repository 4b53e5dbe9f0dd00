"""Lanes: who may work on a conversation, until when, and how anyone else is kept from writing.

A lane is leased by one process at a time. `due_at` says when someone must look at it next: now or
later when work waits, at the lease's end while it is owned, NULL when there is nothing to do. So
one index finds all that is claimable: new work, due retries, reminders, lanes of dead workers.
Each claim raises the fence; every write of a turn checks it (`hold`) in the same transaction.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from bot.contracts import Database, Row, Transaction
from bot.errors import LeaseLost

SOON = 2.0
"""Seconds ahead for which an announcement says when a lane is due, rather than that it is."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on a lane, as long as its fence stands."""

    lane: str
    fence: int
    owner: str
    via: str = field(compare=False)
    """Name of the adapter that replies go out by."""
    moved_to: str = field(default="", compare=False)
    """The lane's name by the channel's new id of the conversation, where that has changed."""
    sure_until: float = field(default=0.0, compare=False)
    """By our own monotonic clock: no other process can have taken it before."""

    @property
    def channel(self) -> str:
        return self.lane.partition(":")[0]

    @property
    def conversation(self) -> str:
        """The channel's id of the conversation, as it is now."""
        return (self.moved_to or self.lane).partition(":")[2]


class Lanes:
    """The lanes that this process claims.

    Args:
        lease_seconds: how long a claim stands without being renewed, by the database's clock.
        vias: names of the adapters that this process has; other lanes are left to others.
        monotonic: seconds of a clock that goes on while the process is paused.
    """

    def __init__(
        self,
        database: Database,
        lease_seconds: float,
        vias: Iterable[str],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.owner = secrets.token_hex(8)
        self._database = database
        self._lease = lease_seconds
        self._monotonic = monotonic
        self._renewed: dict[tuple[str, int], float] = {}
        names = ", ".join(f"'{via}'" for via in sorted(vias) if via.isidentifier())
        self._claim_sql = _CLAIM.replace("{vias}", names or "''")

    async def claim(self, limit: int) -> list[Claim]:
        """Up to `limit` lanes that are due, the longest waiting first.

        A lane of our own whose lease ran out (the database was away) is not claimed but renewed:
        whoever works on it here goes on.
        """
        asked = self._monotonic()

        rows = await self._database.run(
            self._claim_sql, owner=self.owner, lease=self._lease, limit=limit
        )
        until = asked + self._lease
        return [_claim(row, self.owner, sure_until=until) for row in rows]

    async def renew(self) -> dict[str, Claim]:
        """Lengthen all leases of this process; the claim of every lane that is still its own."""
        asked = self._monotonic()

        rows = await self._database.run(_RENEW, owner=self.owner, lease=self._lease)
        until = asked + self._lease
        self._renewed = {(row["id"], row["fence"]): until for row in rows}
        return {row["id"]: _claim(row, self.owner) for row in rows}

    def surely_ours(self, claim: Claim) -> bool:
        """Whether no other process can have taken the lane yet, by our own clock."""
        renewed_until = self._renewed.get((claim.lane, claim.fence), 0.0)
        return self._monotonic() < max(claim.sure_until, renewed_until)

    async def release(
        self, claim: Claim, also: Callable[[Transaction, Claim], Awaitable[None]] | None = None
    ) -> None:
        """Give the lane back, whatever waits in it; one that another process has is left alone.

        Args:
            also: done in the same transaction, while the lane is still locked.
        """

        async def work(tx: Transaction) -> None:
            try:
                await hold(tx, claim)
            except LeaseLost:
                return
            if also is not None:
                await also(tx, claim)
            await release(tx, claim)

        await self._database.write(work)


def _claim(row: Row, owner: str, *, sure_until: float = 0.0) -> Claim:
    moved_to = row["moved_to"] or ""
    return Claim(row["id"], row["fence"], owner, row["via"], moved_to, sure_until)


async def hold(tx: Transaction, claim: Claim) -> str:
    """Lock the lane until the transaction ends; the lane that keeps its thread.

    Raises:
        LeaseLost: it is no longer ours.
    """
    row = await tx.fetch_one(_HOLD, lane=claim.lane, fence=claim.fence, owner=claim.owner)
    if row is None:
        raise LeaseLost(claim.lane)
    return row["thread"] or claim.lane


async def inherit(database: Database) -> None:
    """Have all leased lanes looked at now, instead of when their leases end: for whoever knows that
    no other process runs lanes, so that those who leased them are dead."""
    await database.run(_INHERIT)


async def release(tx: Transaction, claim: Claim) -> None:
    """Give the lane back; it is due when the first thing that waits in it is ready."""
    row = await tx.fetch_one(_RELEASE, lane=claim.lane)
    if row and row["due_in"] is not None and row["due_in"] < SOON:
        await tx.announce(claim.lane, after=max(0.0, row["due_in"]))


async def make_due(tx: Transaction, lane: str, *, via: str = "", after: float = 0.0) -> Row:
    """Have someone look at the lane `after` seconds from now; makes it if it is new.

    A new lane's fence begins with the time, in milliseconds, not with 0: where there was one of the
    same name, whoever still holds a claim on that holds none on this.

    It also locks the lane, so that the order of commits is the order of what is stored in it next.
    `via` names the adapter that replies go out by from now on; empty leaves it.

    Returns:
        What is known of the person there: `reachable`, `opted_out`, `held` and `question` as in
        the table, `awaits` as well, and for how many seconds nothing was heard (`silence`).
    """
    row = await tx.fetch_one(_MAKE_DUE, lane=lane, via=via, after=after)
    if row is None:
        raise RuntimeError("an upsert gave no row")
    return row


_CLAIM = """
WITH due AS MATERIALIZED (
    SELECT id FROM lane
    WHERE due_at <= {now} AND via IN ({vias}) AND (owner IS NULL OR owner <> :owner)
    ORDER BY due_at LIMIT :limit {skip_locked}
)
UPDATE lane SET owner = :owner, fence = fence + 1, due_at = {now} + :lease
WHERE id IN (SELECT id FROM due)
RETURNING id, fence, via, moved_to
"""

_INHERIT = """
UPDATE lane SET due_at = {now} WHERE owner IS NOT NULL RETURNING id
"""

_RENEW = """
UPDATE lane SET due_at = {now} + :lease WHERE owner = :owner RETURNING id, fence, via, moved_to
"""

_HOLD = """
SELECT thread FROM lane WHERE id = :lane AND fence = :fence AND owner = :owner {for_update}
"""

FIRST_UPDATE: Final = """
state = 'pending' AND (turn IS NULL OR turn = seq)
ORDER BY express DESC, CASE WHEN aside = 1 AND ready_at > {now} THEN ready_at ELSE 0 END, seq
LIMIT 1
"""
"""The end of a query for the update of a lane that comes next: what never waits, then the oldest,
but one whose turn waits for its next try lets the others go first. Updates that another's turn has
taken are not looked at."""

_RELEASE = f"""
UPDATE lane SET owner = NULL, due_at = (
    SELECT min(at) FROM (
        SELECT * FROM (
            SELECT ready_at AS at FROM inbox WHERE lane = :lane AND {FIRST_UPDATE}
        ) AS incoming
        UNION ALL
        SELECT * FROM (
            SELECT due_at AS at FROM outbox
            WHERE lane = :lane AND state IN ('pending', 'attempting')
            ORDER BY ahead DESC, id LIMIT 1
        ) AS outgoing
    ) AS work
)
WHERE id = :lane
RETURNING due_at - {{now}} AS due_in
"""  # noqa: S608 (made of constants)

_MAKE_DUE = """
INSERT INTO lane (id, via, due_at, fence)
VALUES (:lane, :via, {now} + :after, CAST({now} * 1000 AS BIGINT))
ON CONFLICT (id) DO UPDATE SET
    via = CASE WHEN excluded.via = '' THEN lane.via ELSE excluded.via END,
    due_at = CASE
        WHEN lane.owner IS NOT NULL THEN lane.due_at
        WHEN lane.due_at < excluded.due_at THEN lane.due_at
        ELSE excluded.due_at
    END
RETURNING reachable, opted_out, held, question, awaits, {now} - heard_at AS silence
"""

"""The inbox: each update is stored once, its lane is made due, and only then is it acknowledged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import structlog

from bot.contracts import Database, Row, Transaction
from bot.errors import Busy, LeaseLost
from bot.gateway.commands import read_command
from bot.gateway.lanes import Claim, hold, make_due, release
from bot.messages import Decided, Reachable, Said, Tapped, Update, decode, encode

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Pending:
    """An update that is ready to be handled."""

    seq: int
    update: Update
    attempts: int = 0
    """How often its turn was begun before."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a lane has to do now."""

    pending: Pending | None
    mail: bool
    """Deliveries are due."""


class Inbox:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def store(self, updates: Sequence[Update]) -> list[int | None]:
        """Store them, durably when this returns.

        Returns:
            For each update its number, by which its turn is named; None for a duplicate. An update
            is a duplicate if its lane has one with the same delivery key or message key.
        """
        order = sorted(range(len(updates)), key=lambda index: updates[index].lane)

        async def work(tx: Transaction) -> list[int | None]:
            numbers: dict[int, int | None] = {
                index: await _store_one(tx, updates[index]) for index in order
            }
            return [numbers[index] for index in range(len(updates))]

        return await self._database.write(work)

    async def store_if_idle(self, update: Update) -> int:
        """Store it unless its lane has a turn running or waiting; its number.

        The lane's row is locked meanwhile, so of two at the same moment one is refused. What never
        waits (a command such as /stop) is stored all the same.

        Raises:
            Busy: the lane has an unfinished turn.
        """

        async def work(tx: Transaction) -> int:
            await make_due(tx, update.lane, via=update.via)
            known = await tx.fetch_one(_KNOWN, lane=update.lane, key=update.message_key)
            if known is not None:  # by an earlier run of this work, whose commit was not seen
                return int(known["seq"])
            if not is_express(update) and await tx.fetch_one(_UNFINISHED, lane=update.lane):
                raise Busy("A turn is running in this session. Wait for its end, or send /stop.")
            number = await _store_one(tx, update)
            if number is None:
                raise Busy("This message was sent already.")
            return number

        return await self._database.write(work)

    async def next_or_release(self, claim: Claim) -> Waiting | None:
        """What the lane has to do now; None: nothing, and it is given back. Raises `LeaseLost`."""

        async def work(tx: Transaction) -> Waiting | None:
            row = await tx.fetch_one(_NEXT, lane=claim.lane, fence=claim.fence, owner=claim.owner)
            if row is None:
                raise LeaseLost(claim.lane)
            mail = row["mail_in"] is not None and row["mail_in"] <= 0
            ready = row["ready_in"] is not None and row["ready_in"] <= 0
            if ready or mail:
                return Waiting(await _readable(tx, row) if ready else None, mail)
            await release(tx, claim)
            return None

        return await self._database.write(work)

    async def urgent_lanes(self) -> list[str]:
        """Lanes in which something waits that never waits: its announcement may have been lost."""

        async def work(tx: Transaction) -> list[str]:
            return [row["lane"] for row in await tx.fetch(_URGENT)]

        return await self._database.read(work)

    async def next_express(self, claim: Claim) -> Pending | None:
        """The first update that never waits. Raises `LeaseLost`."""

        async def work(tx: Transaction) -> Pending | None:
            await hold(tx, claim)
            while row := await tx.fetch_one(_NEXT_EXPRESS, lane=claim.lane):
                if pending := await _readable(tx, row):
                    return pending
            return None

        return await self._database.write(work)


async def _readable(tx: Transaction, row: Row) -> Pending | None:
    """The update; one that this version cannot read is dead, and blocks nothing behind it."""
    try:
        return Pending(row["seq"], decode(row["body"], Update), row["attempts"])
    except msgspec.DecodeError:
        log.exception("update_unreadable", seq=row["seq"])
        await tx.execute("UPDATE inbox SET state = 'dead' WHERE seq = :seq", seq=row["seq"])
        return None


async def _store_one(tx: Transaction, update: Update) -> int | None:
    reachable = _shows_reachable(update)
    await make_due(tx, update.lane, via=update.via, reachable=reachable)
    row = await tx.fetch_one(
        _STORE,
        lane=update.lane,
        delivery_key=update.delivery_key,
        message_key=update.message_key,
        body=encode(update),
        express=int(is_express(update)),
    )
    if row is None:
        return None
    await tx.announce(update.lane, urgent=is_express(update))
    return int(row["seq"])


def is_express(update: Update) -> bool:
    """Whether it is handled at once, beside a running turn, rather than after it."""
    match update.content:
        case Tapped() | Decided() | Reachable():
            return True
        case Said(text=text):
            command = read_command(text)
            return command is not None and command.express
        case _:
            return False


def _shows_reachable(update: Update) -> bool:
    """Whoever writes can be written to, whatever was the case before."""
    return not isinstance(update.content, Reachable) or update.content.yes


_STORE = """
INSERT INTO inbox (lane, delivery_key, message_key, body, express, ready_at, stored_at)
VALUES (:lane, :delivery_key, :message_key, :body, :express, {now}, {now})
ON CONFLICT DO NOTHING
RETURNING seq
"""

_KNOWN = """
SELECT seq FROM inbox WHERE lane = :lane AND message_key = :key
"""

_URGENT = """
SELECT DISTINCT lane FROM inbox WHERE state = 'pending' AND express = 1
"""

_UNFINISHED = """
SELECT seq FROM inbox WHERE lane = :lane AND state = 'pending' AND express = 0 LIMIT 1
"""

_NEXT = """
SELECT inbox.seq, inbox.body, inbox.ready_at - {now} AS ready_in, outbox.due_at - {now} AS mail_in,
    coalesce(turn.attempts, 0) AS attempts
FROM lane
LEFT JOIN inbox ON inbox.seq = (
    SELECT seq FROM inbox WHERE lane = :lane AND state = 'pending'
    ORDER BY express DESC, seq LIMIT 1
)
LEFT JOIN outbox ON outbox.id = (
    SELECT id FROM outbox WHERE lane = :lane AND state IN ('pending', 'attempting')
    ORDER BY id LIMIT 1
)
LEFT JOIN turn ON turn.lane = :lane AND turn.id = inbox.seq
WHERE lane.id = :lane AND lane.fence = :fence AND lane.owner = :owner
{lock_lane}
"""

_NEXT_EXPRESS = """
SELECT seq, body, 0 AS attempts FROM inbox
WHERE lane = :lane AND state = 'pending' AND express = 1 ORDER BY seq LIMIT 1
"""

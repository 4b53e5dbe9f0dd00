"""What wakes the agent by itself: the end of a command in the background, or that of its process.

That a command runs is kept in the database and renewed while it does. Where nobody renews it any
more its process is gone, and the command with it: any other process that looks tells that too.
"""

from __future__ import annotations

import secrets
from typing import Final

import msgspec
import structlog

from bot.contracts import Database, Outcome, Row, Transaction
from bot.gateway.receiving.inbox import Inbox
from bot.messages import Update, Woken, decode
from bot.rounds import Rounds
from bot.sandbox import BackgroundEnd, BackgroundStart, describe

LOOK_EVERY: Final = 15.0
"""Seconds between two looks."""
LOST_AFTER: Final = 60.0
"""Seconds after which a command that nobody has renewed is lost."""
_LOST: Final = Outcome("", None, "lost", 0.0)
log = structlog.get_logger()


class Waking:
    """Puts what has happened into the inbox of its lane, where it begins a turn of its own."""

    def __init__(self, database: Database, inbox: Inbox, *, lost_after: float = LOST_AFTER) -> None:
        self._database = database
        self._inbox = inbox
        self._lost_after = lost_after
        self._owner = secrets.token_hex(8)
        self.rounds = Rounds("waking", self._go_round, after_failure=LOOK_EVERY)

    async def note_start(self, start: BackgroundStart) -> None:
        """A command runs in the background of this process; whoever ran it before does no more."""
        await self._database.run(
            _NOTE,
            key=start.key,
            lane=start.lane,
            id=start.id,
            owner=self._owner,
            lost_after=self._lost_after,
        )

    async def tell_end(self, end: BackgroundEnd) -> None:
        """A command in the background has ended: once told, however often it is. One that was lost
        may have been started again, or come back: then its end is told as well."""

        async def work(tx: Transaction) -> None:
            await tx.execute("DELETE FROM background WHERE key = :key", key=end.key)
            row = await tx.fetch_one(_STARTED_BY, lane=end.lane, key=end.key)
            if row is None:
                log.warning("background_end_untold", lane=end.lane, id=end.id)
                return
            words = f"The background command {end.id} has ended.\n{describe(end.outcome)}"
            key = f"{'lost' if end.outcome is _LOST else 'background'}:{end.key}"
            woken = msgspec.structs.replace(
                decode(row["body"], Update),
                delivery_key=key,
                message_key=key,
                content=Woken(words),
            )
            await self._inbox.put(tx, woken)

        await self._database.write(work)

    async def look(self) -> int:
        """Renew what runs here, and tell what is lost elsewhere; how many that was."""
        await self._database.run(_RENEW, owner=self._owner, lost_after=self._lost_after)
        lost = await self._database.read(_find_lost)
        for row in lost:
            log.warning("background_lost", lane=row["lane"], id=row["id"])
            await self.tell_end(BackgroundEnd(row["id"], row["lane"], row["key"], "", _LOST))
        return len(lost)

    async def _go_round(self) -> float:
        await self.look()
        return LOOK_EVERY


async def _find_lost(tx: Transaction) -> list[Row]:
    return await tx.fetch(_LOST_NOW)


_NOTE = """
INSERT INTO background (key, lane, id, owner, lost_at)
VALUES (:key, :lane, :id, :owner, {now} + :lost_after)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, lost_at = excluded.lost_at
RETURNING key
"""

_RENEW = """
UPDATE background SET lost_at = {now} + :lost_after WHERE owner = :owner RETURNING key
"""

_LOST_NOW = """
SELECT key, lane, id FROM background WHERE lost_at <= {now} ORDER BY lost_at
"""

_STARTED_BY = """
SELECT inbox.body FROM inbox JOIN turn ON turn.lane = inbox.lane AND turn.id = inbox.seq
WHERE inbox.lane = :lane AND turn.account IS NOT NULL
    AND CAST(:key AS TEXT) LIKE turn.lane || '/' || turn.id || '/%'
ORDER BY inbox.seq DESC LIMIT 1
"""

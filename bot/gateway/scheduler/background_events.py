"""Tell lanes that their background commands have ended, also those that were lost."""

from __future__ import annotations

import secrets
from typing import Final

import msgspec
import structlog

from bot.contracts.services import CommandResult
from bot.contracts.storage import Database, Transaction
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.scheduler.scheduler import DueWork
from bot.messages.incoming import Update, Woken
from bot.messages.value import decode
from bot.sandbox.background import BackgroundEnd, BackgroundStart
from bot.sandbox.command_run import describe_result

_RENEW_EVERY: Final = 15.0
"""Seconds between two notes that the commands of this process still run."""
LOST_AFTER: Final = 60.0
"""Seconds after which a command that was not renewed counts as lost."""
_LOST: Final = CommandResult("", None, "lost", 0.0)
log = structlog.get_logger()


class BackgroundEvents:
    """Puts the end of a background command into the inbox of its lane, where it begins a turn."""

    def __init__(self, database: Database, inbox: Inbox, *, lost_after: float = LOST_AFTER) -> None:
        self._database = database
        self._inbox = inbox
        self._lost_after = lost_after
        self._owner = secrets.token_hex(8)
        self._runs_here: set[str] = set()
        """Keys of the commands that run in this process."""
        self.works = (
            DueWork("lost", self.tell_lost, due=FIRST_LOST, pause=_RENEW_EVERY),
            DueWork("renew", self.renew, pause=_RENEW_EVERY),
        )

    async def note_start(self, start: BackgroundStart) -> None:
        """Store that a command runs in the background of this process, and in no other."""
        self._runs_here.add(start.key)
        await self._database.run(
            _NOTE,
            key=start.key,
            lane=start.lane,
            id=start.id,
            owner=self._owner,
            lost_after=self._lost_after,
        )

    async def tell_end(self, end: BackgroundEnd) -> None:
        """Tell the lane that a background command has ended, once however often this is called.

        A lost command may have been started again, or come back: then its end is reported as well.
        """

        self._runs_here.discard(end.key)

        async def work(tx: Transaction) -> None:
            await tx.execute("DELETE FROM background WHERE key = :key", key=end.key)
            row = await tx.fetch_one(_STARTED_BY, lane=end.lane, key=end.key)
            if row is None:
                log.warning("background_end_untold", lane=end.lane, id=end.id)
                return
            words = f"The background command {end.id} has ended.\n{describe_result(end.outcome)}"
            key = f"{'lost' if end.outcome is _LOST else 'background'}:{end.key}"
            woken = msgspec.structs.replace(
                decode(row["body"], Update),
                delivery_key=key,
                message_key=key,
                content=Woken(words),
            )
            await self._inbox.put(tx, woken)

        await self._database.write(work)

    async def renew(self) -> None:
        """Note that the commands of this process still run."""
        if self._runs_here:
            await self._database.run(_RENEW, owner=self._owner, lost_after=self._lost_after)

    async def tell_lost(self) -> int:
        """Tell lanes of commands that were lost in other processes; return how many."""
        await self.renew()  # this process may have slept
        lost = await self._database.read(lambda tx: tx.fetch(_LOST_NOW))
        for row in lost:
            log.warning("background_lost", lane=row["lane"], id=row["id"])
            await self.tell_end(BackgroundEnd(row["id"], row["lane"], row["key"], "", _LOST))
        return len(lost)


_NOTE = """
INSERT INTO background (key, lane, id, owner, lost_at)
VALUES (:key, :lane, :id, :owner, {now} + :lost_after)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, lost_at = excluded.lost_at
RETURNING key
"""

_RENEW = """
UPDATE background SET lost_at = {now} + :lost_after WHERE owner = :owner RETURNING key
"""

FIRST_LOST = "SELECT min(lost_at) FROM background"

_LOST_NOW = """
SELECT key, lane, id FROM background WHERE lost_at <= {now} ORDER BY lost_at
"""

_STARTED_BY = """
SELECT inbox.body FROM inbox JOIN turn ON turn.lane = inbox.lane AND turn.id = inbox.seq
WHERE inbox.lane = :lane AND turn.account IS NOT NULL
    AND CAST(:key AS TEXT) LIKE turn.lane || '/' || turn.id || '/%'
ORDER BY inbox.seq DESC LIMIT 1
"""

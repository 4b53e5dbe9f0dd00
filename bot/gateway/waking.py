"""What wakes the agent by itself: the end of a command in the background."""

from __future__ import annotations

import msgspec
import structlog

from bot.contracts import Database, Transaction
from bot.gateway.receiving.inbox import Inbox
from bot.messages import Update, Woken, decode
from bot.sandbox import BackgroundEnd, describe

log = structlog.get_logger()


class Waking:
    """Puts what has happened into the inbox of its lane, where it begins a turn of its own."""

    def __init__(self, database: Database, inbox: Inbox) -> None:
        self._database = database
        self._inbox = inbox

    async def tell_end(self, end: BackgroundEnd) -> None:
        """A command in the background has ended: once told, however often it is."""

        async def work(tx: Transaction) -> None:
            row = await tx.fetch_one(_STARTED_BY, lane=end.lane, key=end.key)
            if row is None:
                log.warning("background_end_untold", lane=end.lane, id=end.id)
                return
            words = f"The background command {end.id} has ended.\n{describe(end.outcome)}"
            key = f"background:{end.key}"
            woken = msgspec.structs.replace(
                decode(row["body"], Update),
                delivery_key=key,
                message_key=key,
                content=Woken(words),
            )
            await self._inbox.put(tx, woken)

        await self._database.write(work)


_STARTED_BY = """
SELECT inbox.body FROM inbox JOIN turn ON turn.lane = inbox.lane AND turn.id = inbox.seq
WHERE inbox.lane = :lane AND turn.account IS NOT NULL
    AND CAST(:key AS TEXT) LIKE turn.lane || '/' || turn.id || '/%'
ORDER BY inbox.seq DESC LIMIT 1
"""

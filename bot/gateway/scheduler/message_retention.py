"""Delete messages older than `MESSAGE_RETENTION_DAYS`, with the turns that answered them.

Updates are numbered in the order in which they are stored, so the oldest are found by the table's
key. What people learned, bought and keep in their library stays, and so does the summary of a
conversation that goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from bot.contracts.storage import Database, Row, Transaction
from bot.files.store import FileStore
from bot.gateway.jobs import is_job
from bot.gateway.people.erasure import delete_conversation, delete_old_turns
from bot.gateway.scheduler.scheduler import DueWork
from bot.messages.channels import EMAIL

_HOUR: Final = 3600.0
_DAY: Final = 86_400.0
_BATCH: Final = 500
"""Updates that are looked at in one query."""
_BETWEEN: Final = 0.05
"""Seconds between two batches, so that other queries can run."""
log = structlog.get_logger()


class MessageRetention:
    """Deletes old messages once an hour.

    Args:
        files: the store whose files of guests are deleted along with their messages.
        days: the age from which messages are deleted; 0: never.
    """

    def __init__(self, database: Database, files: FileStore, days: int) -> None:
        self._database = database
        self._files = files
        self._age = days * _DAY
        self.works = (DueWork("retention", self.delete_old, pause=_HOUR),) if days else ()

    async def delete_old(self) -> int:
        """Delete what is old in every conversation; return in how many there was something."""
        done: set[str] = set()
        changed = after = 0
        while rows := await self._database.read(
            lambda tx, after=after: list_oldest(tx, after, self._age)
        ):
            lanes = sorted({row["lane"] for row in rows if row["is_old"]} - done)
            for lane in lanes:
                changed += await self._delete_old_in(lane)
            done |= set(lanes)
            if not rows[-1]["is_old"]:
                break
            after = rows[-1]["seq"]
            await asyncio.sleep(_BETWEEN)
        if changed:
            log.info("old_messages_deleted", lanes=changed)
        return changed

    async def _delete_old_in(self, lane: str) -> bool:
        """Delete what is old in a conversation, and files that came with it from guests."""
        await self._files.clear_old_of_guests(f"{lane}/", self._age)
        return await self._database.write(lambda tx: _delete_old(tx, lane, self._age))


async def list_oldest(tx: Transaction, after: int, age: float) -> Sequence[Row]:
    """Return the next updates after this number: `seq`, `lane` and `is_old`, which is 1 if the
    update was stored more than `age` seconds ago."""
    return await tx.fetch(_OLDEST, after=after, age=age, most=_BATCH)


async def _delete_old(tx: Transaction, lane: str, age: float) -> bool:
    """Delete the turns up to the first that is not old or has not ended, and with the last one the
    lane of a job or an e-mail. Return whether there were such turns."""
    if await tx.fetch_one("SELECT id FROM lane WHERE id = :lane {for_update}", lane=lane) is None:
        return False
    first = await tx.fetch_one(_FIRST_KEPT, lane=lane, age=age)
    if first is None and (is_job(lane) or lane.startswith(f"{EMAIL}:")):
        await delete_conversation(tx, lane)
        return True
    return await delete_old_turns(tx, lane, before=first["seq"] if first else None)


_OLDEST = """
SELECT seq, lane, CASE WHEN stored_at < {now} - :age THEN 1 ELSE 0 END AS is_old
FROM inbox WHERE seq > :after ORDER BY seq LIMIT :most
"""

_FIRST_KEPT = """
SELECT seq FROM inbox
WHERE lane = :lane AND (
    state = 'pending' OR stored_at >= {now} - :age OR ready_at >= {now} - :age
    OR EXISTS (
        SELECT 1 FROM outbox
        WHERE outbox.lane = :lane AND outbox.turn = coalesce(inbox.turn, inbox.seq) AND (
            created_at >= {now} - :age
            OR outbox.state IN ('pending', 'attempting', 'waiting_for_window', 'waiting_for_sender')
        )
    )
)
ORDER BY seq LIMIT 1
"""

"""Delete what is kept for a limited time only."""

from __future__ import annotations

from typing import Final

import structlog

from bot.accounts.personal_ids import forget_old_marks
from bot.contracts.storage import Database, Transaction
from bot.files.store import FileStore
from bot.gateway.inbound.unreadable import forget_old_unreadable
from bot.gateway.people.erasure import (
    delete_after_last_message,
    forget_old_receipts,
    list_last_messages,
)
from bot.gateway.scheduler.scheduler import DueWork
from bot.storage.buttons import forget_old_buttons

_HOUR: Final = 3600.0
_LOOK_AGAIN: Final = 5.0
"""Seconds between two looks at whether an erased person's last message is delivered."""
log = structlog.get_logger()


class Cleanup:
    """Deletes conversations of erased people, and rows and files that have expired.

    Args:
        files: the store whose old temporary files are deleted.
    """

    def __init__(self, database: Database, files: FileStore) -> None:
        self._database = database
        self._files = files
        self.works = (
            DueWork("sweep", self.sweep, due=_FIRST_ERASED, pause=_LOOK_AGAIN),
            DueWork("forget", self.forget, pause=_HOUR),
        )

    async def sweep(self) -> int:
        """Delete the conversations of erased people that are due; return how many."""
        lanes = await self._database.read(list_last_messages)
        swept = 0
        for lane in lanes:
            swept += await self._database.write(
                lambda tx, lane=lane: delete_after_last_message(tx, lane)
            )
        if swept:
            await self._database.scrub()
            log.info("erased_lanes_swept", lanes=swept)
        return swept

    async def forget(self) -> None:
        """Delete marks and reports older than a day, buttons that no longer work, unreadable
        messages older than a month, and old temporary files."""
        await self._database.write(_forget_marks)
        await self._files.clear_temporary()


async def _forget_marks(tx: Transaction) -> None:
    await forget_old_marks(tx)
    await forget_old_receipts(tx)
    await forget_old_buttons(tx)
    await forget_old_unreadable(tx)


_FIRST_ERASED = "SELECT min(person_wrote_at) FROM lane WHERE erased = 1"
"""The time itself does not matter: it is in the past if there is such a lane."""

"""What is left of erased people once their last word is delivered, and is kept no longer.

Every process that runs lanes looks now and then; whoever finds something deletes it, once.
"""

from __future__ import annotations

import itertools
from typing import Final

import structlog

from bot.accounts.traces import forget_old_marks
from bot.contracts import Database, Transaction
from bot.gateway.remains import forget_old_receipts, list_farewells, sweep_farewell
from bot.library.files import Files
from bot.rounds import Rounds
from bot.storage.buttons import forget_old_buttons

LOOK_EVERY: Final = 5.0
"""Seconds between two looks."""
_ROUNDS: Final = 720
"""Looks between two at what is kept for a day: whole tables are gone through for it."""
log = structlog.get_logger()


class Sweeper:
    """Deletes conversations of erased people, and marks and buttons that have served their time.

    Args:
        files: those that were passing are deleted when they are old; None: left alone.
    """

    def __init__(self, database: Database, files: Files | None = None) -> None:
        self._database = database
        self._files = files
        self._numbers = itertools.count()
        self.rounds = Rounds("sweeping", self._go_round, after_failure=LOOK_EVERY)

    async def sweep(self) -> int:
        """Delete what is due; how many conversations."""
        lanes = await self._database.read(list_farewells)
        swept = 0
        for lane in lanes:
            swept += await self._database.write(lambda tx, lane=lane: sweep_farewell(tx, lane))
        if swept:
            await self._database.scrub()
        return swept

    async def forget_marks(self) -> None:
        """Delete what was kept for a day, and is older; and buttons that no longer work."""
        await self._database.write(_forget_marks)

    async def _go_round(self) -> float:
        if swept := await self.sweep():
            log.info("erased_lanes_swept", lanes=swept)
        if next(self._numbers) % _ROUNDS == 0:
            await self.forget_marks()
            if self._files is not None:
                await self._files.clear_passing()
        return LOOK_EVERY


async def _forget_marks(tx: Transaction) -> None:
    await forget_old_marks(tx)
    await forget_old_receipts(tx)
    await forget_old_buttons(tx)

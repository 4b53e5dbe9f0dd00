"""Try senders again that a provider has restricted, with one delivery first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from bot.contracts.storage import Database, Transaction
from bot.gateway.lanes import wake_lane
from bot.gateway.outbox_rows import (
    find_oldest_held,
    hasten_delayed,
    list_delayed_lanes,
    list_released_lanes,
    release_held,
    release_trial,
)
from bot.gateway.scheduler.scheduler import DueWork
from bot.gateway.sender_restrictions import NEXT_STEP, end_trusted, list_due_trials

_AT_ONCE: Final = 100
"""Conversations that are released in one transaction."""
_PAUSE: Final = 5.0
"""Seconds within which a trial has to begin, else another delivery is released for it."""
log = structlog.get_logger()


class RestrictedSenders:
    """Releases deliveries that wait because their sender is restricted."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.work = DueWork("held", self.go_on, due=NEXT_STEP, pause=_PAUSE)

    async def go_on(self) -> None:
        """End the restrictions whose trial was taken, release the deliveries that waited for these
        senders, begin the trials that are due, and have deliveries wait too that were to be tried
        again later."""
        for via in await self._database.write(end_trusted):
            log.info("sender_works_again", via=via)
        released = _AT_ONCE
        while released == _AT_ONCE:
            released = await self._database.write(_release_some)
        await self._database.write(_make_trials)
        hastened = _AT_ONCE
        while hastened == _AT_ONCE:
            hastened = await self._database.write(_hasten_some)


async def _release_some(tx: Transaction) -> int:
    """Release the deliveries of some conversations; return of how many."""
    return await _wake_lanes(tx, await list_released_lanes(tx, _AT_ONCE), release_held)


async def _hasten_some(tx: Transaction) -> int:
    """Have the deliveries of some conversations wait that a restricted sender would try again
    later; return of how many."""
    return await _wake_lanes(tx, await list_delayed_lanes(tx, _AT_ONCE), hasten_delayed)


async def _wake_lanes(
    tx: Transaction, lanes: Sequence[str], change: Callable[[Transaction, str], Awaitable[None]]
) -> int:
    """Change the deliveries of these lanes, and have workers look at them; return how many."""
    for lane in lanes:
        await wake_lane(tx, lane)
        await change(tx, lane)
        await tx.announce(lane)
    return len(lanes)


async def _make_trials(tx: Transaction) -> None:
    """Release one delivery of each sender that may be tried."""
    for via in await list_due_trials(tx):
        if row := await find_oldest_held(tx, via):
            await wake_lane(tx, row["lane"])
            await release_trial(tx, row["id"])
            await tx.announce(row["lane"])

"""Looking for payments that nobody has told us of, so that a lost callback loses no money."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from bot.accounts.cashier import AT_ONCE, Cashier

LOOK_EVERY: Final = 1.0
"""Seconds between two looks at which purchases are due to be asked for."""
log = structlog.get_logger()


class Reconciling:
    """Every process that runs lanes looks; what one has taken to ask for, no other takes."""

    def __init__(self, cashier: Cashier, look_every: float = LOOK_EVERY) -> None:
        self._cashier = cashier
        self._look_every = look_every
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._looking = asyncio.create_task(self._look(), name="reconciling")

    async def stop(self) -> None:
        if self._looking:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look(self) -> None:
        while True:
            asked = 0
            try:
                asked = await self._cashier.ask_due()
            except Exception:
                log.exception("reconciling_failed")
            if asked < AT_ONCE:
                await asyncio.sleep(self._look_every)

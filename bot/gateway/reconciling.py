"""Looking for payments that nobody has told us of, so that a lost callback loses no money."""

from __future__ import annotations

from typing import Final

from bot.accounts.cashier import AT_ONCE, Cashier
from bot.rounds import Rounds

LOOK_EVERY: Final = 1.0
"""Seconds between two looks at which purchases are due to be asked for."""


class Reconciling:
    """Every process that runs lanes looks; what one has taken to ask for, no other takes."""

    def __init__(self, cashier: Cashier, look_every: float = LOOK_EVERY) -> None:
        self._cashier = cashier
        self._look_every = look_every
        self.rounds = Rounds("reconciling", self._go_round, after_failure=look_every)

    async def _go_round(self) -> float:
        asked = await self._cashier.ask_due()
        return self._look_every if asked < AT_ONCE else 0.0

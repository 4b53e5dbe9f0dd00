"""What becomes of an update whose handling failed: tried again later, or given up aloud."""

from __future__ import annotations

from bot.contracts import Transaction
from bot.errors import ModelRefused
from bot.events import End, Failure, UsageReport
from bot.gateway.background import Background
from bot.gateway.lanes import Claim
from bot.gateway.parts import Parts
from bot.gateway.receiving.inbox import Pending
from bot.gateway.turns.closing import bury, postpone
from bot.gateway.turns.live import Live
from bot.gateway.turns.opening import MAX_ATTEMPTS, TriedTooOften
from bot.messages import Say
from bot.texts import best_language, say

_PAUSES = (1.0, 4.0, 16.0, 60.0)
"""Seconds before the second, third, fourth and fifth attempt."""
_HURRY = 0.25
"""The same, as a share, where someone watches the stream."""


class Failures:
    def __init__(self, parts: Parts, background: Background) -> None:
        self._parts = parts
        self._background = background

    async def fail(
        self, claim: Claim, pending: Pending, live: Live, error: Exception, attempt: int
    ) -> None:
        """Try again after a pause; give up when that cannot help, or was done often enough.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        cause = f"{type(error).__name__}: {error}"
        if isinstance(error, ModelRefused | TriedTooOften) or attempt >= MAX_ATTEMPTS:
            await self.give_up(claim, pending, live, cause)
            return
        pause = _PAUSES[min(attempt, len(_PAUSES)) - 1]
        if self._parts.adapter_of(pending.update).capabilities.streams:
            pause *= _HURRY

        async def work(tx: Transaction) -> None:
            await postpone(tx, claim, pending.seq, seconds=pause, error=cause, attempt=attempt)

        await self._parts.database.write(work)

    async def give_up(self, claim: Claim, pending: Pending, live: Live, cause: str) -> None:
        """Say so once in plain words, and keep the update for an operator to replay."""
        language = best_language(pending.update.sender.language)
        words = say(
            language,
            "Something went wrong on my side. Please send your message again; this one is free.",
        )
        update, sorry = pending.update, [Say(words)]
        composed = self._parts.posting.compose(sorry, self._parts.adapter_of(update), language)

        async def work(tx: Transaction) -> None:
            await bury(tx, claim, pending, composed, error=cause)
            await self._background.bring_home(tx, update, None, sorry, sign=":failed")

        await self._parts.database.write(work)
        live.emit(Failure("turn_failed", words))
        live.emit(UsageReport(0, 0, 0.0, 0))
        live.emit(End("failed"))
        self._parts.metrics.turns("failed").inc()

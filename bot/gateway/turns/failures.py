"""What becomes of an update whose handling failed: tried again later, or given up aloud."""

from __future__ import annotations

import structlog

from bot.contracts import Transaction
from bot.errors import GriotError, ModelRefused, ModelUnavailable
from bot.events import End, Failure, UsageReport
from bot.gateway.background import Background
from bot.gateway.jobs import is_job
from bot.gateway.lanes import SOON, Claim
from bot.gateway.parts import Parts
from bot.gateway.receiving.inbox import Pending
from bot.gateway.turns.closing import bury, postpone
from bot.gateway.turns.live import Live
from bot.gateway.turns.opening import MAX_FAILURES, TriedTooOften, time_limit
from bot.messages import Say
from bot.texts import best_language, say

_PAUSES = (1.0, 4.0, 12.0, 30.0)
"""Seconds before the second, third, fourth and fifth try."""
_HURRY = 0.25
"""The same, as a share, where someone watches the stream."""
_LEAST = 5.0
"""Seconds that must be left of the turn's time for another try to be worth it."""
log = structlog.get_logger()


class SetAside(GriotError):
    """The turn shows no sign of life, and others wait behind it: it is tried again after them."""


class Failures:
    def __init__(self, parts: Parts, background: Background) -> None:
        self._parts = parts
        self._background = background

    async def fail(
        self, claim: Claim, pending: Pending, live: Live, error: Exception, seconds: float
    ) -> None:
        """Try again after a pause; give up when that cannot help, or was done often enough.

        Args:
            seconds: that this try took.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        cause = f"{type(error).__name__}: {error}"
        pause = self._pause_before_next_try(pending, error, seconds)
        if pause is None:
            await self.give_up(claim, pending, live, cause)
            return
        used = seconds + pause

        async def work(tx: Transaction) -> None:
            await postpone(tx, claim, pending, pause=pause, seconds_used=used, error=cause)

        await self._parts.database.write(work)
        log.info("turn_postponed", pause=round(pause, 1), failures=pending.failures + 1)
        self._parts.metrics.turn_retries(type(error).__name__).inc()
        if pause > SOON:
            await live.tell_of_delay()

    def _pause_before_next_try(
        self, pending: Pending, error: Exception, seconds: float
    ) -> float | None:
        """Return for how many seconds to wait; None: another try cannot help, or there is no time
        left for one."""
        failures = pending.failures + 1
        if isinstance(error, ModelRefused | TriedTooOften) or failures >= MAX_FAILURES:
            return None
        pause = _PAUSES[min(failures, len(_PAUSES)) - 1]
        if self._parts.adapter_of(pending.update).capabilities.streams:
            pause *= _HURRY
        if isinstance(error, ModelUnavailable):
            pause = max(pause, error.after)
        if isinstance(error, SetAside):
            pause = max(pause, 2 * SOON)  # those behind it go first
        limit = time_limit(self._parts.settings, is_job=is_job(pending.update.lane))
        left = limit - pending.seconds_used - seconds - pause
        return pause if left > min(_LEAST, limit / 2) else None

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

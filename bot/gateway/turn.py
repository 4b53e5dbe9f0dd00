"""Updates to turns: who answers an update, and what becomes of it whatever happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import structlog

from bot.accounts import ledger
from bot.agent.loop import Loop
from bot.agent.turn import Turn
from bot.contracts import Adapter, Transaction
from bot.errors import LeaseLost, PersonError, StreamBroken
from bot.events import AgentPrep, End, EndReason, Failure, Start, UsageReport
from bot.gateway.closing import Ending, close
from bot.gateway.failures import Failures
from bot.gateway.inbox import Pending
from bot.gateway.journal import TurnJournal
from bot.gateway.lanes import Claim
from bot.gateway.live import Live
from bot.gateway.opening import DayLimitReached, Opened, Opening, TooFast
from bot.gateway.parts import Parts
from bot.gateway.replies import Replies
from bot.messages import Outgoing, Say
from bot.texts import say

log = structlog.get_logger()


class Stop:
    """A person's wish to cancel a turn. It takes effect only while the agent works."""

    def __init__(self) -> None:
        self.requested = False
        self._task: asyncio.Task[Any] | None = None

    def request(self) -> None:
        self.requested = True
        if self._task is not None:
            self._task.cancel()

    @contextmanager
    def heeded(self) -> Generator[None]:
        """While the block runs, a request cancels it."""
        if self.requested:
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        try:
            yield
        finally:
            self._task = None


@dataclass(slots=True)
class _Running:
    """A turn on its way, in this process."""

    claim: Claim
    pending: Pending
    adapter: Adapter
    live: Live
    attempt: int = 1


class Turns:
    """Runs the turns that need the agent loop."""

    def __init__(
        self, parts: Parts, opening: Opening, loop: Loop, replies: Replies, failures: Failures
    ) -> None:
        self._parts = parts
        self._failures = failures
        self._opening = opening
        self._loop = loop
        self._replies = replies

    async def run(self, claim: Claim, pending: Pending, stop: Stop) -> None:
        """Run the turn of this update to its end, or leave it to be tried again."""
        adapter = self._parts.adapters[claim.via]
        live = Live(self._parts.momentary, adapter, claim, pending.seq)
        running = _Running(claim, pending, adapter, live)
        structlog.contextvars.bind_contextvars(turn=pending.seq, lane=claim.lane)
        try:
            async with live:
                await self._run(running, stop)
        except LeaseLost:
            log.warning("lease_lost")
        except Exception as error:
            log.exception("turn_failed")
            await self._failures.fail(claim, pending, live, error, running.attempt)

    async def _run(self, running: _Running, stop: Stop) -> None:
        started = time.perf_counter()
        try:
            opened = await self._open(running)
        except PersonError as error:
            await self._turn_away(running, error)
            return
        running.attempt = opened.attempt
        running.live.emit(Start(running.claim.conversation, str(running.pending.seq)))
        prepared = time.perf_counter() - started
        running.live.emit(AgentPrep({"open": round(prepared * 1000, 1)}))
        self._parts.metrics.stage_seconds("prepare").observe(prepared)
        if opened.stopping:
            stop.request()
        turn = self._turn(running, opened)
        reason = await self._work(turn, stop)
        await self._close(running, turn, opened, reason)

    async def _open(self, running: _Running) -> Opened:
        async def work(tx: Transaction) -> Opened:
            return await self._opening.open(tx, running.claim, running.pending)

        return await self._parts.database.write(work)

    def _turn(self, running: _Running, opened: Opened) -> Turn:
        claim, seq = running.claim, running.pending.seq
        turn = Turn(
            id=seq,
            lane=claim.lane,
            person=opened.person,
            messages=opened.messages(),
            limits=opened.limits(self._parts.settings),
            journal=TurnJournal(self._parts.database, claim, seq, opened.record),
            emit=running.live.emit,
        )
        turn.recall(opened.record.steps)
        return turn

    async def _work(self, turn: Turn, stop: Stop) -> EndReason:
        """Run the loop; why it ended."""
        try:
            with stop.heeded():
                return await self._loop.run(turn)
        except StreamBroken as error:
            log.warning("stream_broken", error=str(error))
            words = say(
                turn.person.language, "My answer broke off. Please ask again; this one is free."
            )
            turn.say(words)
            turn.emit(Failure("stream_broken", words))
            return "failed"
        except asyncio.CancelledError:
            if not stop.requested:
                raise
            return "cancelled"

    async def _close(
        self, running: _Running, turn: Turn, opened: Opened, reason: EndReason
    ) -> None:
        outgoing = _what_to_say(turn)
        ending = Ending(
            reason,
            held=opened.held,
            cost=0 if turn.is_free or not turn.iterations else self._price(turn),
            bodies=self._parts.posting.compose(outgoing, running.adapter),
        )

        async def work(tx: Transaction) -> int:
            return await close(tx, running.claim, turn, ending)

        charged = await self._parts.database.write(work)
        for event in self._parts.posting.events(outgoing):
            turn.emit(event)
        usage = turn.usage
        turn.emit(UsageReport(usage.input_tokens, usage.output_tokens, usage.usd, charged))
        turn.emit(End(reason))
        self._count(turn, reason)

    def _price(self, turn: Turn) -> int:
        settings = self._parts.settings
        return ledger.price(
            turn.usage.usd,
            credits_per_usd=settings.credits_per_usd,
            least=settings.min_turn_credits,
        )

    async def _turn_away(self, running: _Running, error: PersonError) -> None:
        """It may not run: say why, run nothing, charge nothing."""
        running.live.emit(Start(running.claim.conversation, str(running.pending.seq)))
        words = "" if isinstance(error, TooFast) and not error.aloud else str(error)
        await self._replies.turn_away(running.claim, running.pending, words)
        running.live.emit(Failure(error.code, str(error)))
        running.live.emit(UsageReport(0, 0, 0.0, 0))
        running.live.emit(End("limit" if isinstance(error, DayLimitReached) else "failed"))
        self._parts.metrics.turns(error.code).inc()

    def _count(self, turn: Turn, reason: EndReason) -> None:
        metrics = self._parts.metrics
        metrics.turns(reason).inc()
        metrics.turn_seconds.observe(turn.limits.seconds - turn.seconds_left)
        for (kind, name), (calls, usage) in turn.spending.items():
            if kind == "model":
                metrics.model_calls(name, "answered").inc(calls)
                metrics.tokens(name, "input").inc(usage.input_tokens)
                metrics.tokens(name, "cached").inc(usage.cached_tokens)
                metrics.tokens(name, "output").inc(usage.output_tokens)
                metrics.usd(name).inc(usage.usd)


def _what_to_say(turn: Turn) -> list[Outgoing]:
    answer = turn.answer
    return [*([Say(answer, shown=True)] if answer else []), *turn.outgoing]

"""Work on one lane: its updates in order, its deliveries in order, urgent updates meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog

from bot.asyncio_tasks import cancel_tasks
from bot.contracts.storage import Transaction
from bot.errors import LeaseLost
from bot.gateway.commands.router import CommandRouter
from bot.gateway.delivery.sender import ConcurrentSender, DeliverySender, PreparedDelivery
from bot.gateway.inbound.inbox import ALONE_AFTER, Inbox, Pending, Waiting, next_or_release
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.turn_rows import note_workless
from bot.gateway.turns.run import TurnRunner
from bot.gateway.turns.state import Stop

_PATIENCE = 30.0
"""Seconds that a turn which has to run alone waits for the others to end."""
_LEAD_SECONDS = 0.1
"""Seconds for each process death beyond `ALONE_AFTER` that such a turn lets others go first."""
_FAILURE_PAUSE = 1.0
"""Seconds that a lane pauses after an unexpected error, so that it does not fail in a tight loop.
"""
log = structlog.get_logger()


class Isolation:
    """A lock under which one turn of this process runs while no other does.

    When a process dies, all turns that ran in it are suspects; run alone, a suspect takes no other
    turn with it. Turns that run together cost only a counter.
    """

    def __init__(self) -> None:
        self._running = 0
        self._alone = asyncio.Lock()
        self._changed = asyncio.Condition()

    @property
    def is_wanted(self) -> bool:
        """Whether a turn runs alone, or waits to."""
        return self._alone.locked()

    @asynccontextmanager
    async def together(self) -> AsyncGenerator[None]:
        """Run a turn at the same time as others, once none runs alone."""
        while self._alone.locked():
            async with self._alone:
                pass
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            if self._alone.locked():
                async with self._changed:
                    self._changed.notify_all()

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """Run a turn while no other runs; after `_PATIENCE` seconds even if others still run."""
        async with self._alone:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE), self._changed:
                    await self._changed.wait_for(lambda: not self._running)
            yield


@dataclass(frozen=True, slots=True)
class RunnerParts:
    """The services that a runner calls."""

    lanes: Lanes
    inbox: Inbox
    deliveries: DeliverySender
    turns: TurnRunner
    router: CommandRouter
    isolation: Isolation


class Runner:
    """Works on one claimed lane until nothing in it is due, then gives it back."""

    def __init__(self, claim: Claim, parts: RunnerParts) -> None:
        self.claim = claim
        self._parts = parts
        self._news = asyncio.Event()
        self._draining = False
        self._sender: ConcurrentSender | None = None
        self._mail_later = False

    def wake(self) -> None:
        """Have updates handled that bypass the queue, as one was stored in the lane."""
        self._news.set()

    def drain(self) -> None:
        """Take no more updates after the current one."""
        self._draining = True
        self._news.set()

    async def run(self) -> None:
        """Handle what is due, then release the lane. Ends early, without an error, if the lease is
        lost."""
        is_released = False
        try:
            await self._handle_all()
            is_released = True
        except LeaseLost:
            log.warning("lease_lost", lane=self.claim.lane)
        except Exception:
            log.exception("lane_failed", lane=self.claim.lane)
            await asyncio.sleep(_FAILURE_PAUSE)
        finally:
            if not is_released:
                await self._parts.lanes.release(self.claim, also=note_workless)

    async def _handle_all(self) -> None:
        waiting = await self._parts.inbox.next_or_release(self.claim)
        while waiting:
            if waiting.mail:
                due_in = await self._parts.deliveries.send_due(
                    self.claim, expected=not waiting.slot_taken
                )
                self._mail_later = due_in is not None
            if self._draining:
                await self._parts.lanes.release(self.claim)
                return
            if waiting.pending:
                prepared = await self._handle(waiting.pending)
                waiting = await self._send_due_and_find_next(prepared)
            else:
                waiting = await self._parts.inbox.next_or_release(self.claim)

    async def _send_due_and_find_next(self, prepared: PreparedDelivery | None) -> Waiting | None:
        """Send what was said, and return what the lane has to do next.

        That is looked up in the transaction that stores the last outcome, if there is one.
        """
        found: list[Waiting | None] = []

        async def look(tx: Transaction) -> None:
            found[:] = [await next_or_release(tx, self.claim)]

        due_in = await self._parts.deliveries.send_due(
            self.claim, expected=True, prepared=prepared, at_last=look
        )
        self._mail_later = due_in is not None
        if found:
            return found[0]
        return await self._parts.inbox.next_or_release(self.claim)

    async def _handle(self, pending: Pending) -> PreparedDelivery | None:
        """Handle an update; return the delivery marked to be sent first, if there is one."""
        respond = self._parts.router.find(pending.update)
        if respond is not None:
            await self._parts.router.answer(self.claim, pending, respond)
            return None
        stop, isolation = Stop(), self._parts.isolation
        is_suspect = pending.deaths >= ALONE_AFTER
        if is_suspect:
            log.warning("turn_runs_alone", turn=pending.seq, deaths=pending.deaths)
            await self._parts.turns.note_waits_alone(self.claim, pending)
            await asyncio.sleep(_LEAD_SECONDS * (pending.deaths - ALONE_AFTER))
        async with (
            isolation.alone() if is_suspect else isolation.together(),
            ConcurrentSender(self._parts.deliveries, self.claim) as sender,
        ):
            turn = asyncio.create_task(self._parts.turns.run(self.claim, pending, stop, sender))
            if self._mail_later:
                sender.send()
            try:
                while not turn.done():
                    await self._wait(turn, stop, sender)
            finally:
                if not turn.done():
                    await cancel_tasks([turn])
        return turn.result()

    async def _wait(self, turn: asyncio.Task[Any], stop: Stop, sender: ConcurrentSender) -> None:
        """Wait until the turn ends or the runner is woken, which handles urgent updates."""
        news = asyncio.create_task(self._news.wait())
        try:
            await asyncio.wait((turn, news), return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
        if self._news.is_set() and not turn.done():
            self._news.clear()
            await self._handle_express(stop, sender)

    async def _handle_express(self, stop: Stop, sender: ConcurrentSender) -> None:
        while pending := await self._parts.inbox.next_express(self.claim):
            respond = self._parts.router.find(pending.update)
            if respond is None:
                raise RuntimeError(f"update {pending.seq} bypasses the queue, but has no command")
            response = await self._parts.router.answer(self.claim, pending, respond)
            if response.stop:
                stop.request()
            sender.send()

"""Run commands in the background, one per lane, and report their start and end."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

import structlog

from bot.contracts.services import CommandResult
from bot.errors import ToolFailed
from bot.sandbox.command_run import CommandRun

log = structlog.get_logger()

SECONDS: Final = 600.0


@dataclass(frozen=True, slots=True)
class BackgroundStart:
    """A command runs in the background."""

    id: str
    lane: str
    key: str
    """The key that it was started with."""


@dataclass(frozen=True, slots=True)
class BackgroundEnd:
    """A command in the background has ended, or was stopped."""

    id: str
    lane: str
    key: str
    """The key that it was started with."""
    command: str
    outcome: CommandResult


OnStart = Callable[[BackgroundStart], Awaitable[None]]
OnEnd = Callable[[BackgroundEnd], Awaitable[None]]
Launch = Callable[[str, int], Awaitable[CommandRun]]
"""Starts a command in the slot with the given number."""


@dataclass(frozen=True, slots=True)
class _Job:
    id: str
    lane: str
    key: str
    command: str


class Background:
    """The background commands of one process.

    Args:
        slots: numbers of the slots that they may use.
    """

    def __init__(self, slots: list[int], launch: Launch, on_start: OnStart, on_end: OnEnd) -> None:
        self._free = slots
        self._launch = launch
        self._on_start = on_start
        self._on_end = on_end
        self._jobs: dict[str, _Job] = {}
        """By lane."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, command: str, *, lane: str, key: str) -> str:
        """Start a command and return its id, which is always the same for the same key.

        `on_start` is called once it runs, and `on_end` after that, even if it ends at once.

        Raises:
            ToolFailed: another one runs in the lane, too many run in all, or it does not start.
        """
        job = _Job(f"bg-{hashlib.sha256(key.encode()).hexdigest()[:8]}", lane, key, command)
        if (other := self._jobs.get(lane)) and other.key == key:
            return job.id
        with ExitStack() as unless_started:
            slot = self._take_slot(job)
            unless_started.callback(self._release_slot, job, slot)
            run = await self._launch(command, slot)
            noted = asyncio.Event()
            self._follow(job, slot, run, noted)
            unless_started.pop_all()
        try:
            await self._on_start(BackgroundStart(job.id, lane, key))
        finally:
            noted.set()
        return job.id

    async def close(self) -> None:
        """Wait until the end of each command that was stopped is reported."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _take_slot(self, job: _Job) -> int:
        if other := self._jobs.get(job.lane):
            raise ToolFailed(
                f"The background command {other.id} still runs in this conversation, and there can "
                "be only one. You will hear of its end; until then run short commands."
            )
        if not self._free:
            raise ToolFailed("Too many background commands run at present. Try again later.")
        self._jobs[job.lane] = job
        return self._free.pop()

    def _release_slot(self, job: _Job, slot: int) -> None:
        del self._jobs[job.lane]
        self._free.append(slot)

    def _follow(self, job: _Job, slot: int, run: CommandRun, noted: asyncio.Event) -> None:
        async def follow() -> None:
            try:
                outcome = await run.finish(SECONDS)
            finally:
                self._release_slot(job, slot)
            await noted.wait()
            log.info("background_ended", lane=job.lane, id=job.id, stopped=outcome.stopped)
            await self._on_end(BackgroundEnd(job.id, job.lane, job.key, job.command, outcome))

        task = asyncio.create_task(follow())
        self._tasks.add(task)
        task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("background_report_failed", exc_info=error)

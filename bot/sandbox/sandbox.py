"""Give tools a sandbox with a limited number of slots, which stays closed if isolation fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog

from bot.contracts.services import CommandResult
from bot.errors import ToolFailed
from bot.sandbox.background import Background, BackgroundEnd, BackgroundStart, OnEnd, OnStart
from bot.sandbox.bubblewrap import Limits
from bot.sandbox.command_run import CommandRun, Launcher
from bot.sandbox.inspection import inspect_sandbox

log = structlog.get_logger()
T = TypeVar("T")
_FIRST_UID: Final = 64_000
"""Debian reserves 60,000 to 64,999 for packages and assigns few of them: Debian Policy, 9.2.2."""
_BACKGROUND_CPU_SECONDS: Final = 300
_MAX_COMMAND: Final = 100_000
"""Most bytes of a command; Linux accepts 131,071 in one argument."""
_INSPECT_AGAIN: Final = 60.0
"""Seconds after which a sandbox that could not be made is tried again."""


class Sandbox:
    """A `bot.contracts.services.Sandbox`.

    Args:
        on_start: called when a background command runs.
        on_end: called when a background command has ended.
        limits: limits of each command.
        slots: number of commands at a time, and as many again in the background.
        first_uid: if the bot is root, commands run as this user and those after it: one for each
            slot, and one more.
        hidden: paths that commands must not see, besides the current folder.
    """

    def __init__(
        self,
        on_start: OnStart,
        on_end: OnEnd,
        *,
        limits: Limits | None = None,
        slots: int = 4,
        first_uid: int = _FIRST_UID,
        hidden: Sequence[Path] = (),
    ) -> None:
        self._limits = limits or Limits()
        self._hidden = (Path.cwd(), *hidden)
        self._launcher = Launcher(first_uid)
        self._slots: asyncio.Queue[int] = asyncio.Queue()
        for slot in range(slots):
            self._slots.put_nowait(slot)
        others = list(range(slots, 2 * slots))
        self._background = Background(others, self._launch_in_background, on_start, on_end)
        self._inspection_slot = 2 * slots
        self._tasks: set[asyncio.Task[Any]] = set()
        self._inspecting = asyncio.Lock()
        self._reason: str | None = None
        self._inspected = 0.0

    async def why_closed(self) -> str:
        """Return for operators why no command can run here; empty if they can (checked once)."""
        async with self._inspecting:
            age = time.monotonic() - self._inspected
            if self._reason is None or (self._reason and age > _INSPECT_AGAIN):
                slot, hidden = self._inspection_slot, self._hidden
                reason = await self._detach(
                    inspect_sandbox(self._launcher, self._limits, slot, hidden)
                )
                if reason:
                    log.warning("sandbox_closed", reason=reason)
                self._reason = reason
                self._inspected = time.monotonic()
            return self._reason

    async def run(
        self, command: str, *, seconds: float, show: Callable[[str], None]
    ) -> CommandResult:
        """Run a command for at most `seconds`, of which a third may pass waiting for a slot.

        Cancelling the call stops the command.

        Raises:
            ToolFailed: no part of it ran.
        """
        _check(command)
        await self._check_open()
        return await self._detach(self._run(command, seconds, show))

    async def start(self, command: str, *, lane: str, key: str) -> str:
        """Run a command in the background for at most ten minutes, and return its id.

        Raises:
            ToolFailed: no part of it ran.
        """
        _check(command)
        await self._check_open()
        return await self._detach(self._background.start(command, lane=lane, key=key))

    async def close(self) -> None:
        """Stop all commands, and report the ends of those in the background."""
        self._launcher.stop()
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._background.close()

    async def _check_open(self) -> None:
        if await self.why_closed():
            raise ToolFailed(
                "No commands can be run here: the sandbox is closed. Work it out yourself, or say "
                "that it cannot be done here."
            )

    async def _detach(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work` in a task; if the caller is cancelled, cancel it and let it clean up."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def _run(
        self, command: str, seconds: float, show: Callable[[str], None]
    ) -> CommandResult:
        started = time.monotonic()
        try:
            async with asyncio.timeout(seconds / 3):
                slot = await self._slots.get()
        except TimeoutError:
            raise ToolFailed(
                "The sandbox is busy: too many commands run at present. Try again later."
            ) from None
        try:
            run = await self._launcher.launch(command, self._limits, slot, show)
            return await run.finish(seconds - (time.monotonic() - started))
        finally:
            self._slots.put_nowait(slot)

    async def _launch_in_background(self, command: str, slot: int) -> CommandRun:
        limits = replace(self._limits, cpu_seconds=_BACKGROUND_CPU_SECONDS)
        return await self._launcher.launch(command, limits, slot, lambda _: None)


async def probe_sandbox(hidden: Sequence[Path] = ()) -> str:
    """Return for operators why no command can run on this machine; empty if they can."""
    sandbox = Sandbox(_ignore_report, _ignore_report, hidden=hidden)
    try:
        return await sandbox.why_closed()
    finally:
        await sandbox.close()


def _check(command: str) -> None:
    if not command.strip():
        raise ToolFailed("The command is empty.")
    if "\0" in command or len(command.encode(errors="replace")) > _MAX_COMMAND:
        raise ToolFailed(f"A command has at most {_MAX_COMMAND:,} bytes, and no NUL among them.")


async def _ignore_report(_: BackgroundStart | BackgroundEnd) -> None: ...

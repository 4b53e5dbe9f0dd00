"""Run one command: start it, collect its output, stop it, describe how it ended."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from asyncio import FIRST_COMPLETED
from collections.abc import Callable
from dataclasses import replace
from typing import Final
from weakref import WeakSet

import structlog

from bot.contracts.services import CommandResult, StopReason
from bot.errors import ToolFailed
from bot.sandbox.bubblewrap import Limits
from bot.sandbox.sandboxed_process import NotStarted, SandboxedProcess, count_tasks, measure_memory

MAX_TEXT: Final = 3_800
"""Most characters of the text, so that with a line about its end it fits into 4,000."""
_KEPT = 4 * MAX_TEXT
"""Bytes that are kept of the beginning and of the end: a character takes at most four."""
_MAX_TAIL = 400
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
"""Colours, titles and cursor movements: ECMA-48, section 5."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class CommandOutput:
    """The output of a command, of which only the beginning and the end are kept."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes received."""
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, part: bytes) -> None:
        self.size += len(part)
        free = _KEPT - len(self._head)
        self._head += part[:free]
        self._tail += part[free:]
        del self._tail[:-_KEPT]

    @property
    def text(self) -> str:
        """The output in at most `MAX_TEXT` characters, with a note where it was cut."""
        if self.size <= len(self._head) + len(self._tail):
            whole = _clean_output(self._head + self._tail)
            if len(whole) <= MAX_TEXT:
                return whole
            return self._cut(whole, whole)
        return self._cut(
            _clean_output(self._head).rstrip("\ufffd"), _clean_output(self._tail).lstrip("\ufffd")
        )

    @property
    def last_lines(self) -> str:
        """The end of the output so far, to be shown while the command runs."""
        end = _clean_output((self._head + self._tail)[-4 * _MAX_TAIL :]).lstrip("\ufffd")
        return end.strip()[-_MAX_TAIL:]

    def _cut(self, head: str, tail: str) -> str:
        note = f"\n[truncated: {self.size:,} bytes in all, the middle is left out]\n"
        left = MAX_TEXT - len(note)
        return head[: left // 2] + note + tail[-(left - left // 2) :]


def _clean_output(said: bytes | bytearray) -> str:
    """Decode output as text to store and show: no escapes, no control characters."""
    text = _ESCAPES.sub("", said.decode(errors="replace")).replace("\r\n", "\n")
    return _CONTROLS.sub("", text.replace("\r", "\n"))


_WATCH_SECONDS: Final = 0.1
_READ_SECONDS: Final = 5.0
"""Time limit for reading the rest of the pipe, once no process writes to it any more."""
_GIB: Final = 1024**3
_OUT_OF_CPU_TIME: Final = 128 + signal.SIGXCPU
"""Exit status of a shell whose command used up its CPU time."""


class CommandRun:
    """One command from its start to its end."""

    def __init__(
        self, process: SandboxedProcess, limits: Limits, show: Callable[[str], None]
    ) -> None:
        self._process = process
        self._limits = limits
        self._show = show
        self._output = CommandOutput()
        self._started = time.monotonic()
        self._stopped: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()

    def stop(self, why: StopReason) -> None:
        """Stop the command at once. Of several reasons the first counts."""
        if not self._stopped.done():
            self._stopped.set_result(why)

    async def finish(self, seconds: float) -> CommandResult:
        """Wait for its end, at most `seconds`, else stop it; no process is left."""
        try:
            async with asyncio.TaskGroup() as tasks:
                watching = tasks.create_task(self._watch())
                reading = tasks.create_task(self._read())
                status = await self._end(seconds)
                await asyncio.wait({reading}, timeout=_READ_SECONDS)
                reading.cancel()
                watching.cancel()
        finally:
            await self._process.close()
        stopped = self._stopped.result() if self._stopped.done() else None
        return CommandResult(
            output=self._output.text,
            status=None if stopped else status,
            stopped=stopped,
            seconds=time.monotonic() - self._started,
        )

    async def _end(self, seconds: float) -> int:
        """Wait for its end; after `seconds` ask it to end, then kill it. Return its exit status."""
        ended = asyncio.create_task(self._process.wait())
        await asyncio.wait({ended, self._stopped}, timeout=seconds, return_when=FIRST_COMPLETED)
        if not ended.done() and not self._stopped.done():
            self.stop("time")
            await self._process.terminate()
            await asyncio.wait({ended}, timeout=self._limits.grace)
        await self._process.end()
        status = await ended
        if status == _OUT_OF_CPU_TIME:
            self.stop("time")
        return status

    async def _read(self) -> None:
        while part := await self._process.output.read():
            self._output.add(part)
            if self._output.size > self._limits.output:
                self.stop("output")
                return

    async def _watch(self) -> None:
        """Show its output while it runs, and stop it when the machine is short of memory."""
        shown = 0
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            if self._output.size > shown:
                shown = self._output.size
                self._show(self._output.last_lines)
            if is_memory_short(self._limits):
                self.stop("memory")


def is_memory_short(limits: Limits) -> bool:
    """Return whether the machine has too little memory left for commands."""
    available, total = measure_memory()
    needed = min(total // 10, _GIB) if limits.spare_memory is None else limits.spare_memory
    return available < needed


log = structlog.get_logger()


class Launcher:
    """Starts commands, each in a slot that no other command uses meanwhile.

    Args:
        first_uid: if we are root, the command in slot n runs as the user `first_uid` + n.
    """

    def __init__(self, first_uid: int) -> None:
        self._first_uid = first_uid
        self._runs: WeakSet[CommandRun] = WeakSet()
        self._is_closing = False

    async def launch(
        self, command: str, limits: Limits, slot: int, show: Callable[[str], None]
    ) -> CommandRun:
        """Start a command; the caller has to `finish` the run.

        Raises:
            ToolFailed: no part of it ran.
        """
        if self._is_closing or is_memory_short(limits):
            raise ToolFailed("No command can be run at present. Try again later.")
        try:
            run = await self.try_launch(command, limits, slot, show)
        except NotStarted as error:
            log.warning("command_not_started", reason=str(error))
            raise ToolFailed("The command could not be started. Try again later.") from None
        if self._is_closing:  # closed meanwhile
            run.stop("shutdown")
        return run

    async def try_launch(
        self, command: str, limits: Limits, slot: int, show: Callable[[str], None]
    ) -> CommandRun:
        """Start a command, even while closing or short of memory.

        Raises:
            NotStarted: no part of it ran; the message is for operators.
        """
        said, uid = command.encode(errors="replace"), None
        if os.geteuid() == 0:
            uid = self._first_uid + slot
        else:
            limits = await asyncio.to_thread(_add_own_processes, limits)
        process = await SandboxedProcess.start(said, limits, uid)
        run = CommandRun(process, limits, show)
        self._runs.add(run)
        return run

    def stop(self) -> None:
        """Stop all commands, and refuse to start more."""
        self._is_closing = True
        for run in list(self._runs):
            run.stop("shutdown")


def _add_own_processes(limits: Limits) -> Limits:
    """Add our own processes to the limit, because the kernel counts them together with those of a
    command that runs as the same user."""
    return replace(limits, processes=limits.processes + count_tasks(os.geteuid()))


def describe_result(outcome: CommandResult) -> str:
    """Describe a result in at most 4,000 characters: how it ended, then what it printed."""
    return f"{_describe_end(outcome)}\n{outcome.output.rstrip() or '(no output)'}"


def _describe_end(outcome: CommandResult) -> str:
    match outcome.stopped:
        case "time":
            return f"stopped after {outcome.seconds:.0f} s: that was all the time it had"
        case "output":
            return "stopped: it said too much; let it say less"
        case "memory":
            return "stopped: there was too little memory left; let it use less"
        case "shutdown":
            return "stopped: the service restarts; it may be started again"
        case "lost":
            return "lost: what ran it came to a sudden end; it may be started again"
        case None:
            return f"exit status {outcome.status}"

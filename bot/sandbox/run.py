"""A command on its way: what it says is read, and whatever must end it does."""

from __future__ import annotations

import asyncio
import time
from asyncio import FIRST_COMPLETED
from collections.abc import Callable
from typing import Final

from bot.contracts import Outcome, Stopped
from bot.sandbox.cell import Cell
from bot.sandbox.limits import Limits
from bot.sandbox.processes import spare_memory
from bot.sandbox.record import Record

_LOOK_EVERY: Final = 0.1
_READ_SECONDS: Final = 5.0
"""For what is left in the pipe, which nobody holds any more."""
_GIB: Final = 1024**3


class Run:
    """One command that runs in its cell, from `finish` on to its end."""

    def __init__(self, cell: Cell, limits: Limits, show: Callable[[str], None]) -> None:
        self._cell = cell
        self._limits = limits
        self._show = show
        self._record = Record()
        self._started = time.monotonic()
        self._stopped: asyncio.Future[Stopped] = asyncio.get_running_loop().create_future()

    def stop(self, why: Stopped) -> None:
        """End it at once. The first reason counts."""
        if not self._stopped.done():
            self._stopped.set_result(why)

    async def finish(self, seconds: float) -> Outcome:
        """How it ended: by itself, or stopped after `seconds` at the latest. Nothing is left."""
        try:
            async with asyncio.TaskGroup() as tasks:
                looking = tasks.create_task(self._look())
                reading = tasks.create_task(self._read())
                status = await self._end(seconds)
                await asyncio.wait({reading}, timeout=_READ_SECONDS)
                reading.cancel()
                looking.cancel()
        finally:
            await self._cell.close()
        stopped = self._stopped.result() if self._stopped.done() else None
        return Outcome(
            output=self._record.text,
            status=None if stopped else status,
            stopped=stopped,
            seconds=time.monotonic() - self._started,
        )

    async def _end(self, seconds: float) -> int:
        """Wait for its end, and make it end: after `seconds` with a time to clear up."""
        ended = asyncio.create_task(self._cell.wait())
        await asyncio.wait({ended, self._stopped}, timeout=seconds, return_when=FIRST_COMPLETED)
        if not ended.done() and not self._stopped.done():
            self.stop("time")
            await self._cell.terminate()
            await asyncio.wait({ended}, timeout=self._limits.grace)
        await self._cell.end()
        return await ended

    async def _read(self) -> None:
        while part := await self._cell.output.read():
            self._record.add(part)
            if self._record.size > self._limits.output:
                self.stop("output")
                return

    async def _look(self) -> None:
        """Show what it says, and stop it before it has taken all the memory."""
        shown = 0
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            if self._record.size > shown:
                shown = self._record.size
                self._show(self._record.last_lines)
            if is_memory_short(self._limits):
                self.stop("memory")


def is_memory_short(limits: Limits) -> bool:
    """Whether the machine has too little memory left for commands."""
    available, total = spare_memory()
    needed = min(total // 10, _GIB) if limits.spare_memory is None else limits.spare_memory
    return available < needed

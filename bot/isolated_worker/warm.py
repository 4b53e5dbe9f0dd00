"""Run a program in one sandboxed process that stays, for frequent and short requests.

The process has the limits of all isolated workers (`child.py`) but serves many requests, one after
another, each with its own time limit. It is replaced when it dies, takes too long, or has served
enough.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from asyncio.subprocess import Process
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from bot.errors import ToolFailed
from bot.isolated_worker.child import KEPT, LENGTH
from bot.isolated_worker.worker import end_process, start_child

log = structlog.get_logger()
MAX_MESSAGE: Final = 4 * 1024 * 1024
"""Most bytes of a request, and of an answer."""
_PATIENCE: Final = 4.0
"""Factor by which a request may take longer than its CPU time, since the machine may be busy."""
_FAILED: Final = "This took too long, or went beyond what may be used."


@dataclass(slots=True)
class _Child:
    process: Process
    folder: Path
    served: int = 0

    async def ask(self, request: bytes) -> bytes:
        """Return the answer to a request, with its first byte. Raises `OSError` or `EOFError`."""
        if self.process.stdin is None:
            raise OSError("The process has no pipes.")
        self.process.stdin.write(LENGTH.pack(len(request)) + request)
        self.served += 1
        return await self.read()

    async def read(self) -> bytes:
        answers = self.process.stdout
        if answers is None:
            raise OSError("The process has no pipes.")
        (length,) = LENGTH.unpack(await answers.readexactly(LENGTH.size))
        if length > MAX_MESSAGE:
            raise OSError("The answer is too large.")
        return await answers.readexactly(length)

    async def end(self) -> int | None:
        """Kill the process and delete its folder; return its exit status."""
        await end_process(self.process)
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)
        return self.process.returncode


class WarmWorker:
    """Asks one program in a process that starts with the first request, or with `start`.

    Args:
        program: the dotted name of one of our modules with `serve(request: bytes) -> bytes`.
        seconds: CPU time limit for a request.
        start_seconds: time limit for the process to load the program.
        requests: number of requests after which the process is replaced, so that it does not grow.
    """

    def __init__(
        self,
        program: str,
        *,
        seconds: float = 1.0,
        start_seconds: float = 20.0,
        requests: int = 5_000,
    ) -> None:
        self._program = program
        self._seconds = seconds
        self._start_seconds = start_seconds
        self._requests = requests
        self._child: _Child | None = None
        self._turn = asyncio.Lock()
        self._starting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Load the program now, so that the first request need not wait for it.

        Raises:
            ToolFailed: it does not start.
        """
        async with self._turn:
            await self._ensure_child()

    def start_soon(self) -> None:
        """Start the process in the background, unless it runs or is starting."""

        async def start() -> None:
            with contextlib.suppress(ToolFailed):  # the next request reports it
                await self.start()

        if self._child is None and (self._starting is None or self._starting.done()):
            self._starting = asyncio.create_task(start())

    async def ask(self, request: bytes) -> bytes:
        """Return the program's answer, after the requests before this one.

        Raises:
            ToolFailed: the program refuses, takes too long, or does not start.
        """
        if len(request) > MAX_MESSAGE:
            raise ToolFailed("This is too large to work on.")
        async with self._turn:
            child = await self._ensure_child()
            try:
                async with asyncio.timeout(self._seconds * _PATIENCE):
                    answer = await child.ask(request)
            except (OSError, EOFError) as error:  # a TimeoutError is an OSError
                await self._give_up(type(error).__name__)
                self.start_soon()
                raise ToolFailed(_FAILED) from None
            except asyncio.CancelledError:
                await self._give_up("cancelled")  # the next request would get its answer
                raise
            if child.served >= self._requests:
                await self._end_child()
        if answer[:1] != KEPT:
            raise ToolFailed(answer[1:].decode(errors="replace"))
        return answer[1:]

    async def close(self) -> None:
        """End the process, even while it works on a request."""
        if self._starting:
            self._starting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._starting
        await self._end_child()

    async def _ensure_child(self) -> _Child:
        if self._child and self._child.process.returncode is not None:
            await self._give_up("died")
        if self._child is None:
            self._child = await self._start_child()
        return self._child

    async def _start_child(self) -> _Child:
        folder = Path(tempfile.mkdtemp(prefix="griot-warm-"))
        async with contextlib.AsyncExitStack() as clearing:
            clearing.callback(shutil.rmtree, folder, ignore_errors=True)
            try:
                process = await start_child((self._program, "warm", str(self._seconds)), folder)
                child = _Child(process, folder)
                clearing.push_async_callback(child.end)
                async with asyncio.timeout(self._start_seconds):
                    await child.read()
            except (OSError, EOFError) as error:
                log.warning("warm_worker_not_started", program=self._program, error=str(error))
                raise ToolFailed(_FAILED) from None
            clearing.pop_all()  # it started: its folder stays
        return child

    async def _end_child(self) -> int | None:
        child, self._child = self._child, None
        return await child.end() if child else None

    async def _give_up(self, reason: str) -> None:
        status = await self._end_child()
        log.warning("warm_worker_ended", program=self._program, reason=reason, status=status)

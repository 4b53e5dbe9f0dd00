"""Run programs that read or make untrusted files, each in a process that may be killed.

A program is a module with `serve(request: bytes) -> bytes`. It runs in a fresh, empty folder that
is deleted afterwards, with an empty environment and no input but the request; its memory, time and
disk space are limited (`child.py`). It refuses a request by raising `ToolFailed`.

For frequent and short requests a process can stay (`WarmWorker`): it serves one after another, each
with its own time limit, and is replaced when it dies, takes too long, or has served enough.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from bot.errors import ToolFailed
from bot.isolated_worker.child import KEPT, LENGTH, REFUSED
from bot.temporary_folder import TemporaryFolder, remove_left_folders

log = structlog.get_logger()
MAX_REQUEST: Final = 32 * 1024 * 1024
MAX_ANSWER: Final = 32 * 1024 * 1024
"""Most bytes of a request, and of an answer."""
_ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS: Final = 20.0
"""Time limit for a warm process to load its program."""
_CHILD = (sys.executable, "-P", "-s", "-m", "bot.isolated_worker.child")


class IsolatedWorker:
    """A `bot.contracts.services.IsolatedWorker`.

    Args:
        most: processes at a time of each program; further requests wait for their turn.
    """

    def __init__(self, most: int = 2) -> None:
        self._places: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(most))

    async def run(
        self, program: str, request: bytes, *, seconds: float = 30.0, online: bool = False
    ) -> bytes:
        """Run `serve(request)` of the module `program` in a child process.

        Args:
            program: the dotted name of one of our own modules.
            request: at most `MAX_REQUEST` bytes.
            seconds: time limit for the work; waiting for a turn does not count.
            online: whether the program may use the network.

        Raises:
            ToolFailed: the program refuses the request and says why, or exceeds its limits.
        """
        if len(request) > MAX_REQUEST:
            raise ToolFailed("This is too large to work on. Take a part of it.")
        async with self._places[program]:
            folder = TemporaryFolder()
            try:
                arguments = (program, *(("online",) if online else ()))
                process = await start_child(arguments, folder.path)
                return await _run_child(process, program, request, seconds)
            finally:
                await asyncio.to_thread(folder.remove)


async def _run_child(process: Process, program: str, request: bytes, seconds: float) -> bytes:
    try:
        async with asyncio.timeout(seconds):
            requests, answers = process.stdin, process.stdout
            if requests is None or answers is None:
                raise OSError("The process has no pipes.")
            requests.write(request)
            requests.close()
            taken = bytearray()
            while len(taken) <= MAX_ANSWER and (part := await answers.read(65_536)):
                taken += part
            if len(taken) > MAX_ANSWER:
                kill_process(process)
            answer = bytes(taken)
            status = await process.wait()
    except TimeoutError:
        log.warning("isolated_worker_too_slow", program=program, seconds=seconds)
        raise ToolFailed(
            f"This was not done within {seconds:g} seconds. Take a smaller part of it."
        ) from None
    finally:
        await end_process(process)
    if status == 0 and answer[:1] == KEPT:
        return answer[1:]
    if status == 0 and answer[:1] == REFUSED:
        raise ToolFailed(answer[1:].decode(errors="replace"))
    log.warning("isolated_worker_failed", program=program, status=status, size=len(answer))
    raise ToolFailed(
        "This went beyond what may be used (memory, time or size), or could not be read. Take "
        "a smaller or simpler part of it."
    )


async def start_child(arguments: Sequence[str], folder: Path) -> Process:
    """Start `child.py` with `arguments` in `folder`, the only place where it may write."""
    environment = {
        "PYTHONPATH": str(_ROOT),
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "RAYON_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",  # of glibc: each arena takes address space, which is limited
    }
    return await start_process(*_CHILD, *arguments, cwd=folder, env=environment)


async def start_process(*command: str, cwd: Path, env: Mapping[str, str]) -> Process:
    """Start a process in a group of its own, with input and output piped and errors dropped.

    No process is left behind if the caller is cancelled meanwhile, however often.

    Raises:
        OSError: it cannot be started.
    """
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        clearing = asyncio.create_task(_end_started(starting))
        while not clearing.done():  # soon, since it is killed
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({clearing})
        raise


async def end_process(process: Process) -> None:
    """Kill the process with all that it has started, and close its pipes."""
    kill_process(process)
    await process.communicate()  # a full pipe would keep it from being reaped


def kill_process(process: Process) -> None:
    """Kill the process and its group, if it still runs."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def _end_started(starting: asyncio.Future[Process]) -> None:
    with contextlib.suppress(OSError):  # it could not be started: no process is left
        await end_process(await starting)


# Processes that stay -----------------------------------------------------------------------------

MAX_MESSAGE: Final = 4 * 1024 * 1024
"""Most bytes of a request, and of an answer."""
_PATIENCE: Final = 4.0
"""Factor by which a request may take longer than its CPU time, since the machine may be busy."""
_FAILED: Final = "This took too long, or went beyond what may be used."


@dataclass(slots=True)
class _Child:
    process: Process
    folder: TemporaryFolder
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
        await asyncio.to_thread(self.folder.remove)
        return self.process.returncode


class WarmWorker:
    """Asks one program in a process that starts with the first request, or with `start`.

    Args:
        program: the dotted name of one of our modules with `serve(request: bytes) -> bytes`.
        seconds: CPU time limit for a request.
        requests: number of requests after which the process is replaced, so that it does not grow.
    """

    def __init__(
        self,
        program: str,
        *,
        seconds: float = 1.0,
        requests: int = 5_000,
    ) -> None:
        self._program = program
        self._seconds = seconds
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
        await asyncio.to_thread(remove_left_folders)
        folder = TemporaryFolder()
        async with contextlib.AsyncExitStack() as clearing:
            clearing.callback(folder.remove)
            try:
                arguments = (self._program, "warm", str(self._seconds))
                process = await start_child(arguments, folder.path)
                child = _Child(process, folder)
                clearing.push_async_callback(child.end)
                async with asyncio.timeout(_START_SECONDS):
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

"""Run programs that read or make untrusted files, each in a process that may be killed.

A program is a module with `serve(request: bytes) -> bytes`. It runs in a fresh, empty folder that
is deleted afterwards, with an empty environment and no input but the request; its memory, time and
disk space are limited (`child.py`). It refuses a request by raising `ToolFailed`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import structlog

from bot.errors import ToolFailed
from bot.isolated_worker.child import KEPT, REFUSED

log = structlog.get_logger()
MAX_REQUEST: Final = 32 * 1024 * 1024
MAX_ANSWER: Final = 32 * 1024 * 1024
"""Most bytes of a request, and of an answer."""
_ROOT = Path(__file__).resolve().parents[2]
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
            folder = Path(tempfile.mkdtemp(prefix="griot-worker-"))
            try:
                process = await start_child((program, *(("online",) if online else ())), folder)
                return await _run_child(process, program, request, seconds)
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


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

"""A process of its own for whatever is made for, or read from, strangers: it may be killed.

A program is a module with `serve(request: bytes) -> bytes`. It runs in a fresh, empty folder that
is cleared away after it, with an empty environment and no input but the request; what it uses of
memory, time and disk is limited (`child.py`). It refuses by raising `ToolFailed`.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from asyncio.subprocess import Process
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog

from bot.errors import ToolFailed
from bot.library.spawning import end, kill, spawn
from bot.library.workshop.child import KEPT, REFUSED

log = structlog.get_logger()

MAX_REQUEST: Final = 32 * 1024 * 1024
MAX_ANSWER: Final = 32 * 1024 * 1024
"""Bytes."""
_ROOT = Path(__file__).resolve().parents[3]
_CHILD = (sys.executable, "-P", "-s", "-m", "bot.library.workshop.child")


class Workshop:
    """Implements `contracts.Workshop`.

    Args:
        most: processes at a time of each program; further requests wait for their turn.
    """

    def __init__(self, most: int = 2) -> None:
        self._places: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(most))

    async def run(
        self, program: str, request: bytes, *, seconds: float = 30.0, online: bool = False
    ) -> bytes:
        """What `serve(request)` of the module `program` returns.

        Args:
            program: the dotted name of one of our own modules.
            request: at most `MAX_REQUEST` bytes.
            seconds: of work; waiting for a place does not count.
            online: whether it may reach the network.

        Raises:
            ToolFailed: the program refuses the request and says why, or goes beyond its limits.
        """
        if len(request) > MAX_REQUEST:
            raise ToolFailed("This is too large to work on. Take a part of it.")
        async with self._places[program]:
            folder = Path(tempfile.mkdtemp(prefix="griot-workshop-"))
            try:
                process = await _start((program, *(("online",) if online else ())), folder)
                return await _work(process, program, request, seconds)
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _work(process: Process, program: str, request: bytes, seconds: float) -> bytes:
    try:
        async with asyncio.timeout(seconds):
            answer = await _exchange(process, request)
            status = await process.wait()
    except TimeoutError:
        log.warning("workshop_too_slow", program=program, seconds=seconds)
        raise ToolFailed(
            f"This was not done within {seconds:g} seconds. Take a smaller part of it."
        ) from None
    finally:
        await end(process)
    if status == 0 and answer[:1] == KEPT:
        return answer[1:]
    if status == 0 and answer[:1] == REFUSED:
        raise ToolFailed(answer[1:].decode(errors="replace"))
    log.warning("workshop_failed", program=program, status=status, size=len(answer))
    raise ToolFailed(
        "This went beyond what may be used (memory, time or size), or could not be read. Take "
        "a smaller or simpler part of it."
    )


async def _start(arguments: Sequence[str], folder: Path) -> Process:
    environment = {
        "PYTHONPATH": str(_ROOT),
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "RAYON_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",  # of glibc: each arena takes address space, which is limited
    }
    return await spawn(*_CHILD, *arguments, cwd=folder, env=environment)


async def _exchange(process: Process, request: bytes) -> bytes:
    """The answer: as much of it as is taken, and one byte more if there is more."""
    requests, answers = process.stdin, process.stdout
    if requests is None or answers is None:
        raise OSError("The process has no pipes.")
    requests.write(request)
    requests.close()
    taken = bytearray()
    while len(taken) <= MAX_ANSWER and (part := await answers.read(65_536)):
        taken += part
    if len(taken) > MAX_ANSWER:
        kill(process)
    return bytes(taken)

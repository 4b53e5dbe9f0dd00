"""Make pictures of formulas and charts with a sandboxed child process."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import Process
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import structlog

from bot.documents.document_request import LENGTH, READY, Chart
from bot.formulas.syntax import MAX_LENGTH
from bot.isolated_worker.worker import end_process, start_process
from bot.temporary_folder import TemporaryFolder

log = structlog.get_logger()
MOST_FORMULAS: Final = 12
"""Most formulas in one picture."""
_MOST_WAITING = 32
"""Most requests that may wait; further ones get no picture, and the text is shown instead."""
_MAX_BYTES = 4_000_000
_ROOT = Path(__file__).resolve().parents[2]
_WORKER = (sys.executable, "-P", "-s", "-m", "bot.documents.typst_worker")


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """Time limits of the child process in seconds, and the number of pictures it may make."""

    start: float = 20.0
    picture: float = 2.0
    pictures: int = 500
    """Pictures after which the child is replaced: Typst keeps all it has set in memory."""


@dataclass(slots=True)
class _Child:
    """A process that makes one picture at a time, in an empty folder of its own."""

    process: Process
    folder: TemporaryFolder
    pictures: int = 0

    async def ask(self, request: bytes) -> bytes:
        """Return the answer's bytes. Raises `OSError` or `EOFError` if the process has died."""
        requests, answers = self._pipes()
        requests.write(LENGTH.pack(len(request)) + request)
        await requests.drain()
        (length,) = LENGTH.unpack(await answers.readexactly(LENGTH.size))
        if length > _MAX_BYTES:
            raise OSError("The picture is too large.")
        self.pictures += 1
        return await answers.readexactly(length)

    async def await_ready(self) -> None:
        _, answers = self._pipes()
        if await answers.readexactly(len(READY)) != READY:
            raise OSError("The child said something else.")

    async def end(self) -> int | None:
        """Kill the process and delete its folder; return its exit status."""
        await end_process(self.process)
        self.folder.remove()
        return self.process.returncode

    def _pipes(self) -> tuple[asyncio.StreamWriter, asyncio.StreamReader]:
        if self.process.stdin is None or self.process.stdout is None:
            raise OSError("The child has no pipes.")
        return self.process.stdin, self.process.stdout


class Typesetter:
    """Makes pictures one after another. Its child process starts with the first one, and is
    replaced when it dies, hangs, or has made `PictureLimits.pictures`.

    Args:
        command: the program to run; tests use another one.
    """

    def __init__(
        self, patience: PictureLimits | None = None, command: Sequence[str] = _WORKER
    ) -> None:
        self._patience = patience or PictureLimits()
        self._command = command
        self._child: _Child | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def picture(self, formulas: Sequence[str]) -> bytes | None:
        """Return a PNG of the formulas, one below another, black on white and at most 1200 pixels
        wide.

        Several are numbered (1), (2), … by their places in `formulas`. A formula that is malformed,
        has an unknown command or is longer than `MAX_LENGTH` is left out, and so are those after
        the first `MOST_FORMULAS`. None if no formula is left, or no picture could be made in time.
        """
        within = [latex if len(latex) <= MAX_LENGTH else "" for latex in formulas[:MOST_FORMULAS]]
        if not any(within):
            return None
        return await self._ask(msgspec.json.encode(within))

    async def chart(self, chart: Chart) -> bytes | None:
        """Return a PNG of a person's progress, 900 pixels wide; None if none was made in time."""
        return await self._ask(msgspec.json.encode(chart))

    async def close(self) -> None:
        """End the child process, even while it makes a picture."""
        child, self._child = self._child, None
        if child:
            await child.end()

    async def _ask(self, request: bytes) -> bytes | None:
        """Return the picture, after those that were requested before it."""
        if self._waiting >= _MOST_WAITING:
            log.warning("formulas_too_many_waiting", waiting=self._waiting)
            return None
        self._waiting += 1
        try:
            async with self._turn:
                return await self._make(request)
        finally:
            self._waiting -= 1

    async def _make(self, request: bytes) -> bytes | None:
        try:
            if self._child and self._child.process.returncode is not None:
                await self._give_up("died")
            if self._child is None:
                self._child = await self._start()
                async with asyncio.timeout(self._patience.start):
                    await self._child.await_ready()
            child = self._child
            async with asyncio.timeout(self._patience.picture):
                picture = await child.ask(request)
        except (OSError, EOFError) as error:  # a TimeoutError is an OSError
            await self._give_up(type(error).__name__)
            return None
        except asyncio.CancelledError:
            await self._give_up("cancelled")  # the next request would get its answer
            raise
        if child.pictures >= self._patience.pictures:
            await self.close()
        return picture or None

    async def _start(self) -> _Child:
        folder = TemporaryFolder()
        try:
            process = await start_process(
                *self._command,
                cwd=folder.path,
                env={"PYTHONPATH": str(_ROOT), "LANG": "C.UTF-8", "RAYON_NUM_THREADS": "1"},
            )
        except BaseException:
            folder.remove()
            raise
        return _Child(process, folder)

    async def _give_up(self, reason: str) -> None:
        child, self._child = self._child, None
        status = await child.end() if child else None
        log.warning("formulas_not_shown", reason=reason, status=status)

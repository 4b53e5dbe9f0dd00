"""Pipes between a command and the bot. Nothing is read faster than it is taken."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from io import FileIO
from typing import Final

_BUFFER: Final = 65_536
"""Bytes that are read at once; beyond what the pipe holds whoever writes waits."""


class Pipe:
    """Both ends of a pipe, closed with the stack at the latest."""

    def __init__(self, stack: ExitStack) -> None:
        read, write = os.pipe()
        self.read = stack.enter_context(FileIO(read, "r"))
        self.write = stack.enter_context(FileIO(write, "w"))


class Source:
    """An end of a pipe that is read from. One task reads at a time.

    The loop only tells when there is something: its own transports for pipes differ in who closes
    the descriptor, and a number closed twice may be somebody else's by then.
    """

    def __init__(self, end: FileIO) -> None:
        """The end may be closed after this."""
        self._number = os.dup(end.fileno())
        os.set_blocking(self._number, False)
        self._rest = b""
        self._is_closed = False
        self._comes: asyncio.Future[None] | None = None

    async def read(self) -> bytes:
        """What has come since; nothing at the end."""
        rest, self._rest = self._rest, b""
        return rest or await self._read()

    async def read_line(self) -> bytes:
        """The next line with its end; less at the end."""
        line = await self.read()
        while b"\n" not in line and len(line) < _BUFFER and (more := await self._read()):
            line += more
        line, newline, self._rest = line.partition(b"\n")
        return line + newline

    def close(self) -> None:
        """Whoever reads now is at the end."""
        if not self._is_closed:
            self._is_closed = True
            self._tell()
            os.close(self._number)

    async def _read(self) -> bytes:
        while not self._is_closed:
            try:
                return os.read(self._number, _BUFFER)
            except BlockingIOError:
                await self._wait()
        return b""

    async def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        self._comes = loop.create_future()
        loop.add_reader(self._number, self._tell)
        try:
            await self._comes
        finally:
            self._tell()

    def _tell(self) -> None:
        if self._comes is not None:
            comes, self._comes = self._comes, None
            comes.get_loop().remove_reader(self._number)
            if not comes.done():
                comes.set_result(None)

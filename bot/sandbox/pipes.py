"""Pipes between a command and the bot. Nothing is read faster than it is taken."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from io import FileIO
from typing import Final

_BUFFER: Final = 65_536
"""Bytes that wait to be read; beyond twice as many whoever writes waits."""


class Pipe:
    """Both ends of a pipe, closed with the stack at the latest."""

    def __init__(self, stack: ExitStack) -> None:
        read, write = os.pipe()
        self.read = stack.enter_context(FileIO(read, "r"))
        self.write = stack.enter_context(FileIO(write, "w"))


class Source:
    """An end of a pipe that is read from."""

    def __init__(self, reader: asyncio.StreamReader, transport: asyncio.ReadTransport) -> None:
        self._reader = reader
        self._transport = transport

    @classmethod
    async def open(cls, end: FileIO) -> Source:
        """Read from the end, which may be closed after this."""
        reader = asyncio.StreamReader(limit=_BUFFER)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), FileIO(os.dup(end.fileno()))
        )
        return cls(reader, transport)

    async def read(self) -> bytes:
        """What has come since; nothing at the end."""
        return await self._reader.read(_BUFFER)

    async def read_line(self) -> bytes:
        """The next line with its end; less at the end."""
        return await self._reader.readline()

    def close(self) -> None:
        self._transport.close()

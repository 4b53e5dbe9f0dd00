"""A bare HTTP/1.1 server on asyncio: cheap enough that its clients are what is measured."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    body: bytes


Respond = Callable[[Request, asyncio.Transport], Awaitable[None]]
"""Writes the whole response, head included, to the transport."""


def response(body: bytes) -> bytes:
    """A 200 that carries JSON."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    return head % len(body) + body


async def serve(respond: Respond) -> None:
    """Print the port on standard output, and serve on 127.0.0.1 until SIGTERM."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    server = await loop.create_server(lambda: _Connection(respond), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await stop.wait()


class _Connection(asyncio.Protocol):
    """One connection, kept alive; requests on it come one after another."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        request = self._cut()
        if request is not None and self._transport is not None:
            self._task = asyncio.create_task(self._answer(request, self._transport))

    async def _answer(self, request: Request, transport: asyncio.Transport) -> None:
        await self._respond(request, transport)

    def _cut(self) -> Request | None:
        """The request, once it is whole."""
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = bytes(self._received[:end])
        length = _LENGTH.search(head)
        whole = end + 4 + (int(length[1]) if length else 0)
        if len(self._received) < whole:
            return None
        body = bytes(self._received[end + 4 : whole])
        del self._received[:whole]
        return Request(head.split(b" ", 2)[1].decode(), body)

"""A network between Griot and a server that can lose all that existing connections carry: as where
a machine has vanished, nobody is told that a connection is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit


class LossyNetwork:
    """
    Attributes:
        url: the server's, through this network.
    """

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self.url = url
        self.greets_only = False
        """Whether connections carry no more than what one begins with."""
        self.transactions = 0
        """How many were begun by what was carried."""
        self._lost = asyncio.Event()
        self._pipes: set[asyncio.Task[None]] = set()

    async def open(self) -> asyncio.Server:
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.url = self._target._replace(netloc=f"postgres@127.0.0.1:{port}").geturl()
        return server

    def lose_existing(self) -> None:
        """What is sent through connections that are open now arrives nowhere any more."""
        self._lost.set()
        self._lost = asyncio.Event()

    async def close(self) -> None:
        for pipe in self._pipes:
            pipe.cancel()
        await asyncio.gather(*self._pipes, return_exceptions=True)

    async def _carry(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        server, to_server = await asyncio.open_connection(self._target.hostname, self._target.port)
        said_at_most = 1 if self.greets_only else None
        for reader, writer, most in ((client, to_server, said_at_most), (server, to_client, None)):
            note = self._count_transactions() if reader is client else None
            pipe = asyncio.create_task(_pump(reader, writer, self._lost, most, note))
            self._pipes.add(pipe)

    def _count_transactions(self) -> Callable[[bytes], None]:
        """Count those of one connection in what it says: each `BEGIN`, and each statement that is
        executed outside one. PostgreSQL's messages are a letter, a length and a body."""
        said, is_open = bytearray(), False

        def note(data: bytes) -> None:
            nonlocal is_open
            said.extend(data)
            if said[:1] == b"\0":  # the startup message has no letter
                del said[: int.from_bytes(said[:4])]
            while len(said) >= 5 and len(said) > (size := int.from_bytes(said[1:5])):
                kind, body = said[:1], bytes(said[5 : size + 1])
                del said[: size + 1]
                is_begun = kind == b"Q" and body.startswith(b"BEGIN")
                if is_begun or (kind in b"QE" and not is_open):
                    self.transactions += 1
                is_open = is_begun or (is_open and not body.startswith((b"COMMIT", b"ROLLBACK")))

        return note


async def _pump(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    lost: asyncio.Event,
    most: int | None,
    note: Callable[[bytes], None] | None,
) -> None:
    said = 0
    try:
        while data := await reader.read(65_536):
            said += 1
            if note:
                note(data)
            if not lost.is_set() and (most is None or said <= most):
                writer.write(data)
    finally:
        writer.close()


@asynccontextmanager
async def lossy_network(url: str) -> AsyncGenerator[LossyNetwork]:
    """`url` is of PostgreSQL, whose user needs no password."""
    network = LossyNetwork(url)
    async with await network.open():
        try:
            yield network
        finally:
            await network.close()

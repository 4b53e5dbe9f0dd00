"""A gate in Postgres: the worst moment of a transaction, held open for as long as a test needs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import asyncpg

_driver: Any = asyncpg  # asyncpg has no types of its own
_KEY = 0x6A7E1
_SECONDS = 120.0


class Gate:
    """Transactions that change a row of `table` stop before it `when` the condition holds.

    Args:
        url: a database on a durable server.
        event: `INSERT` or `UPDATE`.
        when: SQL over `NEW`, and `OLD` of an update.
    """

    def __init__(self, url: str, table: str, event: str, when: str) -> None:
        self._url = url
        self._sql = _TRIGGER.format(table=table, event=event, when=when, key=_KEY)
        self._connection: Any = None

    async def __aenter__(self) -> Gate:
        self._connection = await _driver.connect(self._url)
        await self._connection.execute("SELECT pg_advisory_lock($1)", _KEY)
        await self._connection.execute(self._sql)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._connection.close()

    async def reached(self) -> set[int]:
        """Wait until transactions stand before it; return the ports of their clients."""
        async with asyncio.timeout(_SECONDS):
            while not (rows := await self._connection.fetch(_BEFORE_GATE)):
                await asyncio.sleep(0.01)
        return {row["client_port"] for row in rows}

    async def open(self) -> None:
        """Let everyone pass, from now on."""
        await self._connection.execute("SELECT pg_advisory_unlock($1)", _KEY)

    async def open_and_lose_answer(self, proxy: LossyProxy) -> None:
        """Let everyone pass, and break one connection between its commit and the answer to it."""
        proxy.lose_commit(await self.reached())
        await self.open()
        async with asyncio.timeout(_SECONDS):
            await proxy.has_lost.wait()


class LossyProxy:
    """A proxy before Postgres that can break a connection instead of confirming its commit.

    Attributes:
        has_lost: set once a confirmation was lost.
    """

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self._doomed = set[int]()
        self._server: asyncio.Server | None = None
        self.has_lost = asyncio.Event()
        self.url = ""

    async def __aenter__(self) -> LossyProxy:
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        target = f"{self._target.hostname}:{self._target.port}"
        self.url = self._target.geturl().replace(target, f"127.0.0.1:{port}")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()

    def lose_commit(self, ports: Collection[int]) -> None:
        """Break the first of the connections from these ports whose commit is confirmed; any one,
        if they all end before, as a client may have given up its transaction."""
        self._doomed = set(ports)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(
                self._target.hostname, self._target.port
            )
        except OSError:
            writer.transport.abort()
            return
        port = far_writer.get_extra_info("sockname")[1]
        await asyncio.gather(
            pump(reader, far_writer),
            pump(far_reader, writer, lambda answers: self._loses(port, answers)),
        )
        self._forget(port)

    def _loses(self, port: int, answers: bytes) -> bool:
        """Return whether this connection breaks now, instead of passing on these answers."""
        if port not in self._doomed and _ANY not in self._doomed:
            return False
        if self.has_lost.is_set() or _CONFIRMED not in answers:
            return False
        self.has_lost.set()
        return True

    def _forget(self, port: int) -> None:
        if port in self._doomed:
            self._doomed.remove(port)
            self._doomed |= set() if self._doomed else {_ANY}


async def pump(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    breaks: Callable[[bytes], bool] = lambda _: False,
) -> None:
    """Pass on what comes, until it ends or `breaks` says so; then the other side ends too."""
    with contextlib.suppress(OSError):
        while (data := await reader.read(2**16)) and not breaks(data):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()


_ANY = 0
"""Stands for all ports."""
_CONFIRMED = b"C\x00\x00\x00\x0bCOMMIT\x00"
"""`CommandComplete` of a commit: https://www.postgresql.org/docs/18/protocol-message-formats.html"""

_TRIGGER = """
CREATE FUNCTION stand_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_lock_shared({key});
    PERFORM pg_advisory_unlock_shared({key});
    RETURN NEW;
END $$;
CREATE TRIGGER gate BEFORE {event} ON {table} FOR EACH ROW WHEN ({when})
EXECUTE FUNCTION stand_at_gate();
"""

_BEFORE_GATE = f"""
SELECT client_port FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND classid = 0 AND objid = {_KEY} AND NOT granted
"""

"""Connections to PostgreSQL that are used again, and why they are not asyncpg's pool: it makes a
task, a proxy and a timer of each use, which costs more than a statement.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

PATIENCE: Final = 30.0
"""Seconds to wait for one."""
_IDLE_SECONDS: Final = 60.0
_CLOSING_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class _Idle:
    connection: Any
    since: float


class Connections:
    """Opened when they are wanted; the one that was given back last is taken first, and those that
    nobody took for a minute are ended.

    Args:
        connect: opens one; what it raises is passed on.
        most: how many there are at once.
    """

    def __init__(self, connect: Callable[[], Awaitable[Any]], *, most: int) -> None:
        self._connect = connect
        self._most = most
        self._room = asyncio.Semaphore(most)
        self._idle: list[_Idle] = []
        self._used: set[Any] = set()

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[Any]:
        """A connection of asyncpg, outside of any transaction. Raises `TimeoutError`."""
        async with entering(self._room):
            connection = self._take() or await self._connect()
            self._used.add(connection)
            try:
                yield connection
            finally:
                self._used.discard(connection)
                self._keep(connection)

    async def close(self) -> None:
        """End them all; those in use have a few seconds to be given back. Nobody gets another."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                for _ in range(self._most):
                    await self._room.acquire()
        for connection in (*self._used, *(idle.connection for idle in self._idle)):
            connection.terminate()

    def _take(self) -> Any:
        while self._idle:
            connection = self._idle.pop().connection
            if not connection.is_closed():
                return connection
        return None

    def _keep(self, connection: Any) -> None:
        now = asyncio.get_running_loop().time()
        self._idle.append(_Idle(connection, now))
        if now - self._idle[0].since > _IDLE_SECONDS:
            self._idle.pop(0).connection.terminate()


@asynccontextmanager
async def entering(room: asyncio.Semaphore) -> AsyncGenerator[None]:
    """`async with room`, for `PATIENCE` at most. (A time limit costs; mostly there is room.)"""
    if room.locked():
        async with asyncio.timeout(PATIENCE):
            await room.acquire()
    else:
        await room.acquire()
    try:
        yield
    finally:
        room.release()

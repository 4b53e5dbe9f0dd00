"""Connections to PostgreSQL that are used again, and why they are not asyncpg's pool: it makes a
task, a proxy and a timer of each use, which costs more than a statement.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

_PATIENCE: Final = 30.0
"""Seconds to wait for room."""
_IDLE_SECONDS: Final = 60.0
_CLOSING_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class _Idle:
    connection: Any
    since: float


class Connections:
    """Opened when they are wanted; the one that was given back last is taken first, and those that
    nobody took for a minute or two are ended.

    Args:
        connect: opens one; what it raises is passed on.
        most: how many there are at once.
    """

    def __init__(self, connect: Callable[[], Awaitable[Any]], *, most: int) -> None:
        self._connect = connect
        self._room = asyncio.Semaphore(most)
        self._idle: list[_Idle] = []
        self._used: set[Any] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._last = asyncio.Event()
        """None is in use after it was closed."""

    @asynccontextmanager
    async def borrow(self) -> AsyncGenerator[Any]:
        """A connection of asyncpg, outside of any transaction. Whoever leaves it in the midst of
        something ends it.

        Raises:
            TimeoutError: all are in use.
            RuntimeError: they are closed.
        """
        async with entering(self._room):
            self._check_open()
            connection = self._take() or await self._connect()
            self._used.add(connection)
            try:
                self._check_open()
                yield connection
            except TimeoutError:  # what befell this one may have befallen those in nobody's use
                self._end_idle()
                raise
            finally:
                self._used.discard(connection)
                self._keep(connection)

    async def close(self) -> None:
        """Give out no more, and end them all; those in use have a moment to be given back."""
        self._closed = True
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSING_SECONDS):
                    if self._used:
                        await self._last.wait()
        finally:
            for connection in self._used:
                connection.terminate()
            self._end_idle()
            if self._timer is not None:
                self._timer.cancel()

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the connections to the database are closed")

    def _take(self) -> Any:
        while self._idle:
            connection = self._idle.pop().connection
            if not connection.is_closed():
                return connection
        return None

    def _end_idle(self) -> None:
        for idle in self._idle:
            idle.connection.terminate()
        self._idle.clear()

    def _keep(self, connection: Any) -> None:
        if self._closed:
            connection.terminate()
            if not self._used:
                self._last.set()
            return
        loop = asyncio.get_running_loop()
        self._idle.append(_Idle(connection, loop.time()))
        if self._timer is None:
            self._timer = loop.call_later(_IDLE_SECONDS, self._end_old, loop)

    def _end_old(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._idle and loop.time() - self._idle[0].since > _IDLE_SECONDS:
            self._idle.pop(0).connection.terminate()
        self._timer = None
        if self._idle:
            self._timer = loop.call_later(_IDLE_SECONDS, self._end_old, loop)


@asynccontextmanager
async def entering(room: asyncio.Semaphore) -> AsyncGenerator[None]:
    """`async with room`, with patience. (A time limit costs; mostly there is room.)"""
    if room.locked():
        async with asyncio.timeout(_PATIENCE):
            await room.acquire()
    else:
        await room.acquire()
    try:
        yield
    finally:
        room.release()

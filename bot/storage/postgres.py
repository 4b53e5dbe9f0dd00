"""Use PostgreSQL: asyncpg connections with prepared statements, LISTEN/NOTIFY for wake-ups."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import asyncpg
import structlog

from bot.asyncio_tasks import cancel_tasks
from bot.contracts.storage import WAIT_LIMIT, Listener, Row, Transaction
from bot.errors import DatabaseUnavailable
from bot.storage.sql import for_postgres

_CONNECT_SECONDS: Final = 30.0
"""Seconds to wait for a free connection."""
_IDLE_SECONDS: Final = 60.0
_CLOSING_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class _Idle:
    connection: Any
    since: float


class Connections:
    """A pool of connections, opened on demand. The one returned last is lent first; connections not
    lent for a minute or two are closed.

    Args:
        connect: opens a connection; its errors are passed on.
        most: the most connections at once.
    """

    def __init__(self, connect: Callable[[], Awaitable[Any]], *, most: int) -> None:
        self._connect = connect
        self._free_slot = asyncio.Semaphore(most)
        self._idle: list[_Idle] = []
        self._used: set[Any] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._last = asyncio.Event()
        """Set when the pool is closed and its last connection was returned."""

    @asynccontextmanager
    async def borrow(self) -> AsyncGenerator[Any]:
        """Lend an asyncpg connection, outside of any transaction. A caller that leaves it in the
        midst of a statement or a transaction terminates it.

        Raises:
            TimeoutError: all connections are in use.
            RuntimeError: the pool is closed.
        """
        async with entering(self._free_slot):
            self._check_open()
            connection = self._take() or await self._connect()
            self._used.add(connection)
            try:
                self._check_open()
                yield connection
            except TimeoutError:  # the idle connections may be dead as well
                self._end_idle()
                raise
            finally:
                self._used.discard(connection)
                self._keep(connection)

    async def close(self) -> None:
        """Lend no more connections and terminate all; those in use have a second to be returned."""
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
async def entering(free_slot: asyncio.Semaphore) -> AsyncGenerator[None]:
    """Hold a slot for the block; wait for one for at most `_CONNECT_SECONDS`. The time limit costs,
    so it is set only if no slot is free."""
    if free_slot.locked():
        async with asyncio.timeout(_CONNECT_SECONDS):
            await free_slot.acquire()
    else:
        await free_slot.acquire()
    try:
        yield
    finally:
        free_slot.release()


T = TypeVar("T")
_driver: Any = asyncpg  # asyncpg has no types of its own
_TOPIC: Final = "griot_lanes"
_BEGIN: Final = "BEGIN"
_BEGIN_READING: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_PATIENCE: Final = 30.0
"""Seconds that one statement may take, and for which failed work is run again."""
_SERVERS_PATIENCE: Final = 1.0
"""Seconds for which the server goes on with a statement that we have given up: a backend that waits
for a lock does not see that its client is gone, and keeps its own locks."""
_SETTLING_SECONDS: Final = 0.5
_PING_SECONDS: Final = 30.0
_SINGLES: Final = 2
"""Connections kept free of transactions, for single statements: leases are renewed by these, which
must work however many turns run."""
_CONNECTION_LOST = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # it was cut in the midst of an operation
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.TooManyConnectionsError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.TargetServerAttributeNotMatched,  # of several hosts none is the primary, yet
    asyncpg.ObjectNotInPrerequisiteStateError,  # it takes no connections, as during a restore
)
_REFUSED = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError)
_LASTING = (*_REFUSED, asyncpg.DiskFullError)
"""Failures that only an operator ends: also a wrong password, and a database that is gone."""
ANY_FAILURE = (*_CONNECTION_LOST, asyncpg.PostgresError)
"""All failures of a connection: lost, refused, or an error of the server."""
_CONFLICT = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.InvalidCachedStatementError,  # a newer version has changed the table meanwhile
)
log = structlog.get_logger()


class PostgresTransaction:
    """Implements `bot.contracts.storage.Transaction` on one asyncpg connection."""

    def __init__(self, connection: Any, process: str) -> None:
        self._connection = connection
        self._process = process
        self.announced: list[tuple[str, bool, float]] = []

    async def fetch(self, sql: str, **values: Any) -> list[Row]:
        text, names = for_postgres(sql)
        return await self._connection.fetch(text, *[values[name] for name in names])

    async def fetch_one(self, sql: str, **values: Any) -> Row | None:
        text, names = for_postgres(sql)
        return await self._connection.fetchrow(text, *[values[name] for name in names])

    async def execute(self, sql: str, **values: Any) -> int:
        text, names = for_postgres(sql)
        status: str = await self._connection.execute(text, *[values[name] for name in names])
        return int(status.rpartition(" ")[2])

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        if len(rows) == 1:  # as it mostly is; a batch of one costs half as much again
            await self.execute(sql, **rows[0])
        if len(rows) < 2:
            return
        text, names = for_postgres(sql)
        await self._connection.executemany(text, [[row[name] for name in names] for row in rows])

    async def fetch_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[Row]:
        if len(rows) < 2:
            return await self.fetch(sql, **rows[0]) if rows else []
        text, names = for_postgres(sql)
        values = [[row[name] for name in names] for row in rows]
        return await self._connection.fetchmany(text, values)

    async def announce(self, lane: str, *, urgent: bool = False, after: float = 0.0) -> None:
        self.announced.append((lane, urgent, after))

    async def between(self, begin: str, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run the work in this transaction, which is rolled back if it raises.

        Our own statements begin and end it, as asyncpg's transaction objects cost half as much
        again.
        """
        try:
            await self._connection.execute(begin)
            result = await work(self)
            ended = await self._connection.execute(self._end)
        except TimeoutError:  # a server that does not answer would not answer a rollback
            self._connection.terminate()
            raise
        except BaseException:
            await _settle(self._connection, "ROLLBACK")
            raise
        if ended != "COMMIT":  # the server's answer, without an error, to a failed transaction
            raise RuntimeError("work went on after a statement of it had failed: it is undone")
        return result

    @property
    def _end(self) -> str:
        """The statements that end the transaction: its announcements and the commit, in one round
        trip."""
        payloads = (
            f"{self._process} {'!' if urgent else '.'} {after:.3f} {lane}".replace("'", "''")
            for lane, urgent, after in self.announced
        )
        return "".join(f"NOTIFY {_TOPIC}, '{payload}';" for payload in payloads) + "COMMIT"


class PostgresDatabase:
    """Implements `bot.contracts.storage.Database` on one primary.

    Args:
        connections: the most transactions at once, each with a connection.
        silence: seconds after which Postgres rolls back a transaction whose process sends nothing
            (it is paused, or its machine is gone), so that other processes get its locks.
    """

    def __init__(self, url: str, *, silence: float, connections: int = 10) -> None:
        self._url = url
        self._free_slot = asyncio.Semaphore(connections)
        self._connections = Connections(self._connect, most=connections + _SINGLES)
        self._silence = f"{silence * 1000:.0f}ms"
        self._process = secrets.token_hex(4)
        self._listeners: list[Listener] = []
        self._listening: asyncio.Task[None] | None = None

    async def write(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        async def once() -> T:
            async with self._transactional() as connection:
                transaction = PostgresTransaction(connection, self._process)
                result = await transaction.between(_BEGIN, work)
            self._wake(transaction.announced)
            return result

        return await _persist(once)

    async def run(self, sql: str, **values: Any) -> list[Row]:
        async def once() -> list[Row]:
            async with self._connections.borrow() as connection, _settled(connection):
                return await PostgresTransaction(connection, self._process).fetch(sql, **values)

        return await _persist(once)

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        async def once() -> T:
            async with self._transactional() as connection:
                transaction = PostgresTransaction(connection, self._process)
                return await transaction.between(_BEGIN_READING, work)

        return await _persist(once)

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen(), name="postgres-listen")

    async def check_writable(self) -> None:
        await self.run("SELECT 1")

    async def scrub(self) -> None:
        """Do nothing: `VACUUM` overwrites dead rows, and GIN indexes hold none of their own."""

    async def close(self) -> None:
        if self._listening is not None:
            await cancel_tasks([self._listening])
        await self._connections.close()

    @asynccontextmanager
    async def _transactional(self) -> AsyncGenerator[Any]:
        """Lend a connection for a transaction."""
        async with entering(self._free_slot), self._connections.borrow() as connection:
            yield connection

    async def _connect(self) -> Any:
        return await _driver.connect(
            self._url,
            timeout=10,
            command_timeout=_PATIENCE,
            server_settings={
                "idle_in_transaction_session_timeout": self._silence,
                "statement_timeout": f"{(_PATIENCE + _SERVERS_PATIENCE) * 1000:.0f}ms",
                "standard_conforming_strings": "on",  # a payload is quoted by us
            },
        )

    def _wake(self, announced: Sequence[tuple[str, bool, float]]) -> None:
        for announcement in announced:
            for listener in self._listeners:
                listener(*announcement)

    async def _listen(self) -> None:
        """Keep one connection listening; open another when it is lost."""
        while True:
            try:
                await self._listen_once()
            except ANY_FAILURE as error:
                log.warning("postgres_listen_lost", error=type(error).__name__)
            await asyncio.sleep(0.5 + random.random())  # noqa: S311

    async def _listen_once(self) -> None:
        connection: Any = await _driver.connect(self._url, timeout=10, command_timeout=_PATIENCE)
        try:
            await connection.add_listener(_TOPIC, self._on_notification)
            self._wake([("", False, 0.0)])  # earlier announcements may have been missed
            await until_lost(connection)
        finally:
            connection.terminate()

    def _on_notification(self, _connection: object, _pid: int, _topic: str, payload: str) -> None:
        process, mark, after, lane = payload.split(" ", 3)
        if process != self._process:
            self._wake([(lane, mark == "!", float(after))])


async def until_lost(connection: Any) -> None:
    """Wait until the connection is lost, and ping it while it is silent.

    Raises:
        OSError, asyncpg.PostgresError, asyncpg.InterfaceError: the server did not answer.
    """
    lost = asyncio.Event()

    def end(_connection: object) -> None:
        lost.set()

    connection.add_termination_listener(end)
    while not (lost.is_set() or connection.is_closed()):
        try:
            async with asyncio.timeout(_PING_SECONDS):
                await lost.wait()
        except TimeoutError:
            await connection.execute("SELECT 1", timeout=_PING_SECONDS)


@asynccontextmanager
async def _settled(connection: Any) -> AsyncGenerator[None]:
    """Leave no statement running on the connection when the block fails: the driver cancels it
    only later, and the next user of the connection would wait for that."""
    try:
        yield
    except (TimeoutError, asyncpg.InternalClientError):
        connection.terminate()
        raise
    except asyncio.CancelledError:
        await _settle(connection, "SELECT 1")
        raise


async def _settle(connection: Any, statement: str) -> None:
    """End a running statement or transaction by this statement; if that fails, terminate the
    connection."""
    try:
        async with asyncio.timeout(_SETTLING_SECONDS):
            await connection.execute(statement)
    except Exception:  # noqa: BLE001 (what ended the work is raised, and never this instead)
        connection.terminate()
    except BaseException:
        connection.terminate()
        raise


_MOST_TAKEN: Final = 3


async def _persist(once: Callable[[], Awaitable[T]]) -> T:
    """Run `once`, and again after a conflict or a lost connection, for at most `_PATIENCE` and
    `WAIT_LIMIT` seconds.

    A unique key that another transaction took at the same moment is a conflict too: the next run
    sees its row. It counts `_MOST_TAKEN` times, so that an error of ours does not go on for long.

    Raises:
        DatabaseUnavailable: the database cannot be reached, refuses connections, does not answer,
            or its disk is full.
    """
    loop = asyncio.get_running_loop()
    limit = WAIT_LIMIT.get()
    end = loop.time() + min(limit, _PATIENCE)
    work = partial(_end_in_time, once, end) if limit < _PATIENCE else once
    pause, taken = 0.05, 0
    while True:
        try:
            return await work()
        except asyncpg.UniqueViolationError:
            taken += 1
            if taken > _MOST_TAKEN:
                raise
        except _CONFLICT:
            if loop.time() + pause > end:
                raise
        except (*_CONNECTION_LOST, *_LASTING) as error:
            if loop.time() + pause > end or isinstance(error, _LASTING):
                raise _explain(error) from error
            log.warning("postgres_retry", error=type(error).__name__)
        await asyncio.sleep(pause * (0.5 + random.random()))  # noqa: S311
        pause = min(pause * 2, 2.0)


async def _end_in_time(work: Callable[[], Awaitable[T]], end: float) -> T:
    """Run `work`. Raises `TimeoutError` when it takes longer than until `end`, which costs."""
    async with asyncio.timeout_at(end):
        return await work()


def _explain(error: BaseException) -> DatabaseUnavailable:
    if isinstance(error, asyncpg.DiskFullError):
        return DatabaseUnavailable("its disk is full", "free space there; griot then goes on")
    if isinstance(error, _REFUSED):
        return DatabaseUnavailable("the database refuses connections", f"it says: {error}")
    reason = f"the database cannot be reached: {type(error).__name__}"
    return DatabaseUnavailable(reason, "see that it runs; griot then goes on by itself")

"""SQLite: one writer thread with group commit, a few reader threads.

All writes of the process go through one thread. It takes all waiting work, runs each piece in a
savepoint of its own, commits them together (one fsync for all), and only then wakes the waiting
tasks. `synchronous=FULL` and the write-ahead log make the committed work durable.

The work is an `async def` that awaits nothing but its transaction, so the thread can drive it to
its end without an event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog

from bot.contracts.storage import Listener, Row, Transaction
from bot.errors import DatabaseUnavailable
from bot.storage.sql import for_sqlite, for_sqlite_to_read

T = TypeVar("T")
_Work = Callable[[Transaction], Awaitable[Any]]
_BATCH: Final = 256
_BUSY_SECONDS: Final = 30.0
_READERS: Final = 2
_MERGED: Final = 500
"""Pages of the full-text index that are merged in one piece of work."""
_CHECKPOINTS: Final = 50
"""How often the log's truncation is tried while readers hold it."""
_MOST_REWRITTEN: Final = 256 * 2**20
"""The largest file in bytes that is rewritten after an erasure, which takes a second or two."""
_PAUSE: Final = 0.1
"""Seconds between two tries of the truncation, and the most that one holds up the writer."""
log = structlog.get_logger()


class SqliteDatabase:
    """Implements `bot.contracts.storage.Database` on one file.

    Args:
        read_only: every write fails; see `connect_for_reading`.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._listeners: list[Listener] = []
        open_connection = partial(connect_for_reading if read_only else connect, path)
        self._disk = _Disk(path)
        start = partial(_Thread, open_connection, self._disk, announce=self._wake)
        self._writer = start("griot-writer", begin="BEGIN" if read_only else "BEGIN IMMEDIATE")
        jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._readers = [
            start(f"griot-reader-{n}", begin="BEGIN", jobs=jobs) for n in range(_READERS)
        ]

    async def write(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._writer.submit(_Job(work))

    async def run(self, sql: str, **values: Any) -> list[Row]:
        return await self.write(lambda tx: tx.fetch(sql, **values))

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._readers[0].submit(_Job(work, is_read_only=True))

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def _wake(self, lane: str, urgent: bool, after: float) -> None:
        for listener in self._listeners:
            listener(lane, urgent, after)

    async def check_writable(self) -> None:
        """Write little, or, since something could not be written, as much as a message needs."""
        await self.write(_write_sample if self._disk.is_refused else _write_little)
        self._disk.is_refused = False

    async def scrub(self) -> None:
        """Overwrite deleted data. Merge the full-text index into one segment, which drops deleted
        words from the others, a few pages at a time; rewrite the file, as pages keep bytes of moved
        rows, unless it is larger than `_MOST_REWRITTEN`; then truncate the write-ahead log."""
        pages = -_MERGED
        while await self.write(lambda tx, pages=pages: _merge_fulltext(tx, pages)):
            pages = _MERGED
        size = self._path.stat().st_size
        if size > _MOST_REWRITTEN or not await self._writer.submit(_Vacuum()):
            log.warning("database_not_rewritten", size=size)
        for _ in range(_CHECKPOINTS):
            if await self._writer.submit(_Checkpoint()):
                return
            await asyncio.sleep(_PAUSE)
        log.warning("wal_not_truncated")

    async def close(self) -> None:
        for threads in (self._readers, [self._writer]):  # the last one to close empties the log
            for thread in threads:
                thread.stop()
            for thread in threads:
                await asyncio.to_thread(thread.join)


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection with Griot's settings: autocommit, WAL, full durability, deleted data
    overwritten, and a clock (`epoch()`)."""
    connection = sqlite3.connect(
        path, isolation_level=None, timeout=_BUSY_SECONDS, cached_statements=512
    )
    connection.row_factory = sqlite3.Row
    connection.create_function("epoch", 0, time.time)
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",
        "cache_size=-16000",
        "wal_autocheckpoint=10000",
        "temp_store=MEMORY",
        "mmap_size=268435456",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def connect_for_reading(path: Path, *, seconds: float = _BUSY_SECONDS) -> sqlite3.Connection:
    """Return a connection to an existing file that can only read.

    Where nothing may be written beside the file, SQLite cannot share it with a process that writes
    (https://www.sqlite.org/wal.html#read_only_databases), so the file is read as if it never
    changed, unless a write-ahead log is left beside it.

    Args:
        seconds: the longest wait for another process.
    """
    uri = path.absolute().as_uri()
    try:
        # A connection of mode=ro would leave files behind.
        connection = _connect_by_uri(f"{uri}?mode=rw", seconds)
    except sqlite3.OperationalError as error:
        log_left = path.with_name(f"{path.name}-wal").exists()
        if log_left or _primary_code(error) not in _READ_ONLY:
            raise
        connection = _connect_by_uri(f"{uri}?immutable=1", seconds)
    connection.row_factory = sqlite3.Row
    connection.create_function("epoch", 0, time.time)
    connection.execute("PRAGMA query_only=ON")
    return connection


_READ_ONLY: Final = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN})


def _connect_by_uri(uri: str, seconds: float) -> sqlite3.Connection:
    """Return a connection with which the file was read once."""
    with contextlib.ExitStack() as stack:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=seconds)
        stack.callback(connection.close)
        connection.execute("SELECT 1 FROM sqlite_master")
        stack.pop_all()
    return connection


def _primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's code without what details it (https://www.sqlite.org/rescode.html)."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


_NOT_WRITTEN: Final = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
    }
)
_SAMPLE_BYTES: Final = 2**16


class _Disk:
    """Recognises the errors by which the disk, and not a statement, is at fault."""

    def __init__(self, path: Path) -> None:
        self._folder = path.absolute().parent
        self.is_refused = False
        """Whether something could not be written since `check_writable` last could."""

    def explain(self, error: BaseException) -> BaseException:
        """Return the error; a `DatabaseUnavailable` in place of one of the disk."""
        if not isinstance(error, sqlite3.OperationalError):
            return error
        code = _primary_code(error)
        if code not in _NOT_WRITTEN:
            return error
        self.is_refused = True
        is_full = code == sqlite3.SQLITE_FULL
        what = "free space on the disk of" if is_full else "see to the disk and the permissions of"
        advice = f"{what} {self._folder}; griot then goes on by itself"
        explained = DatabaseUnavailable(str(error), advice)
        explained.__cause__ = error
        return explained


async def _write_little(tx: Transaction) -> None:
    """Change the number that SQLite keeps in its header for us, and nothing else uses."""
    row = await tx.fetch_one("PRAGMA user_version")
    await tx.fetch(f"PRAGMA user_version = {0 if row and row[0] else 1}")


async def _write_sample(tx: Transaction) -> None:
    """Write some pages, and give them back to the file."""
    await tx.execute("CREATE TABLE griot_sample (content BLOB)")
    await tx.execute("INSERT INTO griot_sample VALUES (zeroblob(:size))", size=_SAMPLE_BYTES)
    await tx.execute("DROP TABLE griot_sample")


def try_writing(path: Path, *, seconds: float) -> None:
    """Write a sample to an existing file.

    Args:
        seconds: the longest wait for another process; one that writes for longer proves enough.

    Raises:
        DatabaseUnavailable: nothing can be written.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=seconds)) as one:
            one.execute("BEGIN IMMEDIATE")
            _drive(_write_sample(SqliteTransaction(one)))
            one.execute("COMMIT")
    except sqlite3.OperationalError as error:
        explained = _Disk(path).explain(error)
        if _primary_code(error) != sqlite3.SQLITE_BUSY:
            raise explained from None


class SqliteTransaction:
    """Implements `bot.contracts.storage.Transaction`; lives in the thread that made it."""

    def __init__(self, connection: sqlite3.Connection, *, is_read_only: bool = False) -> None:
        self._connection = connection
        self._translate = for_sqlite_to_read if is_read_only else for_sqlite
        self.announced: list[tuple[str, bool, float]] = []

    async def fetch(self, sql: str, **values: Any) -> list[Row]:
        return self._connection.execute(self._translate(sql), values).fetchall()

    async def fetch_one(self, sql: str, **values: Any) -> Row | None:
        rows = self._connection.execute(self._translate(sql), values).fetchall()
        return rows[0] if rows else None

    async def execute(self, sql: str, **values: Any) -> int:
        return self._connection.execute(self._translate(sql), values).rowcount

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        self._connection.executemany(self._translate(sql), rows)

    async def fetch_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[Row]:
        text = self._translate(sql)
        return [found for row in rows for found in self._connection.execute(text, row).fetchall()]

    async def announce(self, lane: str, *, urgent: bool = False, after: float = 0.0) -> None:
        self.announced.append((lane, urgent, after))


async def _do_nothing(_: Transaction) -> None:
    """Do nothing: work for a job of which only `finish` counts."""


class _Job:
    """One piece of work, and the task that waits for it."""

    def __init__(self, work: _Work = _do_nothing, *, is_read_only: bool = False) -> None:
        self.work = work
        self._is_read_only = is_read_only
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.result: Any = None
        self.error: BaseException | None = None
        self.announced: list[tuple[str, bool, float]] = []

    def run(self, connection: sqlite3.Connection) -> None:
        """Run the work in a savepoint; its error is kept for the task that waits."""
        transaction = SqliteTransaction(connection, is_read_only=self._is_read_only)
        connection.execute("SAVEPOINT work")
        try:
            self.result = _drive(self.work(transaction))
        except BaseException as error:
            self.error = error
            if not connection.in_transaction:  # as with a full disk, which undoes the whole batch
                raise sqlite3.OperationalError("the transaction was undone") from error
            connection.execute("ROLLBACK TO work")
        else:
            self.announced = transaction.announced
        connection.execute("RELEASE work")

    def finish(self, connection: sqlite3.Connection) -> None:
        """Do what follows the batch's commit, outside of any transaction; by default nothing."""

    def tell(self) -> None:
        """Wake the waiting task, in its event loop, unless its future is done or cancelled."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class _Checkpoint(_Job):
    """Writes the log into the file and truncates it; the result is False if readers hold it."""

    def finish(self, connection: sqlite3.Connection) -> None:
        connection.execute(f"PRAGMA busy_timeout={int(_PAUSE * 1000)}")
        try:
            [busy, *_] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self.result = not busy
        except sqlite3.OperationalError:
            self.result = False
        connection.execute(f"PRAGMA busy_timeout={int(_BUSY_SECONDS * 1000)}")


class _Vacuum(_Job):
    """Rewrites the whole file; the result is whether that worked."""

    def finish(self, connection: sqlite3.Connection) -> None:
        try:
            connection.execute("VACUUM")
            self.result = True
        except sqlite3.OperationalError:  # another process writes just now, or the disk is full
            self.result = False


async def _merge_fulltext(tx: Transaction, pages: int) -> bool:
    """Merge some pages, of all segments if `pages` is negative; return False if there is nothing
    left to merge (https://www.sqlite.org/fts5.html#the_merge_command)."""
    if await tx.fetch_one("SELECT 1 FROM sqlite_master WHERE name = 'fulltext'") is None:
        return False
    changes = "SELECT total_changes() AS number"
    before = await tx.fetch_one(changes)
    await tx.execute("INSERT INTO fulltext (fulltext, rank) VALUES ('merge', :pages)", pages=pages)
    after = await tx.fetch_one(changes)
    return before is not None and after is not None and after["number"] - before["number"] > 1


def _drive(awaitable: Awaitable[T]) -> T:
    steps = awaitable.__await__()
    try:
        next(steps)
    except StopIteration as stop:
        return stop.value
    raise RuntimeError("a transaction awaits nothing but its own statements")


def _drain(jobs: queue.SimpleQueue[_Job | None]) -> list[_Job | None]:
    """Take and return all jobs that are in the queue now."""
    drained: list[_Job | None] = []
    with contextlib.suppress(queue.Empty):
        while True:
            drained.append(jobs.get_nowait())
    return drained


class _Thread:
    """A thread with a connection of its own that runs jobs in batches.

    If the thread dies of an unforeseen error, tasks that wait for it, now or later, get a
    `ConnectionError`, so that readiness shows it; `threading.excepthook` shows the error.
    """

    def __init__(
        self,
        open_connection: Callable[[], sqlite3.Connection],
        disk: _Disk,
        name: str,
        *,
        begin: str,
        announce: Listener,
        jobs: queue.SimpleQueue[_Job | None] | None = None,
    ) -> None:
        self._open_connection = open_connection
        self._disk = disk
        self._begin = begin
        self._announce = announce
        self._jobs: queue.SimpleQueue[_Job | None] = jobs or queue.SimpleQueue()
        self._batch: list[_Job] = []
        self._ended = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def submit(self, job: _Job) -> Any:
        """Run a job in one of the next batches; return its result, or raise its error."""
        self._jobs.put(job)
        if self._ended:  # checked after `put`, so that this or the thread fails the job
            self._fail_waiting()
        return await job.future

    def stop(self) -> None:
        self._jobs.put(None)

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        try:
            with closing(self._open_connection()) as connection:
                self._work(connection)
        finally:
            self._ended = True
            self._fail_waiting()

    def _work(self, connection: sqlite3.Connection) -> None:
        stopping = False
        while not stopping:
            self._batch, stopping = self._take()
            if self._batch:
                self._commit(connection, self._batch)
                for job in self._batch:
                    job.finish(connection)
                ended, self._batch = self._batch, []
                self._report(ended)

    def _report(self, batch: list[_Job]) -> None:
        for loop in {job.loop for job in batch}:
            ended = [job for job in batch if job.loop is loop]
            with contextlib.suppress(RuntimeError):  # the loop is closed, and no task waits
                loop.call_soon_threadsafe(self._tell, ended)

    def _fail_waiting(self) -> None:
        """Fail all waiting jobs, as the thread has ended."""
        waiting = [*self._batch, *_drain(self._jobs)]
        self._batch = []
        left = [job for job in waiting if job is not None]
        for _ in range(len(waiting) - len(left)):
            self._jobs.put(None)  # stops another thread on the same queue
        for job in left:
            job.error = job.error or ConnectionError(f"the thread {self._thread.name} has ended")
        self._report(left)

    def _take(self) -> tuple[list[_Job], bool]:
        batch: list[_Job] = []
        job = self._jobs.get()
        while job is not None:
            batch.append(job)
            if len(batch) == _BATCH:
                return batch, False
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, connection: sqlite3.Connection, batch: list[_Job]) -> None:
        """Run the whole batch in one transaction; a failing commit fails every job in it."""
        try:
            connection.execute(self._begin)
            for job in batch:
                job.run(connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            for job in batch:
                job.error = job.error or error.__cause__ or error
        for job in batch:
            if job.error is not None:
                job.error = self._disk.explain(job.error)

    def _tell(self, batch: list[_Job]) -> None:
        for job in batch:
            job.tell()
            if job.error is None:
                for announcement in job.announced:
                    self._announce(*announcement)

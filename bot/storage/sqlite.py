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
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog

from bot.contracts.storage import Listener, Row, Transaction
from bot.storage.sql import for_sqlite

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
    """Implements `bot.contracts.storage.Database` on one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listeners: list[Listener] = []
        self._writer = _Thread(path, "griot-writer", begin="BEGIN IMMEDIATE", announce=self._wake)
        jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._readers = [
            _Thread(path, f"griot-reader-{n}", begin="BEGIN", announce=self._wake, jobs=jobs)
            for n in range(_READERS)
        ]

    async def write(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._writer.submit(work)

    async def run(self, sql: str, **values: Any) -> list[Row]:
        return await self.write(lambda tx: tx.fetch(sql, **values))

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._readers[0].submit(work)

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def _wake(self, lane: str, urgent: bool, after: float) -> None:
        for listener in self._listeners:
            listener(lane, urgent, after)

    async def scrub(self) -> None:
        """Overwrite deleted data. Merge the full-text index into one segment, which drops deleted
        words from the others, a few pages at a time; rewrite the file, as pages keep bytes of moved
        rows, unless it is larger than `_MOST_REWRITTEN`; then truncate the write-ahead log."""
        pages = -_MERGED
        while await self.write(lambda tx, pages=pages: _merge_fulltext(tx, pages)):
            pages = _MERGED
        size = self._path.stat().st_size
        if size > _MOST_REWRITTEN or not await self._writer.vacuum():
            log.warning("database_not_rewritten", size=size)
        for _ in range(_CHECKPOINTS):
            if await self._writer.checkpoint():
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


class SqliteTransaction:
    """Implements `bot.contracts.storage.Transaction`; lives in the thread that made it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.announced: list[tuple[str, bool, float]] = []

    async def fetch(self, sql: str, **values: Any) -> list[Row]:
        return self._connection.execute(for_sqlite(sql), values).fetchall()

    async def fetch_one(self, sql: str, **values: Any) -> Row | None:
        rows = self._connection.execute(for_sqlite(sql), values).fetchall()
        return rows[0] if rows else None

    async def execute(self, sql: str, **values: Any) -> int:
        return self._connection.execute(for_sqlite(sql), values).rowcount

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        self._connection.executemany(for_sqlite(sql), rows)

    async def fetch_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[Row]:
        text = for_sqlite(sql)
        return [found for row in rows for found in self._connection.execute(text, row).fetchall()]

    async def announce(self, lane: str, *, urgent: bool = False, after: float = 0.0) -> None:
        self.announced.append((lane, urgent, after))


class _Job:
    """One piece of work, and the task that waits for it."""

    def __init__(self, work: _Work) -> None:
        self.work = work
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.result: Any = None
        self.error: BaseException | None = None
        self.announced: list[tuple[str, bool, float]] = []

    def run(self, connection: sqlite3.Connection) -> None:
        """Run the work in a savepoint; its error is kept for the task that waits."""
        transaction = SqliteTransaction(connection)
        connection.execute("SAVEPOINT work")
        try:
            self.result = _drive(self.work(transaction))
        except BaseException as error:  # noqa: BLE001 (handed to the waiting task as it is)
            self.error = error
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
    """Writes the log back into the file and truncates it; the result is whether that worked."""

    def __init__(self) -> None:
        super().__init__(_do_nothing)

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

    def __init__(self) -> None:
        super().__init__(_do_nothing)

    def finish(self, connection: sqlite3.Connection) -> None:
        try:
            connection.execute("VACUUM")
            self.result = True
        except sqlite3.OperationalError:  # another process writes just now, or the disk is full
            self.result = False


async def _do_nothing(_: Transaction) -> None:
    """Do nothing: work for a job of which only `finish` counts."""


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
        path: Path,
        name: str,
        *,
        begin: str,
        announce: Listener,
        jobs: queue.SimpleQueue[_Job | None] | None = None,
    ) -> None:
        self._path = path
        self._begin = begin
        self._announce = announce
        self._jobs: queue.SimpleQueue[_Job | None] = jobs or queue.SimpleQueue()
        self._batch: list[_Job] = []
        self._ended = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def submit(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._submit(_Job(work))

    async def _submit(self, job: _Job) -> Any:
        self._jobs.put(job)
        if self._ended:  # checked after `put`, so that this or the thread fails the job
            self._fail_waiting()
        return await job.future

    async def vacuum(self) -> bool:
        """Rewrite the whole file between two batches; return whether that worked."""
        return await self._submit(_Vacuum())

    async def checkpoint(self) -> bool:
        """Truncate the write-ahead log between two batches; return False if readers hold it."""
        return await self._submit(_Checkpoint())

    def stop(self) -> None:
        self._jobs.put(None)

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        try:
            with closing(connect(self._path)) as connection:
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
                job.error = job.error or error

    def _tell(self, batch: list[_Job]) -> None:
        for job in batch:
            job.tell()
            if job.error is None:
                for announcement in job.announced:
                    self._announce(*announcement)

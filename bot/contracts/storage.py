"""The interfaces of storage: the durable database, the momentary store, and blobs."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

T = TypeVar("T")
Clock = Callable[[], float]
"""Unix seconds."""
Row = Any
"""A result row: `row["column"]` or `row[0]` (sqlite3.Row, asyncpg.Record)."""
Listener = Callable[[str, bool, float], None]
"""A function called with a lane that has work, whether it is urgent, and in how many seconds it is
due."""


WAIT_LIMIT: Final[ContextVar[float]] = ContextVar("WAIT_LIMIT", default=math.inf)
"""The most seconds for which the present task waits for a database that cannot be reached."""


class Transaction(Protocol):
    """One open transaction. SQL names its parameters `:name`; see `bot/storage/sql.py`."""

    async def fetch(self, sql: str, **values: Any) -> list[Row]: ...

    async def fetch_one(self, sql: str, **values: Any) -> Row | None: ...

    async def execute(self, sql: str, **values: Any) -> int:
        """Run a statement and return how many rows it changed."""
        ...

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None: ...

    async def fetch_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[Row]:
        """Run a statement with each of these values, in their order and in one round trip; return
        the rows of all."""
        ...

    async def announce(self, lane: str, *, urgent: bool = False, after: float = 0.0) -> None:
        """Wake the worker that has `lane`, or may take it, once this transaction is durable.

        Args:
            urgent: something in the lane is to be handled while a turn runs.
            after: seconds until there is something to do.
        """
        ...


async def fetch_count(tx: Transaction, sql: str, **values: Any) -> int:
    """Return the number `n` that a query counts."""
    row = await tx.fetch_one(sql, **values)
    return int(row["n"]) if row else 0


class Database(Protocol):
    """The one place where anything durable is written.

    A function given to `write` or `read` awaits nothing but its transaction, and may be run again
    if the database asks for that (a lost connection, a deadlock): it has no other effect, and run
    again after a commit whose answer was lost, it changes nothing more and gives the same result.

    Every coroutine raises `ConnectionError` when the database cannot be reached for long, or has no
    space to write.
    """

    async def write(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run `work` in a transaction; when this returns, it is durable."""
        ...

    async def run(self, sql: str, **values: Any) -> list[Row]:
        """Run one statement as a transaction; it may be run again, like the work of `write`."""
        ...

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run `work` on one consistent snapshot."""
        ...

    def listen(self, listener: Listener) -> None:
        """Call `listener(lane, urgent, after)` in the event loop for each announcement: of this
        process at once, of others soon. An announcement may get lost, so the caller also polls."""
        ...

    async def check_writable(self) -> None:
        """Check that something can be written. Raises `ConnectionError` like every coroutine."""
        ...

    async def scrub(self) -> None:
        """Overwrite what was deleted where the engine still keeps a copy of it.

        SQLite: segments of the full-text index and the write-ahead log; they are as large as ever,
        so this is for an erasure, not for each deletion. PostgreSQL leaves it to `VACUUM`.
        """
        ...

    async def close(self) -> None: ...


class EphemeralStore(Protocol):
    """State that may be lost: live events, counters, short locks. Redis, or a store in memory.

    Every coroutine raises `ConnectionError` when the store cannot be reached.
    """

    shared: bool
    """Whether other processes share the state."""

    def publish(self, topic: str, payload: bytes) -> None:
        """Send to all current subscribers, in order for one publisher; never blocks or raises."""
        ...

    def subscribe(self, topic: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Open a context that yields the payloads published on `topic` from its beginning on."""
        ...

    async def count(self, key: str, seconds: float) -> int:
        """Add one to a counter that starts anew `seconds` after its first use; return its value."""
        ...

    async def reserve(self, key: str, *, rate: float, burst: int) -> float:
        """Take one place in a queue of `rate` a second; return the seconds to wait for it."""
        ...

    async def unreserve(self, key: str, *, rate: float, burst: int) -> None:
        """Give back one unused place that `reserve` gave for the same pace."""
        ...

    async def lock(self, key: str, owner: str, seconds: float) -> bool:
        """Take the lock, or renew it if `owner` has it; False if someone else does."""
        ...

    async def unlock(self, key: str, owner: str) -> None:
        """Give the lock back if `owner` has it."""
        ...

    async def put(self, key: str, value: bytes, seconds: float) -> None: ...

    async def get(self, key: str) -> bytes | None: ...

    async def delete(self, key: str) -> None: ...

    async def ping(self) -> None:
        """Check that the store can be reached. Raises `ConnectionError`."""
        ...

    async def close(self) -> None: ...


ReadFile = Callable[[str], Awaitable[bytes]]
"""Returns the bytes of a library file by its id; raises `NotFound`."""


class Blobs(Protocol):
    """Bytes by key: a folder or an S3-compatible store."""

    async def put(self, key: str, content: bytes, mime_type: str) -> None: ...

    async def put_file(self, key: str, path: Path, mime_type: str) -> None:
        """Store the content of the file at `path`, which need not fit into memory."""
        ...

    async def get(self, key: str) -> bytes:
        """Return the bytes of a key. Raises `NotFound`, or `ConnectionError` when the store cannot
        be reached."""
        ...

    async def delete(self, key: str) -> None:
        """Delete the bytes of a key, if there are any."""
        ...

    async def clear(self, folder: str) -> None:
        """Delete everything whose key begins with `folder/`, whatever stored it."""
        ...


MAX_BIGINT: Final = 2**63 - 1
"""The greatest integer that both databases keep (BIGINT). No id and no count is greater, so a
listing of the rows before it begins with the newest."""


def parse_whole_number(text: str, most: int) -> int | None:
    """Return the number from 0 to `most` that `text` writes in digits from 0 to 9, no more of them
    than `most` has; None: `text` is no such number."""
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if number <= most else None

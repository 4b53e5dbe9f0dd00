"""Open the database that the settings name, and bring its tables up to date."""

from __future__ import annotations

import asyncio
import fcntl
import random
import secrets
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import structlog

from bot.asyncio_tasks import cancel_tasks
from bot.contracts.storage import Database
from bot.errors import DatabaseInUse, SettingsError
from bot.settings import Settings
from bot.storage.sqlite import SqliteDatabase, connect, connect_for_reading

MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 0x6772696F74  # "griot"
_WORKER_LOCK = _MIGRATION_LOCK + 1
_REVISION_SECONDS = 5
"""Time-out of the question for the revision."""
_LOCK_SECONDS = 30.0
"""Time-out of a statement about the workers' lock."""
_MIGRATION_SECONDS = 600.0
"""Seconds to wait for another process that brings the tables up to date."""
_MIGRATING = (sys.executable, "-P", "-s", "-m", "bot.storage.migrating")
log = structlog.get_logger()


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncGenerator[Database]:
    """Open the database of `DATABASE_URL`, migrated; several processes may do so at the same time.

    Raises:
        SettingsError: the database cannot be opened.
    """
    database = await (_open_sqlite if settings.is_sqlite else _open_postgres)(settings)
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def open_existing_database(settings: Settings) -> AsyncGenerator[Database]:
    """Open the database of `DATABASE_URL` for reading; make and upgrade nothing.

    A SQLite file may be in a folder in which this process may not write.

    Raises:
        SettingsError: there is no such database, its tables are of another version of Griot, or it
            cannot be opened.
    """
    require_database(settings)
    current = await read_revision(settings)
    if _is_outdated(current):
        state = f"its tables are at revision {current}, not {head()}" if current else "no tables"
        raise SettingsError(
            f"DATABASE_URL: {state} in {describe_database(settings)}; run: griot db upgrade"
        )
    if settings.is_sqlite:
        database: Database = SqliteDatabase(sqlite_path(settings), read_only=True)
    else:
        database = _make_postgres(settings)
    try:
        yield database
    finally:
        await database.close()


def require_database(settings: Settings) -> None:
    """Raise `SettingsError` if `DATABASE_URL` names a SQLite file that does not exist."""
    if settings.is_sqlite and not sqlite_path(settings).exists():
        raise SettingsError(
            f"DATABASE_URL: there is no database at {describe_database(settings)}; "
            "start griot in its folder, or set DATABASE_URL"
        )


def describe_database(settings: Settings) -> str:
    """Return where the database is, without user and password: a path, or `host:port/name`."""
    if settings.is_sqlite:
        return str(sqlite_path(settings).absolute())
    place = settings.database_url.partition("://")[2].partition("?")[0]
    return place.rpartition("@")[2]


def sqlite_path(settings: Settings) -> Path:
    """Return the file of `DATABASE_URL`: `sqlite:///griot.db` is relative to the working folder,
    `sqlite:////data/griot.db` is not."""
    return Path(settings.database_url.removeprefix("sqlite:///"))


def head() -> str:
    """Return the newest revision of the tables."""
    return max(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


async def revision(database: Database) -> str:
    """Return the revision of the database's tables."""
    row = await database.read(lambda tx: tx.fetch_one("SELECT version_num FROM alembic_version"))
    return row["version_num"] if row else ""


async def read_revision(settings: Settings) -> str:
    """Return the revision of the tables; empty if there are none yet.

    Raises:
        SettingsError: the database cannot be reached.
    """
    if not settings.is_sqlite:
        return await _read_postgres_revision(settings)
    path = _require_folder(settings)
    if not path.exists():
        return ""
    with closing(connect_for_reading(path, seconds=_REVISION_SECONDS)) as connection:
        return _fetch_sqlite_revision(connection)


def _require_folder(settings: Settings) -> Path:
    """Return SQLite's file, whose folder exists. Raises `SettingsError` otherwise."""
    path = sqlite_path(settings)
    if not path.parent.is_dir():
        raise SettingsError(f"DATABASE_URL: the folder {path.parent} does not exist; create it")
    return path


def _fetch_sqlite_revision(connection: sqlite3.Connection) -> str:
    tables = "SELECT name FROM sqlite_master WHERE name = 'alembic_version'"
    if not connection.execute(tables).fetchall():
        return ""
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return row[0] if row else ""


async def _read_postgres_revision(settings: Settings) -> str:
    import asyncpg  # only where it is used: a SQLite process does without

    driver: Any = asyncpg
    try:
        connection = await driver.connect(settings.database_url, timeout=_REVISION_SECONDS)
    except ValueError:  # about its parts; the message may quote the password
        raise SettingsError(
            "DATABASE_URL: not a usable address; use postgresql://user:password@host/name, "
            "special characters of the password as %XX"
        ) from None
    except OSError as error:
        raise SettingsError(f"DATABASE_URL: cannot connect: {error or 'no answer'}") from error
    try:
        return await _fetch_postgres_revision(connection)
    finally:
        await connection.close()


async def _fetch_postgres_revision(connection: Any) -> str:
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return ""
    return await connection.fetchval("SELECT version_num FROM alembic_version") or ""


@asynccontextmanager
async def hold_lanes(settings: Settings) -> AsyncGenerator[None]:
    """Hold the right to run lanes on this database while the context is open.

    A SQLite file has one such process. PostgreSQL has any number if they share a Redis, else one
    too: live events would not reach the others. The kernel or the server frees the lock of a
    process that dies.

    Raises:
        DatabaseInUse: another process has the right; also later, in the task that entered, when
            PostgreSQL was away for a moment and another process took it.
    """
    if settings.is_sqlite:
        with _hold_file(sqlite_path(settings)):
            yield
    elif settings.redis_url:
        yield
    else:
        async with _hold_alone(settings.database_url):
            yield


@contextmanager
def _hold_file(path: Path) -> Generator[None]:
    with _open_lock(path, "worker") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DatabaseInUse(
                f"DATABASE_URL: another griot process already runs on {path}; "
                "stop it, or use PostgreSQL to run several"
            ) from None
        yield


def _open_lock(path: Path, purpose: str) -> TextIO:
    """Open the file beside the database that is locked for this purpose.

    Raises:
        SettingsError: nothing can be written there.
    """
    lock = path.with_name(f"{path.name}.{purpose}.lock")
    try:
        return lock.open("a")
    except OSError as error:
        raise SettingsError(
            f"DATABASE_URL: nothing can be written in {path.absolute().parent}: {error.strerror}"
        ) from None


# SQLite -----------------------------------------------------------------------------------------


async def _open_sqlite(settings: Settings) -> Database:
    path = _require_folder(settings)
    await asyncio.to_thread(_migrate_sqlite, path)
    return SqliteDatabase(path)


def _migrate_sqlite(path: Path) -> None:
    with _open_lock(path, "migrate") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with closing(connect(path)) as connection:
            current = _fetch_sqlite_revision(connection)
        if _is_outdated(current):
            migrate_apart(f"sqlite:///{path}")


# PostgreSQL -------------------------------------------------------------------------------------


async def _open_postgres(settings: Settings) -> Database:
    url = settings.database_url
    connection = await connect_postgres(url, command_timeout=_MIGRATION_SECONDS)
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", _MIGRATION_LOCK)
        if _is_outdated(await _fetch_postgres_revision(connection)):
            await asyncio.to_thread(migrate_apart, url)
    except TimeoutError:
        raise SettingsError(
            "DATABASE_URL: the database does not answer, or another griot process has been "
            f"bringing its tables up to date for {_MIGRATION_SECONDS / 60:.0f} minutes: look there"
        ) from None
    finally:
        await _close(connection)
    return _make_postgres(settings)


def _make_postgres(settings: Settings) -> Database:
    from bot.storage.postgres import PostgresDatabase

    return PostgresDatabase(settings.database_url, silence=settings.lease_seconds / 2)


async def connect_postgres(
    url: str, *, command_timeout: float | None = None, **server_settings: str
) -> Any:
    """Return an asyncpg connection. Raises `SettingsError`, which never quotes the password."""
    import asyncpg  # only where it is used: a SQLite process does without

    driver: Any = asyncpg
    try:
        return await driver.connect(
            url, timeout=10, command_timeout=command_timeout, server_settings=server_settings
        )
    except ValueError:
        # The driver's message about a malformed URL may quote the password in it.
        raise SettingsError("DATABASE_URL: it is not a PostgreSQL address") from None
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InternalClientError) as error:
        reason = str(error) or type(error).__name__
        raise SettingsError(f"DATABASE_URL: cannot connect: {reason}") from error


@asynccontextmanager
async def _hold_alone(url: str) -> AsyncGenerator[None]:
    """Hold the lock of the only worker, and take it again whenever its connection is lost."""
    name = f"griot-lanes-{secrets.token_hex(4)}"
    holder = asyncio.current_task()
    connection = await _take_lock(url, name)
    keeping = asyncio.create_task(_keep_lock(url, name, connection), name="lanes-lock")

    def interrupt(_: object) -> None:
        if holder is not None:
            holder.cancel()

    keeping.add_done_callback(interrupt)
    try:
        yield
    except asyncio.CancelledError:
        if holder is not None and keeping.done():
            holder.uncancel()
            keeping.result()  # raises the error that ended it
        raise
    finally:
        keeping.remove_done_callback(interrupt)
        await cancel_tasks([keeping])
        await _close(connection)  # a task cancelled at once does not close it


async def _take_lock(url: str, name: str) -> Any:
    """Return a connection called `name` that has the lock; end an older one of that name.

    The server may take hours to see that the older one is dead, and to free its lock.

    Raises:
        DatabaseInUse: another process has the lock.
        ConnectionError: the older connection still had the lock, which will be free soon.
    """
    async with AsyncExitStack() as stack:
        connection = await connect_postgres(
            url, command_timeout=_LOCK_SECONDS, application_name=name
        )
        stack.push_async_callback(_close, connection)
        ended = await connection.fetch(_END_OLDER, name)
        if await connection.fetchval("SELECT pg_try_advisory_lock($1)", _WORKER_LOCK):
            stack.pop_all()
            return connection
    if ended:
        raise ConnectionError("the lock is not free yet")
    raise DatabaseInUse(
        "REDIS_URL: it is not set, and another griot process already runs on this database; "
        "several processes need a Redis that they share"
    )


async def _keep_lock(url: str, name: str, connection: Any) -> None:
    """Keep the lock until cancelled. Raises `DatabaseInUse` when another process took it."""
    from bot.storage.postgres import ANY_FAILURE, until_lost

    try:
        while True:
            with suppress(*ANY_FAILURE):
                await until_lost(connection)
            connection.terminate()
            log.warning("lanes_lock_lost")
            connection = await _take_lock_again(url, name)
    finally:
        await _close(connection)


async def _close(connection: Any) -> None:
    """Close a connection, even one that is closed or broken already."""
    from bot.storage.postgres import ANY_FAILURE

    with suppress(*ANY_FAILURE):
        await connection.close(timeout=1)


async def _take_lock_again(url: str, name: str) -> Any:
    from bot.storage.postgres import ANY_FAILURE

    while True:
        try:
            return await _take_lock(url, name)
        except DatabaseInUse:
            raise
        except SettingsError as error:
            log.warning("lanes_lock_not_back", reason=str(error))
        except ANY_FAILURE as error:
            log.warning("lanes_lock_not_back", reason=type(error).__name__)
        await asyncio.sleep(0.1 + random.random() / 2)  # noqa: S311


_END_OLDER = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE application_name = $1 AND pid <> pg_backend_pid()
"""


def migrate_apart(url: str) -> None:
    """Bring the tables to the newest revision, by `bot.storage.migrating` in a process of its own:
    a process that serves afterwards would keep the 40 MB that it needs.

    Raises:
        SettingsError: the migration failed, or was stopped by a signal.
    """
    done = subprocess.run(  # noqa: S603 (our own program, the URL on its standard input)
        _MIGRATING, input=url, capture_output=True, text=True, check=False
    )
    if done.returncode < 0:
        raise SettingsError(
            f"DATABASE_URL: stopped by {signal.Signals(-done.returncode).name} while its tables "
            "were upgraded; the next start does that again"
        )
    if done.returncode != 0:
        said = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise SettingsError(f"DATABASE_URL: its tables cannot be brought up to date: {said}")


def _is_outdated(current: str) -> bool:
    """Return whether tables at this revision (empty: there are none) are to be migrated. Raises
    `SettingsError`: they are newer than this version of Griot."""
    if current > head():
        raise SettingsError(
            f"DATABASE_URL: its tables are newer ({current}) than this version of griot knows "
            f"({head()}); run the version that made them"
        )
    return current != head()

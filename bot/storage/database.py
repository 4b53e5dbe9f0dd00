"""Open the database that the settings name, its tables up to date."""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

from bot.contracts import Database, Transaction
from bot.errors import DatabaseInUse, SettingsError
from bot.settings import Settings
from bot.storage.sqlite import SqliteDatabase, connect

MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 0x6772696F74  # "griot"
_WORKER_LOCK = _MIGRATION_LOCK + 1


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncGenerator[Database]:
    """The database of `DATABASE_URL`, migrated; several processes may open it at the same time.

    Raises:
        SettingsError: it cannot be opened.
    """
    database = await (_open_sqlite if settings.is_sqlite else _open_postgres)(settings)
    try:
        yield database
    finally:
        await database.close()


def sqlite_path(settings: Settings) -> Path:
    """`sqlite:///griot.db` is relative to the working folder, `sqlite:////data/griot.db` is not."""
    return Path(settings.database_url.removeprefix("sqlite:///"))


def head() -> str:
    """The newest revision of the tables."""
    return max(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


async def revision(database: Database) -> str:
    """The revision that the database is at."""

    async def read(tx: Transaction) -> str:
        row = await tx.fetch_one("SELECT version_num FROM alembic_version")
        return row["version_num"] if row else ""

    return await database.read(read)


@asynccontextmanager
async def hold_lanes(settings: Settings) -> AsyncGenerator[None]:
    """Be a process that runs lanes on this database.

    A SQLite file has one such process. PostgreSQL has any number if they share a Redis, else one
    too: live events would not reach the others. The kernel or the server frees it when we die.

    Raises:
        DatabaseInUse: another process is in the way.
    """
    if settings.is_sqlite:
        with _hold_file(sqlite_path(settings)):
            yield
    elif settings.redis_url:
        yield
    else:
        connection = await _hold_alone(settings.database_url)
        try:
            yield
        finally:
            await connection.close()


@contextmanager
def _hold_file(path: Path) -> Generator[None]:
    with path.with_name(path.name + ".worker.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DatabaseInUse(
                f"DATABASE_URL: another griot process already runs on {path}; "
                "stop it, or use PostgreSQL to run several"
            ) from None
        yield


async def _hold_alone(url: str) -> Any:
    connection = await _connect(url)
    if await connection.fetchval("SELECT pg_try_advisory_lock($1)", _WORKER_LOCK):
        return connection
    await connection.close()
    raise DatabaseInUse(
        "REDIS_URL: it is not set, and another griot process already runs on this database; "
        "several processes need a Redis that they share"
    )


# SQLite -----------------------------------------------------------------------------------------


async def _open_sqlite(settings: Settings) -> Database:
    path = sqlite_path(settings)
    if not path.parent.is_dir():
        raise SettingsError(f"DATABASE_URL: the folder {path.parent} does not exist; create it")
    await asyncio.to_thread(_migrate_sqlite, path)
    return SqliteDatabase(path)


def _migrate_sqlite(path: Path) -> None:
    with path.with_name(path.name + ".migrate.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with closing(connect(path)) as connection:
            tables = connection.execute(
                "SELECT name FROM sqlite_master WHERE name = 'alembic_version'"
            ).fetchall()
            row = connection.execute("SELECT version_num FROM alembic_version") if tables else None
            current = row.fetchone() if row else None
        if not _is_outdated(current[0] if current else None):
            return
        from sqlalchemy import create_engine  # slow to import, seldom needed

        engine = create_engine(f"sqlite:///{path}")
        with engine.begin() as migrating:
            _upgrade(migrating)
        engine.dispose()


# PostgreSQL -------------------------------------------------------------------------------------


async def _open_postgres(settings: Settings) -> Database:
    from bot.storage.postgres import PostgresDatabase

    url = settings.database_url
    connection = await _connect(url)
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", _MIGRATION_LOCK)
        known = await connection.fetchval("SELECT to_regclass('alembic_version')")
        sql = "SELECT version_num FROM alembic_version"
        if _is_outdated(await connection.fetchval(sql) if known else None):
            await _migrate_postgres(url)
    finally:
        await connection.close()
    return PostgresDatabase(url, silence=settings.lease_seconds / 2)


async def _connect(url: str) -> Any:
    import asyncpg  # only where it is used: a SQLite process does without

    driver: Any = asyncpg
    try:
        return await driver.connect(url, timeout=10)
    except ValueError:
        # What the driver says of a malformed URL may quote the password in it.
        raise SettingsError("DATABASE_URL: it is not a PostgreSQL address") from None
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        reason = str(error) or type(error).__name__
        raise SettingsError(f"DATABASE_URL: cannot connect: {reason}") from error


async def _migrate_postgres(url: str) -> None:
    from sqlalchemy.ext.asyncio import create_async_engine  # slow to import, seldom needed

    # asyncpg reads the URL itself: it knows sslmode and the like, the engine does not.
    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: _connect(url))
    async with engine.begin() as connection:
        await connection.run_sync(_upgrade)
    await engine.dispose()


def _is_outdated(current: str | None) -> bool:
    """Whether tables at this revision are to be migrated. Raises `SettingsError` if newer."""
    if current is not None and current > head():
        raise SettingsError(
            f"DATABASE_URL: its tables are newer ({current}) than this version of griot knows "
            f"({head()}); run the version that made them"
        )
    return current != head()


def _upgrade(connection: Any) -> None:
    with_alembic(connection, lambda alembic, config: alembic.upgrade(config, "head"))


def with_alembic(connection: Any, act: Callable[[Any, Any], None]) -> None:
    """Call `act(alembic.command, config)` for this SQLAlchemy connection."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    act(command, config)

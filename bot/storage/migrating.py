"""Migrate the tables to the newest revision, by Alembic: `python -m bot.storage.migrating` reads
the URL from its standard input. The process that runs it has the lock.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from bot.storage.database import MIGRATIONS, connect_postgres

_PATIENCE = 120.0
"""Seconds to wait for another process that migrates, and whose parent may be gone."""
_LOCK = 0x6D696772
"""Held by the process that migrates; its parent has another lock."""


def migrate(url: str) -> None:
    if url.startswith("sqlite"):
        _migrate_sqlite(url)
    else:
        asyncio.run(_migrate_postgres(url))


def _migrate_sqlite(url: str) -> None:
    """Migrate all or nothing, whenever the process is killed: Python's driver would commit every
    table by itself, so we begin the transaction ourselves. A second process waits."""
    from sqlalchemy import create_engine, event

    engine = create_engine(url, connect_args={"isolation_level": None, "timeout": _PATIENCE})
    event.listen(engine, "begin", _begin)
    with engine.begin() as connection:
        _upgrade(connection)
    engine.dispose()


def _begin(connection: Any) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


async def _migrate_postgres(url: str) -> None:
    from sqlalchemy.ext.asyncio import create_async_engine

    # asyncpg reads the URL itself, as it knows sslmode and the like, and the engine does not.
    def connect() -> Awaitable[Any]:
        return connect_postgres(url, lock_timeout=f"{_PATIENCE:.0f}s")

    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect)
    async with engine.begin() as connection:
        await connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        await connection.run_sync(_upgrade)
    await engine.dispose()


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


if __name__ == "__main__":
    migrate(sys.stdin.read())

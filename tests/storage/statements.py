"""What tests of both databases do to them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from bot.contracts.storage import Database


async def add_lane(database: Database, lane: str) -> None:
    async def work(tx: Any) -> None:
        await tx.execute("INSERT INTO lane (id) VALUES (:id)", id=lane)

    await database.write(work)


async def list_lanes(database: Database) -> list[str]:
    async def work(tx: Any) -> list[str]:
        return [row["id"] for row in await tx.fetch("SELECT id FROM lane ORDER BY id")]

    return await database.read(work)


@asynccontextmanager
async def close_to_others(url: str, maintenance: str, spared: Any = None) -> AsyncIterator[None]:
    """Postgres breaks all connections to the database but one, and takes no new ones."""
    name = url.rpartition("/")[2]
    operator: Any = await asyncpg.connect(maintenance)
    await operator.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
    await operator.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE datname = $1 AND pid <> $2",
        name,
        spared.get_server_pid() if spared else 0,
    )
    try:
        yield
    finally:
        await operator.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        await operator.close()

"""Backups taken while Griot writes are whole, and can be gone on with."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from bot.contracts.storage import Database
from bot.settings import Settings
from bot.storage.database import head, open_database, revision, sqlite_path
from tests.support.postgres_server import PostgresServer

PAIRS = 50


async def write_pairs(database: Database, stop: asyncio.Event, written: asyncio.Event) -> None:
    """Two rows a transaction: a copy that holds one of them was not taken at one moment."""
    for number in itertools.count():

        async def work(tx: Any, number: int = number) -> None:
            for half in ("a", "b"):
                await tx.execute("INSERT INTO lane (id) VALUES (:id)", id=f"{half}-{number}")

        await database.write(work)
        if number == PAIRS:
            written.set()
        if stop.is_set():
            return


async def halves(database: Database) -> dict[str, set[str]]:
    async def work(tx: Any) -> list[Any]:
        return await tx.fetch("SELECT id FROM lane")

    found: dict[str, set[str]] = {"a": set(), "b": set()}
    for row in await database.read(work):
        half, _, number = row["id"].partition("-")
        found[half].add(number)
    return found


def copy_sqlite(settings: Settings, folder: Path) -> str:
    """`VACUUM INTO`, as `griot db backup` does it."""
    copy = folder / "copy.db"
    with closing(sqlite3.connect(sqlite_path(settings), timeout=60)) as connection:
        connection.execute("VACUUM INTO ?", (str(copy),))
    return f"sqlite:///{copy}"


def copy_postgres(server: PostgresServer, settings: Settings) -> str:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)  # the server's own user writes there
        file = Path(name) / "griot.dump"
        server.dump(settings.database_url, file)
        return server.restore(file)


async def test_a_copy_taken_while_griot_writes_is_whole_and_goes_on(
    settings: Settings,
    make_settings: Callable[..., Settings],
    database: Database,
    postgres: PostgresServer,
    tmp_path: Path,
) -> None:
    stop, written = asyncio.Event(), asyncio.Event()
    writing = asyncio.create_task(write_pairs(database, stop, written))
    await written.wait()
    if settings.is_sqlite:
        url = await asyncio.to_thread(copy_sqlite, settings, tmp_path)
    else:
        url = await asyncio.to_thread(copy_postgres, postgres, settings)
    stop.set()
    await writing

    async with open_database(make_settings(database_url=url)) as copy:
        found = await halves(copy)
        assert found["a"] == found["b"] >= {str(number) for number in range(PAIRS)}
        assert await revision(copy) == head()
        await copy.run("INSERT INTO lane (id) VALUES ('afterwards')")

"""SQLite: what becomes of work when its thread, its database or its event loop is gone."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.settings import Settings
from bot.storage.database import open_database, sqlite_path
from bot.storage.sqlite import SqliteDatabase
from tests.storage.statements import add_lane, list_lanes
from tests.support.databases import on_sqlite


async def _hang_up(tx: Any) -> None:
    tx._connection.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@on_sqlite
async def test_writes_fail_and_never_hang_once_the_writer_has_died(database: Database) -> None:
    """Its connection vanishes under it, and then not even a rollback can be done."""
    async with asyncio.timeout(10):
        first = await asyncio.gather(
            database.write(_hang_up), add_lane(database, "a"), return_exceptions=True
        )
        with pytest.raises(ConnectionError, match="griot-writer"):
            await add_lane(database, "b")
    assert all(isinstance(outcome, Exception) for outcome in first)
    assert await list_lanes(database) == []


@on_sqlite
async def test_what_is_asked_of_a_closed_database_fails_and_never_hangs(settings: Settings) -> None:
    async with open_database(settings) as database:
        pass
    async with asyncio.timeout(10):
        with pytest.raises(ConnectionError, match="griot-writer"):
            await add_lane(database, "a")
        with pytest.raises(ConnectionError, match="griot-reader"):
            await list_lanes(database)


@on_sqlite
def test_whoever_left_with_his_event_loop_does_not_take_the_writer_along(
    settings: Settings,
) -> None:
    async def leave() -> SqliteDatabase:
        async with open_database(settings):
            pass
        database = SqliteDatabase(sqlite_path(settings))
        task = asyncio.create_task(database.write(_dawdle))
        await asyncio.sleep(0)
        task.cancel()
        return database

    async def come_back(database: SqliteDatabase) -> list[str]:
        await add_lane(database, "a")
        lanes = await list_lanes(database)
        await database.close()
        return lanes

    assert asyncio.run(come_back(asyncio.run(leave()))) == ["a"]


async def _dawdle(tx: Any) -> None:
    time.sleep(0.2)  # noqa: ASYNC251 (in the writer's thread)


@on_sqlite
async def test_nothing_is_left_in_the_file_of_what_was_deleted(settings: Settings) -> None:
    secret = "a sentence that somebody wants to be forgotten"
    async with open_database(settings) as database:
        await add_lane(database, secret)
        path = sqlite_path(settings)
    assert secret.encode() in path.read_bytes()
    async with open_database(settings) as database:
        await database.run("DELETE FROM lane")
    assert secret.encode() not in path.read_bytes()


async def _fill(tx: Any) -> None:
    for number in range(400):
        await tx.execute(
            "INSERT INTO lane (id, via, open_question) VALUES (:id, 'fake', :words)",
            id=f"telegram:{number}",
            words=f"words of {number} " * 40,
        )


async def _empty(tx: Any) -> None:
    await tx.execute("DELETE FROM lane WHERE id <> 'telegram:1'")


@on_sqlite
async def test_after_an_erasure_the_file_has_no_page_that_held_something(
    settings: Settings,
) -> None:
    path = sqlite_path(settings)
    async with open_database(settings) as database:
        await database.write(_fill)
        await database.write(_empty)
        await database.scrub()
        [pages] = await database.run("PRAGMA freelist_count")
        assert pages["freelist_count"] == 0
        files = [path, path.with_name(path.name + "-wal")]
        assert not any(b"words of 7 " in each.read_bytes() for each in files if each.exists())
        assert await list_lanes(database) == ["telegram:1"]


@on_sqlite
@pytest.mark.parametrize("lock", ["{for_update}", "{lock_lane}", "{skip_locked}"])
async def test_rows_are_locked_only_where_postgres_would(database: Database, lock: str) -> None:
    sql = f"SELECT id FROM lane {lock}"
    assert await database.write(lambda tx: tx.fetch(sql)) == []
    with pytest.raises(ValueError, match="locks rows"):
        await database.read(lambda tx: tx.fetch(sql))

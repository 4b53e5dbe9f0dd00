"""PostgreSQL under load, cancelled, lost and away."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from typing import Any

import asyncpg
import pytest
from structlog.testing import capture_logs

from bot.contracts.storage import WAIT_LIMIT, Database, Transaction
from bot.errors import DatabaseUnavailable
from bot.settings import Settings
from bot.storage import postgres as postgres_module
from bot.storage.database import open_database
from bot.storage.postgres import PostgresDatabase
from tests.storage.statements import add_lane, close_to_others, list_lanes
from tests.support.databases import on_postgres
from tests.support.lossy_network import lossy_network
from tests.support.postgres_server import PostgresServer
from tests.support.waiting import until


@on_postgres
async def test_a_single_statement_waits_for_no_transaction(settings: Settings) -> None:
    """Leases are renewed by single statements, however many turns hold a connection."""
    database = PostgresDatabase(settings.database_url, silence=30, connections=3)

    async def dawdle(tx: Any) -> None:
        await tx.fetch("SELECT pg_sleep(60)")

    async with asyncio.timeout(20), open_database(settings):
        turns = [asyncio.create_task(database.write(dawdle)) for _ in range(10)]
        while (
            len(
                await database.run(
                    "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)'"
                )
            )
            < 3
        ):
            await asyncio.sleep(0.02)
        assert not any(turn.done() for turn in turns)
        for turn in turns:
            turn.cancel()
        await asyncio.gather(*turns, return_exceptions=True)
        await database.close()


@on_postgres
async def test_what_was_cancelled_does_not_disturb_what_comes_next(database: Database) -> None:
    """On the same connection: the one that was used last is taken first."""

    async def dawdle(tx: Any) -> None:
        await tx.fetch("SELECT pg_sleep(61)")

    async with asyncio.timeout(20):
        for number in range(20):
            if number % 2:
                slow = asyncio.create_task(database.write(dawdle))
            else:
                slow = asyncio.create_task(database.run("SELECT pg_sleep(61)"))
            await asyncio.sleep(0.01)
            slow.cancel()
            await asyncio.wait((slow,))
            [row] = await database.run("SELECT CAST(:number AS INT) AS number", number=number)
            assert row["number"] == number
            await add_lane(database, f"{number:02}")
    assert len(await list_lanes(database)) == 20
    sql = "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%sleep(61)'"

    async def has_ended() -> bool:
        return await database.run(sql) == []

    # A cancellation that overtakes its statement is lost: the server's time limit ends that one.
    await until(has_ended, seconds=40)


@on_postgres
@pytest.mark.parametrize("way", ["run", "read", "write"])
async def test_the_first_statement_of_a_connection_can_be_cancelled(
    database: Database, settings: Settings, way: str
) -> None:
    """The driver makes nothing of an answer that never came before."""
    fresh = PostgresDatabase(settings.database_url, silence=30)

    async def dawdle(tx: Any) -> None:
        await tx.fetch("SELECT pg_sleep(57)")

    works = {
        "run": lambda: fresh.run("SELECT pg_sleep(57)"),
        "read": lambda: fresh.read(dawdle),
        "write": lambda: fresh.write(dawdle),
    }
    async with asyncio.timeout(10):
        slow = asyncio.ensure_future(works[way]())
        while not await database.run(
            "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%sleep(57)'"
        ):
            await asyncio.sleep(0.02)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        await fresh.close()


@on_postgres
@pytest.mark.parametrize("way", ["run", "read", "write"])
async def test_no_cancellation_gets_lost_whenever_it_comes(settings: Settings, way: str) -> None:
    """While a connection is waited for, opened, used, and given back."""
    chance = random.Random(7)

    async def work(tx: Any) -> None:
        await tx.fetch("SELECT 1")
        await tx.fetch("SELECT 2")

    async def go_on(fresh: PostgresDatabase) -> None:
        while True:
            if way == "run":
                await fresh.run("SELECT 1")
            else:
                await getattr(fresh, way)(work)

    async with asyncio.timeout(60):
        for _ in range(30):
            fresh = PostgresDatabase(settings.database_url, silence=30, connections=2)
            tasks = [asyncio.create_task(go_on(fresh)) for _ in range(6)]
            await asyncio.sleep(chance.random() * 0.02)
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            await fresh.close()
            assert {type(outcome) for outcome in outcomes} == {asyncio.CancelledError}


@on_postgres
async def test_nobody_waits_for_what_somebody_else_has_cancelled(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection of the cancelled statement is lost, so that it is not cancelled either."""
    monkeypatch.setattr(postgres_module, "_SETTLING_SECONDS", 0.1)
    running = "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%sleep(59)'"
    async with asyncio.timeout(20), lossy_network(settings.database_url) as network:
        other = PostgresDatabase(network.url, silence=30)
        slow = asyncio.create_task(other.run("SELECT pg_sleep(59)"))
        while not await database.run(running):
            await asyncio.sleep(0.02)
        network.lose_existing()
        slow.cancel()
        await asyncio.wait((slow,))
        async with asyncio.timeout(5):
            assert len(await other.run("SELECT 1")) == 1
        await other.close()


@on_postgres
async def test_a_cancelled_write_is_cancelled_though_its_connection_is_lost(
    database: Database,
) -> None:
    begun = asyncio.Event()

    async def dawdle(tx: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            tx._connection.terminate()

    async with asyncio.timeout(10):
        writing = asyncio.create_task(database.write(dawdle))
        await begun.wait()
        writing.cancel()
        await asyncio.wait((writing,))
    assert writing.cancelled()


@on_postgres
async def test_a_statement_whose_table_was_changed_meanwhile_is_run_again(
    settings: Settings, database: Database
) -> None:
    async def look(tx: Any) -> list[Any]:
        return await tx.fetch("SELECT * FROM extra")

    newer: Any = await asyncpg.connect(settings.database_url)
    await newer.execute("CREATE TABLE extra (old INT)")
    try:
        await database.read(look)
        await newer.execute("ALTER TABLE extra ADD COLUMN new INT")
        assert await database.read(look) == []
    finally:
        await newer.execute("DROP TABLE extra")
        await newer.close()


@on_postgres
async def test_work_that_met_a_key_taken_at_the_same_moment_sees_it_when_it_runs_again(
    database: Database,
) -> None:
    await database.run("CREATE TABLE name (value TEXT PRIMARY KEY)")
    looked = asyncio.Barrier(2)
    tries: list[int] = []

    async def take(tx: Transaction) -> bool:
        known = await tx.fetch("SELECT 1 FROM name")
        tries.append(len(known))
        if len(tries) <= 2:
            await looked.wait()
        if not known:
            await tx.execute("INSERT INTO name VALUES ('awa')")
        return not known

    assert sorted(await asyncio.gather(database.write(take), database.write(take))) == [False, True]
    assert tries == [0, 0, 1]
    await database.run("DROP TABLE name")


@on_postgres
async def test_work_whose_connection_was_cut_in_the_midst_of_it_is_run_again(
    database: Database,
) -> None:
    """The driver does not always see at once that it is gone."""
    pids: list[int] = []

    async def be_cut(tx: Any) -> int:
        [row] = await tx.fetch("SELECT pg_backend_pid() AS pid")
        pids.append(row["pid"])
        if len(pids) == 1:
            raise asyncpg.InternalClientError("cannot switch to state 12; another is in progress")
        return len(pids)

    assert await database.write(be_cut) == 2


@on_postgres
async def test_a_connection_that_is_lost_for_long_is_called_so(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not all of the driver's errors are a `ConnectionError` for whoever waits."""
    monkeypatch.setattr(postgres_module, "_PATIENCE", 0.1)

    async def be_cut(_: Any) -> None:
        raise asyncpg.InterfaceError("connection is closed")

    with pytest.raises(ConnectionError, match="cannot be reached: InterfaceError"):
        await database.write(be_cut)


@on_postgres
async def test_a_server_that_went_silent_is_asked_anew(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Idle connections that are lost cost one wait, and not one each."""
    monkeypatch.setattr(postgres_module, "_PATIENCE", 3.0)

    async def who(tx: Any) -> int:
        [row] = await tx.fetch("SELECT pg_backend_pid() AS pid, pg_sleep(0.2)")
        return row["pid"]

    async with (
        asyncio.timeout(20),
        open_database(settings),
        lossy_network(settings.database_url) as network,
    ):
        database = PostgresDatabase(network.url, silence=30)
        pids = await asyncio.gather(*(database.write(who) for _ in range(3)))
        network.lose_existing()
        with pytest.raises(ConnectionError, match="cannot be reached: TimeoutError"):
            await database.write(who)
        assert await database.write(who) not in pids
        await database.close()


@on_postgres
@pytest.mark.parametrize("way", ["run", "read", "write"])
async def test_a_task_waits_no_longer_than_its_limit(settings: Settings, way: str) -> None:
    async def ask(tx: Any) -> None:
        await tx.fetch("SELECT 1")

    async with asyncio.timeout(25), lossy_network(settings.database_url) as network:
        database = PostgresDatabase(network.url, silence=30)
        await database.write(ask)
        network.lose_existing()
        waits = {
            "run": lambda: database.run("SELECT 1"),
            "read": lambda: database.read(ask),
            "write": lambda: database.write(ask),
        }
        limit = WAIT_LIMIT.set(0.5)
        with pytest.raises(DatabaseUnavailable, match="cannot be reached: TimeoutError"):
            await waits[way]()
        WAIT_LIMIT.reset(limit)
        await waits[way]()
        await database.close()


@on_postgres
async def test_a_database_that_takes_no_connections_is_unavailable_until_it_does(
    settings: Settings, database: Database, postgres: PostgresServer
) -> None:
    """As during a restore or a move."""
    async with asyncio.timeout(20):
        async with close_to_others(settings.database_url, postgres.url):
            limit = WAIT_LIMIT.set(0.5)
            with pytest.raises(DatabaseUnavailable, match="cannot be reached"):
                await database.check_writable()
            WAIT_LIMIT.reset(limit)
            waiting = asyncio.create_task(database.check_writable())
            await asyncio.sleep(0.2)
        await waiting


@on_postgres
async def test_a_database_that_is_gone_is_unavailable_at_once(
    settings: Settings, postgres: PostgresServer
) -> None:
    gone = PostgresDatabase(settings.database_url + "_gone", silence=30)
    async with asyncio.timeout(4):
        with pytest.raises(DatabaseUnavailable, match=r'says: database ".*_gone" does not exist'):
            await gone.check_writable()
    await gone.close()


@on_postgres
async def test_a_full_disk_is_said_at_once(database: Database) -> None:
    async def fill(_: Any) -> None:
        raise asyncpg.DiskFullError("could not extend file")

    async with asyncio.timeout(25):
        with pytest.raises(DatabaseUnavailable, match="disk is full"):
            await database.write(fill)


@on_postgres
async def test_a_write_on_a_lost_connection_is_cancelled_in_time(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_module, "_SETTLING_SECONDS", 0.1)
    begun = asyncio.Event()

    async def dawdle(tx: Any) -> None:
        await tx.fetch("SELECT 1")
        begun.set()
        await tx.fetch("SELECT pg_sleep(58)")

    async with asyncio.timeout(10), lossy_network(settings.database_url) as network:
        other = PostgresDatabase(network.url, silence=30)
        writing = asyncio.create_task(other.write(dawdle))
        await begun.wait()
        network.lose_existing()
        writing.cancel()
        await asyncio.wait((writing,))
        assert writing.cancelled()
        await other.close()
    assert await list_lanes(database) == []


@on_postgres
async def test_announcements_are_heard_again_after_postgres_refused_us_for_a_while(
    settings: Settings, database: Database, postgres: PostgresServer
) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    database.listen(lambda lane, urgent, after: heard.put_nowait(lane))
    async with asyncio.timeout(20):
        assert await heard.get() == ""  # it listens
        with capture_logs() as logs:
            async with close_to_others(settings.database_url, postgres.url):
                while not any(
                    entry.get("error") == "ObjectNotInPrerequisiteStateError" for entry in logs
                ):
                    await asyncio.sleep(0.02)
        assert await heard.get() == ""
        async with open_database(settings) as other:
            await other.write(lambda tx: tx.announce("a's \\'; b"))
        assert await heard.get() == "a's \\'; b"


@on_postgres
async def test_a_write_that_was_given_up_keeps_no_lock(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for another's lock, and so does not see that nobody listens any more."""
    monkeypatch.setattr(postgres_module, "_PATIENCE", 0.5)
    monkeypatch.setattr(postgres_module, "_SERVERS_PATIENCE", 0.5)
    for lane in ("a", "b"):
        await add_lane(database, lane)
    impatient = PostgresDatabase(settings.database_url, silence=30)
    blocker: Any = await asyncpg.connect(settings.database_url)

    async def lock_both(tx: Any) -> None:
        for lane in ("a", "b"):
            await tx.fetch("SELECT id FROM lane WHERE id = :id FOR UPDATE", id=lane)

    async with asyncio.timeout(20), blocker.transaction():
        await blocker.execute("SELECT id FROM lane WHERE id = 'b' FOR UPDATE")
        with pytest.raises(ConnectionError):
            await impatient.write(lock_both)
        async with asyncio.timeout(10):
            while not await database.run(
                "SELECT id FROM lane WHERE id = 'a' FOR UPDATE SKIP LOCKED"
            ):
                await asyncio.sleep(0.05)
    await blocker.close()
    await impatient.close()


@on_postgres
async def test_what_the_server_undid_does_not_count_as_written(database: Database) -> None:
    async def go_on(tx: Any) -> None:
        await tx.execute("INSERT INTO lane (id) VALUES ('a')")
        with suppress(asyncpg.PostgresError):
            await tx.execute("SELECT 1 / 0")

    with pytest.raises(RuntimeError, match="undone"):
        await database.write(go_on)
    assert await list_lanes(database) == []
    await add_lane(database, "b")
    assert await list_lanes(database) == ["b"]


@on_postgres
async def test_announcements_are_heard_though_the_server_fell_silent_before_it_listened(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_module, "_PATIENCE", 0.3)
    heard: asyncio.Queue[str] = asyncio.Queue()
    async with asyncio.timeout(20), lossy_network(settings.database_url) as network:
        network.greets_only = True
        other = PostgresDatabase(network.url, silence=30)
        with capture_logs() as logs:
            other.listen(lambda lane, urgent, after: heard.put_nowait(lane))
            while not [line for line in logs if line["event"] == "postgres_listen_lost"]:
                await asyncio.sleep(0.02)
        network.greets_only = False
        assert await heard.get() == ""  # it listens
        await database.write(lambda tx: tx.announce("a"))
        assert await heard.get() == "a"
        await other.close()

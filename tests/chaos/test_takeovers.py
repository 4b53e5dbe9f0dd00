"""A worker that is gone, or as good as gone: another one goes on with its turns, soon and alone."""

from __future__ import annotations

import asyncio

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import check_answers, check_books, until_quiet
from tests.chaos.load import Load, until_answered
from tests.standins.model import ModelStandIn
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import IN_TIME, LEASE, WITH_NOTES, Cluster
from tests.support.queries import read_rows

CHATS = range(101, 107)

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.parametrize("database_url", ["postgres"], indirect=True),
]


async def test_a_paused_worker_that_comes_back_writes_and_sends_nothing(
    cluster: Cluster,
    load: Load,
    model: ModelStandIn,
    telegram: TelegramStandIn,
    database: Database,
) -> None:
    paused = await cluster.start("worker", program=WITH_NOTES)
    await load.log_in(101)
    hold = model.hold_next("m-101-1", "call")
    text = await load.say(101, 1)
    await hold.reached.wait()
    await cluster.start("worker", program=WITH_NOTES)

    paused.pause()
    async with asyncio.timeout(IN_TIME):
        await until_answered(telegram, 101, text)
    await until_quiet(database, 40)
    journal = await read_journal(database)

    hold.released.set()
    paused.resume()
    await asyncio.sleep(1)
    assert cluster.noted() == [text]
    assert await read_journal(database) == journal
    assert "lease_lost" in paused.log
    assert [call.method for call in telegram.attempts].count("sendMessage") == 2
    check_answers(load, telegram)
    await check_books(load, database)


async def test_a_worker_that_was_paused_works_again(
    cluster: Cluster, load: Load, model: ModelStandIn, telegram: TelegramStandIn
) -> None:
    paused = await cluster.start("worker")
    await load.log_in(101)
    hold = model.hold_next("m-101-1")
    await load.say(101, 1)
    await hold.reached.wait()
    paused.pause()
    await asyncio.sleep(LEASE + 0.5)
    hold.released.set()
    paused.resume()
    async with asyncio.timeout(IN_TIME):
        await until_answered(telegram, 101, "m-101-1")
    check_answers(load, telegram)


async def test_the_turns_of_a_killed_worker_are_taken_over_in_time(
    cluster: Cluster,
    load: Load,
    model: ModelStandIn,
    telegram: TelegramStandIn,
    database: Database,
) -> None:
    killed = await cluster.start("worker")
    holds = [model.hold_next(f"m-{chat}-1") for chat in CHATS]
    for chat in CHATS:
        await load.log_in(chat)
        await load.say(chat, 1)
    await asyncio.gather(*(hold.reached.wait() for hold in holds))
    await cluster.start("worker")

    killed.kill()
    async with asyncio.timeout(IN_TIME):
        for chat in CHATS:
            await until_answered(telegram, chat, f"m-{chat}-1")
    await until_quiet(database, 40)
    check_answers(load, telegram)
    await check_books(load, database)


async def read_journal(database: Database) -> list[tuple[object, ...]]:
    found = await read_rows(database, "journal")
    return [tuple(row.values()) for row in found]

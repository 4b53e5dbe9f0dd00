"""What Griot stands on goes away and comes back, while people talk."""

from __future__ import annotations

import asyncio

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import check_answers, check_books, doubtful, until_quiet
from tests.chaos.load import Load, answers, conversing, open_load
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Cluster
from tests.support.postgres_server import PostgresServer
from tests.support.redis_server import RedisServer

CHATS = range(101, 109)
CRASHES = 5

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.parametrize("database_url", ["postgres"], indirect=True),
]


async def until_everyone_is_answered(telegram: TelegramStandIn, seconds: float) -> None:
    """Wait until each person has one more answer than now."""
    before = {chat: len(answers(telegram, chat)) for chat in CHATS}
    try:
        async with asyncio.timeout(seconds):
            for chat, count in before.items():
                while len(answers(telegram, chat)) <= count:
                    await asyncio.sleep(0.05)
    except TimeoutError:
        now = {chat: len(answers(telegram, chat)) for chat in CHATS}
        pytest.fail(f"not everyone was answered within {seconds} s: {before} -> {now}")


async def check(load: Load, telegram: TelegramStandIn, database: Database) -> None:
    await until_quiet(database, 40)
    assert await doubtful(database) == set()
    check_answers(load, telegram)
    await check_books(load, database)


async def test_crashes_of_postgres_lose_nothing_that_was_accepted(
    cluster: Cluster,
    telegram: TelegramStandIn,
    database: Database,
    postgres: PostgresServer,
) -> None:
    node = await cluster.start("serve")
    async with open_load(telegram, node) as load:
        async with conversing(load, CHATS):
            for _ in range(CRASHES):
                await until_everyone_is_answered(telegram, 40)
                await asyncio.to_thread(postgres.restart)
            await until_everyone_is_answered(telegram, 40)
        await check(load, telegram, database)


async def test_turns_go_on_while_redis_is_gone_and_after_it(
    cluster: Cluster,
    load: Load,
    telegram: TelegramStandIn,
    database: Database,
    redis: RedisServer,
) -> None:
    await cluster.start("worker")
    async with conversing(load, CHATS):
        await until_everyone_is_answered(telegram, 40)
        redis.kill()
        await until_everyone_is_answered(telegram, 40)
        redis.restart()
        await until_everyone_is_answered(telegram, 40)
    await check(load, telegram, database)

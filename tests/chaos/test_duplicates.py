"""Telegram delivers the same update again and again, to whichever process answers."""

from __future__ import annotations

import asyncio

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import check_answers, check_books, until_quiet
from tests.chaos.load import open_load
from tests.standins.model import ModelStandIn
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Cluster
from tests.support.queries import count_rows
from tests.support.redis_server import RedisServer

TIMES = 50


@pytest.mark.chaos
@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_an_update_that_comes_fifty_times_at_once_is_one_turn_one_charge_and_one_reply(
    cluster: Cluster,
    model: ModelStandIn,
    telegram: TelegramStandIn,
    database: Database,
    redis: RedisServer,
) -> None:
    cluster.settings["REDIS_URL"] = redis.url
    webs = [await cluster.start("web") for _ in range(2)]
    await cluster.start("worker")
    async with open_load(telegram, *webs) as load:
        await load.log_in(101)
        update = telegram.text_update(101, "m-101-1")
        load.accepted[101].append("m-101-1")
        posts = [load.post(update, webs[turn % 2]) for turn in range(TIMES)]
        assert set(await asyncio.gather(*posts)) == {200}
        await until_quiet(database, 40)
    check_answers(load, telegram)
    await check_books(load, database)
    assert [asked.step for asked in model.asked] == ["call", "answer"]
    assert await count_rows(database, "inbox") == 2

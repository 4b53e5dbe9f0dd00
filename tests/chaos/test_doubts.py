"""A process that dies between the request and its answer: nobody knows whether it arrived."""

from __future__ import annotations

import asyncio

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import check_answers, check_books, doubtful, until_quiet
from tests.chaos.load import answer_to, answers, open_load
from tests.standins.model import ModelStandIn
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Cluster

pytestmark = pytest.mark.chaos


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_delivery_in_doubt_is_not_sent_again_and_what_follows_goes_on(
    arrived: bool,
    cluster: Cluster,
    model: ModelStandIn,
    telegram: TelegramStandIn,
    database: Database,
) -> None:
    node = await cluster.start("serve")
    async with open_load(telegram, node) as load:
        await load.log_in(101)
        await until_quiet(database, 40)
        telegram.hang_next("sendMessage", accept=arrived, chat_id=101)
        first = answer_to(await load.say(101, 1))
        async with asyncio.timeout(20):
            while [call.method for call in telegram.attempts].count("sendMessage") < 2:
                await asyncio.sleep(0.02)
        node.kill()
        await node.restart()
        second = answer_to(await load.say(101, 2))
        await until_quiet(database, 40)
    assert answers(telegram, 101) == ([first, second] if arrived else [second])
    assert await doubtful(database) == {first}
    check_answers(load, telegram, {first})
    await check_books(load, database)

"""`kill -9` at any moment: nothing is lost, nothing happens twice, nothing changes its order."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import pytest

from bot.contracts import Database
from tests.chaos.cluster import WITH_NOTES, Cluster, Node
from tests.chaos.evidence import (
    check_answers,
    check_books,
    check_notes,
    doubtful,
    until_no_last_tries,
    until_quiet,
)
from tests.chaos.load import conversing, open_load
from tests.redis_server import RedisServer
from tests.standins.model import ModelStandIn
from tests.standins.telegram import TelegramStandIn

KILLS = 20
CHATS = range(101, 113)
LEASE_SECONDS = 1

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(180)]


@pytest.fixture
async def nodes(
    request: pytest.FixtureRequest, database_url: str, cluster: Cluster, model: ModelStandIn
) -> list[Node]:
    """The only process on SQLite, two that share Postgres and Redis."""
    model.pause = 0.03
    count = 1
    if not database_url.startswith("sqlite"):
        redis: RedisServer = request.getfixturevalue("redis")
        cluster.settings["REDIS_URL"] = redis.url
        count = 2
    return [
        await cluster.start("serve", program=WITH_NOTES, LEASE_SECONDS=LEASE_SECONDS)
        for _ in range(count)
    ]


async def kill_at_random(nodes: Sequence[Node], database: Database) -> None:
    """`KILLS` times one of them, which comes back at once, maybe after the other is killed."""
    restarts: dict[Node, asyncio.Task[None]] = {}
    for _ in range(KILLS):
        node = random.choice(nodes)
        if node in restarts:
            await restarts[node]
        await asyncio.sleep(random.uniform(0.1, 1.6))
        await until_no_last_tries(database)
        node.kill()
        restarts[node] = asyncio.create_task(node.restart())
    await asyncio.gather(*restarts.values())


async def test_twenty_kills_lose_nothing_and_repeat_nothing(
    nodes: list[Node], cluster: Cluster, telegram: TelegramStandIn, database: Database
) -> None:
    async with open_load(telegram, *nodes) as load:
        async with conversing(load, CHATS):
            await kill_at_random(nodes, database)
        await until_quiet(database, 30)
    in_doubt = await doubtful(database)
    check_answers(load, telegram, in_doubt)
    await check_books(load, database)
    await check_notes(load, database, cluster.noted())
    assert len(in_doubt) < sum(map(len, load.accepted.values())) / 4

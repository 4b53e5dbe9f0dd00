"""`kill -9` at any moment: nothing is lost, nothing happens twice, nothing changes its order."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import (
    check_answers,
    check_books,
    check_notes,
    doubtful,
    list_failed,
    until_quiet,
)
from tests.chaos.load import conversing, open_load
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Cluster, Node

CHATS = range(101, 113)
SOAK = {"sqlite": 1000, "postgres": 200}

pytestmark = pytest.mark.chaos


async def kill_at_random(nodes: Sequence[Node], kills: int, longest: float) -> None:
    """So many times one of them, after `longest` seconds at most; it comes back at once, maybe
    after the other is killed."""
    restarts: dict[Node, asyncio.Task[None]] = {}
    for _ in range(kills):
        node = random.choice(nodes)
        if node in restarts:
            await restarts[node]
        await asyncio.sleep(random.uniform(0.1, longest))
        node.kill()
        restarts[node] = asyncio.create_task(node.restart())
    await asyncio.gather(*restarts.values())


@dataclass(frozen=True)
class Storm:
    """Conversations over processes that are killed, and what must hold afterwards."""

    nodes: list[Node]
    cluster: Cluster
    telegram: TelegramStandIn
    database: Database

    async def rage(self, kills: int, longest: float) -> None:
        async with open_load(self.telegram, *self.nodes) as load:
            async with conversing(load, CHATS):
                await kill_at_random(self.nodes, kills, longest)
            await until_quiet(self.database, 300)
        in_doubt = await doubtful(self.database)
        check_answers(load, self.telegram, in_doubt, await list_failed(self.database))
        await check_books(load, self.database)
        await check_notes(load, self.database, self.cluster.noted())
        turns = sum(map(len, load.accepted.values()))
        print(f"{kills} kills, {turns} turns, {len(in_doubt)} answers in doubt")  # noqa: T201
        assert len(in_doubt) < turns / 4


@pytest.fixture
def storm(
    nodes: list[Node], cluster: Cluster, telegram: TelegramStandIn, database: Database
) -> Storm:
    return Storm(nodes, cluster, telegram, database)


@pytest.mark.timeout(180)
async def test_twenty_kills_lose_nothing_and_repeat_nothing(storm: Storm) -> None:
    await storm.rage(20, 1.6)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_kills_without_end_lose_nothing_and_give_up_nothing(
    storm: Storm, database_url: str
) -> None:
    await storm.rage(SOAK[database_url.split(":")[0].removesuffix("ql")], 0.8)

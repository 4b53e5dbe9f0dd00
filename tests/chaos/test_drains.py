"""SIGTERM: what runs may end, what cannot end in time is handed back, nothing is lost."""

from __future__ import annotations

import asyncio
import time

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import check_answers, check_books, until_quiet
from tests.chaos.load import Load, answer_to, answers, open_load
from tests.standins.model import Hold, ModelStandIn
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Cluster, Node
from tests.support.postgres_server import start_postgres
from tests.support.queries import Not, read_values

DRAIN = 30.0
LEASE = 30.0
"""So long that nobody who waits for its end is taken for quick, on a slow machine either."""
TO_CLOSE = 5.0
"""Seconds that closing connections may take beyond the drain."""

pytestmark = pytest.mark.chaos


async def start_turn(load: Load, model: ModelStandIn) -> Hold:
    """A turn that waits for the model, and one more message behind it."""
    hold = model.hold_next("m-101-1")
    await load.log_in(101)
    await load.say(101, 1)
    await load.say(101, 2)
    await hold.reached.wait()
    return hold


async def owners(database: Database) -> list[str | None]:
    return await read_values(database, "lane", "owner", via=Not(""))


async def finish_with(node: Node, database: Database) -> None:
    """Start the process again; it takes up what is left, without waiting for a lease to end."""
    await node.restart()
    await until_quiet(database, LEASE / 2)


async def test_a_running_turn_ends_and_what_waits_behind_it_is_left_to_the_next_process(
    cluster: Cluster, model: ModelStandIn, telegram: TelegramStandIn, database: Database
) -> None:
    node = await cluster.start("serve", DRAIN_SECONDS=DRAIN, LEASE_SECONDS=LEASE)
    async with open_load(telegram, node) as load:
        hold = await start_turn(load, model)
        node.terminate()
        await asyncio.sleep(1)
        hold.released.set()
        assert await node.ended(DRAIN) == 0
        assert answers(telegram, 101) == [answer_to("m-101-1")]
        assert await owners(database) == [None]
        await finish_with(node, database)
    check_answers(load, telegram)
    await check_books(load, database)


async def test_a_turn_longer_than_the_drain_is_handed_back_and_finished_by_the_next_process(
    cluster: Cluster, model: ModelStandIn, telegram: TelegramStandIn, database: Database
) -> None:
    node = await cluster.start("serve", DRAIN_SECONDS=1, LEASE_SECONDS=LEASE)
    async with open_load(telegram, node) as load:
        await start_turn(load, model)
        began = time.monotonic()
        node.terminate()
        assert await node.ended(1 + TO_CLOSE) == 0
        assert time.monotonic() - began >= 1
        assert answers(telegram, 101) == []
        assert await owners(database) == [None]
        await finish_with(node, database)
    check_answers(load, telegram)
    await check_books(load, database)


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_it_ends_in_time_though_postgres_is_away(
    cluster: Cluster, model: ModelStandIn, telegram: TelegramStandIn
) -> None:
    """On a server of its own, for others are in use."""
    with start_postgres(durable=False) as server:
        url = server.create_database()
        node = await cluster.start("serve", DATABASE_URL=url, DRAIN_SECONDS=1, LEASE_SECONDS=LEASE)
        async with open_load(telegram, node) as load:
            await start_turn(load, model)
            server.kill()
            node.terminate()
            assert await node.ended(1 + 2 * TO_CLOSE) == 0

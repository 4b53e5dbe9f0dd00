"""The connection to Postgres breaks, or falls silent, at the worst moment of a transaction."""

from __future__ import annotations

import asyncio

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import check_answers, check_books, doubtful, until_quiet
from tests.chaos.gate import Gate, LossyProxy
from tests.chaos.load import Load, open_load, until_answered
from tests.standins.model import ModelStandIn
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import IN_TIME, Cluster

LONG_SILENCE = 16.0
"""Seconds after which a silent model would let the messages behind a turn go first."""

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.parametrize("database_url", ["postgres"], indirect=True),
]


async def check(load: Load, telegram: TelegramStandIn, database: Database) -> None:
    await until_quiet(database, 40)
    assert await doubtful(database) == set()
    check_answers(load, telegram)
    await check_books(load, database)


async def test_a_worker_paused_in_mid_transaction_does_not_hold_its_lanes_beyond_its_lease(
    cluster: Cluster, load: Load, telegram: TelegramStandIn, database: Database, database_url: str
) -> None:
    async with Gate(database_url, "turn", "UPDATE", "NEW.state = 'done'") as gate:
        paused = await cluster.start("worker")
        await load.log_in(101)
        text = await load.say(101, 1)
        await gate.reached()
        await cluster.start("worker")
        paused.pause()
        await gate.open()
        async with asyncio.timeout(IN_TIME):
            await until_answered(telegram, 101, text)
        paused.resume()
    await check(load, telegram, database)


@pytest.mark.parametrize(
    ("table", "event", "when"),
    [
        ("inbox", "INSERT", "true"),
        ("turn", "INSERT", "true"),
        ("journal", "INSERT", "NEW.kind = 'reply'"),
        ("journal", "INSERT", "NEW.kind = 'result'"),
        ("turn", "UPDATE", "NEW.state = 'done'"),
        ("outbox", "UPDATE", "NEW.state = 'attempting'"),
        ("outbox", "UPDATE", "NEW.state = 'sent'"),
        ("lane", "UPDATE", "NEW.id = 'telegram:101' AND NEW.fence > OLD.fence"),
        ("lane", "UPDATE", "NEW.id = 'telegram:101' AND NEW.owner IS NULL"),
    ],
)
async def test_a_commit_that_was_never_confirmed_is_neither_lost_nor_made_twice(
    table: str,
    event: str,
    when: str,
    cluster: Cluster,
    model: ModelStandIn,
    telegram: TelegramStandIn,
    database: Database,
    database_url: str,
) -> None:
    async with LossyProxy(database_url) as proxy:
        # All credits are held for a turn.
        node = await cluster.start("serve", WELCOME_CREDITS=5, DATABASE_URL=proxy.url)
        async with open_load(telegram, node) as load:
            await load.log_in(101)
            await load.log_in(102)
            other = model.hold_next("m-102-1")  # keeps the process busy, and its leases renewed
            await load.say(102, 1)
            await other.reached.wait()
            async with Gate(database_url, table, event, when) as gate:
                saying = asyncio.create_task(load.say(101, 1))
                await gate.open_and_lose_answer(proxy)
                async with asyncio.timeout(IN_TIME):
                    await until_answered(telegram, 101, await saying)
            other.released.set()
            await check(load, telegram, database)


async def test_a_database_that_makes_a_turn_wait_changes_no_order(
    cluster: Cluster, telegram: TelegramStandIn, database: Database, database_url: str
) -> None:
    node = await cluster.start("serve")
    async with open_load(telegram, node) as load:
        await load.log_in(101)
        async with Gate(database_url, "journal", "INSERT", "NEW.kind = 'reply'") as gate:
            await load.say(101, 1)
            await gate.reached()
            last = await load.say(101, 2)
            await asyncio.sleep(LONG_SILENCE)
            await gate.open()
            async with asyncio.timeout(IN_TIME):
                await until_answered(telegram, 101, last)
        await check(load, telegram, database)

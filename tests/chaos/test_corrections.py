"""A process dies while a wrong answer is put right: one right answer, and nothing asked twice."""

from __future__ import annotations

import asyncio

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import until_quiet
from tests.chaos.gate import Gate
from tests.chaos.load import open_load
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Cluster
from tests.support.databases import on_postgres
from tests.support.model_endpoint import FakeEndpoint, endpoint, stream, text
from tests.support.queries import count_rows
from tests.support.redis_server import RedisServer

CHAT = 301
WRONG, RIGHT = "7 × 8 = 54", "7 × 8 = 56"
NOTE = "Your message was not sent"

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(600)]


def requests_after_note(model: FakeEndpoint) -> list[bool]:
    """Of each request, whether it tells the model that its message was wrong."""
    return [NOTE in str(body["messages"]) for body in model.bodies]


def check_told(telegram: TelegramStandIn) -> None:
    """The person has the right answer once, and nothing of the wrong one."""
    said = [shown.text for shown in telegram.messages(CHAT)]
    assert sum("56" in each for each in said) == 1
    assert not any("54" in each for each in said)


async def test_killed_before_the_model_answered_again(
    cluster: Cluster, database: Database, telegram: TelegramStandIn
) -> None:
    plays = (stream(text(WRONG)), stream(hang=30.0), stream(text(RIGHT)))
    async with endpoint(*plays) as model:
        node = await cluster.start("serve", LEASE_SECONDS=1, OPENAI_BASE_URL=model.url)
        async with open_load(telegram, node) as load:
            await load.tell(CHAT, "combien font sept fois huit ?")
            async with asyncio.timeout(60):
                while len(model.bodies) < 2:
                    await asyncio.sleep(0.02)
            node.kill()
            await node.restart()
            await until_quiet(database, 60)
        assert requests_after_note(model) == [False, True, True]
    assert await count_rows(database, "journal", kind="correction") == 1
    check_told(telegram)


@on_postgres
@pytest.mark.parametrize(
    ("table", "event", "when"),
    [
        ("journal", "INSERT", "NEW.kind = 'correction'"),  # it is found wrong, but not noted so
        ("turn", "UPDATE", "NEW.state = 'done'"),  # the right answer is there, but not sent
    ],
    ids=["objection", "answer"],
)
async def test_killed_where_nothing_is_asked_again(
    cluster: Cluster,
    database: Database,
    database_url: str,
    telegram: TelegramStandIn,
    table: str,
    event: str,
    when: str,
    redis: RedisServer,
) -> None:
    cluster.settings["REDIS_URL"] = redis.url  # the dead process may still seem to be connected
    async with endpoint(stream(text(WRONG)), stream(text(RIGHT))) as model:
        node = await cluster.start("serve", LEASE_SECONDS=1, OPENAI_BASE_URL=model.url)
        async with (
            open_load(telegram, node) as load,
            Gate(database_url, table, event, when) as gate,
        ):
            await load.tell(CHAT, "combien font sept fois huit ?")
            await gate.reached()
            node.kill()
            await gate.open()
            await node.restart()
            await until_quiet(database, 60)
        assert requests_after_note(model) == [False, True]
    assert await count_rows(database, "journal", kind="correction") == 1
    check_told(telegram)

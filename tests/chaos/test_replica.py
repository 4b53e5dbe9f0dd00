"""The primary dies, and a synchronous standby takes its place, while people talk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import (
    check_answers,
    check_books,
    doubtful,
    list_failed,
    until_quiet,
)
from tests.chaos.gate import pump
from tests.chaos.load import Load, answers, conversing, open_load
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Cluster
from tests.support.postgres_standby import Pair, start_pair

CHATS = range(101, 107)
SECONDS = 90.0
"""Within which somebody is answered, on a machine that does a lot else."""
UNDECIDED = 3.0
"""Seconds during which there is only a standby: somebody has to notice and decide."""
LEASE_SECONDS = 15
"""As it is by default: longer than a switch takes."""

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]


@pytest.fixture
def pair() -> Iterator[Pair]:
    with start_pair() as running:
        yield running


class Switch:
    """A stable address in front of the two: every new connection goes to `target`."""

    def __init__(self, target: str) -> None:
        self.target = target

    async def serve(self) -> asyncio.Server:
        return await asyncio.start_server(self._pass_on, "127.0.0.1", 0)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = self.target.split(":")
        try:
            far_reader, far_writer = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.transport.abort()
            return
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))


@pytest.fixture(params=["both hosts", "one address"])
async def database_url(request: pytest.FixtureRequest, pair: Pair) -> AsyncIterator[str]:
    """Both ways of naming a pair in `DATABASE_URL`."""
    url = pair.primary.create_database()
    if request.param == "both hosts":
        yield pair.url_of_both(url)
        return
    switch = Switch(pair.primary.address)
    server = await switch.serve()
    pair.switch_to = lambda address: setattr(switch, "target", address)
    port = server.sockets[0].getsockname()[1]
    yield url.replace(pair.primary.address, f"127.0.0.1:{port}")
    server.close()


async def until_everyone_is_answered(telegram: TelegramStandIn) -> None:
    """Wait until each person has one more answer than now."""
    before = {chat: len(answers(telegram, chat)) for chat in CHATS}
    async with asyncio.timeout(SECONDS):
        for chat, count in before.items():
            while len(answers(telegram, chat)) <= count:
                await asyncio.sleep(0.05)


async def test_nothing_that_was_accepted_is_lost_with_the_primary(
    cluster: Cluster, pair: Pair, telegram: TelegramStandIn, database: Database
) -> None:
    node = await cluster.start("serve", LEASE_SECONDS=LEASE_SECONDS)
    async with open_load(telegram, node) as load:
        async with conversing(load, CHATS):
            await until_everyone_is_answered(telegram)
            await asyncio.to_thread(pair.primary.kill)
            await asyncio.sleep(UNDECIDED)
            await asyncio.to_thread(pair.standby.promote)
            pair.switch_to(pair.standby.address)
            await until_everyone_is_answered(telegram)
        await check(load, telegram, database)


async def check(load: Load, telegram: TelegramStandIn, database: Database) -> None:
    """An answer that was on its way may be in doubt; none is said twice, and none is lost."""
    await until_quiet(database, SECONDS)
    in_doubt, failed = await doubtful(database), await list_failed(database)
    check_answers(load, telegram, in_doubt, failed)
    await check_books(load, database)

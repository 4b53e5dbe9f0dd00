"""The surroundings of a cluster: stand-ins for the providers, a database, a Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.contracts.storage import Database
from bot.settings import Settings
from bot.storage.database import open_database
from tests.chaos.load import SECRET, Load, open_load
from tests.standins.model import ModelStandIn
from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import LEASE, WITH_NOTES, Cluster, Node
from tests.support.postgres_server import PostgresServer, start_postgres
from tests.support.redis_server import RedisServer, start_redis

SHORT_LEASE = 1
"""Seconds that a lane is leased for where processes are killed all the time."""


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as standin:
        yield standin
    assert standin.violations == []


@pytest.fixture
async def model() -> AsyncIterator[ModelStandIn]:
    async with ModelStandIn() as standin:
        yield standin
    assert standin.violations == []


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """In place of the suite's: what it says is committed is on the disk, so that it may crash."""
    with start_postgres(durable=True) as server:
        yield server


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with start_redis() as server:
        yield server


@pytest.fixture
def cluster(
    database_url: str, tmp_path: Path, telegram: TelegramStandIn, model: ModelStandIn
) -> Iterator[Cluster]:
    settings = {
        "DATABASE_URL": database_url,
        "BLOB_URL": f"file:{tmp_path}/files",
        "SECRET_KEY": "a secret for tests only",
        "TELEGRAM_API_URL": telegram.url,
        "TELEGRAM_PER_SECOND": "10000",
        "TELEGRAM_BOT_TOKEN": telegram.token,
        "TELEGRAM_WEBHOOK_SECRET": SECRET,
        "OPENAI_BASE_URL": model.url,
        "WELCOME_CREDITS": "100000",
        "RATE_LIMIT_PER_MINUTE": "0",
        "LEASE_SECONDS": str(LEASE),
        "BURST_SECONDS": "0",
    }
    cluster = Cluster(tmp_path, settings)
    yield cluster
    cluster.end()


@pytest.fixture
async def database(cluster: Cluster) -> AsyncIterator[Database]:
    """The cluster's database, opened beside its processes."""
    settings = Settings.model_validate({"database_url": cluster.settings["DATABASE_URL"]})
    async with open_database(settings) as opened:
        yield opened


@pytest.fixture
async def web(cluster: Cluster, redis: RedisServer) -> Node:
    """A web process; who asks for it gets workers apart, which he starts himself."""
    cluster.settings["REDIS_URL"] = redis.url
    return await cluster.start("web")


@pytest.fixture
async def load(telegram: TelegramStandIn, web: Node) -> AsyncIterator[Load]:
    """Updates, sent to `web`."""
    async with open_load(telegram, web) as opened:
        yield opened


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
        await cluster.start("serve", program=WITH_NOTES, LEASE_SECONDS=SHORT_LEASE)
        for _ in range(count)
    ]

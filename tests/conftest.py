"""Fixtures that the whole suite shares: real databases, on both engines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from bot.contracts import Database
from bot.settings import Settings
from bot.storage.database import open_database
from tests.postgres_server import PostgresServer, start_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with start_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh, empty database: every test that asks runs on SQLite and on Postgres."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/griot.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.create_database()


@pytest.fixture
def make_settings(database_url: str, tmp_path: Path) -> Callable[..., Settings]:
    def make(**values: object) -> Settings:
        defaults = {
            "database_url": database_url,
            "blob_url": f"file:{tmp_path}/files",
            "secret_key": "a secret for tests only",
            "burst_seconds": 0,
        }
        return Settings.model_validate(defaults | values)

    return make


@pytest.fixture
def settings(make_settings: Callable[..., Settings]) -> Settings:
    return make_settings()


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    async with open_database(settings) as opened:
        yield opened

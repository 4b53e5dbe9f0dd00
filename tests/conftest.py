"""Fixtures that the whole suite shares: real databases, on both engines."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import tempfile
import zlib
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import structlog
import uvloop
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from bot.app import open_app
from bot.contracts.payments import PaymentProvider
from bot.contracts.storage import Database
from bot.settings import Settings
from bot.storage.database import open_database
from tests.support.app import TestApp
from tests.support.databases import DatabasePool, migrate
from tests.support.fakes import FakeChannel
from tests.support.postgres_server import PostgresServer, start_postgres
from tests.support.samples import TAKES_ALL
from tests.support.touched_keys import FOUND, watch_transactions

_ROOM = 4 * 1024**3
"""Bytes; what failed is kept until the end."""

# How quick the machine is, is no property of Griot's. Each run draws other examples.
hypothesis_settings.register_profile(
    "griot",
    hypothesis_settings.default,
    max_examples=600 if TAKES_ALL else 60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
hypothesis_settings.load_profile("griot")

# Tracebacks in colours, with all variables of each step, take a second each.
structlog.configure(
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        ),
    ]
)


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The event loop that Griot runs in."""
    return {"uvloop": uvloop.new_event_loop}


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Keep the tests' folders in memory, where that has room: each of their databases syncs to
    disk at every commit."""
    memory = Path("/dev/shm")
    if config.option.basetemp is None and memory.is_dir() and _room_in(memory) > _ROOM:
        folder = tempfile.mkdtemp(prefix="griot-tests-", dir=memory)
        config.option.basetemp = f"{folder}/tests"
        config.add_cleanup(lambda: shutil.rmtree(folder))


_WATCHED = (
    "tests/billing/",
    "tests/gateway/delivery/",
    "tests/gateway/scheduler/",
    "tests/storage/test_touched_keys.py",
)
"""Where payments, deliveries and reminders are tested; the people of other tests are not always
linked as they would be."""


_ON_ONE_ENGINE = (
    "tests/flows/test_one_way.py",
    "tests/flows/test_telegram_rich.py",
    "tests/gateway/commands/",
    "tests/gateway/turns/test_compaction",
    "tests/gateway/turns/test_guardrail",
    "tests/gateway/turns/test_model_message",
    "tests/gateway/turns/test_prefixes",
    "tests/gateway/turns/test_preview",
    "tests/render/",
    "tests/tools/",
    "tests/web/",
)
"""Where one engine is enough for a test: what they do with tables is tested on both elsewhere."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out half of the tests on two engines: which half, follows from their names."""
    engines: dict[str, set[str]] = defaultdict(set)
    for item in items:
        engines[_name_function(item)].add(_get_engine(item))
    kept, left_out = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        name = _name_function(item)
        is_halved = name.startswith(_ON_ONE_ENGINE) and engines[name] >= {"sqlite", "postgres"}
        chosen = "sqlite" if zlib.crc32(name.encode()) % 2 else "postgres"
        (left_out if is_halved and _get_engine(item) != chosen else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _name_function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _get_engine(item: pytest.Item) -> str:
    """The engine that a test is for; empty: it uses none, or is for one only."""
    call = getattr(item, "callspec", None)
    return call.params.get("database_url", "") if call else ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Watch the transactions of some tests (`tests/support/touched_keys.py`)."""
    if not item.nodeid.startswith(_WATCHED):
        return (yield)
    with watch_transactions():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail where a transaction touched the keys of two owners."""
    result = yield
    texts = "\n".join(dict.fromkeys(FOUND))
    FOUND.clear()
    if texts:
        pytest.fail(texts, pytrace=False)
    return result


def _room_in(folder: Path) -> int:
    return shutil.disk_usage(folder).free if os.access(folder, os.W_OK) else 0


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Of what is collected nothing is garbage: looking for it would take a tenth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)  # tests make much garbage and little of it is in cycles
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fuzz-calls", type=int, default=100, help="how often the HTTP API is called at random"
    )


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with start_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def database_pool(postgres: PostgresServer) -> Iterator[DatabasePool]:
    one = DatabasePool(postgres)
    yield one
    one.close()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "griot.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def make_sqlite(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], str]:
    """Makes SQLite databases of empty tables, for tests that need several."""

    def make() -> str:
        path = tmp_path_factory.mktemp("made") / "griot.db"
        return _copy(sqlite_template, path)

    return make


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A SQLite database of empty tables, in the test's own folder."""
    return _copy(sqlite_template, tmp_path / "griot.db")


def _copy(template: Path, path: Path) -> str:
    shutil.copy(template, path)
    return f"sqlite:///{path}"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database of empty tables: a test that asks runs on SQLite and on Postgres, or on one.

    One that is marked `blank_database` gets it without any tables.
    """
    is_blank = request.node.get_closest_marker("blank_database") is not None
    if request.param == "sqlite":
        if is_blank:
            yield f"sqlite:///{tmp_path}/griot.db"
        else:
            yield request.getfixturevalue("sqlite_url")
        return
    if is_blank:
        server: PostgresServer = request.getfixturevalue("postgres")
        yield server.create_database()
        return
    database_pool: DatabasePool = request.getfixturevalue("database_pool")
    with database_pool.take() as url:
        yield url


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


@pytest.fixture
async def app(
    make_settings: Callable[..., Settings],
) -> AsyncIterator[Callable[..., Awaitable[TestApp]]]:
    async with AsyncExitStack() as stack:

        async def make(
            channel: FakeChannel | None = None,
            *others: FakeChannel,
            providers: Mapping[str, PaymentProvider] | None = None,
            **values: object,
        ) -> TestApp:
            shown = channel or FakeChannel()
            opened = await stack.enter_async_context(
                open_app(
                    make_settings(**{"rate_limit_per_minute": 0, "burst_seconds": 0} | values),
                    more=[shown, *others],
                    providers=providers,
                )
            )
            return TestApp(opened, shown, stack)

        yield make

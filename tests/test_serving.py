"""What a process needs before it serves, and how it refuses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from bot.app import open_app
from bot.errors import DatabaseInUse, SettingsError
from bot.server import run_server
from bot.settings import Settings
from tests.support.app import update
from tests.support.databases import on_postgres, on_sqlite
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.lossy_network import lossy_network
from tests.support.ports import free_port
from tests.support.queries import FromNow, Plus, change_rows

MakeSettings = Callable[..., Settings]


@pytest.mark.parametrize(("web", "worker"), [(True, False), (False, True)])
async def test_web_and_worker_apart_need_a_redis(
    make_settings: MakeSettings,
    web: bool,
    worker: bool,
) -> None:
    with pytest.raises(SettingsError, match="REDIS_URL"):
        async with run_server(make_settings(), web_part=web, worker_part=worker):
            raise AssertionError("it serves")


async def test_a_second_process_without_a_shared_redis_refuses(make_settings: MakeSettings) -> None:
    first = make_settings(port=free_port())
    async with run_server(first, model=FakeModel()):
        second = first.model_copy(update={"port": free_port()})
        with pytest.raises(DatabaseInUse):
            async with run_server(second, model=FakeModel()):
                raise AssertionError("it serves")


async def test_a_port_that_is_taken_is_named(
    make_settings: MakeSettings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    port = free_port()
    elsewhere = f"sqlite:///{tmp_path_factory.mktemp('second')}/griot.db"
    async with run_server(make_settings(port=port), model=FakeModel()):
        with pytest.raises(SettingsError, match=f"PORT: cannot listen on 127.0.0.1:{port}"):
            async with run_server(
                make_settings(port=port, database_url=elsewhere), model=FakeModel()
            ):
                raise AssertionError("it serves")


async def test_an_address_that_is_not_this_machines_is_named(make_settings: MakeSettings) -> None:
    settings = make_settings(host="192.0.2.1", port=free_port())
    with pytest.raises(SettingsError, match=r"HOST: cannot listen on 192\.0\.2\.1"):
        async with run_server(settings, model=FakeModel()):
            raise AssertionError("it serves")


@on_postgres
async def test_a_process_ends_in_time_though_its_database_is_silent(
    settings: Settings, make_settings: MakeSettings
) -> None:
    """Connections that carry nothing any more: each thing that waits for one waits for a moment."""
    async with lossy_network(settings.database_url) as network:
        ours = make_settings(port=0, database_url=network.url, drain_seconds=0.1)
        async with run_server(ours, model=FakeModel()):
            network.greets_only = True
            network.lose_existing()
            await asyncio.sleep(1)  # meanwhile the rounds have begun to wait
            began = time.monotonic()
        assert time.monotonic() - began < ours.drain_seconds + 10


@on_sqlite
async def test_nobody_waits_for_the_lease_of_a_process_that_is_surely_dead(
    make_settings: MakeSettings,
) -> None:
    """Of a SQLite file the kernel says who has it."""
    settings, phone = make_settings(port=0), FakeChannel()
    async with open_app(settings, more=[phone]) as app:
        await app.inbox.store([update("hello")])
        await change_rows(
            app.database, "lane", {"owner": "dead", "fence": Plus(1), "due_at": FromNow(60)}
        )
    async with (
        run_server(settings, model=FakeModel(reply("hi")), more=[phone]),
        asyncio.timeout(20),
    ):
        while not phone.delivered:
            await asyncio.sleep(0.02)


async def test_a_redis_out_of_reach_is_logged_at_the_start(make_settings: MakeSettings) -> None:
    settings = make_settings(port=free_port(), redis_url="redis://127.0.0.1:1/0")
    with capture_logs() as logs:
        async with run_server(settings, model=FakeModel(), worker_part=False):
            pass
    before = logs[: [line["event"] for line in logs].index("ready")]
    warned = [line for line in before if line["event"] == "redis_unreachable"]
    assert any(line.get("setting") == "REDIS_URL" for line in warned)

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from structlog.testing import capture_logs

from bot.contracts.storage import Database
from bot.settings import Settings
from bot.storage.postgres import PostgresDatabase
from bot.web import app as web_app
from tests.support.fakes import FakeModel, reply
from tests.support.lossy_network import lossy_network
from tests.support.queries import FromNow, add_row, limit_pages, set_revision
from tests.support.site import MakeSite


async def test_alive_and_ready(site: MakeSite) -> None:
    griot = await site(FakeModel())
    assert (await griot.request("GET", "/healthz"))[0] == 200
    status, body = await griot.request("GET", "/readyz")
    assert status == 200
    assert body["database"] == "ok"


async def test_tables_of_another_revision_are_not_ready(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await set_revision(griot.app.database, "0000")
    status, body = await griot.request("GET", "/readyz")
    assert status == 503
    assert "0000" in body["database"]


async def test_tables_that_a_newer_version_made_are_ready_during_its_roll_out(
    site: MakeSite,
) -> None:
    griot = await site(FakeModel())
    await set_revision(griot.app.database, "9999")
    assert (await griot.request("GET", "/readyz"))[0] == 200


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_writer_that_has_died_is_not_ready(site: MakeSite) -> None:
    griot = await site(FakeModel())

    async def hang_up(tx: Any) -> None:
        tx._connection.close()

    with pytest.raises(ConnectionError):
        await griot.app.database.write(hang_up)
    status, body = await griot.request("GET", "/readyz")
    assert (status, body["database"]) == (503, "ConnectionError")


async def test_a_process_that_drains_wants_no_new_visitors(site: MakeSite) -> None:
    griot = await site(FakeModel())
    griot.app.draining.set()
    status, body = await griot.request("GET", "/readyz")
    assert (status, body["status"], body["database"]) == (503, "draining", "ok")


async def test_with_an_operator_token_metrics_are_for_operators(site: MakeSite) -> None:
    griot = await site(FakeModel(), operator_token="opérateur")
    for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic opérateur"}):
        status, body = await griot.request("GET", "/metrics", headers=header)
        assert (status, body["error"]["code"]) == (401, "unauthorized")
    status, text = await griot.request(
        "GET", "/metrics", headers={"Authorization": "Bearer opérateur"}
    )
    assert (status, "griot_lanes_waiting" in text) == (200, True)


@pytest.mark.parametrize(
    ("client", "status"),
    [
        ("8.8.8.8", 401),
        ("2001:4860:4860::8888", 401),
        ("10.0.0.7", 200),
        ("fdaa:0:1::3", 200),
        ("", 200),
    ],
)
async def test_without_a_token_metrics_are_for_private_networks(
    site: MakeSite, client: str, status: int
) -> None:
    griot = await site(FakeModel())
    headers = {"X-Forwarded-For": client} if client else {}  # this machine's own proxy says so
    answered, _ = await griot.request("GET", "/metrics", headers=headers)
    assert answered == status


async def test_metrics_count_turns_and_deliveries(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("hello")))
    await griot.chat("x")
    status, text = await griot.request("GET", "/metrics")
    assert status == 200
    assert 'griot_turns_total{reason="answered"} 1.0' in text
    assert "griot_lanes_waiting 0.0" in text
    assert "griot_dead_turns 0.0" in text


async def test_metrics_tell_how_long_each_stage_of_a_turn_took(site: MakeSite) -> None:
    call = ("save_memory", '{"fact": "Awa is in 4e"}')
    griot = await site(FakeModel(reply("", call), reply("Noted.")))
    await griot.log_in()
    await griot.chat("remember that I am in 4e")
    counted: dict[str, str] = {}
    while "deliver" not in counted:
        _, text = await griot.request("GET", "/metrics")
        counted = dict(re.findall(r'griot_stage_seconds_count\{stage="(\w+)"\} (\S+)', text))
    stages = ("queue", "prepare", "model", "tool", "commit", "deliver")
    assert counted == dict.fromkeys(stages, "1.0")


async def test_the_front_page_says_what_this_is(site: MakeSite) -> None:
    griot = await site(FakeModel())
    status, text = await griot.request("GET", "/")
    assert status == 200
    assert "Griot" in text


async def test_an_unknown_route_answers_in_the_common_shape(site: MakeSite) -> None:
    griot = await site(FakeModel())
    status, body = await griot.request("GET", "/nothing/here")
    assert (status, body["error"]["code"]) == (404, "not_found")


async def test_metrics_tell_how_long_the_oldest_has_waited(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await add_row(griot.app.database, "lane", id="fake:old", via="nobody", due_at=FromNow(-3600))
    _, text = await griot.request("GET", "/metrics")
    [waited] = [line for line in text.splitlines() if line.startswith("griot_oldest_wait")]
    assert 3600 <= float(waited.split()[1]) < 4600


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_full_disk_is_said_and_not_ready_until_there_is_space(site: MakeSite) -> None:
    griot = await site(FakeModel(*[reply("hello")] * 2))
    message = {"message": "x" * 30_000, "background": True}
    await limit_pages(griot.app.database, is_full=True)
    with capture_logs() as logs:
        answers = [await griot.request("POST", "/api/v1/chat", json=message) for _ in range(3)]
        ready = await griot.request("GET", "/readyz")
    assert [(status, body["error"]["code"]) for status, body in answers] == [
        (503, "unavailable")
    ] * 3
    assert (ready[0], ready[1]["database"]) == (503, "database or disk is full")
    assert {line["event"] for line in logs} == {"request_unavailable"}
    assert all("free space" in line["reason"] for line in logs)

    await limit_pages(griot.app.database, is_full=False)
    assert (await griot.request("GET", "/readyz"))[0] == 200
    assert (await griot.request("POST", "/api/v1/chat", json=message))[0] == 202


def read_ready(metrics: str) -> dict[str, float]:
    """What `griot_ready` is, by part."""
    found = re.findall(r'^griot_ready\{part="(\w+)"\} (\S+)', metrics, re.MULTILINE)
    return {part: float(value) for part, value in found}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_metrics_tell_whether_the_database_can_be_used(site: MakeSite) -> None:
    griot = await site(FakeModel())

    async def is_ready() -> bool:
        _, metrics = await griot.request("GET", "/metrics")
        ready = read_ready(metrics)
        assert ready["redis"] == 1
        return ready["database"] == 1

    assert await is_ready()
    await limit_pages(griot.app.database, is_full=True)
    message = {"message": "x" * 30_000, "background": True}
    assert [(await griot.request("POST", "/api/v1/chat", json=message))[0] for _ in range(3)] == [
        503
    ] * 3
    assert not await is_ready()
    await limit_pages(griot.app.database, is_full=False)
    assert await is_ready()


async def test_metrics_and_readiness_tell_that_redis_is_away(
    site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    griot = await site(FakeModel())

    async def refuse() -> None:
        raise ConnectionError("away")

    monkeypatch.setattr(griot.app.context.momentary, "ping", refuse)
    _, metrics = await griot.request("GET", "/metrics")
    assert read_ready(metrics) == {"database": 1, "redis": 0}
    status, body = await griot.request("GET", "/readyz")
    assert (status, body["momentary"]) == (503, "Redis: ConnectionError")


class _Asking:
    """A route that asks the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/v1/asking", self.ask)]

    async def ask(self, _: web.Request) -> web.Response:
        return web.json_response(await self._database.check_writable())


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_a_request_waits_for_postgres_no_longer_than_its_client(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_app, "_DATABASE_SECONDS", 1.0)
    async with asyncio.timeout(25), lossy_network(settings.database_url) as network:
        database = PostgresDatabase(network.url, silence=30)
        async with TestClient(TestServer(web_app.make_app([_Asking(database)], home=True))) as one:
            assert (await one.get("/api/v1/asking")).status == 200
            network.lose_existing()
            answer = await one.get("/api/v1/asking")
            assert answer.status == 503
            assert (await answer.json())["error"]["code"] == "unavailable"
        await database.close()

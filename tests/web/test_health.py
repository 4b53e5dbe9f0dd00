from __future__ import annotations

from tests.fakes import FakeModel, reply
from tests.gateway.conftest import execute
from tests.web.conftest import MakeSite


async def test_alive_and_ready(site: MakeSite) -> None:
    griot = await site(FakeModel())
    assert (await griot.request("GET", "/healthz"))[0] == 200
    status, body = await griot.request("GET", "/readyz")
    assert status == 200
    assert body["database"] == "ok"


async def test_tables_of_another_revision_are_not_ready(site: MakeSite) -> None:
    griot = await site(FakeModel())
    await execute(griot.house.database, "UPDATE alembic_version SET version_num = '0000'")
    status, body = await griot.request("GET", "/readyz")
    assert status == 503
    assert "0000" in body["database"]


async def test_metrics_count_turns_and_deliveries(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("hello")))
    await griot.chat("x")
    status, text = await griot.request("GET", "/metrics")
    assert status == 200
    assert 'griot_turns_total{reason="answered"} 1.0' in text
    assert "griot_lanes_waiting 0.0" in text
    assert "griot_dead_turns 0.0" in text


async def test_the_front_page_says_what_this_is(site: MakeSite) -> None:
    griot = await site(FakeModel())
    status, text = await griot.request("GET", "/")
    assert status == 200
    assert "Griot" in text


async def test_an_unknown_route_answers_in_the_common_shape(site: MakeSite) -> None:
    griot = await site(FakeModel())
    status, body = await griot.request("GET", "/nothing/here")
    assert (status, body["error"]["code"]) == (404, "not_found")

"""A connection that strangers ask for is opened to an allowed address, or not at all."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientError, ClientSession, TCPConnector, web

from bot.net import is_public, make_guarded_connector, was_refused
from tests.support.web_servers import Names, Website, serve


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async def greet(_: web.Request) -> web.Response:
        return web.Response(text="Bonjour")

    async with serve(greet) as running:
        yield running


def public_on_any_port(address: str, _: int) -> bool:
    return is_public(address)


async def get(connector: TCPConnector, url: str) -> str:
    async with ClientSession(connector=connector) as session, session.get(url) as response:
        return await response.text()


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.2", "localhost", "[::ffff:127.0.0.1]", "[::1]"]
)
async def test_the_socket_is_closed_even_to_an_address_that_was_never_looked_at(
    host: str, site: Website
) -> None:
    with pytest.raises(ClientError) as refused:
        await get(make_guarded_connector(public_on_any_port), f"http://{host}:{site.port}/page")
    assert was_refused(refused.value)
    assert site.requests == []


async def test_a_name_is_judged_by_the_address_that_it_leads_to(site: Website) -> None:
    url = f"http://innocent.example:{site.port}/page"
    with pytest.raises(ClientError) as refused:
        await get(make_guarded_connector(public_on_any_port, Names(["127.0.0.1"])), url)
    assert was_refused(refused.value)
    assert site.requests == []
    assert await get(make_guarded_connector(site.allow, Names(["127.0.0.1"])), url) == "Bonjour"


async def test_the_port_counts_too(site: Website) -> None:
    assert (
        await get(make_guarded_connector(lambda _, port: port == site.port), site.url) == "Bonjour"
    )
    with pytest.raises(ClientError) as refused:
        await get(make_guarded_connector(lambda _, port: port != site.port), site.url)
    assert was_refused(refused.value)


async def test_an_allowed_address_where_nobody_listens_was_not_closed() -> None:
    with pytest.raises(ClientError) as failed:
        await get(make_guarded_connector(lambda *_: True), "http://127.0.0.1:9/")
    assert not was_refused(failed.value)

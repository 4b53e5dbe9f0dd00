from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from tests.support.web_servers import Website, serve
from tools._web import WebFailed, call_service


async def answer(request: web.Request) -> web.StreamResponse:
    match request.path:
        case "/slow":
            await asyncio.Event().wait()
        case "/moved":
            return web.Response(status=302, headers={"Location": "/fine"})
        case "/large":
            return web.Response(body=b"x" * 101)
        case "/fine":
            return web.Response(body=b"x" * 100)
    return web.Response(status=503)


async def call(site: Website, path: str, token: str = "") -> bytes:
    url = f"{site.url}{path}"
    seconds = 0.2 if path == "/slow" else 30.0
    return await call_service("GET", url, token=token, seconds=seconds, max_bytes=100)


async def test_an_operators_service_may_be_on_a_private_network() -> None:
    async with serve(answer) as site:
        assert await call(site, "/fine", token="key") == b"x" * 100
        assert site.requests[0].headers["Authorization"] == "Bearer key"


async def test_without_a_key_none_is_sent() -> None:
    async with serve(answer) as site:
        await call(site, "/fine")
        assert "Authorization" not in site.requests[0].headers


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/slow", "in time"),
        ("/moved", "status 302"),
        ("/large", "too much"),
        ("/down", "status 503"),
    ],
)
async def test_a_service_that_fails_does_so_with_a_reason(path: str, reason: str) -> None:
    async with serve(answer) as site:
        with pytest.raises(WebFailed, match=reason):
            await call(site, path)
        assert len(site.requests) == 1


async def test_a_service_that_is_not_there_is_named_so_without_its_address() -> None:
    with pytest.raises(WebFailed, match="could not be reached") as failed:
        await call_service("GET", "http://127.0.0.1:1", token="key", seconds=30, max_bytes=1)
    assert "127.0.0.1" not in str(failed.value)

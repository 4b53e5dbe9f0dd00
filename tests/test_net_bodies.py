"""No more of an answer is read than somebody wants to keep, whatever was promised."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, web

from bot.errors import TooLarge
from bot.net import read_beginning, read_within
from tests.support.web_servers import Website, serve

LIMIT = 100_000


async def answer(request: web.Request) -> web.StreamResponse:
    match request.path:
        case "/bomb":
            packed = gzip.compress(bytes(64 * 2**20))
            return web.Response(body=packed, headers={"Content-Encoding": "gzip"})
        case "/endless" | "/promised":
            return await _trickle(request)
        case _:
            return web.Response(body=b"x" * int(request.path[1:]))


async def _trickle(request: web.Request) -> web.StreamResponse:
    """Sends without an end, or promises more than the limit and sends nothing."""
    response = web.StreamResponse()
    if request.path == "/promised":
        response.content_length = LIMIT + 1
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        while request.path == "/endless":
            await response.write(b"x" * 2**16)
        await asyncio.Event().wait()
    return response


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with serve(answer) as running:
        yield running


async def read(site: Website, path: str) -> bytes:
    async with (
        asyncio.timeout(60),
        ClientSession() as session,
        session.get(site.url + path) as response,
    ):
        return await read_within(response, LIMIT)


async def begin(site: Website, path: str) -> bytes:
    async with (
        asyncio.timeout(60),
        ClientSession() as session,
        session.get(site.url + path) as response,
    ):
        return await read_beginning(response, LIMIT)


@pytest.mark.parametrize("size", [0, 1, LIMIT])
async def test_a_body_within_its_limit_is_whole(site: Website, size: int) -> None:
    assert await read(site, f"/{size}") == b"x" * size
    assert await begin(site, f"/{size}") == b"x" * size


@pytest.mark.parametrize("path", [f"/{LIMIT + 1}", "/endless", "/bomb", "/promised"])
async def test_one_beyond_it_is_too_large_as_soon_as_that_is_known(
    site: Website, path: str
) -> None:
    with pytest.raises(TooLarge):
        await read(site, path)


@pytest.mark.parametrize("path", [f"/{LIMIT + 1}", "/endless", "/bomb"])
async def test_its_beginning_can_be_had(site: Website, path: str) -> None:
    assert len(await begin(site, path)) == LIMIT

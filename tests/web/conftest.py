"""Griot as it is served, and a browser's client that logs in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import aiohttp
import pytest

from bot.server import run_server
from bot.settings import Settings
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.ports import free_port
from tests.support.site import MakeSite, Site, serve_sites
from tests.support.web_login import MakeWebLogin, WebLogin


@pytest.fixture
async def site(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeSite]:
    """`await site(model, **settings)` is a Griot that listens until the test ends."""
    async with serve_sites(make_settings) as make:
        yield make


@pytest.fixture
async def web(
    make_settings: Callable[..., Settings],
) -> AsyncIterator[MakeWebLogin]:
    async with AsyncExitStack() as stack:

        async def make(*phones: FakeChannel, **values: object) -> WebLogin:
            settings = make_settings(**{"port": free_port(), "rate_limit_per_minute": 0} | values)
            model = FakeModel(*[reply("hello")] * 3)
            app = await stack.enter_async_context(run_server(settings, more=phones, model=model))
            session = await stack.enter_async_context(aiohttp.ClientSession())
            site = Site(f"http://127.0.0.1:{settings.port}", app, session)
            return WebLogin(site, *phones)

        yield make

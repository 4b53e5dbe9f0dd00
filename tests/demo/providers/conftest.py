"""Screens that remember, and providers over a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.demo.providers.posting import Posting
from bot.demo.providers.screens import Screens


@pytest.fixture
def screens() -> Screens:
    return Screens()


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def posting(screens: Screens) -> AsyncIterator[Posting]:
    """To an address where nobody listens; a test that wants an answer sets another."""
    posting = Posting("http://127.0.0.1:9", screens)
    yield posting
    await posting.close()

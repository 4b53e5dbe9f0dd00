"""Screens that remember, and providers over a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.demo.providers.phone_screens import PhoneScreens
from bot.demo.providers.webhook_sender import WebhookSender


@pytest.fixture
def screens() -> PhoneScreens:
    return PhoneScreens()


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def posting(screens: PhoneScreens) -> AsyncIterator[WebhookSender]:
    """To an address where nobody listens; a test that wants an answer sets another."""
    posting = WebhookSender("http://127.0.0.1:9", screens)
    yield posting
    await posting.close()

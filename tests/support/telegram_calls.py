"""Call the stand-in of Telegram as an adapter does."""

from __future__ import annotations

from typing import Any

import aiohttp

from tests.standins.telegram import TelegramStandIn

AWA = 42

GROUP = -1001234


async def call_method(telegram: TelegramStandIn, method: str, **parameters: Any) -> tuple[int, Any]:
    """Call a method of the Bot API; return status and answer."""
    url = f"{telegram.url}/bot{telegram.token}/{method}"
    async with aiohttp.ClientSession() as http, http.post(url, json=parameters) as response:
        return response.status, await response.json()

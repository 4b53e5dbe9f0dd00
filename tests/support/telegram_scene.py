"""A person's Telegram before the whole app."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.contracts.models import Model
from bot.settings import Settings
from tests.standins.telegram import TelegramStandIn
from tests.support.queries import Not, count_rows
from tests.support.site import Site, open_site
from tests.support.waiting import until

SECRET = "a-webhook-secret"

CHAT = 1001


@dataclass
class Scene:
    """A person's Telegram, and the Griot behind it."""

    telegram: TelegramStandIn
    griot: Site

    async def post(self, update: dict[str, Any], secret: str = SECRET) -> int:
        headers = {"X-Telegram-Bot-Api-Secret-Token": secret}
        status, _ = await self.griot.request(
            "POST", "/webhooks/telegram", json=update, headers=headers
        )
        return status

    async def say(self, text: str) -> int:
        return await self.post(self.telegram.text_update(CHAT, text))

    async def log_in(self) -> None:
        await self.post(self.telegram.contact_update(CHAT, "+2250701020304", owner=CHAT))
        await self.told(1)

    async def told(self, count: int) -> list[str]:
        """What the person was told, once it is at least `count` messages."""

        async def enough() -> bool:
            return len(self.telegram.messages(CHAT)) >= count

        await until(enough)
        return [message.text for message in self.telegram.messages(CHAT)]

    async def settled(self) -> bool:
        return await count_rows(self.griot.app.database, "lane", due_at=Not(None)) == 0


MakeScene = Callable[..., Awaitable[Scene]]


@asynccontextmanager
async def open_scenes(make_settings: Callable[..., Settings]) -> AsyncGenerator[MakeScene]:
    """Gives what makes a scene with a model and settings; at the end Telegram has no complaint."""
    async with AsyncExitStack() as stack:
        telegram = await stack.enter_async_context(TelegramStandIn())

        async def make(model: Model, **values: object) -> Scene:
            settings = make_settings(
                telegram_bot_token=telegram.token,
                telegram_webhook_secret=SECRET,
                telegram_api_url=telegram.url,
                public_url="https://griot.example",
                rate_limit_per_minute=0,
                **values,
            )
            griot = await stack.enter_async_context(open_site(settings, model))
            return Scene(telegram, griot)

        yield make
    assert telegram.violations == []

"""A person's Telegram before the whole app."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.standins.telegram import TelegramStandIn
from tests.support.queries import Not, count_rows
from tests.support.site import Site
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

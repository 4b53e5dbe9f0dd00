"""An app in this process whose channels are fakes, and updates for it."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from bot.app import App, open_worker
from bot.contracts.models import Model
from bot.contracts.storage import Database
from bot.contracts.tools import Tool
from bot.gateway.worker import Worker
from bot.messages.incoming import Said, Sender, Update, UpdateContent
from bot.messages.outgoing import TextBody
from tests.support.fakes import FakeChannel
from tests.support.queries import count_unfinished

_numbers = itertools.count(1)


def update(content: UpdateContent | str, *, chat: str = "1", key: str = "") -> Update:
    """An update on the fake channel."""
    unique = key or f"k{next(_numbers)}"
    return Update(
        channel="telegram",
        via="fake",
        conversation=chat,
        sender=Sender(chat, "Awa", "en"),
        delivery_key=unique,
        message_key=f"m{unique}",
        content=Said(content) if isinstance(content, str) else content,
    )


class TestApp:
    """An app whose one channel is a fake; `start` lets workers in."""

    __test__ = False

    def __init__(self, app: App, channel: FakeChannel, stack: AsyncExitStack) -> None:
        self.app = app
        self.channel = channel
        self._stack = stack

    @property
    def database(self) -> Database:
        return self.app.database

    async def start(self, model: Model, tools: list[Tool[Any]] | None = None) -> Worker:
        return await self._stack.enter_async_context(
            open_worker(self.app, model=model, tools=tools or [])
        )

    async def send(self, *contents: UpdateContent | str, chat: str = "1") -> list[int | None]:
        return await self.app.inbox.store([update(content, chat=chat) for content in contents])

    async def log_in(self, chat: str = "1", phone: str = "+2250701020304") -> int:
        """Make the sender of this chat a known person; returns the account's id."""

        async def work(tx: Any) -> int:
            sender = Sender(chat, "Awa", "en")
            person = await self.app.people.log_in(tx, "telegram", sender, phone)
            return person.account or 0

        return await self.database.write(work)

    def said(self, chat: str = "1") -> list[str]:
        """List the texts that the person in this chat was told, in order."""
        return [
            delivery.body.text
            for delivery in self.channel.delivered
            if delivery.conversation == chat and isinstance(delivery.body, TextBody)
        ]

    async def settled(self) -> bool:
        """Whether nothing waits and nothing runs."""
        return await count_unfinished(self.database) == 0


MakeApp = Callable[..., Awaitable[TestApp]]
"""The fixture `app` of tests/gateway: channels first, settings as keywords."""

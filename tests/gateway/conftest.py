"""A gateway over a real database, with a channel and a model that are passed in."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import pytest
from sqlmodel import SQLModel

import bot.storage.tables  # noqa: F401 (fills the metadata)
from bot.app import App, open_app, open_worker
from bot.contracts.models import Model
from bot.contracts.payments import PaymentProvider
from bot.contracts.storage import Database
from bot.contracts.tools import Tool
from bot.gateway.worker import Worker
from bot.messages.incoming import Reachable, Said, Sender, SharedContact, Update, UpdateContent
from bot.messages.outgoing import TextBody
from bot.settings import Settings
from tests.fakes import FakeChannel
from tests.support.queries import count_unfinished

T = TypeVar("T")
TABLES = SQLModel.metadata.sorted_tables
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


async def until(condition: Callable[[], Awaitable[object]], seconds: float = 20) -> None:
    """Wait until `condition` holds; it is looked at often, and the test fails if it never does."""
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.01)


class TestHouse:
    """A app whose one channel is a fake; `start` lets workers in."""

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
        """Make the sender of this chat a known person; the account."""

        async def work(tx: Any) -> int:
            sender = Sender(chat, "Awa", "en")
            person = await self.app.people.log_in(tx, "telegram", sender, phone)
            return person.account or 0

        return await self.database.write(work)

    def said(self, chat: str = "1") -> list[str]:
        """What the person in this chat was told, in order."""
        return [
            delivery.body.text
            for delivery in self.channel.delivered
            if delivery.conversation == chat and isinstance(delivery.body, TextBody)
        ]

    async def settled(self) -> bool:
        """Nothing waits, nothing runs."""
        return await count_unfinished(self.database) == 0


@pytest.fixture
async def app(
    make_settings: Callable[..., Settings],
) -> AsyncIterator[Callable[..., Awaitable[TestHouse]]]:
    async with AsyncExitStack() as stack:

        async def make(
            channel: FakeChannel | None = None,
            *others: FakeChannel,
            providers: Mapping[str, PaymentProvider] | None = None,
            **values: object,
        ) -> TestHouse:
            shown = channel or FakeChannel()
            opened = await stack.enter_async_context(
                open_app(
                    make_settings(**{"rate_limit_per_minute": 0, "burst_seconds": 0} | values),
                    more=[shown, *others],
                    providers=providers,
                )
            )
            return TestHouse(opened, shown, stack)

        yield make


__all__ = [
    "Reachable",
    "SharedContact",
    "TestHouse",
    "until",
    "update",
]


def holds(row: dict[str, Any], trace: str) -> bool:
    return any(
        trace in (value.decode(errors="replace") if isinstance(value, bytes) else str(value))
        for value in row.values()
    )

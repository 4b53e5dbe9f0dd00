"""Updates without a public address."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress

import pytest

from adapters.telegram.adapter import Telegram
from bot.messages.incoming import Receipt, Said, Unreadable, Update
from tests.adapters.telegram_parts import AWA, open_adapter
from tests.standins.telegram import TelegramStandIn


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as stand_in:
        yield stand_in
        assert stand_in.violations == []


@pytest.fixture
async def adapter(telegram: TelegramStandIn) -> AsyncIterator[Telegram]:
    opened = open_adapter(telegram)
    yield opened
    await opened.close()


Received = asyncio.Queue[Sequence[Update | Receipt]]


class Polling:
    """`adapter.poll` in the background, ended with the block."""

    def __init__(
        self, adapter: Telegram, receive: Callable[[Sequence[Update | Receipt]], Awaitable[None]]
    ) -> None:
        self._poll = adapter.poll(receive)

    async def __aenter__(self) -> asyncio.Task[None]:
        self._task = asyncio.create_task(self._poll)
        return self._task

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task


async def test_polling_takes_over_from_the_webhook_and_gives_each_update_once(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    await adapter.set_webhook()
    received: Received = asyncio.Queue()
    telegram.enqueue(telegram.text_update(AWA, "un"), telegram.update("poll", {"unread": 1}))
    async with Polling(adapter, received.put), asyncio.timeout(5):
        [update] = await received.get()
        assert update.content == Said("un")
        for text in ("deux", "trois"):
            telegram.enqueue(telegram.text_update(AWA, text))
            [update] = await received.get()
            assert update.content == Said(text)


async def test_polling_outlives_errors_and_an_update_it_cannot_read(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    received: Received = asyncio.Queue()
    telegram.fail_next("getUpdates", 502, "")
    unreadable = telegram.text_update(AWA, "x")
    unreadable["message"]["chat"] = "?"
    telegram.enqueue(unreadable, telegram.text_update(AWA, "un"))
    async with Polling(adapter, received.put), asyncio.timeout(5):
        kept, update = await received.get()
    assert isinstance(kept, Unreadable)
    assert update.content == Said("un")


class DiskFull(Exception):
    pass


async def test_updates_that_were_not_stored_come_again(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    async def refuse(updates: Sequence[Update | Receipt]) -> None:
        raise DiskFull

    telegram.enqueue(telegram.text_update(AWA, "un"))
    with pytest.raises(DiskFull):
        await adapter.poll(refuse)
    received: Received = asyncio.Queue()
    async with Polling(adapter, received.put), asyncio.timeout(5):
        [update] = await received.get()
    assert update.content == Said("un")

"""People who write through Telegram, and a Telegram that gives up on no update."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.standins.telegram import TelegramStandIn
from tests.support.cluster import Node

SECRET = "the_secret_that_telegram_sends"
PATIENCE = 3.0
"""Seconds after which a person writes again although there is no answer."""
_TIMEOUT = aiohttp.ClientTimeout(total=10)


class Load:
    """Sends updates to any of the nodes, each until one has accepted it."""

    def __init__(
        self, telegram: TelegramStandIn, nodes: Sequence[Node], session: aiohttp.ClientSession
    ) -> None:
        self._telegram = telegram
        self._nodes = nodes
        self._session = session
        self._stopped = False
        self.accepted: dict[int, list[str]] = defaultdict(list)
        """What was said in each chat and answered with a 200, in order."""

    async def log_in(self, chat: int) -> None:
        """Share the person's own contact: from now on there are tools, and turns cost credits."""
        phone = f"22507010{chat:05d}"
        await self._deliver(self._telegram.contact_update(chat, phone, owner=chat))

    async def say(self, chat: int, number: int) -> str:
        """Say `m-<chat>-<number>`; returns it once it is accepted."""
        text = f"m-{chat}-{number}"
        await self._deliver(self._telegram.text_update(chat, text))
        self.accepted[chat].append(text)
        return text

    async def tell(self, chat: int, text: str) -> None:
        """Say something that is answered without the model."""
        await self._deliver(self._telegram.text_update(chat, text))

    async def converse(self, chat: int) -> None:
        """Say one thing after the other, sometimes without waiting for the answer, until `stop`."""
        await self.log_in(chat)
        for number in itertools.count(1):
            if self._stopped:
                return
            text = await self.say(chat, number)
            if random.random() < 0.7:
                await self._wait_for_answer(chat, text)

    def stop(self) -> None:
        self._stopped = True

    async def post(self, update: dict[str, Any], node: Node) -> int:
        """The status that one delivery of the update is answered with."""
        headers = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
        url = f"{node.url}/webhooks/telegram"
        async with self._session.post(url, json=update, headers=headers) as response:
            return response.status

    async def _deliver(self, update: dict[str, Any]) -> None:
        """As Telegram does: the same update again and again, until it is accepted."""
        while True:
            try:
                status = await self.post(update, random.choice(self._nodes))
            except (aiohttp.ClientError, TimeoutError):
                status = 0
            if status == 200:
                return
            assert status == 0 or status >= 500, f"refused with {status}"
            await asyncio.sleep(0.1)

    async def _wait_for_answer(self, chat: int, text: str) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await until_answered(self._telegram, chat, text)


@asynccontextmanager
async def open_load(telegram: TelegramStandIn, *nodes: Node) -> AsyncGenerator[Load]:
    async with aiohttp.ClientSession(timeout=_TIMEOUT) as session:
        yield Load(telegram, nodes, session)


@asynccontextmanager
async def conversing(load: Load, chats: Sequence[int]) -> AsyncGenerator[None]:
    """In each chat a person talks while the block runs, until the last message is accepted."""
    async with asyncio.TaskGroup() as tasks:
        for chat in chats:
            tasks.create_task(load.converse(chat))
        yield
        load.stop()


def answer_to(text: str) -> str:
    """What the stand-in for the model says to it."""
    return f"answer to {text}"


def answers(telegram: TelegramStandIn, chat: int) -> list[str]:
    """What the person was answered, oldest first, apart from what Griot says of itself."""
    said = [shown.text for shown in telegram.messages(chat)]
    return [text for text in said if text.startswith(answer_to(""))]


async def until_answered(telegram: TelegramStandIn, chat: int, text: str) -> None:
    """Wait until the person has the answer to this message."""
    while answer_to(text) not in answers(telegram, chat):
        await asyncio.sleep(0.02)

"""A pupil on several channels, whose Griot is killed after each thing that she does."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from bot.contracts.storage import Database
from tests.flows.street import CHAT, Street
from tests.support.queries import count_unfinished, read_row

AWA = "+2250701020399"
CODE = re.compile(r"\b\d{6}\b")


class Pupil:
    """Awa. After each thing that she does, the process is killed, sooner or later."""

    def __init__(self, street: Street, database: Database) -> None:
        self.street = street
        self.database = database
        self._delays = itertools.cycle((0.0, 0.05, 0.2))

    async def do(self, act: Callable[[], Awaitable[object]]) -> None:
        """Do it; the process dies, and is back."""
        await act()
        await self.die()

    async def die(self) -> None:
        await asyncio.sleep(next(self._delays))
        self.street.node.kill()
        await self.street.node.restart()
        await self.settle()

    async def settle(self) -> None:
        async with asyncio.timeout(120):
            while await count_unfinished(self.database):
                await asyncio.sleep(0.05)

    async def by_whatsapp(self, words: str) -> None:
        await self.do(lambda: self.street.twilio.say(AWA, words, whatsapp=True))

    async def by_sms(self, words: str) -> None:
        await self.do(lambda: self.street.twilio.say(AWA, words))

    async def by_telegram(self, words: str) -> None:
        await self.do(lambda: self.street.post(self.street.telegram.text_update(CHAT, words)))

    async def post(self, path: str, **options: Any) -> tuple[int, str]:
        """Post something, while the process dies; and once more, as a person taps again."""
        first = asyncio.create_task(self._post(path, options))
        await self.die()
        with contextlib.suppress(aiohttp.ClientError):
            await first
        return await self._post(path, options)

    async def _post(self, path: str, options: dict[str, Any]) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {self.street.token}"} if self.street.token else {}
        url = self.street.node.url + path
        async with self.street.http.post(url, headers=headers, **options) as answer:
            return answer.status, await answer.text()

    async def log_in_on_the_web(self) -> None:
        """By a code that comes to one of her phones."""
        street, given = self.street, {"phone": AWA}
        await street.request("POST", "/api/v1/login/otp", json=given)
        await street.until(self._codes)
        given["code"] = self._codes()[-1]
        said = await street.request("POST", "/api/v1/login/verify", json=given)
        street.token = json.loads(said)["token"]

    def _codes(self) -> list[str]:
        return [code for each in self.street.twilio.chat(AWA) for code in CODE.findall(each.body)]

    async def solution(self) -> str:
        """The right answer to the exercise that is open."""
        row = await read_row(self.database, "exercise", state="open")
        return json.loads(row["body"])["solutions"][0]

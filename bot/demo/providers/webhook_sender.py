"""Post webhooks to Griot's public address."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, Final, Literal

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar

from bot.demo.providers.phone_screens import Phone, PhoneScreens

_PATIENCE: Final = ClientTimeout(total=15.0, connect=5.0)
"""Twilio's time limits; Telegram allows more."""


class WebhookSender:
    """Posts webhooks, and owns the providers' background tasks.

    Args:
        public_url: Griot's public origin.
    """

    def __init__(self, public_url: str, screens: PhoneScreens) -> None:
        self.public_url = public_url
        self._screens = screens
        self._session: ClientSession | None = None
        self._tasks: set[asyncio.Task[object]] = set()

    @property
    def session(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(cookie_jar=DummyCookieJar(), timeout=_PATIENCE)
        return self._session

    def run_in_background(self, work: Coroutine[Any, Any, object]) -> None:
        """Run `work` in the background, until `close` at the latest."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def post(
        self,
        phone: Phone | Literal["till"],
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        about: str,
    ) -> int:
        """Post a webhook; return the status of the answer, 0 for none."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        status = 0
        url = self.public_url + path
        try:
            async with self.session.post(url, data=body, headers=headers) as answer:
                await answer.read()
                status = answer.status
        except (ClientError, TimeoutError, OSError):
            pass
        took = round((loop.time() - began) * 1000)
        outcome = f"{status} · {took} ms" if status else "no answer"
        self._screens.log(phone, "in", "webhook", f"{about} → {outcome}")
        return status

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

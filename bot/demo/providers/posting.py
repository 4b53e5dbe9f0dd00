"""How providers call Griot: by its public address, in order, again after a failure."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, Final, Literal

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar

from bot.demo.providers.screens import Screens
from bot.demo.providers.shown import Phone

_PATIENCE: Final = ClientTimeout(total=15.0, connect=5.0)
"""Twilio's; Telegram has more."""


class Posting:
    """Posts webhooks, and owns whatever the providers do in the background.

    Args:
        public_url: the origin by which Griot is known.
    """

    def __init__(self, public_url: str, screens: Screens) -> None:
        self.public_url = public_url
        self._screens = screens
        self._session: ClientSession | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def session(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(cookie_jar=DummyCookieJar(), timeout=_PATIENCE)
        return self._session

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it in the background, until `close` at the latest."""
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
        """The status that came back; 0 for none."""
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
        told = f"{status} · {took} ms" if status else "no answer"
        self._screens.log(phone, "in", "webhook", f"{about} → {told}")
        return status

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

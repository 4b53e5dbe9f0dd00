"""The person behind Telegram's phone, and what Telegram tells Griot of them."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any, Final

import msgspec

from bot.demo.providers.posting import Posting
from bot.demo.providers.screens import Screens
from bot.demo.providers.shown import Bubble, Held
from bot.demo.providers.telegram_api import TelegramApi
from bot.demo.providers.telegram_updates import TelegramUpdates

_FIRST_RETRY: Final = 0.5
_LONGEST_RETRY: Final = 8.0
_LATE: Final = 4.0
"""Seconds by which an update comes late when it is told to."""


class TelegramPerson:
    """
    Args:
        api: knows where updates are to be posted, and gives out the files in them.
    """

    def __init__(self, screens: Screens, posting: Posting, api: TelegramApi) -> None:
        self._screens = screens
        self._posting = posting
        self._api = api
        self._updates = TelegramUpdates()
        self._queue: asyncio.Queue[tuple[dict[str, Any], bool]] = asyncio.Queue()

    def speak(self, language: str) -> None:
        """Have the person's Telegram be in this language."""
        self._updates.language = language

    def begin(self) -> None:
        """Deliver updates from now on."""
        self._posting.begin(self._deliver())

    def write(self, text: str, *, twice: bool = False, late: bool = False) -> None:
        message = self._updates.message(next(self._api.message_ids), text=text)
        self._show_mine(message, text=text)
        self._send(self._updates.text(message), twice=twice, late=late)

    def tap(self, message_id: str, payload: str, *, twice: bool = False) -> None:
        """Raises `LookupError`: there is no such button."""
        bubble = self._screens.find("telegram", message_id)
        payloads = [option.payload for row in bubble.rows for option in row] if bubble else []
        if bubble is None or payload not in payloads:
            raise LookupError("no such button")
        self._screens.touch("telegram")
        self._send(self._updates.tap(int(bubble.id), bubble.text, payload), twice=twice)

    def share_contact(self, phone: str, *, twice: bool = False) -> None:
        message = self._updates.message(next(self._api.message_ids))
        self._show_mine(message, text=f"👤 {phone}")
        self._send(self._updates.contact(message, phone), twice=twice)

    def send_photo(self, content: bytes, caption: str = "", *, twice: bool = False) -> None:
        file_id = f"AgAC{secrets.token_hex(8)}"
        self._api.files[file_id] = content
        held = self._screens.keep(file_id, "photo.jpg", content, "image/jpeg")
        message = self._updates.message(next(self._api.message_ids))
        self._show_mine(message, text=caption, file=held)
        self._send(self._updates.photo(message, file_id, len(content), caption), twice=twice)

    def send_voice(self, content: bytes, seconds: int, *, twice: bool = False) -> None:
        """Send a voice note: Opus in Ogg."""
        file_id = f"AwAC{secrets.token_hex(8)}"
        self._api.files[file_id] = content
        held = self._screens.keep(file_id, "voice.ogg", content, "audio/ogg")
        message = self._updates.message(next(self._api.message_ids))
        self._show_mine(message, text="", file=held)
        update = self._updates.voice(message, file_id, len(content), seconds)
        self._send(update, twice=twice)

    def _show_mine(self, message: dict[str, Any], *, text: str, file: Held | None = None) -> None:
        number = str(message["message_id"])
        self._screens.show(Bubble(phone="telegram", id=number, mine=True, text=text, file=file))

    def _send(self, update: dict[str, Any], *, twice: bool, late: bool = False) -> None:
        if late:
            self._posting.begin(self._send_late(update, twice))
        else:
            self._queue.put_nowait((update, twice))

    async def _send_late(self, update: dict[str, Any], twice: bool) -> None:
        await asyncio.sleep(_LATE)
        self._screens.mark("telegram", "late")
        self._queue.put_nowait((update, twice))

    # Webhooks: one after the other, each until it is taken

    async def _deliver(self) -> None:
        await self._api.is_set.wait()
        while True:
            update, twice = await self._queue.get()
            pause = _FIRST_RETRY
            while not await self._post(update, twice=twice):
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_RETRY)
            if twice:
                self._screens.mark("telegram", "twice")

    async def _post(self, update: dict[str, Any], *, twice: bool) -> bool:
        body = msgspec.json.encode(update)
        headers = {
            "Content-Type": "application/json",
            "X-Telegram-Bot-Api-Secret-Token": self._api.secret,
        }
        about = f"update {update['update_id']}"
        path = "/webhooks/telegram"
        statuses = await asyncio.gather(
            *(self._posting.post("telegram", path, body, headers, about) for _ in range(1 + twice))
        )
        if all(200 <= status < 300 for status in statuses) and "message" in update:
            self._tick(str(update["message"]["message_id"]))
        return all(200 <= status < 300 for status in statuses)

    def _tick(self, message_id: str) -> None:
        bubble = self._screens.find("telegram", message_id)
        if bubble is not None:
            bubble.tick = "read"
            self._screens.show(bubble)

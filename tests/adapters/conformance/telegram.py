"""Telegram, driven through its stand-in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from bot.messages.channels import Channel
from tests.adapters.conformance.driver import AWA, BINTA, PNG, Driver, Parcel
from tests.standins.telegram import TelegramStandIn

SECRET = "a-webhook-secret"
HEADER = "X-Telegram-Bot-Api-Secret-Token"
CHATS = {AWA: 1001, BINTA: 1002}
SENDING = {"sendMessage", "sendPhoto", "sendDocument"}


class TelegramDriver(Driver):
    """See `Driver`."""

    name = "telegram"
    channel: Channel = "telegram"
    page = 4096

    def __init__(self, telegram: TelegramStandIn, http: aiohttp.ClientSession) -> None:
        self.telegram = telegram
        self._http = http
        self._url = ""

    @property
    def settings(self) -> Mapping[str, object]:
        return {
            "telegram_bot_token": self.telegram.token,
            "telegram_webhook_secret": SECRET,
            "telegram_api_url": self.telegram.url,
        }

    @property
    def violations(self) -> Sequence[str]:
        return self.telegram.violations

    async def reach(self, url: str) -> None:
        self._url = url

    def address(self, person: str) -> str:
        return str(CHATS[person])

    # What people send

    def text(self, text: str, person: str = AWA) -> Parcel:
        return self.telegram.text_update(CHATS[person], text)

    def photos(self, count: int, person: str = AWA) -> list[Parcel]:
        updates = self.telegram.album_updates(CHATS[person], count)
        for file_id in self.telegram.files:
            self.telegram.files[file_id] = PNG
        return updates

    def document(self, content: bytes, filename: str, mime_type: str) -> Parcel:
        return self.telegram.document_update(CHATS[AWA], content, filename, mime_type)

    def voice(self, content: bytes) -> Parcel:
        return self.telegram.voice_update(CHATS[AWA], content)

    def press(self, token: str, person: str = AWA, *, locate: bool = True) -> Parcel:
        chat = CHATS[person]
        asked = [each.message_id for each in self.telegram.messages(chat) if each.buttons]
        message_id = asked[-1] if asked else 1
        return self.telegram.callback_update(chat, token, message_id=message_id, accessible=locate)

    def choose(self, title: str, person: str = AWA) -> Parcel:
        return self.press(dict(self.options())[title], person)

    def poison(self) -> Parcel:
        return self.telegram.message_update(CHATS[AWA], text={"not": "a text"})

    def odd(self, text: str) -> list[Parcel]:
        update = self.text(text)
        update["message"] |= {"a_new_field": [{"x": 1}], "via_bot": None}
        return [update | {"another_new_field": {"x": None}}]

    async def post(self, parcel: Parcel, headers: Mapping[str, str] | None = None) -> int:
        return await self._post(parcel, {HEADER: SECRET} | dict(headers or {}))

    async def forge(self, parcel: Parcel) -> list[int]:
        given = [{}, *({HEADER: word} for word in ("", "wrong", SECRET + "x", SECRET[:-1]))]
        return [await self._post(parcel, headers) for headers in given]

    async def _post(self, update: Any, headers: Mapping[str, str]) -> int:
        url = f"{self._url}/webhooks/telegram"
        async with self._http.post(url, json=update, headers=headers) as answer:
            return answer.status

    # What people see

    def shown(self, person: str = AWA) -> list[str]:
        return [message.text for message in self.telegram.messages(CHATS[person])]

    def toasts(self) -> list[str]:
        calls = self.telegram.calls_of("answerCallbackQuery")
        return [call.parameters.get("text", "") for call in calls]

    def options(self, person: str = AWA) -> list[tuple[str, str]]:
        asked = [each.buttons for each in self.telegram.messages(CHATS[person]) if each.buttons]
        rows = asked[-1] if asked else []
        return [(button["text"], button["callback_data"]) for row in rows for button in row]

    def tries(self, person: str = AWA) -> int:
        return sum(
            call.method in SENDING and call.parameters["chat_id"] == CHATS[person]
            for call in self.telegram.attempts
        )

    # The provider's bad days

    def throttle(self, person: str) -> None:
        told = {"retry_after": 30}
        self.telegram.fail_next("sendMessage", 429, "Too Many Requests", told, CHATS[person])

    def lose_answer(self, person: str) -> None:
        self.telegram.reset_next("sendMessage", accept=True, chat_id=CHATS[person])

    def refuse_form(self) -> None:
        self.telegram.fail_next("sendMessage", 400, "Bad Request: can't parse entities")

    def refuse_messages(self, person: str, times: int) -> None:
        told = "Bad Request: can't parse entities"
        self.telegram.fail_next("sendMessage", 400, told, chat_id=CHATS[person], times=times)

    def block(self, person: str) -> None:
        told = "Forbidden: bot was blocked by the user"
        self.telegram.fail_next("sendMessage", 403, told, chat_id=CHATS[person])

    def come_back(self) -> Parcel:
        return self.text("me revoilà")

    def lose_media(self) -> None:
        self.telegram.files.clear()


@asynccontextmanager
async def driving_telegram() -> AsyncGenerator[TelegramDriver]:
    async with TelegramStandIn() as telegram, aiohttp.ClientSession() as http:
        yield TelegramDriver(telegram, http)

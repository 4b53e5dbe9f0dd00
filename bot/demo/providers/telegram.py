"""Connect Telegram's stand-in to a phone: it shows what is accepted, and sends what people do.

The bot knows one person.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from typing import Any, Final

import msgspec
from aiohttp import web

from bot.demo.providers.phone_screens import Bubble, KeptFile, Option, PhoneScreens
from bot.demo.providers.webhook_sender import WebhookSender
from bot.standins.refusals import Refused
from bot.standins.telegram import ShownMessage, Telegram
from bot.standins.telegram_rules import LENIENT, Call, Parameters, TelegramRefused
from bot.standins.telegram_updates import BOT

CHAT: Final = 4_200_001
_TYPING: Final = 5.0


class TelegramApi(Telegram):
    """The Bot API, which shows what it accepts."""

    def __init__(self, screens: PhoneScreens) -> None:
        super().__init__(f"{BOT['id']}:{secrets.token_urlsafe(26)}", pace=LENIENT)
        self.update_ids = itertools.count(int(time.time()) % 10**8 * 10)  # rises over all runs
        self.is_set = asyncio.Event()
        """Set once there is a webhook."""
        self._screens = screens

    async def respond(self, call: Call) -> web.StreamResponse:
        try:
            return await super().respond(call)
        except Refused as refused:
            about = f"{refused.status} {refused.answer['description']}"
            self._screens.log("telegram", "out", call.method, about)
            raise

    def check_chat(self, call: Call) -> None:
        super().check_chat(call)
        if call.parameters.get("chat_id", CHAT) != CHAT:
            raise TelegramRefused(400, "Bad Request: chat not found")

    def record(self, call: Call) -> None:
        """Show on the phone, and in the log, what a call has changed."""
        parameters = call.parameters
        text = str(parameters.get("text", ""))
        match call.method:
            case "setWebhook":
                self.is_set.set()
            case "sendMessageDraft":
                self._screens.draft("telegram", text, parameters.get("entities", []))
            case "sendChatAction":
                self._screens.type("telegram", _TYPING)
            case "answerCallbackQuery":
                self._screens.toast("telegram", text)
            case "editMessageReplyMarkup":
                self._show_buttons(parameters)
            case "sendMessage" | "sendRichMessage" | "sendDocument" | "sendPhoto":
                self._show_message(self.messages(CHAT)[-1])
            case _:
                pass
        about = f"{len(text)} chars" if text else str(parameters.get("action", ""))
        self._screens.log("telegram", "out", call.method, about)

    def _show_message(self, message: ShownMessage) -> None:
        content = message.photo or message.document
        kind = "image/png" if message.photo else ""
        name = message.filename
        key = secrets.token_hex(8)
        bubble = Bubble(
            phone="telegram",
            id=str(message.message_id),
            text=message.text,
            entities=message.entities,
            rich=message.rich["blocks"] if message.rich else [],
            rows=_read_keyboard(message.buttons),
            file=self._screens.keep_file(key, name, content, kind) if content else None,
        )
        self._screens.show(bubble)

    def _show_buttons(self, parameters: Parameters) -> None:
        bubble = self._screens.find("telegram", str(parameters["message_id"]))
        if bubble is not None:
            rows = parameters.get("reply_markup", {}).get("inline_keyboard", [])
            bubble.rows = _read_keyboard(rows)
            self._screens.show(bubble)


def _read_keyboard(rows: list[list[dict[str, Any]]]) -> list[list[Option]]:
    return [[Option(each["text"], each.get("callback_data", "")) for each in row] for row in rows]


_FIRST_RETRY: Final = 0.5
_LONGEST_RETRY: Final = 8.0
_LATE: Final = 4.0
"""Seconds by which a late update is delayed."""


class TelegramPerson:
    """The person behind Telegram's phone, and the delivery of their updates.

    Args:
        api: makes the updates, has the secret for posting them, and serves the files in them.
    """

    def __init__(self, screens: PhoneScreens, posting: WebhookSender, api: TelegramApi) -> None:
        self._screens = screens
        self._sender = posting
        self._api = api
        self._queue: asyncio.Queue[tuple[dict[str, Any], bool]] = asyncio.Queue()

    def set_language(self, language: str) -> None:
        """Set the language of the person's Telegram."""
        self._api.language = language

    def start(self) -> None:
        """Deliver updates from now on."""
        self._sender.run_in_background(self._deliver())

    def write(self, text: str, *, twice: bool = False, late: bool = False) -> None:
        update = self._api.text_update(CHAT, text)
        self._show_mine(update, text=text)
        self._send(update, twice=twice, late=late)

    def tap(self, message_id: str, payload: str, *, twice: bool = False) -> None:
        """Tap a button. Raises `LookupError`: there is no such button."""
        bubble = self._screens.find("telegram", message_id)
        payloads = [option.payload for row in bubble.rows for option in row] if bubble else []
        if bubble is None or payload not in payloads:
            raise LookupError("no such button")
        self._screens.note_tap("telegram")
        number = int(bubble.id)
        update = self._api.callback_update(CHAT, payload, message_id=number, text=bubble.text)
        self._send(update, twice=twice)

    def share_contact(self, phone: str, *, twice: bool = False) -> None:
        update = self._api.contact_update(CHAT, phone, owner=CHAT)
        self._show_mine(update, text=f"👤 {phone}")
        self._send(update, twice=twice)

    def send_photo(self, content: bytes, caption: str = "", *, twice: bool = False) -> None:
        held = self._keep(content, "photo.jpg", "image/jpeg")
        update = self._api.photo_update(CHAT, content, **({"caption": caption} if caption else {}))
        self._show_mine(update, text=caption, file=held)
        self._send(update, twice=twice)

    def send_voice(self, content: bytes, seconds: int, *, twice: bool = False) -> None:
        """Send a voice note: Opus in Ogg."""
        held = self._keep(content, "voice.ogg", "audio/ogg")
        update = self._api.voice_update(CHAT, content, seconds=seconds)
        self._show_mine(update, file=held)
        self._send(update, twice=twice)

    def _keep(self, content: bytes, name: str, mime_type: str) -> KeptFile:
        return self._screens.keep_file(secrets.token_hex(8), name, content, mime_type)

    def _show_mine(
        self, update: dict[str, Any], *, text: str = "", file: KeptFile | None = None
    ) -> None:
        number = str(update["message"]["message_id"])
        self._screens.show(Bubble(phone="telegram", id=number, mine=True, text=text, file=file))

    def _send(self, update: dict[str, Any], *, twice: bool, late: bool = False) -> None:
        if late:
            self._sender.run_in_background(self._send_late(update, twice))
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
            "X-Telegram-Bot-Api-Secret-Token": self._api.webhook.get("secret_token", ""),
        }
        about = f"update {update['update_id']}"
        path = "/webhooks/telegram"
        statuses = await asyncio.gather(
            *(self._sender.post("telegram", path, body, headers, about) for _ in range(1 + twice))
        )
        if all(200 <= status < 300 for status in statuses) and "message" in update:
            self._tick(str(update["message"]["message_id"]))
        return all(200 <= status < 300 for status in statuses)

    def _tick(self, message_id: str) -> None:
        bubble = self._screens.find("telegram", message_id)
        if bubble is not None:
            bubble.tick = "read"
            self._screens.show(bubble)

"""Simulate Telegram for one bot and one chat: the Bot API, and the person behind the phone.

Methods, forms and updates: https://core.telegram.org/bots/api.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import secrets
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
from aiohttp import BodyPartReader, web

from bot.demo.local_server import json_response
from bot.demo.providers.phone_screens import Bubble, KeptFile, Option, PhoneScreens
from bot.demo.providers.telegram_rules import (
    MessagePace,
    Parameters,
    TelegramRefused,
    check_draft,
    check_file,
    check_keyboard,
    check_text,
    read_rich,
)
from bot.demo.providers.webhook_sender import WebhookSender

_TYPING: Final = 5.0
Upload = tuple[str, bytes]
"""File name and content."""
Method = Callable[[Parameters, dict[str, Upload]], Any]


class TelegramApi:
    """The Bot API. The person's uploads are put into `files`."""

    def __init__(self, screens: PhoneScreens) -> None:
        self.token = f"{BOT['id']}:{secrets.token_urlsafe(26)}"
        self.secret = ""
        """Secret of the webhook, once `is_set`."""
        self.is_set = asyncio.Event()
        self.files: dict[str, bytes] = {}
        """Contents by the file ids in updates."""
        self.message_ids = itertools.count(1)
        self._screens = screens
        self._pace = MessagePace()
        self._methods: dict[str, Method] = {
            "getMe": self._get_me,
            "setWebhook": self._set_webhook,
            "sendMessage": self._send_message,
            "sendRichMessage": self._send_rich,
            "sendMessageDraft": self._send_draft,
            "sendChatAction": self._send_action,
            "sendDocument": self._send_file,
            "sendPhoto": self._send_file,
            "sendInvoice": self._send_invoice,
            "editMessageReplyMarkup": self._edit_keyboard,
            "answerCallbackQuery": self._answer_tap,
            "getFile": self._get_file,
        }

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/bot{token}/{method}", self.serve),
            web.get("/file/bot{token}/{file}", self.serve_file),
        ]

    async def serve(self, request: web.Request) -> web.Response:
        """Serve a call, in any of the forms that the Bot API accepts."""
        name = request.match_info["method"]
        try:
            method = self._find(request.match_info["token"], name)
            parameters, files = await _read_call(request)
            _check_chat(parameters)
            result = method(parameters, files)
        except TelegramRefused as refused:
            self._screens.log("telegram", "out", name, f"{refused.status} {refused}")
            return json_response(refused.answer, refused.status)
        self._screens.log("telegram", "out", name, _summarize_call(parameters))
        return json_response({"ok": True, "result": result})

    def _find(self, token: str, name: str) -> Method:
        if token != self.token:
            raise TelegramRefused(401, "Unauthorized")
        if name not in self._methods:
            raise TelegramRefused(404, "Not Found")
        return self._methods[name]

    async def serve_file(self, request: web.Request) -> web.Response:
        content = self.files.get(request.match_info["file"])
        if request.match_info["token"] != self.token or content is None:
            return json_response(TelegramRefused(404, "Not Found").answer, 404)
        return web.Response(body=content)

    def _get_me(self, _: Parameters, __: dict[str, Upload]) -> dict[str, Any]:
        return {**BOT, "can_join_groups": True, "can_read_all_group_messages": False}

    def _set_webhook(self, parameters: Parameters, _: dict[str, Upload]) -> bool:
        self.secret = str(parameters.get("secret_token", ""))
        self.is_set.set()
        return True

    def _send_message(self, parameters: Parameters, _: dict[str, Upload]) -> dict[str, Any]:
        check_text(parameters)
        return self._show(
            parameters, text=parameters["text"], entities=parameters.get("entities", [])
        )

    def _send_rich(self, parameters: Parameters, _: dict[str, Upload]) -> dict[str, Any]:
        text, nodes = read_rich(parameters)
        return self._show(parameters, text=text, rich=nodes)

    def _send_file(self, parameters: Parameters, files: dict[str, Upload]) -> dict[str, Any]:
        name, content = next(iter(files.values()), ("", b""))
        check_file(parameters, content)
        key, kind = secrets.token_hex(8), "image/png" if "photo" in files else ""
        return self._show(
            parameters,
            text=str(parameters.get("caption", "")),
            entities=parameters.get("caption_entities", []),
            file=self._screens.keep_file(key, name, content, kind),
        )

    def _send_invoice(self, parameters: Parameters, _: dict[str, Upload]) -> dict[str, Any]:
        price = parameters["prices"][0]["amount"]
        lines = (parameters["title"], parameters["description"], f"⭐ {price}")
        return self._show(parameters, text="\n".join(map(str, lines)))

    def _show(self, parameters: Parameters, **content: Any) -> dict[str, Any]:
        rows = parameters.get("reply_markup", {}).get("inline_keyboard", [])
        check_keyboard(rows)
        self._pace.admit()
        number = next(self.message_ids)
        bubble = Bubble(phone="telegram", id=str(number), rows=_read_keyboard(rows), **content)
        self._screens.show(bubble)
        return {"message_id": number, "date": int(time.time()), "chat": CHAT, "from": BOT}

    def _send_draft(self, parameters: Parameters, _: dict[str, Upload]) -> bool:
        check_draft(parameters)
        entities = parameters.get("entities", [])
        self._screens.draft("telegram", str(parameters.get("text", "")), entities)
        return True

    def _send_action(self, _: Parameters, __: dict[str, Upload]) -> bool:
        self._screens.type("telegram", _TYPING)
        return True

    def _edit_keyboard(self, parameters: Parameters, _: dict[str, Upload]) -> dict[str, Any]:
        bubble = self._screens.find("telegram", str(parameters.get("message_id")))
        if bubble is None:
            raise TelegramRefused(400, "Bad Request: message to edit not found")
        rows = parameters.get("reply_markup", {}).get("inline_keyboard", [])
        check_keyboard(rows)
        if bubble.rows == _read_keyboard(rows):
            raise TelegramRefused(400, "Bad Request: message is not modified")
        bubble.rows = _read_keyboard(rows)
        self._screens.show(bubble)
        return {"message_id": int(bubble.id), "date": int(bubble.at), "chat": CHAT, "from": BOT}

    def _answer_tap(self, parameters: Parameters, _: dict[str, Upload]) -> bool:
        text = str(parameters.get("text", ""))
        if len(text) > 200:
            raise TelegramRefused(400, "Bad Request: MESSAGE_TOO_LONG")
        self._screens.toast("telegram", text)
        return True

    def _get_file(self, parameters: Parameters, _: dict[str, Upload]) -> dict[str, Any]:
        file_id = str(parameters.get("file_id"))
        if file_id not in self.files:
            raise TelegramRefused(400, "Bad Request: wrong file_id")
        file = {"file_id": file_id, "file_unique_id": file_id, "file_path": file_id}
        return {**file, "file_size": len(self.files[file_id])}


def _check_chat(parameters: Parameters) -> None:
    if parameters.get("chat_id", CHAT["id"]) != CHAT["id"]:
        raise TelegramRefused(400, "Bad Request: chat not found")


def _read_keyboard(rows: list[list[dict[str, Any]]]) -> list[list[Option]]:
    return [[Option(each["text"], each.get("callback_data", "")) for each in row] for row in rows]


def _summarize_call(parameters: Parameters) -> str:
    text = str(parameters.get("text", ""))
    return f"{len(text)} chars" if text else str(parameters.get("action", ""))


async def _read_call(request: web.Request) -> tuple[dict[str, Any], dict[str, Upload]]:
    """Read parameters and uploads. Raises `TelegramRefused`."""
    if not request.content_type.startswith("multipart/"):
        try:
            return msgspec.json.decode(await request.read(), type=dict[str, Any]), {}
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise TelegramRefused(400, "Bad Request: the body is not JSON") from None
    fields: dict[str, Any] = {}
    files: dict[str, Upload] = {}
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise TelegramRefused(400, "Bad Request: parts within parts")
        content = bytes(await part.read())
        if part.filename is None:
            fields[part.name or ""] = _decode(content)
        else:
            files[part.name or ""] = part.filename, content
    return fields, files


def _decode(content: bytes) -> Any:
    """Decode a field of a form: as JSON if it is a number or a structure, else as text."""
    if re.fullmatch(rb"-?\d{1,18}|[\[{].*", content, re.DOTALL):
        try:
            return msgspec.json.decode(content)
        except msgspec.DecodeError:
            pass
    return content.decode(errors="replace")


BOT: Final[dict[str, Any]] = {
    "id": 700_001, "is_bot": True, "first_name": "Griot", "username": "griot_demo_bot"
}  # fmt: skip
PERSON: Final[dict[str, Any]] = {
    "id": 4_200_001, "is_bot": False, "first_name": "Awa", "language_code": "fr"
}  # fmt: skip
CHAT: Final[dict[str, Any]] = {"id": PERSON["id"], "type": "private", "first_name": "Awa"}


class TelegramUpdates:
    """Makes updates with rising ids."""

    def __init__(self) -> None:
        self.language = "fr"
        """Language of the person's Telegram."""
        self._ids = itertools.count(int(time.time()) % 10**8 * 10)

    def message(self, number: int, **fields: Any) -> dict[str, Any]:
        """Make a Message of the person."""
        sender = PERSON | {"language_code": self.language}
        base = {"message_id": number, "from": sender, "chat": CHAT, "date": int(time.time())}
        return base | fields

    def text(self, message: dict[str, Any]) -> dict[str, Any]:
        word = message["text"].partition(" ")[0]
        if word.startswith("/"):
            command = {"type": "bot_command", "offset": 0, "length": len(word)}
            message = message | {"entities": [command]}
        return self._update(message=message)

    def contact(self, message: dict[str, Any], phone: str) -> dict[str, Any]:
        card = {"phone_number": phone, "first_name": "Awa", "user_id": PERSON["id"]}
        return self._update(message=message | {"contact": card})

    def photo(
        self, message: dict[str, Any], file_id: str, size: int, caption: str
    ) -> dict[str, Any]:
        file = {"file_id": file_id, "file_unique_id": file_id, "file_size": size}
        photo = [file | {"width": 1280, "height": 960}]
        said = {"caption": caption} if caption else {}
        return self._update(message=message | {"photo": photo} | said)

    def voice(
        self, message: dict[str, Any], file_id: str, size: int, seconds: int
    ) -> dict[str, Any]:
        file = {"file_id": file_id, "file_unique_id": file_id, "file_size": size}
        voice = file | {"duration": seconds, "mime_type": "audio/ogg"}
        return self._update(message=message | {"voice": voice})

    def tap(self, message_id: int, text: str, payload: str) -> dict[str, Any]:
        message = {
            "message_id": message_id, "from": BOT, "chat": CHAT, "date": int(time.time()),
            "text": text,
        }  # fmt: skip
        sender = PERSON | {"language_code": self.language}
        query = {"from": sender, "chat_instance": "-1", "message": message, "data": payload}
        update = self._update(callback_query=query)
        query["id"] = str(4_000_000_000 + update["update_id"])
        return update

    def _update(self, **content: Any) -> dict[str, Any]:
        return {"update_id": next(self._ids), **content}


_FIRST_RETRY: Final = 0.5
_LONGEST_RETRY: Final = 8.0
_LATE: Final = 4.0
"""Seconds by which a late update is delayed."""


class TelegramPerson:
    """The person behind Telegram's phone, and the delivery of their updates.

    Args:
        api: has the secret for posting updates, and serves the files in them.
    """

    def __init__(self, screens: PhoneScreens, posting: WebhookSender, api: TelegramApi) -> None:
        self._screens = screens
        self._sender = posting
        self._api = api
        self._updates = TelegramUpdates()
        self._queue: asyncio.Queue[tuple[dict[str, Any], bool]] = asyncio.Queue()

    def set_language(self, language: str) -> None:
        """Set the language of the person's Telegram."""
        self._updates.language = language

    def start(self) -> None:
        """Deliver updates from now on."""
        self._sender.run_in_background(self._deliver())

    def write(self, text: str, *, twice: bool = False, late: bool = False) -> None:
        message = self._updates.message(next(self._api.message_ids), text=text)
        self._show_mine(message, text=text)
        self._send(self._updates.text(message), twice=twice, late=late)

    def tap(self, message_id: str, payload: str, *, twice: bool = False) -> None:
        """Tap a button. Raises `LookupError`: there is no such button."""
        bubble = self._screens.find("telegram", message_id)
        payloads = [option.payload for row in bubble.rows for option in row] if bubble else []
        if bubble is None or payload not in payloads:
            raise LookupError("no such button")
        self._screens.note_tap("telegram")
        self._send(self._updates.tap(int(bubble.id), bubble.text, payload), twice=twice)

    def share_contact(self, phone: str, *, twice: bool = False) -> None:
        message = self._updates.message(next(self._api.message_ids))
        self._show_mine(message, text=f"👤 {phone}")
        self._send(self._updates.contact(message, phone), twice=twice)

    def send_photo(self, content: bytes, caption: str = "", *, twice: bool = False) -> None:
        file_id = f"AgAC{secrets.token_hex(8)}"
        self._api.files[file_id] = content
        held = self._screens.keep_file(file_id, "photo.jpg", content, "image/jpeg")
        message = self._updates.message(next(self._api.message_ids))
        self._show_mine(message, text=caption, file=held)
        self._send(self._updates.photo(message, file_id, len(content), caption), twice=twice)

    def send_voice(self, content: bytes, seconds: int, *, twice: bool = False) -> None:
        """Send a voice note: Opus in Ogg."""
        file_id = f"AwAC{secrets.token_hex(8)}"
        self._api.files[file_id] = content
        held = self._screens.keep_file(file_id, "voice.ogg", content, "audio/ogg")
        message = self._updates.message(next(self._api.message_ids))
        self._show_mine(message, text="", file=held)
        update = self._updates.voice(message, file_id, len(content), seconds)
        self._send(update, twice=twice)

    def _show_mine(
        self, message: dict[str, Any], *, text: str, file: KeptFile | None = None
    ) -> None:
        number = str(message["message_id"])
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
            "X-Telegram-Bot-Api-Secret-Token": self._api.secret,
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

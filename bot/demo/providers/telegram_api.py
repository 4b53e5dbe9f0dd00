"""Telegram's Bot API for one bot and one chat: what Griot may do there.

Method names and forms: https://core.telegram.org/bots/api.
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

from bot.demo.providers.screens import Screens
from bot.demo.providers.shown import Bubble, Option
from bot.demo.providers.telegram_limits import (
    Pace,
    Parameters,
    Refused,
    check_draft,
    check_file,
    check_keyboard,
    check_text,
)
from bot.demo.providers.telegram_updates import BOT, CHAT

_TYPING: Final = 5.0
Upload = tuple[str, bytes]
"""File name and content."""
Method = Callable[[Parameters, dict[str, Upload]], Any]


class TelegramApi:
    """`routes` are its own; what the person sends is put into `files`."""

    def __init__(self, screens: Screens) -> None:
        self.token = f"{BOT['id']}:{secrets.token_urlsafe(26)}"
        self.secret = ""
        """Of the webhook, once it `is_set`."""
        self.is_set = asyncio.Event()
        self.files: dict[str, bytes] = {}
        """By the id that updates give them."""
        self.message_ids = itertools.count(1)
        self._screens = screens
        self._pace = Pace()
        self._methods: dict[str, Method] = {
            "getMe": self._get_me,
            "setWebhook": self._set_webhook,
            "sendMessage": self._send_message,
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
        """A call, in any of the forms that the Bot API takes."""
        name = request.match_info["method"]
        try:
            method = self._find(request.match_info["token"], name)
            parameters, files = await _read(request)
            _check_chat(parameters)
            result = method(parameters, files)
        except Refused as refused:
            self._screens.log("telegram", "out", name, f"{refused.status} {refused}")
            return _json(refused.answer, refused.status)
        self._screens.log("telegram", "out", name, _about(parameters))
        return _json({"ok": True, "result": result})

    def _find(self, token: str, name: str) -> Method:
        if token != self.token:
            raise Refused(401, "Unauthorized")
        if name not in self._methods:
            raise Refused(404, "Not Found")
        return self._methods[name]

    async def serve_file(self, request: web.Request) -> web.Response:
        content = self.files.get(request.match_info["file"])
        if request.match_info["token"] != self.token or content is None:
            return _json(Refused(404, "Not Found").answer, 404)
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

    def _send_file(self, parameters: Parameters, files: dict[str, Upload]) -> dict[str, Any]:
        name, content = next(iter(files.values()), ("", b""))
        check_file(parameters, content)
        key, kind = secrets.token_hex(8), "image/png" if "photo" in files else ""
        return self._show(
            parameters,
            text=str(parameters.get("caption", "")),
            entities=parameters.get("caption_entities", []),
            file=self._screens.keep(key, name, content, kind),
        )

    def _send_invoice(self, parameters: Parameters, _: dict[str, Upload]) -> dict[str, Any]:
        price = parameters["prices"][0]["amount"]
        told = (parameters["title"], parameters["description"], f"⭐ {price}")
        return self._show(parameters, text="\n".join(map(str, told)))

    def _show(self, parameters: Parameters, **content: Any) -> dict[str, Any]:
        rows = parameters.get("reply_markup", {}).get("inline_keyboard", [])
        check_keyboard(rows)
        self._pace.admit()
        number = next(self.message_ids)
        bubble = Bubble(phone="telegram", id=str(number), rows=_options(rows), **content)
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
            raise Refused(400, "Bad Request: message to edit not found")
        rows = parameters.get("reply_markup", {}).get("inline_keyboard", [])
        check_keyboard(rows)
        if bubble.rows == _options(rows):
            raise Refused(400, "Bad Request: message is not modified")
        bubble.rows = _options(rows)
        self._screens.show(bubble)
        return {"message_id": int(bubble.id), "date": int(bubble.at), "chat": CHAT, "from": BOT}

    def _answer_tap(self, parameters: Parameters, _: dict[str, Upload]) -> bool:
        text = str(parameters.get("text", ""))
        if len(text) > 200:
            raise Refused(400, "Bad Request: MESSAGE_TOO_LONG")
        self._screens.toast("telegram", text)
        return True

    def _get_file(self, parameters: Parameters, _: dict[str, Upload]) -> dict[str, Any]:
        file_id = str(parameters.get("file_id"))
        if file_id not in self.files:
            raise Refused(400, "Bad Request: wrong file_id")
        told = {"file_id": file_id, "file_unique_id": file_id, "file_path": file_id}
        return {**told, "file_size": len(self.files[file_id])}


def _check_chat(parameters: Parameters) -> None:
    if parameters.get("chat_id", CHAT["id"]) != CHAT["id"]:
        raise Refused(400, "Bad Request: chat not found")


def _options(rows: list[list[dict[str, Any]]]) -> list[list[Option]]:
    return [[Option(each["text"], each.get("callback_data", "")) for each in row] for row in rows]


def _about(parameters: Parameters) -> str:
    text = str(parameters.get("text", ""))
    return f"{len(text)} chars" if text else str(parameters.get("action", ""))


async def _read(request: web.Request) -> tuple[dict[str, Any], dict[str, Upload]]:
    """Parameters and uploads. Raises `Refused`."""
    if not request.content_type.startswith("multipart/"):
        try:
            return msgspec.json.decode(await request.read(), type=dict[str, Any]), {}
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise Refused(400, "Bad Request: the body is not JSON") from None
    fields: dict[str, Any] = {}
    files: dict[str, Upload] = {}
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise Refused(400, "Bad Request: parts within parts")
        content = bytes(await part.read())
        if part.filename is None:
            fields[part.name or ""] = _decode(content)
        else:
            files[part.name or ""] = part.filename, content
    return fields, files


def _decode(content: bytes) -> Any:
    """A field of a form: JSON where it is a number or a structure, else text."""
    if re.fullmatch(rb"-?\d{1,18}|[\[{].*", content, re.DOTALL):
        try:
            return msgspec.json.decode(content)
        except msgspec.DecodeError:
            pass
    return content.decode(errors="replace")


def _json(value: object, status: int = 200) -> web.Response:
    body = msgspec.json.encode(value)
    return web.Response(status=status, body=body, content_type="application/json")

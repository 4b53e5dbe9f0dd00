"""Act as Telegram's Bot API for one bot: the methods that Griot uses, as published.

https://core.telegram.org/bots/api
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from bot.standins.refusals import answer_refusals
from bot.standins.telegram_rich import read_rich_message, rich_text
from bot.standins.telegram_rules import (
    Call,
    Limits,
    Mistake,
    Parameters,
    RateLimiter,
    TelegramRefused,
    Validate,
    check_call,
)
from bot.standins.telegram_updates import BOT, Updates, chat_of

_MAX_DOWNLOAD: Final = 20 * 2**20
_TEXT_FIELDS: Final = frozenset({"caption", "text", "url", "secret_token"})
"""Fields of a form that are taken as they are; others are JSON where they can be."""


@dataclass
class ShownMessage:
    """A message as people see it now."""

    message_id: int
    text: str
    entities: list[dict[str, Any]]
    buttons: list[list[dict[str, Any]]]
    topic: int | None = None
    photo: bytes | None = None
    document: bytes | None = None
    filename: str = ""
    rich: dict[str, Any] | None = None
    """The RichMessage; `text` is its plain text."""


class Telegram(Updates):
    """The API, and the chats that it changes: `answer_send_message` answers `sendMessage`, and so
    on. Subclasses act on `record` and `check_chat`; `clock` (seconds) may be replaced.

    Args:
        token: the bot's token.
        pace: refuses with 429 what comes faster; None: any pace is good.
        validate: checks each call before the rules that are checked here.
    """

    def __init__(
        self, token: str, *, pace: Limits | None = None, validate: Validate | None = None
    ) -> None:
        super().__init__()
        self.token = token
        self._validate = validate
        self.clock: Callable[[], float] = time.monotonic
        self.violations: list[str] = []
        """Rules that the bot has broken."""
        self.webhook: Parameters = {}
        """Parameters of `setWebhook`; empty: there is no webhook."""
        self.limiter = RateLimiter(pace, lambda: self.clock())
        self._chats: dict[int, dict[int, ShownMessage]] = defaultdict(dict[int, ShownMessage])

    def routes(self) -> list[web.RouteDef]:
        return [
            web.route("*", "/bot{token}/{method}", answer_refusals(self.serve)),
            web.get("/file/bot{token}/{path:.+}", answer_refusals(self.serve_file)),
        ]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Serve a call. Raises `Refused`."""
        return await self.respond(await self.read_call(request))

    async def read_call(self, request: web.Request) -> Call:
        """Read a call, in any of the forms that the Bot API accepts. Raises `Refused`."""
        if request.match_info["token"] != self.token:
            raise TelegramRefused(401, "Unauthorized")
        method = request.match_info["method"]
        if request.content_type == "application/json":
            try:
                return Call(method, await request.json(), {})
            except ValueError:
                raise TelegramRefused(400, "Bad Request: the body is not JSON") from None
        fields: dict[str, Any] = {}
        files: dict[str, tuple[str, bytes]] = {}
        for name, value in (await request.post()).items():
            if isinstance(value, web.FileField):
                files[name] = (value.filename, value.file.read())
            else:
                fields[name] = str(value) if name in _TEXT_FIELDS else _decode_field(str(value))
        return Call(method, fields, files)

    async def respond(self, call: Call) -> web.StreamResponse:
        """Carry a call out, and answer it. Raises `Refused`."""
        return web.json_response({"ok": True, "result": await self.carry_out(call)})

    async def carry_out(self, call: Call) -> Any:
        """Check a call and carry it out; return the result. Raises `Refused`."""
        answer = getattr(self, f"answer_{_snake_case(call.method)}", None)
        try:
            if self._validate is not None:
                self._validate(call)
            check_call(call)
            if answer is None:
                self.violations.append(f"{call.method}: not modelled")
                raise TelegramRefused(404, "Not Found")
            self.check_chat(call)
            result = answer(call)
        except KeyError as missing:
            raise self._refuse(call, f"{missing} is missing") from None
        except Mistake as mistake:
            raise self._refuse(call, str(mistake)) from None
        self.record(call)
        return await result if asyncio.iscoroutine(result) else result

    def record(self, call: Call) -> None:
        """Take note of a call that was accepted and carried out."""

    def _refuse(self, call: Call, mistake: str) -> TelegramRefused:
        self.violations.append(f"{call.method}: {mistake}")
        return TelegramRefused(400, f"Bad Request: {mistake}")

    async def serve_file(self, request: web.Request) -> web.StreamResponse:
        content = self.files.get(request.match_info["path"].rpartition("/")[2])
        if request.match_info["token"] != self.token or content is None:
            raise TelegramRefused(404, "Not Found")
        return web.Response(body=content)

    # What people see and do

    def messages(self, chat_id: int) -> list[ShownMessage]:
        """Return what people see in the chat, oldest first."""
        return list(self._chats[chat_id].values())

    def check_chat(self, call: Call) -> None:
        """Raise `Refused` if nothing can be sent to the chat of this call."""

    def answer_get_me(self, _: Call) -> Any:
        return {**BOT, "can_join_groups": True, "can_read_all_group_messages": False}

    def answer_send_message(self, call: Call) -> Any:
        return self.show(call, call.parameters["text"], "entities")

    def answer_send_rich_message(self, call: Call) -> Any:
        rich = read_rich_message(call.parameters["rich_message"])
        return self.show(call, rich_text(rich["blocks"]).strip(), "entities", rich)

    def answer_send_document(self, call: Call) -> Any:
        return self.show(call, call.parameters.get("caption", ""), "caption_entities")

    answer_send_photo = answer_send_document

    def show(
        self, call: Call, text: str, entities: str, rich: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        parameters, chat_id = call.parameters, int(call.parameters["chat_id"])
        self._keep_pace(chat_id)
        photo_name, photo = call.files.get("photo", ("", None))
        document_name, document = call.files.get("document", ("", None))
        shown = ShownMessage(
            message_id=next(self.message_ids),
            text=text,
            entities=parameters.get(entities, []),
            buttons=parameters.get("reply_markup", {}).get("inline_keyboard", []),
            topic=parameters.get("message_thread_id"),
            photo=photo,
            document=document,
            filename=photo_name or document_name,
            rich=rich,
        )
        self._chats[chat_id][shown.message_id] = shown
        return _as_message(chat_id, shown)

    def _keep_pace(self, chat_id: int) -> None:
        try:
            self.limiter.admit(chat_id)
        finally:
            self.violations += self.limiter.violations
            self.limiter.violations.clear()

    def answer_edit_message_reply_markup(self, call: Call) -> Any:
        chat_id = int(call.parameters["chat_id"])
        shown = self._chats[chat_id].get(call.parameters["message_id"])
        if shown is None:
            raise TelegramRefused(400, "Bad Request: message to edit not found")
        buttons = call.parameters.get("reply_markup", {}).get("inline_keyboard", [])
        if shown.buttons == buttons:
            raise TelegramRefused(400, "Bad Request: message is not modified")
        shown.buttons = buttons
        return _as_message(chat_id, shown)

    def answer_answer_callback_query(self, call: Call) -> Any:
        self.spinning.discard(call.parameters["callback_query_id"])
        return True

    def answer_send_chat_action(self, _: Call) -> Any:
        return True

    def answer_send_message_draft(self, call: Call) -> Any:
        if call.parameters["chat_id"] < 0:
            raise TelegramRefused(400, "Bad Request: drafts are for private chats")
        return True

    def answer_get_file(self, call: Call) -> Any:
        file_id = call.parameters["file_id"]
        if file_id not in self.files:
            raise TelegramRefused(
                400, "Bad Request: wrong file_id or the file is temporarily unavailable"
            )
        size = self.file_sizes.get(file_id, len(self.files[file_id]))
        if size > _MAX_DOWNLOAD:
            raise TelegramRefused(400, "Bad Request: file is too big")
        path = f"documents/{file_id}"
        return {
            "file_id": file_id,
            "file_unique_id": f"u{file_id}",
            "file_size": size,
            "file_path": path,
        }

    def answer_set_webhook(self, call: Call) -> Any:
        self.webhook = call.parameters
        return True

    def answer_get_webhook_info(self, _: Call) -> Any:
        url = self.webhook.get("url", "")
        info = {"url": url, "has_custom_certificate": False}
        return {**info, "pending_update_count": 0}

    # Payments


def _as_message(chat_id: int, shown: ShownMessage) -> dict[str, Any]:
    """Return the Message that Telegram answers."""
    message: dict[str, Any] = {
        "message_id": shown.message_id,
        "from": BOT,
        "chat": chat_of(chat_id),
        "date": int(time.time()),
    }
    if shown.rich is not None:
        return message | {"rich_message": shown.rich}
    if shown.photo is None and shown.document is None:
        return message | {"text": shown.text, "entities": shown.entities}
    name = "photo" if shown.photo is not None else "document"
    file: dict[str, Any] = {"file_id": f"out{shown.message_id}", "file_unique_id": "u"}
    if name == "photo":
        return message | {"photo": [file | {"width": 90, "height": 90}], "caption": shown.text}
    return message | {"document": file | {"file_name": shown.filename}, "caption": shown.text}


def _decode_field(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _snake_case(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name)

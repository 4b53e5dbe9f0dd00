"""Act as Telegram's Bot API for one bot: the methods that Griot uses, as published.

https://core.telegram.org/bots/api
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
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
from bot.standins.telegram_updates import BOT, Updates, chat_of, person

_ANSWER_SECONDS: Final = 10.0
"""Seconds in which `answerPreCheckoutQuery` must come."""
_MAX_DOWNLOAD: Final = 20 * 2**20
_TEXT_FIELDS: Final = frozenset({"caption", "text", "url", "secret_token"})
"""Fields of a form that are taken as they are; others are JSON where they can be."""


@dataclass
class Checkout:
    """A payment that waits for the bot's answer; `ok` is None until it comes."""

    asked_at: float
    ok: bool | None = None
    error: str = ""


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
    invoice: Parameters | None = None
    """Parameters of the call that sent it."""
    rich: dict[str, Any] | None = None
    """The RichMessage; `text` is its plain text."""


class Telegram(Updates):
    """The API, the chats that it changes, and payments in them; `answer_send_message` answers
    `sendMessage`, and so on. Subclasses act on `record`; `clock` (seconds) may be replaced.

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
        self.checkouts: dict[str, Checkout] = {}
        """Payments by the id of their query."""
        self.violations: list[str] = []
        """Rules that the bot has broken."""
        self.charges: dict[str, int] = {}
        """Payers by the ids of their charges."""
        self.refunded: list[str] = []
        self._charges = itertools.count(1)
        self.blocked: set[int] = set()
        """Chats of people who have blocked the bot."""
        self.webhook: Parameters = {}
        """Parameters of `setWebhook`; empty: there is no webhook."""
        self.webhook_trouble: Parameters = {}
        """Fields of `WebhookInfo` about what went wrong when the webhook was called."""
        self._limiter = RateLimiter(pace, lambda: self.clock())
        self._moved: dict[int, int] = {}
        self._chats: dict[int, dict[int, ShownMessage]] = defaultdict(dict[int, ShownMessage])
        self._queue: list[dict[str, Any]] = []
        self._queued = asyncio.Event()

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

    def enqueue(self, *updates: dict[str, Any]) -> None:
        """Add updates to those that `getUpdates` returns."""
        self._queue.extend(updates)
        self._queued.set()

    def throttle(self, chat_id: int, seconds: float) -> None:
        """Answer 429 to messages to this chat for so long; not to wait is a violation."""
        self._limiter.throttle(chat_id, seconds)

    def block(self, chat_id: int, *, yes: bool = True) -> dict[str, Any]:
        """Block the bot, or let it write again; return the update about it."""
        (self.blocked.add if yes else self.blocked.discard)(chat_id)
        return self.membership_update(chat_id, "kicked" if yes else "member")

    def migrate(self, chat_id: int, to: int) -> list[dict[str, Any]]:
        """Make the group the supergroup `to`; return the two updates about it."""
        self._moved[chat_id] = to
        return self.migration_updates(chat_id, to=to)

    def check_chat(self, call: Call) -> None:
        """Raise `Refused` if nothing can be sent to the chat of this call."""
        chat_id = call.parameters.get("chat_id")
        if chat_id in self._moved:
            raise TelegramRefused(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=self._moved[chat_id],
            )
        if chat_id in self.blocked:
            raise TelegramRefused(403, "Forbidden: bot was blocked by the user")

    def answer_get_me(self, _: Call) -> Any:
        return {**BOT, "can_join_groups": True, "can_read_all_group_messages": False}

    def answer_send_message(self, call: Call) -> Any:
        return self._show(call, call.parameters["text"], "entities")

    def answer_send_rich_message(self, call: Call) -> Any:
        rich = read_rich_message(call.parameters["rich_message"])
        return self._show(call, rich_text(rich["blocks"]).strip(), "entities", rich)

    def answer_send_document(self, call: Call) -> Any:
        return self._show(call, call.parameters.get("caption", ""), "caption_entities")

    answer_send_photo = answer_send_document

    def answer_send_invoice(self, call: Call) -> Any:
        self.check_invoice(call.parameters)
        return self._show(call, "", "entities")

    def _show(
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
            invoice=call.parameters if call.method == "sendInvoice" else None,
            rich=rich,
        )
        self._chats[chat_id][shown.message_id] = shown
        return _as_message(chat_id, shown)

    def _keep_pace(self, chat_id: int) -> None:
        try:
            self._limiter.admit(chat_id)
        finally:
            self.violations += self._limiter.violations
            self._limiter.violations.clear()

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
        return {**info, "pending_update_count": len(self._queue), **self.webhook_trouble}

    def answer_delete_webhook(self, _: Call) -> Any:
        self.webhook = {}
        return True

    async def answer_get_updates(self, call: Call) -> Any:
        if self.webhook:
            raise TelegramRefused(
                409, "Conflict: can't use getUpdates method while webhook is active"
            )
        offset = call.parameters.get("offset", 0)
        self._queue = [each for each in self._queue if each["update_id"] >= offset]
        if not self._queue:
            self._queued.clear()
            seconds = call.parameters.get("timeout", 0)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._queued.wait()
        return self._queue[: call.parameters.get("limit", 100)]

    # Payments

    def checkout_update(self, user_id: int, payload: str, amount: int) -> dict[str, Any]:
        """Ask, before the person pays; `checkouts` has the answer."""
        number = next(self.update_ids)
        query_id = str(5_000_000_000_000_000 + number)
        self.checkouts[query_id] = Checkout(self.clock())
        query = {"id": query_id, "from": person(user_id), **_price(payload, amount)}
        return {"update_id": number, "pre_checkout_query": query}

    def payment_update(
        self,
        chat_id: int,
        payload: str,
        amount: int,
        *,
        charge: str = "",
        **fields: Any,
    ) -> dict[str, Any]:
        """Report a payment; once more, under other ids, if `charge` is that of an earlier one."""
        charge = charge or f"stx{next(self._charges):06d}"
        self.charges.setdefault(charge, abs(fields.get("sender") or chat_id))
        payment = {
            **_price(payload, amount),
            "telegram_payment_charge_id": charge,
            "provider_payment_charge_id": "",
        }
        return self.message_update(chat_id, successful_payment=payment, **fields)

    def check_invoice(self, parameters: Parameters) -> None:
        """Raise `Mistake` by the rules of Telegram Stars that the OpenAPI document cannot say.

        https://core.telegram.org/bots/api#sendinvoice
        """
        if parameters["currency"] != "XTR":
            raise Mistake("CURRENCY_INVALID")
        if parameters.get("provider_token"):
            raise Mistake("PAYMENT_PROVIDER_INVALID")
        if len(parameters["prices"]) != 1 or parameters["prices"][0]["amount"] < 1:
            raise Mistake("CURRENCY_TOTAL_AMOUNT_INVALID")
        if len(parameters["payload"].encode()) > 128:
            raise Mistake("INVOICE_PAYLOAD_INVALID")

    def answer_refund_star_payment(self, call: Call) -> Any:
        charge = call.parameters["telegram_payment_charge_id"]
        if self.charges.get(charge) != call.parameters["user_id"]:
            raise TelegramRefused(400, "Bad Request: CHARGE_ID_INVALID")
        if charge in self.refunded:
            raise TelegramRefused(400, "Bad Request: CHARGE_ALREADY_REFUNDED")
        self.refunded.append(charge)
        return True

    def answer_answer_pre_checkout_query(self, call: Call) -> Any:
        checkout = self.checkouts.get(call.parameters["pre_checkout_query_id"])
        late = checkout is not None and self.clock() - checkout.asked_at > _ANSWER_SECONDS
        if late:
            self.violations.append("answerPreCheckoutQuery: after more than 10 seconds")
        if checkout is None or checkout.ok is not None or late:
            raise TelegramRefused(
                400,
                "Bad Request: query is too old and response timeout expired or query ID is invalid",
            )
        checkout.ok = call.parameters["ok"]
        checkout.error = call.parameters.get("error_message", "")
        return True


def _price(payload: str, amount: int) -> dict[str, Any]:
    return {"currency": "XTR", "total_amount": amount, "invoice_payload": payload}


def _as_message(chat_id: int, shown: ShownMessage) -> dict[str, Any]:
    """Return the Message that Telegram answers."""
    message: dict[str, Any] = {
        "message_id": shown.message_id,
        "from": BOT,
        "chat": chat_of(chat_id),
        "date": int(time.time()),
    }
    if shown.invoice is not None:
        invoice = {name: shown.invoice[name] for name in ("title", "description", "currency")}
        total = shown.invoice["prices"][0]["amount"]
        return message | {"invoice": invoice | {"start_parameter": "", "total_amount": total}}
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

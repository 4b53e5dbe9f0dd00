"""A Telegram to test against: the stand-in over a real socket, with what only tests need.

Every call is checked by the Bot API's own specification too. Calls are kept, and fail on demand.

    async with TelegramStandIn() as telegram:
        ... TELEGRAM_API_URL=telegram.url, TELEGRAM_BOT_TOKEN=telegram.token ...

In another process: `python -m tests.standins.telegram --port N --log FILE`, where each accepted
call is appended to FILE as a line of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from aiohttp import web

from bot.standins.telegram import Telegram
from bot.standins.telegram_rules import (
    LENIENT,
    Call,
    Limits,
    Mistake,
    Parameters,
    TelegramRefused,
)
from bot.standins.telegram_updates import BOT, person
from tests.standins.telegram_schema import methods, validate
from tests.standins.telegram_updates import AllUpdates

TOKEN = f"{BOT['id']}:AAE-a_token_of_the_stand-in_for_tests"
_ANSWER_SECONDS: Final = 10.0
"""Seconds in which `answerPreCheckoutQuery` must come."""


@dataclass
class Fault:
    method: str
    chat_id: int | None
    times: int
    act: Literal["answer", "hang", "reset"]
    accept: bool
    status: int = 0
    answer: dict[str, Any] = field(default_factory=dict)

    def meets(self, method: str, parameters: Parameters) -> bool:
        same_chat = self.chat_id is None or self.chat_id == parameters.get("chat_id")
        return self.times > 0 and self.method in {method, "*"} and same_chat


@dataclass
class Checkout:
    """A payment that waits for the bot's answer; `ok` is None until it comes."""

    asked_at: float
    ok: bool | None = None
    error: str = ""


class TelegramStandIn(AllUpdates, Telegram):
    """See the module.

    Args:
        pace: what is faster than this is answered 429; `Limits()` allows no second message to a
            chat within a second.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        token: str = TOKEN,
        log: Path | None = None,
        pace: Limits | None = None,
    ) -> None:
        super().__init__(token, pace=pace, validate=validate)
        self.url = ""
        self.attempts: list[Call] = []
        """Every call that came."""
        self.calls: list[Call] = []
        """The accepted ones."""
        self.checkouts: dict[str, Checkout] = {}
        """Payments by the id of their query."""
        self.charges: dict[str, int] = {}
        """Payers by the ids of their charges."""
        self.refunded: list[str] = []
        self._charges = itertools.count(1)
        self.blocked: set[int] = set()
        """Chats of people who have blocked the bot."""
        self.webhook_trouble: Parameters = {}
        """Fields of `WebhookInfo` about what went wrong when the webhook was called."""
        self._moved: dict[int, int] = {}
        self._queue: list[dict[str, Any]] = []
        self._queued = asyncio.Event()
        self._port = port
        self._log = log
        self._faults: list[Fault] = []
        self._closing = asyncio.Event()

    async def __aenter__(self) -> TelegramStandIn:
        app = web.Application(client_max_size=64 * 2**20)
        app.add_routes(self.routes())
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        self.enqueue()
        await self._runner.cleanup()

    # What a test asks and arranges

    def calls_of(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method == method]

    @property
    def drafts(self) -> dict[int, list[str]]:
        """What was shown as drafts, by chat."""
        found: dict[int, list[str]] = defaultdict(list)
        for call in self.calls_of("sendMessageDraft"):
            found[call.parameters["chat_id"]].append(call.parameters.get("text", ""))
        return found

    def fail_next(
        self,
        method: str,
        status: int,
        description: str = "",
        parameters: Mapping[str, Any] | None = None,
        chat_id: int | None = None,
        times: int = 1,
    ) -> None:
        """Refuse the next calls. `method` may be `*`, or `file` for downloads."""
        answer = TelegramRefused(status, description, **(parameters or {})).answer
        self._faults.append(Fault(method, chat_id, times, "answer", False, status, answer))

    def answer_next(self, method: str, answer: dict[str, Any], status: int = 200) -> None:
        """Carry out the next call, and answer this."""
        self._faults.append(Fault(method, None, 1, "answer", True, status, answer))

    def hang_next(self, method: str, *, accept: bool, chat_id: int | None = None) -> None:
        """Do not answer the next call; with `accept`, carry it out all the same."""
        self._faults.append(Fault(method, chat_id, 1, "hang", accept))

    def reset_next(self, method: str, *, accept: bool, chat_id: int | None = None) -> None:
        """Cut the connection of the next call; with `accept`, carry it out first."""
        self._faults.append(Fault(method, chat_id, 1, "reset", accept))

    # People and chats

    def throttle(self, chat_id: int, seconds: float) -> None:
        """Answer 429 to messages to this chat for so long; not to wait is a violation."""
        self.limiter.throttle(chat_id, seconds)

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

    # Webhooks and polling

    def answer_get_webhook_info(self, _: Call) -> Any:
        waiting = {"pending_update_count": len(self._queue), **self.webhook_trouble}
        return super().answer_get_webhook_info(_) | waiting

    def answer_delete_webhook(self, _: Call) -> Any:
        self.webhook = {}
        return True

    def enqueue(self, *updates: dict[str, Any]) -> None:
        """Add updates to those that `getUpdates` returns."""
        self._queue.extend(updates)
        self._queued.set()

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

    # Payments by Stars

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

    def answer_send_invoice(self, call: Call) -> Any:
        _check_invoice(call.parameters)
        message = self.show(call, "", "entities")
        invoice = {name: call.parameters[name] for name in ("title", "description", "currency")}
        total = call.parameters["prices"][0]["amount"]
        shown = {name: value for name, value in message.items() if name not in ("text", "entities")}
        return shown | {"invoice": invoice | {"start_parameter": "", "total_amount": total}}

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

    # The server

    async def serve(self, request: web.Request) -> web.StreamResponse:
        call = await self.read_call(request)
        if call.method not in methods():
            raise TelegramRefused(404, "Not Found")
        self.attempts.append(call)
        if fault := self._take_fault(call.method, call.parameters):
            return await self._misbehave(fault, call, request)
        return await self.respond(call)

    def record(self, call: Call) -> None:
        self.calls.append(call)
        if self._log is not None:
            line = {"method": call.method, "parameters": call.parameters, "at": call.at}
            line["files"] = {name: [told, len(held)] for name, (told, held) in call.files.items()}
            with self._log.open("a") as file:
                file.write(json.dumps(line) + "\n")

    def _take_fault(self, method: str, parameters: Parameters) -> Fault | None:
        fault = next((each for each in self._faults if each.meets(method, parameters)), None)
        if fault is not None:
            fault.times -= 1
        return fault

    async def _misbehave(
        self, fault: Fault, call: Call, request: web.Request
    ) -> web.StreamResponse:
        if fault.accept:
            await self.carry_out(call)
        if fault.act == "answer":
            return web.json_response(fault.answer, status=fault.status)
        if fault.act == "hang":
            await self._closing.wait()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def serve_file(self, request: web.Request) -> web.StreamResponse:
        if fault := self._take_fault("file", {}):
            return web.json_response(fault.answer, status=fault.status)
        return await super().serve_file(request)


def _check_invoice(parameters: Parameters) -> None:
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


def _price(payload: str, amount: int) -> dict[str, Any]:
    return {"currency": "XTR", "total_amount": amount, "invoice_payload": payload}


async def _serve_alone(port: int, log: Path, pace: Limits | None) -> None:
    async with TelegramStandIn(port=port, log=log, pace=pace) as telegram:
        sys.stdout.write(f"{telegram.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Telegram to test against.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--pace", action="store_true", help="answer 429 to what is too fast")
    arguments = parser.parse_args()
    asyncio.run(_serve_alone(arguments.port, arguments.log, LENIENT if arguments.pace else None))

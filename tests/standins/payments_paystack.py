"""Paystack's transactions and refunds, as published.

https://paystack.com/docs/api/transaction/, https://paystack.com/docs/api/refund/,
https://github.com/PaystackOSS/openapi (schemas, and errors/api-errors.json)
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bot.contracts.channels import Webhook
from tests.standins.payments_desk import Refused
from tests.standins.payments_hosted import Hosted, is_link, post

FIELDS = frozenset(
    {"email", "amount", "currency", "reference", "callback_url", "channels", "metadata"}
)
CHANNELS = frozenset({"card", "bank", "ussd", "qr", "eft", "mobile_money", "bank_transfer"})
REFERENCE = re.compile(r"[A-Za-z0-9.=-]{1,100}")
MAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")


def error(status: int, message: str, *, is_breach: bool = True) -> Refused:
    return Refused(status, {"status": False, "message": message}, is_breach=is_breach)


@dataclass
class Transaction:
    id: int
    reference: str
    amount: int
    """In hundredths."""
    currency: str
    status: str = "abandoned"

    def describe(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "domain": "test",
            "status": self.status,
            "reference": self.reference,
            "amount": self.amount,
            "currency": self.currency,
            "gateway_response": "Approved" if self.status == "success" else "",
            "paid_at": None,
        }


@dataclass
class Paystack(Hosted):
    transactions: dict[str, Transaction] = field(default_factory=dict[str, Transaction])
    refunds: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    refund_status: str = "pending"
    hides_refunds: bool = False
    """Not listed yet: they were made a moment ago."""
    refusal: tuple[int, str] | None = None

    def __post_init__(self) -> None:
        super().__init__()

    # What happens at Paystack

    def pay(self, reference: str, *, amount: int | None = None, currency: str = "") -> None:
        """`amount` in hundredths."""
        transaction = self.transactions[reference]
        transaction.amount = transaction.amount if amount is None else amount
        transaction.currency = currency or transaction.currency
        transaction.status = "success"

    def stand(self, reference: str, status: str) -> None:
        self.transactions[reference].status = status

    # What it answers

    def unauthorised(self, given: str) -> Refused:
        return error(401, f"Invalid key {given}")

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/transaction/initialize", self.guard(self._initialize))
        router.add_get("/transaction/verify/{reference}", self.guard(self._verify))
        router.add_post("/refund", self.guard(self._refund))
        router.add_get("/refund", self.guard(self._list_refunds))

    async def _initialize(self, request: web.Request) -> web.Response:
        fields = await _json(request)
        _check_initialize(fields)
        reference = fields["reference"]
        if reference in self.transactions:
            raise error(400, "Duplicate Transaction Reference", is_breach=False)
        self.transactions[reference] = Transaction(
            4_099_260_516 + len(self.transactions),
            reference,
            fields["amount"],
            fields["currency"],
        )
        page = {
            "authorization_url": f"https://checkout.paystack.com/{len(self.transactions)}abc",
            "access_code": f"{len(self.transactions)}abc",
            "reference": reference,
        }
        return _told("Authorization URL created", page)

    async def _verify(self, request: web.Request) -> web.Response:
        transaction = self.transactions.get(request.match_info["reference"])
        if transaction is None:
            raise error(400, "Transaction reference not found.", is_breach=False)
        return _told("Verification successful", transaction.describe())

    async def _refund(self, request: web.Request) -> web.Response:
        fields = await _json(request)
        if unknown := set(fields) - {"transaction", "amount", "currency", "merchant_note"}:
            raise error(400, f"{unknown} is not allowed")
        if self.refusal:
            raise error(*self.refusal, is_breach=False)
        transaction = next(
            (
                each
                for each in self.transactions.values()
                if fields.get("transaction") in (str(each.id), each.reference)
            ),
            None,
        )
        if transaction is None or transaction.status != "success":
            raise error(404, "Transaction not found")
        if any(
            refund["transaction"] == transaction.id and refund["status"] != "failed"
            for refund in self.refunds
        ):
            raise error(400, "Transaction has been fully reversed", is_breach=False)
        refund = {"id": 3018284, "amount": transaction.amount, "status": self.refund_status}
        self.refunds.append({**refund, "transaction": transaction.id})
        told = {**refund, "transaction": transaction.describe()}
        return _told("Refund has been queued for processing", told)

    async def _list_refunds(self, request: web.Request) -> web.Response:
        asked = request.query.get("transaction", "")
        found = [each for each in self.refunds if str(each["transaction"]) == asked]
        return _told("Refunds retrieved", [] if self.hides_refunds else found)


async def _json(request: web.Request) -> dict[str, Any]:
    fields = await request.json() if request.content_type == "application/json" else None
    if not isinstance(fields, dict):
        raise error(400, "Request body could not be parsed")
    return fields


def _told(message: str, data: object) -> web.Response:
    return web.json_response({"status": True, "message": message, "data": data})


def _check_initialize(fields: dict[str, Any]) -> None:
    amount, channels = fields.get("amount"), set(fields.get("channels") or [""])
    is_whole = type(amount) is int and amount > 0
    rules = [
        (not set(fields) - FIELDS, f"{set(fields) - FIELDS} is not allowed"),
        (MAIL.fullmatch(fields.get("email") or ""), "Invalid Email Address Passed"),
        (is_whole, "Amount must be an integer"),
        (fields.get("currency") == "XOF", "Currency not supported by merchant"),
        (is_whole and amount % 100 == 0, "CFA francs have no hundredths"),
        (REFERENCE.fullmatch(fields.get("reference") or ""), "Invalid character in reference"),
        (is_link(fields.get("callback_url")), "callback_url must be a valid URL"),
        (not channels - CHANNELS, "Invalid channel"),
        (isinstance(json.loads(fields.get("metadata", "{}")), dict), "metadata is an object"),
    ]
    for is_kept, message in rules:
        if not is_kept:
            raise error(400, message)


def event(kind: str, transaction: Transaction) -> dict[str, Any]:
    return {"event": kind, "data": transaction.describe()}


def signed(key: str, told: object) -> Webhook:
    webhook = post("/webhooks/payments/paystack", told)
    digest = hmac.new(key.encode(), webhook.body, hashlib.sha512).hexdigest()
    webhook.headers["X-Paystack-Signature"] = digest  # type: ignore[index]
    return webhook

"""Flutterwave's payments, transactions and refunds, version 3, as published.

https://developer.flutterwave.com/docs/collecting-payments/standard,
https://developer.flutterwave.com/reference/endpoints/transactions,
https://developer.flutterwave.com/docs/collecting-payments/refunds
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from bot.contracts.channels import Webhook
from bot.standins.refusals import Refused
from tests.standins.payments_hosted import Hosted, is_link, post

FIELDS = frozenset(
    {
        *("tx_ref", "amount", "currency", "redirect_url", "session_duration"),
        *("customer", "customizations", "meta"),
    }
)
MAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
Header = Literal["verif-hash", "flutterwave-signature", "plain flutterwave-signature"]


def error(status: int, message: str, *, is_breach: bool = True) -> Refused:
    answer = {"status": "error", "message": message, "data": None}
    return Refused(status, answer, is_breach=is_breach)


@dataclass
class Transaction:
    id: int
    tx_ref: str
    amount: float
    currency: str
    status: str

    def describe(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "tx_ref": self.tx_ref,
            "flw_ref": f"FLW{self.id}",
            "amount": self.amount,
            "charged_amount": self.amount,
            "currency": self.currency,
            "status": self.status,
            "payment_type": "mobilemoneyfranco",
            "created_at": "2026-03-11T19:33:20.000Z",
        }


@dataclass
class Flutterwave(Hosted):
    pages: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    transactions: list[Transaction] = field(default_factory=list[Transaction])
    refunds: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    refuses_again: bool = True
    """A reference that was used before; whether it does is not published."""
    tells: Literal["first", "last"] = "first"
    """Of several attempts under one reference; which is not published."""
    refund_status: str = "completed"
    refusal: tuple[int, str] | None = None

    def __post_init__(self) -> None:
        super().__init__()

    # What happens at Flutterwave

    def attempt(
        self, reference: str, status: str, *, amount: float | None = None, currency: str = ""
    ) -> Transaction:
        """Somebody tries to pay on the page."""
        page = self.pages[reference]
        transaction = Transaction(
            4_975_363 + len(self.transactions),
            reference,
            page["amount"] if amount is None else amount,
            currency or page["currency"],
            status,
        )
        self.transactions.append(transaction)
        return transaction

    # What it answers

    def unauthorised(self, given: str) -> Refused:
        return error(401, f"Invalid authorization key {given}")

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v3/payments", self.guard(self._create))
        router.add_get("/v3/transactions/verify_by_reference", self.guard(self._verify_reference))
        router.add_get("/v3/transactions/{id:[0-9]+}/verify", self.guard(self._verify))
        router.add_get("/v3/transactions", self.guard(self._list))
        router.add_post("/v3/transactions/{id:[0-9]+}/refund", self.guard(self._refund))
        router.add_get("/v3/refunds", self.guard(self._list_refunds))

    async def _create(self, request: web.Request) -> web.Response:
        fields = await _json(request)
        _check_payment(fields)
        if fields["tx_ref"] in self.pages and self.refuses_again:
            raise error(400, "Duplicate tx_ref", is_breach=False)
        self.pages[fields["tx_ref"]] = fields
        link = f"https://checkout.flutterwave.com/v3/hosted/pay/{len(self.pages)}ab"
        return _told("Hosted Link", {"link": link})

    async def _verify_reference(self, request: web.Request) -> web.Response:
        found = [each for each in self.transactions if each.tx_ref == request.query.get("tx_ref")]
        if not found:
            raise error(400, "No transaction was found for this id", is_breach=False)
        one = found[0] if self.tells == "first" else found[-1]
        return _told("Transaction fetched successfully", one.describe())

    async def _verify(self, request: web.Request) -> web.Response:
        return _told("Transaction fetched successfully", self._find(request).describe())

    async def _list(self, request: web.Request) -> web.Response:
        asked = request.query
        if unknown := set(asked) - {"tx_ref", "status", "from", "to", "page", "currency"}:
            raise error(400, f"{unknown} is not allowed")
        found = [
            each.describe()
            for each in self.transactions
            if asked.get("tx_ref", each.tx_ref) == each.tx_ref
            and asked.get("status", each.status) == each.status
        ]
        return _told("Transactions fetched", found)

    async def _refund(self, request: web.Request) -> web.Response:
        fields, transaction = await _json(request), self._find(request)
        if unknown := set(fields) - {"amount", "comments"}:
            raise error(400, f"{unknown} is not allowed")
        if self.refusal:
            raise error(*self.refusal, is_breach=False)
        if transaction.status != "successful" or not 0 < fields["amount"] <= transaction.amount:
            raise error(400, "This transaction cannot be refunded")
        if any(
            refund["transaction_id"] == transaction.id and refund["status"] != "failed"
            for refund in self.refunds
        ):
            raise error(400, "The refund is more than what is left of the transaction")
        refund = {
            "id": 75923,
            "tx_id": transaction.id,
            "amount_refunded": fields["amount"],
            "status": self.refund_status,
        }
        self.refunds.append({**refund, "transaction_id": transaction.id})
        return _told("Transaction refund initiated", refund)

    async def _list_refunds(self, request: web.Request) -> web.Response:
        asked = request.query.get("id", "")
        found = [each for each in self.refunds if str(each["transaction_id"]) == asked]
        return _told("Refunds fetched", found)

    def _find(self, request: web.Request) -> Transaction:
        for each in self.transactions:
            if str(each.id) == request.match_info["id"]:
                return each
        raise error(404, "No transaction was found for this id")


async def _json(request: web.Request) -> dict[str, Any]:
    fields = await request.json() if request.content_type == "application/json" else None
    if not isinstance(fields, dict):
        raise error(400, "the body is not JSON")
    return fields


def _told(message: str, data: object) -> web.Response:
    return web.json_response({"status": "success", "message": message, "data": data})


def _check_payment(fields: dict[str, Any]) -> None:
    if unknown := set(fields) - FIELDS:
        raise error(400, f"{unknown} is not allowed")
    if not fields.get("tx_ref"):
        raise error(400, "tx_ref is required")
    if type(fields.get("amount")) is not int or fields["amount"] <= 0:
        raise error(400, "amount should be a number greater than 0")
    if fields.get("currency") not in ("XOF", "XAF"):
        raise error(400, "currency is not one of this merchant's")
    if not is_link(fields.get("redirect_url")):
        raise error(400, "redirect_url must be a valid URL")
    if not 0 < fields.get("session_duration", 1) <= 1440:
        raise error(400, "session_duration is 1440 at most")
    if not MAIL.fullmatch(fields.get("customer", {}).get("email", "")):
        raise error(400, "customer.email must be an email")


def event(transaction: Transaction, kind: str = "charge.completed") -> dict[str, Any]:
    return {"event": kind, "data": transaction.describe()}


def signed(secret: str, told: object, header: Header = "verif-hash") -> Webhook:
    """A request authenticated in one of the published ways."""
    webhook = post("/webhooks/payments/flutterwave", told)
    digest = hmac.new(secret.encode(), webhook.body, hashlib.sha256).digest()
    is_digest = header == "flutterwave-signature"
    given = base64.b64encode(digest).decode() if is_digest else secret
    webhook.headers[header.removeprefix("plain ")] = given  # type: ignore[index]
    return webhook

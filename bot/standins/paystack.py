"""Act as Paystack: its transactions, refunds and signed events, as published. No money moves.

https://paystack.com/docs/api/transaction/, https://paystack.com/docs/api/refund/,
https://paystack.com/docs/payments/webhooks/,
https://github.com/PaystackOSS/openapi (schemas, and errors/api-errors.json)
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from bot.standins.refusals import Guard, Refused, answer_refusals

SUBUNITS: Final = 100
"""Units of an amount in one franc."""
FIELDS: Final = frozenset({
    "email", "amount", "currency", "reference", "callback_url", "channels", "metadata",
})  # fmt: skip
CHANNELS: Final = frozenset({
    "card", "bank", "ussd", "qr", "eft", "mobile_money", "bank_transfer",
})  # fmt: skip
_REFUND_FIELDS: Final = frozenset({"transaction", "amount", "currency", "merchant_note"})
_REFERENCE: Final = re.compile(r"[A-Za-z0-9.=-]{1,100}")
_MAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
_LINK: Final = re.compile(r"https?://.+")


@dataclass
class Transaction:
    id: int
    reference: str
    amount: int
    """In hundredths."""
    currency: str
    status: str = "abandoned"
    code: str = ""
    """The code at the end of its page's address."""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])

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


class Paystack:
    """The API for one shop.

    Args:
        key: the shop's secret key.
        pages: the address under which payers find their pages.
    """

    def __init__(self, key: str, pages: str = "https://checkout.paystack.com") -> None:
        self.key = key
        self.transactions: dict[str, Transaction] = {}
        """By their reference."""
        self.refunds: list[dict[str, Any]] = []
        self.refund_status = "pending"
        """Status of refunds from now on."""
        self.hides_refunds = False
        """Whether refunds are not listed yet, as in their first moments."""
        self.refusal: tuple[int, str] | None = None
        """Status and message by which refunds are refused."""
        self._pages = pages

    def routes(self, guard: Guard = answer_refusals) -> list[web.RouteDef]:
        return [
            web.post("/transaction/initialize", guard(self._initialize)),
            web.get("/transaction/verify/{reference}", guard(self._verify)),
            web.post("/refund", guard(self._refund)),
            web.get("/refund", guard(self._list_refunds)),
        ]

    def pay(self, reference: str, *, amount: int | None = None, currency: str = "") -> None:
        """Have the payer pay; `amount` is in hundredths, if it is not the one that was asked."""
        transaction = self.transactions[reference]
        transaction.amount = transaction.amount if amount is None else amount
        transaction.currency = currency or transaction.currency
        transaction.status = "success"

    def open_transaction(self, fields: Mapping[str, Any]) -> Transaction:
        """Open a transaction of these fields. Raises `Refused`."""
        _check_initialize(fields)
        reference, number = fields["reference"], len(self.transactions)
        if reference in self.transactions:
            raise refusal(400, "Duplicate Transaction Reference", is_breach=False)
        opened = Transaction(
            4_099_260_516 + number,
            reference,
            fields["amount"],
            fields["currency"],
            code=secrets.token_urlsafe(9),
            metadata=json.loads(fields.get("metadata", "{}")),
        )
        self.transactions[reference] = opened
        return opened

    def find_transaction(self, reference: str) -> Transaction:
        """Return the transaction with this reference. Raises `Refused`."""
        if reference not in self.transactions:
            raise refusal(400, "Transaction reference not found.", is_breach=False)
        return self.transactions[reference]

    async def _initialize(self, request: web.Request) -> web.Response:
        self._check_key(request)
        opened = self.open_transaction(await _read_json(request))
        page = {
            "authorization_url": f"{self._pages}/{opened.code}",
            "access_code": opened.code,
            "reference": opened.reference,
        }
        return _answer("Authorization URL created", page)

    async def _verify(self, request: web.Request) -> web.Response:
        self._check_key(request)
        transaction = self.find_transaction(request.match_info["reference"])
        return _answer("Verification successful", transaction.describe())

    async def _refund(self, request: web.Request) -> web.Response:
        self._check_key(request)
        fields = await _read_json(request)
        if unknown := set(fields) - _REFUND_FIELDS:
            raise refusal(400, f"{unknown} is not allowed")
        if self.refusal:
            raise refusal(*self.refusal, is_breach=False)
        named = fields.get("transaction")
        found = [
            one
            for one in self.transactions.values()
            if named in (str(one.id), one.reference) and one.status == "success"
        ]
        if not found:
            raise refusal(404, "Transaction not found")
        paid = found[0]
        if any(one["transaction"] == paid.id and one["status"] != "failed" for one in self.refunds):
            raise refusal(400, "Transaction has been fully reversed", is_breach=False)
        refund = {"id": 3018284, "amount": paid.amount, "status": self.refund_status}
        self.refunds.append({**refund, "transaction": paid.id})
        described = {**refund, "transaction": paid.describe()}
        return _answer("Refund has been queued for processing", described)

    async def _list_refunds(self, request: web.Request) -> web.Response:
        self._check_key(request)
        wanted = request.query.get("transaction", "")
        found = [one for one in self.refunds if str(one["transaction"]) == wanted]
        return _answer("Refunds retrieved", [] if self.hides_refunds else found)

    def _check_key(self, request: web.Request) -> None:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if given != self.key:
            raise refusal(401, f"Invalid key {given}")


def make_event(kind: str, transaction: Transaction) -> dict[str, Any]:
    return {"event": kind, "data": transaction.describe()}


def sign_event(key: str, body: bytes) -> dict[str, str]:
    """Return the headers of an event with this body."""
    digest = hmac.new(key.encode(), body, hashlib.sha512).hexdigest()
    return {"Content-Type": "application/json", "X-Paystack-Signature": digest}


def refusal(status: int, message: str, *, is_breach: bool = True) -> Refused:
    return Refused(status, {"status": False, "message": message}, is_breach=is_breach)


async def _read_json(request: web.Request) -> dict[str, Any]:
    try:
        fields = await request.json() if request.content_type == "application/json" else None
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise refusal(400, "Request body could not be parsed")
    return fields  # pyright: ignore[reportUnknownVariableType]


def _answer(message: str, data: object) -> web.Response:
    return web.json_response({"status": True, "message": message, "data": data})


def _check_initialize(fields: Mapping[str, Any]) -> None:
    amount: Any = fields.get("amount")
    channels: list[str] = fields.get("channels") or [""]
    is_whole = type(amount) is int and amount > 0
    rules: list[tuple[object, str]] = [
        (not set(fields) - FIELDS, f"{set(fields) - FIELDS} is not allowed"),
        (_MAIL.fullmatch(fields.get("email") or ""), "Invalid Email Address Passed"),
        (is_whole, "Amount must be an integer"),
        (fields.get("currency") == "XOF", "Currency not supported by merchant"),
        (is_whole and amount % SUBUNITS == 0, "CFA francs have no hundredths"),
        (_REFERENCE.fullmatch(fields.get("reference") or ""), "Invalid character in reference"),
        (_LINK.fullmatch(fields.get("callback_url") or ""), "callback_url must be a valid URL"),
        (CHANNELS.issuperset(channels), "Invalid channel"),
        (_is_object(fields.get("metadata", "{}")), "metadata is an object"),
    ]
    for is_kept, message in rules:
        if not is_kept:
            raise refusal(400, message)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False

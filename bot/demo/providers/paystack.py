"""Simulate Paystack for one shop: payments are opened, paid by one tap, verified and notified.

Forms: https://paystack.com/docs/api/transaction/. Signature of events, an HMAC-SHA512 of the body:
https://paystack.com/docs/payments/webhooks/. No money moves.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

import msgspec
from aiohttp import web

from bot.demo.local_server import json_response
from bot.demo.providers.phone_screens import PhoneScreens
from bot.demo.providers.webhook_sender import WebhookSender
from bot.demo.tutor_script import Language

_SUBUNITS: Final = 100
_EVENTS: Final = "/webhooks/payments/paystack"
_REFERENCE: Final = re.compile(r"[A-Za-z0-9.=-]{1,100}")
_WORDS: Final[dict[Language, dict[str, str]]] = {
    "fr": {
        "title": "Caisse d’essai",
        "about": "Ici viendrait la page de Paystack. Dans cette démo, aucun argent ne circule.",
        "pay": "Payer",
        "paid": "C’est payé. Retourne à la conversation\u00a0: Griot t’y a écrit.",
    },
    "en": {
        "title": "Test till",
        "about": "Paystack’s page would be here. This is a demo: no money moves.",
        "pay": "Pay",
        "paid": "Paid. Go back to the conversation: Griot has written to you there.",
    },
}
_PAGE: Final = Template(Path(__file__).with_name("till.html").read_text(encoding="utf-8"))


class _PaymentRequest(msgspec.Struct):
    """A shop's request to be paid."""

    email: str
    amount: int
    currency: str
    reference: str
    callback_url: str
    metadata: str = "{}"


class Transaction(msgspec.Struct):
    id: int
    wanted: _PaymentRequest
    code: str
    """The code in the address of its page."""
    status: str = "abandoned"

    def describe(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "domain": "test",
            "status": self.status,
            "reference": self.wanted.reference,
            "amount": self.wanted.amount,
            "currency": self.wanted.currency,
        }


class Paystack:
    """The provider, and the page on which a payer taps a button.

    Args:
        origin: the origin of its API and its pages.
    """

    def __init__(self, screens: PhoneScreens, posting: WebhookSender, origin: str) -> None:
        self.secret = f"sk_test_{secrets.token_hex(20)}"
        self._screens = screens
        self._sender = posting
        self._origin = origin
        self._transactions: dict[str, Transaction] = {}
        """By their reference."""

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/transaction/initialize", self.initialize),
            web.get("/transaction/verify/{reference}", self.verify),
            web.get("/pay/{code}", self.show_page),
            web.post("/pay/{code}", self.pay),
        ]

    async def initialize(self, request: web.Request) -> web.Response:
        """Open a payment: 200 with the address of a page; 400 for a request that Paystack would not
        accept, 401 without the key."""
        if not self._is_known(request):
            return _refuse(401, "Invalid key")
        try:
            wanted = msgspec.json.decode(await request.read(), type=_PaymentRequest)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return _refuse(400, str(error))
        if wanted.amount <= 0 or wanted.currency != "XOF":
            return _refuse(400, "Currency not supported by merchant")
        if not _REFERENCE.fullmatch(wanted.reference):
            return _refuse(400, "Invalid character in reference")
        if wanted.reference in self._transactions:
            return _refuse(400, "Duplicate Transaction Reference")
        number = 4_099_260_516 + len(self._transactions)
        one = Transaction(number, wanted, secrets.token_urlsafe(9))
        self._transactions[wanted.reference] = one
        self._screens.log("till", "out", "initialize", f"{wanted.amount // _SUBUNITS} F")
        page = {"authorization_url": f"{self._origin}/pay/{one.code}", "access_code": one.code}
        return _answer("Authorization URL created", page | {"reference": wanted.reference})

    async def verify(self, request: web.Request) -> web.Response:
        if not self._is_known(request):
            return _refuse(401, "Invalid key")
        one = self._transactions.get(request.match_info["reference"])
        if one is None:
            return _refuse(400, "Transaction reference not found.")
        self._screens.log("till", "out", "verify", one.status)
        return _answer("Verification successful", one.describe())

    async def show_page(self, request: web.Request) -> web.Response:
        return _draw_page(self._find(request), _language_of(request))

    async def pay(self, request: web.Request) -> web.Response:
        """Handle the payer's tap: mark the payment as paid, and notify the shop."""
        one = self._find(request)
        if one.status != "success":
            one.status = "success"
            body = msgspec.json.encode({"event": "charge.success", "data": one.describe()})
            digest = hmac.new(self.secret.encode(), body, hashlib.sha512).hexdigest()
            headers = {"Content-Type": "application/json", "X-Paystack-Signature": digest}
            webhook = self._sender.post("till", _EVENTS, body, headers, "charge.success")
            self._sender.run_in_background(webhook)
        return _draw_page(one, _language_of(request))

    def _find(self, request: web.Request) -> Transaction:
        code = request.match_info["code"]
        for one in self._transactions.values():
            if one.code == code:
                return one
        raise web.HTTPNotFound

    def _is_known(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == f"Bearer {self.secret}"


def _draw_page(one: Transaction, language: Language) -> web.Response:
    """Draw the page: the sum with a button, or with the message that it is paid."""
    words = _WORDS[language]
    nonce = secrets.token_urlsafe(12)
    form = f'<p>{words["about"]}</p><form method="post"><button>{words["pay"]}</button></form>'
    page = _PAGE.substitute(
        language=language,
        title=words["title"],
        nonce=nonce,
        sum=f"{one.wanted.amount // _SUBUNITS} F CFA",
        item=escape(_read_title(one.wanted.metadata)),
        body=f"<p>{words['paid']}</p>" if one.status == "success" else form,
    )
    policy = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return web.Response(text=page, content_type="text/html", headers=headers)


def _read_title(metadata: str) -> str:
    try:
        values = msgspec.json.decode(metadata, type=dict[str, Any])
    except msgspec.DecodeError:
        return ""
    return str(values.get("title", ""))[:100]


def _language_of(request: web.Request) -> Language:
    """Return the first of the browser's languages that the page has, else French."""
    wanted = [tag.strip()[:2] for tag in request.headers.get("Accept-Language", "").split(",")]
    spoken: list[Language] = [one for tag in wanted for one in _WORDS if one == tag]
    return spoken[0] if spoken else "fr"


def _answer(message: str, data: object) -> web.Response:
    return json_response({"status": True, "message": message, "data": data})


def _refuse(status: int, message: str) -> web.Response:
    return json_response({"status": False, "message": message}, status)

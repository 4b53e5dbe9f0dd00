"""Show the till of Paystack's stand-in: a page on which one tap pays, and a notice to the shop."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

import msgspec
from aiohttp import web

from bot.demo.providers.phone_screens import PhoneScreens
from bot.demo.providers.webhook_sender import WebhookSender
from bot.demo.tutor_script import Language
from bot.i18n import group_digits
from bot.standins.paystack import SUBUNITS, Paystack, Transaction, make_event, sign_event

_EVENTS: Final = "/webhooks/payments/paystack"
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


class Till(Paystack):
    """The provider, and the page on which a payer taps a button.

    Args:
        origin: the origin of its API and its pages.
    """

    def __init__(self, screens: PhoneScreens, sender: WebhookSender, origin: str) -> None:
        super().__init__(f"sk_test_{secrets.token_hex(20)}", pages=f"{origin}/pay")
        self._screens = screens
        self._sender = sender

    def routes_with_pages(self) -> list[web.RouteDef]:
        pages = [web.get("/pay/{code}", self.show_page), web.post("/pay/{code}", self.take_tap)]
        return [*self.routes(), *pages]

    def open_transaction(self, fields: Mapping[str, Any]) -> Transaction:
        opened = super().open_transaction(fields)
        self._screens.log("till", "out", "initialize", f"{opened.amount // SUBUNITS} F")
        return opened

    def find_transaction(self, reference: str) -> Transaction:
        found = super().find_transaction(reference)
        self._screens.log("till", "out", "verify", found.status)
        return found

    async def show_page(self, request: web.Request) -> web.Response:
        return _draw_page(self._find_page(request), _language_of(request))

    async def take_tap(self, request: web.Request) -> web.Response:
        """Handle the payer's tap: mark the payment as paid, and notify the shop."""
        transaction = self._find_page(request)
        if transaction.status != "success":
            self.pay(transaction.reference)
            body = msgspec.json.encode(make_event("charge.success", transaction))
            headers = sign_event(self.key, body)
            webhook = self._sender.post("till", _EVENTS, body, headers, "charge.success")
            self._sender.run_in_background(webhook)
        return _draw_page(transaction, _language_of(request))

    def _find_page(self, request: web.Request) -> Transaction:
        code = request.match_info["code"]
        for one in self.transactions.values():
            if one.code == code:
                return one
        raise web.HTTPNotFound


def _draw_page(transaction: Transaction, language: Language) -> web.Response:
    """Draw the page: the sum with a button, or with the message that it is paid."""
    words = _WORDS[language]
    nonce = secrets.token_urlsafe(12)
    form = f'<p>{words["about"]}</p><form method="post"><button>{words["pay"]}</button></form>'
    page = _PAGE.substitute(
        language=language,
        title=words["title"],
        nonce=nonce,
        sum=f"{group_digits(language, transaction.amount // SUBUNITS)}\u00a0F\u00a0CFA",
        item=escape(str(transaction.metadata.get("title", ""))[:100]),
        body=f"<p>{words['paid']}</p>" if transaction.status == "success" else form,
    )
    policy = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return web.Response(text=page, content_type="text/html", headers=headers)


def _language_of(request: web.Request) -> Language:
    """Return the first of the browser's languages that the page has, else French."""
    wanted = [tag.strip()[:2] for tag in request.headers.get("Accept-Language", "").split(",")]
    spoken: list[Language] = [one for tag in wanted for one in _WORDS if one == tag]
    return spoken[0] if spoken else "fr"

"""Stripe's Checkout Sessions, Payment Intents' search and Refunds, as published.

https://docs.stripe.com/api/checkout/sessions, https://docs.stripe.com/api/idempotent_requests,
https://docs.stripe.com/api/refunds, https://docs.stripe.com/error-codes
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bot.contracts.channels import Webhook
from bot.standins.refusals import Refused
from tests.standins.payments_hosted import FORM, Hosted, is_link, post

CREATE = frozenset(
    {
        *("mode", "success_url", "cancel_url", "client_reference_id", "locale"),
        *("line_items[0][quantity]", "line_items[0][price_data][currency]"),
        *(
            "line_items[0][price_data][unit_amount]",
            "line_items[0][price_data][product_data][name]",
        ),
        "payment_intent_data[metadata][order]",
    }
)
LOCALES = frozenset({"auto", "en", "fr", "de", "es", "pt"})
LEAST = {"xof": 300, "xaf": 300, "eur": 50, "usd": 50}
"""About half a dollar, in the currency's smallest unit; others are not modelled."""
SEARCH = re.compile(r"metadata\['order'\]:'([^']*)' AND status:'succeeded'")


def error(status: int, code: str, message: str, *, is_breach: bool = True) -> Refused:
    kind = "idempotency_error" if code == "idempotency" else "invalid_request_error"
    return Refused(
        status,
        {"error": {"type": kind, "code": code, "message": message}},
        is_breach=is_breach,
    )


@dataclass
class Session:
    id: str
    order: str
    amount: int
    currency: str
    url: str
    metadata: dict[str, str]
    status: str = "open"
    payment_status: str = "unpaid"
    intent: dict[str, Any] | None = None

    def describe(self, *, is_expanded: bool = False) -> dict[str, Any]:
        intent = self.intent
        return {
            "id": self.id,
            "object": "checkout.session",
            "amount_total": self.amount,
            "client_reference_id": self.order,
            "currency": self.currency,
            "mode": "payment",
            "payment_intent": intent if is_expanded or intent is None else intent["id"],
            "payment_status": self.payment_status,
            "status": self.status,
            "url": self.url if self.status == "open" else None,
        }


@dataclass
class Stripe(Hosted):
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    refunds: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    refund_status: str = "succeeded"
    searches_badly: bool = False
    """It finds every payment, whatever is searched."""
    expands_nothing: bool = False
    """It tells a payment by its id, whatever is to be expanded."""
    refusal: tuple[int, str, str] | None = None
    """How the next refund is refused: status, code, message."""

    def __post_init__(self) -> None:
        super().__init__()
        self._done: dict[str, tuple[object, dict[str, Any]]] = {}

    # What happens at Stripe

    def session(self, order: str) -> Session:
        """The order's only session."""
        (found,) = [each for each in self.sessions.values() if each.order == order]
        return found

    def pay(self, order: str, *, amount: int | None = None, currency: str = "") -> None:
        session = self.session(order)
        session.amount = session.amount if amount is None else amount
        session.currency = currency or session.currency
        session.status, session.payment_status = "complete", "paid"
        self._intend(session, "succeeded")

    def begin_delayed(self, order: str) -> None:
        """The person is done; the money comes later, or never."""
        session = self.session(order)
        session.status = "complete"
        self._intend(session, "processing")

    def give_up_delayed(self, order: str) -> None:
        intent = self.session(order).intent
        assert intent is not None
        intent["status"] = "requires_payment_method"

    def expire(self, order: str) -> None:
        self.session(order).status = "expired"

    def forget_keys(self) -> None:
        """As Stripe does after a day."""
        self._done.clear()

    def _intend(self, session: Session, status: str) -> None:
        session.intent = {
            "id": f"pi_{len(self.sessions)}{session.order[:6]}",
            "object": "payment_intent",
            "amount": session.amount,
            "amount_received": session.amount if status == "succeeded" else 0,
            "currency": session.currency,
            "metadata": session.metadata,
            "status": status,
        }

    # What it answers

    def unauthorised(self, given: str) -> Refused:
        message = "Invalid API Key provided: " + given
        return Refused(401, {"error": {"type": "invalid_request_error", "message": message}})

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/checkout/sessions", self.guard(self._create))
        router.add_get("/v1/checkout/sessions/{id}", self.guard(self._retrieve))
        router.add_get("/v1/payment_intents/search", self.guard(self._search))
        router.add_post("/v1/refunds", self.guard(self._refund))

    async def _create(self, request: web.Request) -> web.Response:
        form = await _form(request)
        if (known := self._replay(request, form)) is not None:
            return web.json_response(known)
        _check_session(form)
        number = len(self.sessions) + 1
        session = Session(
            f"cs_test_{number}{form['client_reference_id']}",
            form["client_reference_id"],
            int(form["line_items[0][price_data][unit_amount]"]),
            form["line_items[0][price_data][currency]"],
            f"https://checkout.stripe.com/c/pay/cs_test_{number}#fid",
            {"order": form["payment_intent_data[metadata][order]"]},
        )
        self.sessions[session.id] = session
        return self._keep(request, form, session.describe())

    async def _retrieve(self, request: web.Request) -> web.Response:
        session = self.sessions.get(request.match_info["id"])
        if session is None:
            raise error(404, "resource_missing", "No such checkout.session", is_breach=False)
        expand = request.query.getall("expand[]", [])
        is_expanded = "payment_intent" in expand and not self.expands_nothing
        return web.json_response(session.describe(is_expanded=is_expanded))

    async def _search(self, request: web.Request) -> web.Response:
        asked = SEARCH.fullmatch(request.query.get("query", ""))
        if asked is None:
            raise error(400, "parameter_invalid", "The search query is not understood")
        found = [
            session.intent
            for session in self.sessions.values()
            if session.intent
            and (
                self.searches_badly
                or (
                    session.intent["status"] == "succeeded"
                    and session.metadata["order"] == asked[1]
                )
            )
        ]
        return web.json_response({"object": "search_result", "data": found, "has_more": False})

    async def _refund(self, request: web.Request) -> web.Response:
        form = await _form(request)
        if (known := self._replay(request, form)) is not None:
            return web.json_response(known)
        if unknown := set(form) - {"payment_intent", "metadata[order]", "reason"}:
            raise error(400, "parameter_unknown", f"Received unknown parameter: {unknown}")
        if self.refusal:
            raise error(*self.refusal, is_breach=False)
        intents = [each.intent for each in self.sessions.values() if each.intent]
        if form.get("payment_intent") not in [each["id"] for each in intents]:
            raise error(404, "resource_missing", "No such payment_intent")
        if form["payment_intent"] in [each["payment_intent"] for each in self.refunds]:
            raise error(400, "charge_already_refunded", "Refunded already", is_breach=False)
        refund = {
            "id": f"re_{len(self.refunds) + 1}",
            "object": "refund",
            "payment_intent": form["payment_intent"],
            "status": self.refund_status,
        }
        self.refunds.append(refund)
        return self._keep(request, form, refund)

    def _replay(self, request: web.Request, form: object) -> dict[str, Any] | None:
        key = request.headers.get("Idempotency-Key", "")
        if not 0 < len(key) <= 255:
            raise error(400, "idempotency", "This client is to send Idempotency-Key")
        if key not in self._done:
            return None
        asked, answer = self._done[key]
        if asked != (request.path, form):
            raise error(400, "idempotency", "Keys can only be used with the same parameters")
        return answer

    def _keep(self, request: web.Request, form: object, answer: dict[str, Any]) -> web.Response:
        self._done[request.headers["Idempotency-Key"]] = ((request.path, form), answer)
        return web.json_response(answer)


async def _form(request: web.Request) -> dict[str, str]:
    if request.content_type != FORM:
        raise error(400, "parameter_invalid", "Stripe takes forms")
    return {name: str(value) for name, value in (await request.post()).items()}


def _check_session(form: Mapping[str, str]) -> None:
    if unknown := set(form) - CREATE:
        raise error(400, "parameter_unknown", f"Received unknown parameter: {unknown}")
    if missing := CREATE - {"cancel_url", "locale"} - set(form):
        raise error(400, "parameter_missing", f"Missing required param: {missing}")
    currency = form["line_items[0][price_data][currency]"]
    amount = form["line_items[0][price_data][unit_amount]"]
    is_enough = amount.isdecimal() and int(amount) >= LEAST.get(currency, 0)
    links = (form["success_url"], form.get("cancel_url", form["success_url"]))
    rules = [
        (form["mode"] == "payment", "parameter_invalid", "mode"),
        (form["line_items[0][quantity]"] == "1", "parameter_invalid", "quantity"),
        (all(map(is_link, links)), "url_invalid", "Not a valid URL"),
        (form.get("locale", "auto") in LOCALES, "parameter_invalid", "Invalid locale"),
        (currency in LEAST, "parameter_invalid", f"Invalid currency: {currency}"),
        (is_enough, "amount_too_small", "The amount must convert to 50 cents at least"),
        (0 < len(form["client_reference_id"]) <= 200, "parameter_invalid", "client_reference_id"),
        (
            form["line_items[0][price_data][product_data][name]"].strip(),
            "parameter_invalid_empty",
            "name",
        ),
    ]
    for is_kept, code, message in rules:
        if not is_kept:
            raise error(400, code, message)


def signature(secret: str, body: bytes, at: int | str) -> str:
    return hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()


def event(kind: str, session: Session) -> dict[str, Any]:
    return {
        "id": "evt_1",
        "object": "event",
        "api_version": "2025-03-31.basil",
        "type": kind,
        "data": {"object": session.describe()},
    }


def signed(secret: str, told: object, at: int | str) -> Webhook:
    """Stripe's request about it, signed at `at`."""
    webhook = post("/webhooks/payments/stripe", told)
    given = signature(secret, webhook.body, at)
    webhook.headers["Stripe-Signature"] = f"t={at},v1={given},v0=0123"  # type: ignore[index]
    return webhook

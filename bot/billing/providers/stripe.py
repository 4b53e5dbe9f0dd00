"""Stripe: cards, on a page of Stripe Checkout.

Sources:
    https://docs.stripe.com/api/checkout/sessions (create, retrieve, the object),
    https://docs.stripe.com/webhooks#verify-manually, https://docs.stripe.com/currencies,
    https://docs.stripe.com/api/idempotent_requests,
    https://docs.stripe.com/api/payment_intents/search, https://docs.stripe.com/api/refunds/create
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import quote, urlencode

import msgspec

from bot.billing.providers.provider_client import (
    Declined,
    Link,
    OpenSession,
    ask,
    explain_refusal,
    open_session,
    order_of,
    read_answer,
    read_event,
    refusal_of,
    sign,
)
from bot.contracts.channels import Webhook
from bot.contracts.payments import Order, PaymentPage, PaymentState
from bot.errors import Refused
from bot.net import get_fields, is_same_secret
from bot.settings import Settings

TOLERANCE = 300.0
"""Seconds for which a signature is valid, as in Stripe's own libraries."""
MAX_SIGNATURES = 16
"""The most signatures read; while a secret is being changed there are two."""
EVENTS = frozenset(
    {
        "checkout.session.completed",
        "checkout.session.async_payment_succeeded",
        "checkout.session.async_payment_failed",
        "checkout.session.expired",
    }
)
_GIVEN_UP = frozenset({"requires_payment_method", "canceled"})
"""The status of a completed session's payment that was delayed and then failed."""
_NOT_REFUNDED = frozenset({"failed", "canceled"})
_Id = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]+$", max_length=255)]


class _Page(msgspec.Struct):
    id: _Id
    url: Link


class _Intent(msgspec.Struct):
    id: _Id
    status: str
    currency: str = ""
    amount_received: int = 0
    metadata: dict[str, str] = {}


class _Session(msgspec.Struct):
    status: str | None
    payment_status: str
    client_reference_id: str | None = None
    amount_total: int | None = None
    currency: str | None = None
    payment_intent: _Intent | _Id | None = None
    """Its id alone where `expand` was not obeyed, as by older proxies and test servers."""


class _Found(msgspec.Struct):
    data: list[_Intent]


class _Refund(msgspec.Struct):
    status: str | None = None


class _About(msgspec.Struct):
    client_reference_id: str | None = None


class _Data(msgspec.Struct):
    object: _About


class _Event(msgspec.Struct):
    type: str
    data: _Data


class Stripe:
    """Implements `bot.contracts.payments.PaymentProvider`.

    Args:
        settings: `stripe_secret_key`, `stripe_webhook_secret`, `stripe_api_url`.
        open_session: its time-out bounds each request.
        clock: seconds since 1970.
    """

    name = "stripe"
    title = "Visa, Mastercard (Stripe)"
    currencies: Sequence[str] = ("XOF", "XAF")
    reopens = False

    def __init__(
        self,
        settings: Settings,
        open_session: OpenSession = open_session,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._key = settings.stripe_secret_key
        self._secret = settings.stripe_webhook_secret
        self._origin = settings.stripe_api_url.rstrip("/")
        self._open_session = open_session
        self._clock = clock

    async def open(self, order: Order) -> PaymentPage:
        """Open a page (`PaymentProvider.open`). The idempotency key gives the same page for a
        second call, for as long as it can be paid: a day."""
        page = read_answer(
            await self._ask("POST", "/v1/checkout/sessions", _form(order), f"open-{order.id}"),
            _Page,
        )
        return PaymentPage(page.url, page.id)

    def verify(self, webhook: Webhook) -> str:
        self._authenticate(webhook)
        event = read_event(webhook.body, _Event)
        return order_of(event.data.object.client_reference_id or "") if event.type in EVENTS else ""

    async def look_up(self, order: str, reference: str) -> PaymentState:
        if not reference:
            return await self._search(order)
        query = urlencode({"expand[]": "payment_intent"})
        path = f"/v1/checkout/sessions/{quote(reference, safe='')}?{query}"
        session = read_answer(await self._ask("GET", path), _Session)
        if session.client_reference_id != order:
            raise ConnectionError("Stripe's session is not this order's")
        intent = session.payment_intent
        if session.payment_status == "paid":
            if intent is None:
                raise ConnectionError("not the published answer: paid, but by no payment_intent")
            charge = intent.id if isinstance(intent, _Intent) else intent
            return _paid(session.amount_total or 0, session.currency or "", charge)
        if session.status == "expired":
            return PaymentState("failed")
        is_complete = session.status == "complete"
        if is_complete and isinstance(intent, _Intent) and intent.status in _GIVEN_UP:
            return PaymentState("failed")
        return PaymentState("waiting")

    async def refund(self, order: str, state: PaymentState) -> None:
        form = {"payment_intent": state.charge, "metadata[order]": order}
        try:
            answer = await self._ask("POST", "/v1/refunds", form, f"refund-{order}")
        except Declined as declined:
            error = get_fields(get_fields(declined.answer).get("error"))
            if error.get("code") == "charge_already_refunded":
                return
            raise explain_refusal("Stripe", declined) from None
        status = read_answer(answer, _Refund).status
        if status in _NOT_REFUNDED:
            raise refusal_of("Stripe", f"status {status}")

    async def _search(self, order: str) -> PaymentState:
        """Look a payment up by its metadata, which Stripe finds about a minute after it is made."""
        query = urlencode({"query": f"metadata['order']:'{order}' AND status:'succeeded'"})
        found = read_answer(await self._ask("GET", f"/v1/payment_intents/search?{query}"), _Found)
        for intent in found.data:
            if intent.metadata.get("order") == order and intent.status == "succeeded":
                return _paid(intent.amount_received, intent.currency, intent.id)
        return PaymentState("waiting")

    async def _ask(
        self, method: str, path: str, form: Mapping[str, str] | None = None, key: str = ""
    ) -> Any:
        headers = {"Authorization": f"Bearer {self._key}"}
        if key:
            headers["Idempotency-Key"] = f"griot-{key}"
        async with self._open_session() as session:
            return await ask(session, method, self._origin + path, headers=headers, form=form)

    def _authenticate(self, webhook: Webhook) -> None:
        if not self._secret:
            raise Refused("STRIPE_WEBHOOK_SECRET is not set")
        at, signatures = _read_signature(webhook.headers.get("Stripe-Signature", ""))
        expected = sign(self._secret, f"{at}.".encode() + webhook.body).hex()
        if not any(is_same_secret(signature, expected) for signature in signatures):
            raise Refused("wrong or missing signature")
        # Compared only now: before the signature is checked, anyone may have written the time.
        if abs(self._clock() - int(at)) > TOLERANCE:
            raise Refused("the signature is too old, or from the future")


def _read_signature(header: str) -> tuple[str, Sequence[str]]:
    """Return the time and the `v1` signatures; other schemes do not count."""
    pairs = [part.strip().partition("=") for part in header[:4_096].split(",")]
    times = [value for name, _, value in pairs if name == "t"]
    if len(times) != 1 or not (times[0].isascii() and times[0].isdecimal() and len(times[0]) < 16):
        raise Refused("wrong or missing signature")
    return times[0], [value for name, _, value in pairs if name == "v1"][:MAX_SIGNATURES]


def _form(order: Order) -> Mapping[str, str]:
    """Return the fields of a session. CFA francs have no smaller unit at Stripe, so the amount is
    sent in whole francs."""
    price = "line_items[0][price_data]"
    return {
        "mode": "payment",
        "client_reference_id": order.id,
        "success_url": order.return_url,
        "cancel_url": order.cancel_url,
        "locale": order.language if order.language in ("fr", "en") else "auto",
        "line_items[0][quantity]": "1",
        f"{price}[currency]": order.currency.lower(),
        f"{price}[unit_amount]": str(order.amount),
        f"{price}[product_data][name]": order.title,
        "payment_intent_data[metadata][order]": order.id,
    }


def _paid(amount: int, currency: str, charge: str) -> PaymentState:
    return PaymentState("paid", amount, currency.upper(), charge)

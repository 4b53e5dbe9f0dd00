"""Wave's checkout: a page that opens the Wave app.

Facts: https://docs.wave.com/checkout, https://docs.wave.com/webhook. The readings of what they
leave open are in docs/payments.md.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

import msgspec

from bot.billing.providers.provider_client import (
    Amount,
    Declined,
    Link,
    OpenSession,
    ask,
    explain_refusal,
    is_order,
    open_session,
    read_answer,
    read_event,
    sign,
    whole,
)
from bot.contracts.channels import Webhook
from bot.contracts.payments import Order, Payment, PaymentPage, PaymentState
from bot.errors import Refused
from bot.net import is_same_secret
from bot.settings import Settings

TOLERANCE: Final = 300
"""Seconds by which a callback's time may differ from ours."""
_SEPARATOR: Final = b""
"""Stands between time and body in the signed bytes: in Wave's own samples, nothing does."""
_MAX_SIGNATURES = 10
_TIME = re.compile(r"\d{1,12}", re.ASCII)
_SESSIONS: Final = "/v1/checkout/sessions"


class _Session(msgspec.Struct):
    id: str
    amount: Amount
    currency: str
    checkout_status: str
    """open, complete or expired."""
    payment_status: str
    """processing, cancelled or succeeded."""
    client_reference: str | None = None
    wave_launch_url: str | None = None


class _Launch(msgspec.Struct):
    wave_launch_url: Link


class _Found(msgspec.Struct):
    result: list[_Session]


class _Event(msgspec.Struct):
    type: str
    data: dict[str, Any]


class Wave:
    """Implements `bot.contracts.payments.PaymentProvider`.

    Args:
        settings: `wave_api_key`, `wave_webhook_secret` (the "signing secret"), `wave_api_url`.
        open_session: its time-out bounds each request.
        clock: seconds since 1970.
    """

    name: str = "wave"
    title: str = "Wave"
    currencies: Sequence[str] = ("XOF",)
    reopens = False

    def __init__(
        self,
        settings: Settings,
        open_session: OpenSession = open_session,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._headers = {"Authorization": f"Bearer {settings.wave_api_key}"}
        self._secret = settings.wave_webhook_secret
        self._url = settings.wave_api_url.rstrip("/")
        self._open_session = open_session
        self._clock = clock

    async def open(self, order: Order) -> PaymentPage:
        """Open a page (`PaymentProvider.open`), or return the order's page that can still be paid
        on. Two requests at once have the same idempotency key at Wave."""
        for session in await self._search(order.id):
            if _state(session) == "waiting":
                return _page(session)
        question = {
            "amount": str(order.amount),
            "currency": order.currency,
            "client_reference": order.id,
            "success_url": order.return_url,
            "error_url": order.cancel_url,
        }
        key = {"Idempotency-Key": order.id}
        return _page(read_answer(await self._ask("POST", _SESSIONS, question, key), _Session))

    def verify(self, webhook: Webhook) -> str:
        """Check a callback's signature (`PaymentProvider.verify`). A callback older than
        `TOLERANCE` is refused too, as it may be a copy."""
        self._authenticate(webhook.headers.get("Wave-Signature", ""), webhook.body)
        event = read_event(webhook.body, _Event)
        if not event.type.startswith("checkout.session."):
            return ""
        reference = event.data.get("client_reference")
        return reference if isinstance(reference, str) and is_order(reference) else ""

    def _authenticate(self, header: str, body: bytes) -> None:
        """Check the header `t=…,v1=…`, where several `v1` are allowed. Raises `Refused`."""
        parts = [part.partition("=") for part in header.split(",", _MAX_SIGNATURES)]
        times = [value for name, _, value in parts if name.strip() == "t"]
        if not (self._secret and len(times) == 1 and _TIME.fullmatch(times[0])):
            raise Refused("missing Wave-Signature, or WAVE_WEBHOOK_SECRET is not set")
        expected = sign(self._secret, times[0].encode() + _SEPARATOR + body).hex()
        given = [value for name, _, value in parts if name.strip() == "v1"]
        if not any(is_same_secret(value.strip(), expected) for value in given):
            raise Refused("wrong Wave-Signature")
        if abs(self._clock() - int(times[0])) > TOLERANCE:
            raise Refused("a Wave-Signature of another time")

    async def look_up(self, order: str, reference: str) -> PaymentState:
        """Return the state of a payment (`PaymentProvider.look_up`). A payment on any page of the
        order counts, not only on the one stored as `reference`."""
        sessions = [await self._session(reference)] if reference else []
        if not any(_state(session) == "paid" for session in sessions):
            sessions += await self._search(order)
        states = {_state(session): session for session in reversed(sessions)}
        if paid := states.get("paid"):
            return PaymentState("paid", whole(paid.amount), paid.currency, charge=paid.id)
        if "failed" in states and "waiting" not in states:
            return PaymentState("failed")
        return PaymentState("waiting")

    async def refund(self, order: str, state: PaymentState) -> None:
        """Refund a session (`PaymentProvider.refund`). Wave refunds one only once, with its
        fees."""
        if not state.charge:
            raise ConnectionError(f"Wave refunds a session, and none is named for {order}")
        try:
            await self._ask("POST", f"{_SESSIONS}/{quote(state.charge, safe='')}/refund")
        except Declined as declined:
            raise explain_refusal("Wave", declined) from None

    async def _session(self, reference: str) -> _Session:
        path = f"{_SESSIONS}/{quote(reference, safe='')}"
        return read_answer(await self._ask("GET", path), _Session)

    async def _search(self, order: str) -> list[_Session]:
        """Return all sessions of the order."""
        try:
            answer = await self._ask("GET", f"{_SESSIONS}/search?client_reference={quote(order)}")
        except Declined as declined:
            if declined.status != 404:
                raise
            return []
        # Some sources describe the list alone, Wave an object around it.
        found = (
            _Found(read_answer(answer, list[_Session]))
            if isinstance(answer, list)
            else read_answer(answer, _Found)
        )
        return [each for each in found.result if each.client_reference == order]

    async def _ask(
        self,
        method: str,
        path: str,
        question: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        named = {**self._headers, **(headers or {})}
        async with self._open_session() as session:
            return await ask(session, method, self._url + path, headers=named, json=question)


def _page(session: _Session) -> PaymentPage:
    launch = read_answer({"wave_launch_url": session.wave_launch_url}, _Launch)
    return PaymentPage(launch.wave_launch_url, reference=session.id)


def _state(session: _Session) -> Payment:
    """Return the state of a session. A failed attempt leaves it open: the person may try again
    until it expires."""
    if session.payment_status == "succeeded":
        return "paid"
    if session.checkout_status == "open":
        return "waiting"
    if session.checkout_status == "expired" or session.payment_status == "cancelled":
        return "failed"
    if session.payment_status == "processing":
        return "waiting"
    raise ConnectionError("not what Wave has published: the state of a session")

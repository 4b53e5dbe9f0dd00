"""Flutterwave: cards and mobile money, on the page of Flutterwave Standard (version 3).

Sources:
    https://developer.flutterwave.com/docs/collecting-payments/standard,
    https://developer.flutterwave.com/reference/endpoints/transactions (verify, list),
    https://developer.flutterwave.com/docs/integration-guides/webhooks,
    https://developer.flutterwave.com/docs/collecting-payments/refunds,
    https://developer.flutterwave.com/v3.0.0/reference/get-all-refunds
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from bot.billing.providers.provider_client import (
    AFTER_REFUSAL,
    Amount,
    Declined,
    Link,
    OpenSession,
    ask,
    explain_refusal,
    mail_of,
    open_first_page,
    open_session,
    order_of,
    read_answer,
    read_event,
    refusal_of,
    resolve_status,
    sign,
    whole,
)
from bot.contracts.channels import Webhook
from bot.contracts.payments import Order, Payment, PaymentPage, PaymentState
from bot.errors import Refused
from bot.net import get_fields, is_same_secret
from bot.settings import Settings

SESSION_MINUTES = 1440
"""How long a page can be paid on; Flutterwave allows a day at most."""
STATES: Mapping[str, Payment] = {
    "successful": "paid",
    "succeeded": "paid",
    "failed": AFTER_REFUSAL,
}
"""Any other status is `waiting`. Version 4 writes `succeeded`."""


class _Page(msgspec.Struct):
    link: Link


class _Transaction(msgspec.Struct):
    id: int
    status: str
    tx_ref: str
    amount: Amount
    currency: str


class _Refund(msgspec.Struct):
    status: str = ""
    transaction_id: int | None = None
    tx_id: int | None = None


class _Opened(msgspec.Struct):
    data: _Page


class _Verified(msgspec.Struct):
    data: _Transaction


class _Transactions(msgspec.Struct):
    data: list[_Transaction]


class _Refunded(msgspec.Struct):
    data: _Refund


class _Refunds(msgspec.Struct):
    data: list[_Refund]


class _About(msgspec.Struct):
    tx_ref: str | None = None
    reference: str | None = None


class _Event(msgspec.Struct):
    data: _About
    event: str | None = None
    type: str | None = None


class Flutterwave:
    """Implements `bot.contracts.payments.PaymentProvider`.

    Args:
        settings: `flutterwave_secret_key`, `flutterwave_hash`, `flutterwave_api_url`.
        open_session: its time-out bounds each request.
    """

    name = "flutterwave"
    title = "Visa, Mastercard, mobile money (Flutterwave)"
    currencies: Sequence[str] = ("XOF", "XAF")
    reopens = False

    def __init__(self, settings: Settings, open_session: OpenSession = open_session) -> None:
        self._key = settings.flutterwave_secret_key
        self._hash = settings.flutterwave_hash
        self._origin = settings.flutterwave_api_url.rstrip("/")
        self._open_session = open_session

    async def open(self, order: Order) -> PaymentPage:
        """Open a page (`PaymentProvider.open`)."""

        async def open_page(reference: str) -> PaymentPage:
            answer = await self._ask("POST", "/v3/payments", _fields(order, reference))
            return PaymentPage(read_answer(answer, _Opened).data.link, reference)

        return await open_first_page("Flutterwave", order.id, open_page)

    def verify(self, webhook: Webhook) -> str:
        """Check a callback's signature (`PaymentProvider.verify`). No header holds a time, but a
        copied callback only makes us look the payment up again."""
        self._authenticate(webhook)
        event = read_event(webhook.body, _Event)
        if (event.event or event.type) != "charge.completed":
            return ""
        return order_of(event.data.tx_ref or event.data.reference or "")

    async def look_up(
        self,
        order: str,
        reference: str,  # noqa: ARG002 (a payment on any of the order's pages counts)
    ) -> PaymentState:
        return await resolve_status(order, self._read_state, known_when_opened=False)

    async def refund(self, order: str, state: PaymentState) -> None:
        """Refund a payment, unless an earlier refund is found: Flutterwave has no idempotency keys
        (`PaymentProvider.refund`)."""
        if not state.charge.isdecimal():
            raise refusal_of("Flutterwave", "the payment's number is not known")
        if await self._is_refunded(state.charge):
            return
        fields = {"amount": state.amount, "comments": f"order {order}"}
        try:
            answer = await self._ask("POST", f"/v3/transactions/{state.charge}/refund", fields)
        except Declined as declined:
            raise explain_refusal("Flutterwave", declined) from None
        if read_answer(answer, _Refunded).data.status == "failed":
            raise refusal_of("Flutterwave", "status failed")

    async def _read_state(self, reference: str) -> PaymentState | None:
        transaction = await self._find(reference)
        return _state_of(transaction) if transaction else None

    async def _find(self, reference: str) -> _Transaction | None:
        """Return the reference's transaction, the successful one if there are several."""
        query = urlencode({"tx_ref": reference})
        try:
            answer = await self._ask("GET", f"/v3/transactions/verify_by_reference?{query}")
        except Declined as declined:
            if declined.status in (400, 404) and "no transaction" in declined.reason.lower():
                return None
            raise
        transaction = _check(read_answer(answer, _Verified).data, reference)
        if transaction.status != "failed":
            return transaction
        return await self._find_success(reference) or transaction

    async def _find_success(self, reference: str) -> _Transaction | None:
        """Return the reference's successful transaction. Each attempt on a page is a transaction;
        which one Flutterwave returns by reference is not published."""
        query = urlencode({"tx_ref": reference, "status": "successful"})
        listed = read_answer(
            await self._ask("GET", f"/v3/transactions?{query}"), _Transactions
        ).data
        for transaction in listed:
            if transaction.tx_ref == reference and _state_of(transaction).state == "paid":
                answer = await self._ask("GET", f"/v3/transactions/{transaction.id}/verify")
                return _check(read_answer(answer, _Verified).data, reference)
        return None

    async def _is_refunded(self, charge: str) -> bool:
        refunds = read_answer(
            await self._ask("GET", f"/v3/refunds?id={quote(charge)}"), _Refunds
        ).data
        return any(
            refund.status != "failed" and charge in (str(refund.transaction_id), str(refund.tx_id))
            for refund in refunds
        )

    async def _ask(self, method: str, path: str, fields: object = None) -> Any:
        headers = {"Authorization": f"Bearer {self._key}"}
        async with self._open_session() as session:
            answer = await ask(session, method, self._origin + path, headers=headers, json=fields)
        if get_fields(answer).get("status") != "success":
            raise ConnectionError("not the published answer: its status is not success")
        return answer

    def _authenticate(self, webhook: Webhook) -> None:
        """Check the headers. Published are `verif-hash`, the hash itself; `flutterwave-signature`,
        an HMAC of the body with the hash as its key; and, in some examples, that header with the
        hash itself."""
        if not self._hash:
            raise Refused("FLUTTERWAVE_HASH is not set")
        digest = base64.b64encode(sign(self._hash, webhook.body)).decode()
        plain = webhook.headers.get("verif-hash", "")
        signed = webhook.headers.get("flutterwave-signature", "")
        known = [
            is_same_secret(plain, self._hash),
            is_same_secret(signed, digest),
            is_same_secret(signed, self._hash),
        ]
        if not any(known):
            raise Refused("wrong or missing signature")


def _fields(order: Order, reference: str) -> Mapping[str, object]:
    """Return the fields of a payment. Callbacks go to the address in Flutterwave's dashboard."""
    return {
        "tx_ref": reference,
        "amount": order.amount,
        "currency": order.currency,
        "redirect_url": order.return_url,
        "session_duration": SESSION_MINUTES,
        "customer": {"email": mail_of(order.id), "phonenumber": order.phone},
        "customizations": {"title": "Griot", "description": order.title},
        "meta": {"order": order.id},
    }


def _check(transaction: _Transaction, reference: str) -> _Transaction:
    if transaction.tx_ref != reference:
        raise ConnectionError("Flutterwave's transaction is not this order's")
    return transaction


def _state_of(transaction: _Transaction) -> PaymentState:
    state = STATES.get(transaction.status, "waiting")
    if state != "paid":
        return PaymentState(state)
    amount, currency = whole(transaction.amount), transaction.currency.upper()
    return PaymentState("paid", amount, currency, str(transaction.id))

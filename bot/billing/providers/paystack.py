"""Paystack: cards and mobile money in Côte d'Ivoire, on Paystack's page.

Sources:
    https://paystack.com/docs/api/transaction/ (initialize, verify),
    https://paystack.com/docs/payments/verify-payments/ (what each status means),
    https://paystack.com/docs/payments/webhooks/, https://paystack.com/docs/payments/refunds/,
    https://docs-v2.paystack.com/api/errors/transaction
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from bot.billing.providers.provider_client import (
    AFTER_REFUSAL,
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
)
from bot.contracts.channels import Webhook
from bot.contracts.payments import Order, Payment, PaymentPage, PaymentState
from bot.errors import Refused
from bot.net import get_fields, is_same_secret
from bot.settings import Settings

SUBUNITS = 100
"""Units of an amount in one franc: a franc has no cents, but Paystack counts as if it had, and its
own shop module (https://github.com/PaystackOSS/woo-paystack) multiplies whatever the currency
is."""
CHANNELS = ("card", "mobile_money")
STATES: Mapping[str, Payment] = {
    "success": "paid",
    "failed": AFTER_REFUSAL,
    "reversed": "failed",
}
"""Any other status is `waiting`, even `abandoned`, which every page has before it is paid."""


class _Page(msgspec.Struct):
    authorization_url: Link
    reference: str


class _Transaction(msgspec.Struct):
    id: int
    status: str
    reference: str
    amount: int
    currency: str


class _Refund(msgspec.Struct):
    status: str = ""
    transaction: int | dict[str, Any] | None = None


class _Opened(msgspec.Struct):
    status: bool
    data: _Page


class _Verified(msgspec.Struct):
    status: bool
    data: _Transaction


class _Refunded(msgspec.Struct):
    status: bool
    data: _Refund


class _Refunds(msgspec.Struct):
    status: bool
    data: list[_Refund]


class _About(msgspec.Struct):
    reference: str | None = None


class _Event(msgspec.Struct):
    event: str
    data: _About


class Paystack:
    """Implements `bot.contracts.payments.PaymentProvider`.

    Args:
        settings: `paystack_secret_key`, which signs as well, and `paystack_api_url`.
        open_session: its time-out bounds each request.
    """

    name = "paystack"
    title = "Visa, Mastercard, mobile money (Paystack)"
    currencies: Sequence[str] = ("XOF",)
    reopens = False

    def __init__(self, settings: Settings, open_session: OpenSession = open_session) -> None:
        self._key = settings.paystack_secret_key
        self._origin = settings.paystack_api_url.rstrip("/")
        self._open_session = open_session

    async def open(self, order: Order) -> PaymentPage:
        """Open a page (`PaymentProvider.open`)."""

        async def open_page(reference: str) -> PaymentPage:
            answer = await self._ask("POST", "/transaction/initialize", _fields(order, reference))
            page = read_answer(answer, _Opened).data
            if page.reference != reference:
                raise ConnectionError("Paystack's page is not this order's")
            return PaymentPage(page.authorization_url, reference)

        return await open_first_page("Paystack", order.id, open_page)

    def verify(self, webhook: Webhook) -> str:
        """Check a callback's signature (`PaymentProvider.verify`). It holds no time, but a copied
        callback only makes us look the payment up again."""
        if not self._key:
            raise Refused("PAYSTACK_SECRET_KEY is not set")
        expected = sign(self._key, webhook.body, "sha512").hex()
        if not is_same_secret(webhook.headers.get("x-paystack-signature", ""), expected):
            raise Refused("wrong or missing signature")
        event = read_event(webhook.body, _Event)
        return order_of(event.data.reference or "") if event.event == "charge.success" else ""

    async def look_up(
        self,
        order: str,
        reference: str,  # noqa: ARG002 (a payment on any of the order's pages counts)
    ) -> PaymentState:
        return await resolve_status(order, self._read_state, known_when_opened=True)

    async def refund(self, order: str, state: PaymentState) -> None:
        """Refund a payment, unless an earlier refund is found: Paystack has no idempotency keys
        (`PaymentProvider.refund`)."""
        transaction = state.charge or order
        if await self._is_refunded(transaction):
            return
        fields = {"transaction": transaction, "merchant_note": f"order {order}"}
        try:
            answer = await self._ask("POST", "/refund", fields)
        except Declined as declined:
            if "fully reversed" in declined.reason.lower():
                return
            raise explain_refusal("Paystack", declined) from None
        if read_answer(answer, _Refunded).data.status == "failed":
            raise refusal_of("Paystack", "status failed")

    async def _read_state(self, reference: str) -> PaymentState | None:
        transaction = await self._find(reference)
        return _state_of(transaction) if transaction else None

    async def _find(self, reference: str) -> _Transaction | None:
        try:
            answer = await self._ask("GET", f"/transaction/verify/{quote(reference, safe='')}")
        except Declined as declined:
            if declined.status in (400, 404) and "not found" in declined.reason.lower():
                return None
            raise
        transaction = read_answer(answer, _Verified).data
        if transaction.reference != reference:
            raise ConnectionError("Paystack's transaction is not this order's")
        return transaction

    async def _is_refunded(self, transaction: str) -> bool:
        path = f"/refund?transaction={quote(transaction, safe='')}"
        refunds = read_answer(await self._ask("GET", path), _Refunds).data
        return any(
            refund.status != "failed" and _transaction_of(refund) == transaction
            for refund in refunds
        )

    async def _ask(self, method: str, path: str, fields: object = None) -> Any:
        headers = {"Authorization": f"Bearer {self._key}"}
        async with self._open_session() as session:
            answer = await ask(session, method, self._origin + path, headers=headers, json=fields)
        if get_fields(answer).get("status") is not True:
            raise ConnectionError("not the published answer: its status is not true")
        return answer


def _fields(order: Order, reference: str) -> Mapping[str, object]:
    """Return the fields of a payment. The page leads back to `callback_url`; callbacks go to the
    address in Paystack's dashboard."""
    return {
        "email": mail_of(order.id),
        "amount": order.amount * SUBUNITS,
        "currency": order.currency,
        "reference": reference,
        "callback_url": order.return_url,
        "channels": CHANNELS,
        "metadata": msgspec.json.encode(
            {"order": order.id, "title": order.title, "cancel_action": order.cancel_url}
        ).decode(),
    }


def _state_of(transaction: _Transaction) -> PaymentState:
    state = STATES.get(transaction.status, "waiting")
    if state != "paid":
        return PaymentState(state)
    amount = transaction.amount // SUBUNITS
    return PaymentState("paid", amount, transaction.currency.upper(), str(transaction.id))


def _transaction_of(refund: _Refund) -> str:
    """Return the transaction's id in a refund: Paystack gives it as a number when refunds are
    listed, and inside the whole transaction when one is made."""
    reported = refund.transaction
    return str(reported.get("id") if isinstance(reported, dict) else reported)

"""CinetPay's Checkout v2, the older of its two APIs: one page for Orange Money, MTN, Moov, Wave.

Facts: https://docs.cinetpay.com/api/1.0-en/checkout/initialisation, …/notification, …/hmac,
https://docs.cinetpay.com/api/1.0-fr/checkout/verification. The readings of what they leave open are
in docs/payments.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from bot.billing.providers.provider_client import (
    Amount,
    Declined,
    Link,
    OpenSession,
    ask,
    check_keys,
    is_order,
    open_session,
    read_answer,
    sign,
    whole,
)
from bot.contracts.channels import Webhook
from bot.contracts.findings import Finding
from bot.contracts.payments import Order, Payment, PaymentPage, PaymentState
from bot.errors import BadRequest, PersonError, Refused
from bot.net import get_fields, is_same_secret
from bot.settings import Settings

STEP: Final = 5
"""Amounts are multiples of this."""
_URL: Final = "https://api-checkout.cinetpay.com"
_MAX_FIELDS = 100
_SPECIAL = re.compile(r"[#/$_&]+")
"""The characters that CinetPay does not allow in a description."""
_SIGNED: Final = (
    "cpm_site_id",
    "cpm_trans_id",
    "cpm_trans_date",
    "cpm_amount",
    "cpm_currency",
    "signature",
    "payment_method",
    "cel_phone_num",
    "cpm_phone_prefixe",
    "cpm_language",
    "cpm_version",
    "cpm_payment_config",
    "cpm_page_action",
    "cpm_custom",
    "cpm_designation",
    "cpm_error_message",
)
_READINGS: Final = (_SIGNED, _SIGNED[:-1])
"""The fields that the token signs. An older page of the documentation ends before
`cpm_error_message`; we use no field that one of the two leaves out."""
_STATES: Final[Mapping[str, Payment]] = {
    "ACCEPTED": "paid",
    "REFUSED": "failed",
    "CREATED": "waiting",
    "PENDING": "waiting",
    "WAITING_FOR_CUSTOMER": "waiting",
    "WAITING_CUSTOMER_TO_VALIDATE": "waiting",
    "WAITING_CUSTOMER_PAYMENT": "waiting",
    "WAITING_CUSTOMER_OTP_CODE": "waiting",
}


class _Link(msgspec.Struct):
    payment_url: Link


class _Opened(msgspec.Struct):
    data: _Link


class _Transaction(msgspec.Struct):
    status: str
    amount: Amount = 0
    currency: str | None = ""


class _Checked(msgspec.Struct):
    code: str | int
    message: str = ""
    data: Any = None
    """A transaction; null or an empty list while the person has not tried to pay."""


class CinetPay:
    """Implements `bot.contracts.payments.PaymentProvider`.

    Args:
        settings: `cinetpay_api_key`, `cinetpay_site_id`, `cinetpay_secret_key`, `cinetpay_api_url`.
        open_session: its time-out bounds each request.
    """

    name: str = "cinetpay"
    title: str = "Orange Money, MTN, Moov (CinetPay)"
    currencies: Sequence[str] = ("XOF", "XAF")
    reopens = False

    def __init__(self, settings: Settings, open_session: OpenSession = open_session) -> None:
        self._keys = {"apikey": settings.cinetpay_api_key, "site_id": settings.cinetpay_site_id}
        self._site = settings.cinetpay_site_id
        self._secret = settings.cinetpay_secret_key
        self._url = (settings.cinetpay_api_url or _URL).rstrip("/")
        self._open_session = open_session

    async def open(self, order: Order) -> PaymentPage:
        """Open a page (`PaymentProvider.open`). CinetPay takes an order's id as a transaction only
        once; an amount that is not a multiple of `STEP` is not sent (`ConnectionError`)."""
        if order.amount % STEP:
            raise ConnectionError(f"CinetPay takes multiples of {STEP} only, not {order.amount}")
        answer = await self._ask(
            "/v2/payment",
            {
                "transaction_id": order.id,
                "amount": order.amount,
                "currency": order.currency,
                "description": " ".join(_SPECIAL.sub(" ", order.title).split()),
                "notify_url": order.callback_url,
                "return_url": order.return_url,
                "channels": "ALL",
                "lang": order.language,
                "metadata": order.id,
            },
        )
        return PaymentPage(read_answer(answer, _Opened).data.payment_url, reference="")

    def verify(self, webhook: Webhook) -> str:
        """Check a callback's signature (`PaymentProvider.verify`). By a GET, which is about no
        order, CinetPay checks that the address works."""
        if webhook.method == "GET":
            return ""
        try:
            text = webhook.body.decode("ascii")
            pairs = parse_qsl(
                text, keep_blank_values=True, errors="surrogateescape", max_num_fields=_MAX_FIELDS
            )
        except ValueError:
            raise Refused("not a form") from None
        form = dict(pairs)
        given = webhook.headers.get("x-token", "")
        if not self._secret or not any(
            is_same_secret(given, sign(self._secret, _joined(form, names)).hex())
            for names in _READINGS
        ):
            raise Refused("wrong or missing x-token, or CINETPAY_SECRET_KEY is not set")
        if form.get("cpm_site_id") != self._site:
            raise Refused("about another site than CINETPAY_SITE_ID")
        if not (transaction := form.get("cpm_trans_id", "")):
            raise BadRequest("no cpm_trans_id")
        return transaction if is_order(transaction) else ""

    async def look_up(self, order: str, reference: str) -> PaymentState:
        """Return the state of a payment (`PaymentProvider.look_up`)."""
        del reference  # ours
        try:
            answer = await self._ask("/v2/payment/check", {"transaction_id": order})
        except Declined as declined:  # which status goes with "not paid" is not published
            answer = declined.answer
            if "data" not in get_fields(answer):
                raise
        return _read_state(read_answer(answer, _Checked))

    async def check(self) -> Sequence[Finding]:
        """Check our keys (`CheckedProvider.check`)."""
        return await check_keys(self.title, self.look_up)

    async def refund(self, order: str, state: PaymentState) -> None:
        """Raise `PersonError`: CinetPay publishes no refund."""
        del state
        raise PersonError(
            "CinetPay gives nothing back by itself: do it in its back office, "
            f"https://app.cinetpay.com, transaction {order}."
        )

    async def _ask(self, path: str, question: Mapping[str, Any]) -> Any:
        async with self._open_session() as session:
            return await ask(
                session, "POST", self._url + path, headers={}, json={**self._keys, **question}
            )


def _read_state(checked: _Checked) -> PaymentState:
    """Read the state of a transaction. Raises `ConnectionError`: CinetPay has not published the
    status, or its code contradicts it."""
    transaction = read_answer(checked.data or {"status": checked.message}, _Transaction)
    state = _STATES.get(transaction.status)
    if state is None or (state == "paid" and str(checked.code) not in {"00", "0"}):
        raise ConnectionError("CinetPay's code and status do not fit together")
    if state != "paid":
        return PaymentState(state)
    return PaymentState(state, whole(transaction.amount), transaction.currency or "")


def _joined(form: Mapping[str, str], names: Sequence[str]) -> bytes:
    return "".join(form.get(name, "") for name in names).encode(errors="surrogateescape")

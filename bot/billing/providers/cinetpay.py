"""CinetPay: one page for Orange Money, MTN, Moov, Wave, by either of its two APIs.

Checkout v2, the older one (`CinetPay`): https://docs.cinetpay.com/api/1.0-en/checkout/initialisation,
…/notification, …/hmac, https://docs.cinetpay.com/api/1.0-fr/checkout/verification.

`/v1/` at api.cinetpay.co (`CinetPayV1`), an account for each country, with a password: CinetPay's
own SDKs of 2026 (https://github.com/cinetpay/cinetpay-php-sdk and cinetpay-js, as far as their
README files tell), and the contract that https://github.com/elinguiuriel/cinetpay-sdk wrote down
from the sandbox's documentation (docs/cinetpay-sandbox-contract.md). Nothing was tried against
CinetPay itself.

The readings of what they leave open are in docs/payments.md.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import msgspec
from aiohttp import ClientSession

from bot.billing.packs import currencies_of
from bot.billing.providers.provider_client import (
    AFTER_REFUSAL,
    Amount,
    Declined,
    Link,
    OpenSession,
    ask,
    is_order,
    mail_of,
    open_session,
    read_answer,
    read_event,
    read_query,
    sign,
    whole,
)
from bot.contracts.channels import Webhook
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


class _CinetPay:
    """What both APIs have in common."""

    name: str = "cinetpay"
    title: str = "Orange Money, MTN, Moov (CinetPay)"
    reopens = False

    async def refund(self, order: str, state: PaymentState) -> None:
        """Raise `PersonError`: CinetPay publishes no refund."""
        del state
        raise PersonError(
            "CinetPay gives nothing back by itself: do it in its back office, "
            f"https://app.cinetpay.com, transaction {order}."
        )


class CinetPay(_CinetPay):
    """Implements `bot.contracts.payments.PaymentProvider`.

    Args:
        settings: `cinetpay_api_key`, `cinetpay_site_id`, `cinetpay_secret_key`, `cinetpay_api_url`.
        open_session: its time-out bounds each request.
    """

    currencies: Sequence[str] = ("XOF", "XAF")

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


# The newer API ---------------------------------------------------------------------------------

AMOUNTS: Final = (100, 2_500_000)
"""The least and the greatest amount of one payment."""
_LIVE: Final = "https://api.cinetpay.co"
_SANDBOX: Final = "https://api.cinetpay.net"
_MAX_ADDRESS: Final = 120
"""Characters of each address in a payment."""
_SPARE: Final = 60.0
"""Seconds before its end at which an access token is not used any more."""
_BAD_TOKEN: Final = (1002, 1003)
"""INVALID_TOKEN, EXPIRED_TOKEN: refused before anything is done."""
_BAD_KEYS: Final = 1005
"""INVALID_CREDENTIALS."""
_STATES_V1: Final[Mapping[str, Payment]] = {
    "SUCCESS": "paid",
    "FAILED": "failed",
    "INITIATED": "waiting",
    "PENDING": "waiting",
    "EXPIRED": "waiting",  # the SDKs do not count it as final
    **dict.fromkeys(
        (
            "INSUFFICIENT_BALANCE",
            "NOT_ALLOWED",
            "OTP_ERROR",
            "OTP_EXPIRED",
            "USER_IS_BLOCKED",
            "USER_NOT_FOUND",
        ),
        AFTER_REFUSAL,
    ),
}


class _Access(msgspec.Struct):
    access_token: str
    expires_in: int | float = 23 * 3600


class _OpenedV1(msgspec.Struct):
    payment_url: Link
    transaction_id: str | int = ""


class _TransactionV1(msgspec.Struct):
    status: str
    merchant_transaction_id: str
    amount: Amount | None = None
    currency: str | None = None


class _Notification(msgspec.Struct):
    merchant_transaction_id: str = ""


class CinetPayV1(_CinetPay):
    """Implements `bot.contracts.payments.PaymentProvider`.

    Args:
        settings: `cinetpay_api_key`, `cinetpay_api_password`, `cinetpay_country`,
            `cinetpay_api_url`; `secret_key` makes the callback's address one to keep secret.
        open_session: its time-out bounds each request.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        settings: Settings,
        open_session: OpenSession = open_session,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        key = settings.cinetpay_api_key
        default = _SANDBOX if key.startswith("sk_test_") else _LIVE
        self._url = (settings.cinetpay_api_url or default).rstrip("/")
        self._login = {"api_key": key, "api_password": settings.cinetpay_api_password}
        self._webhook_keys = settings.list_webhook_keys(self.name)
        self.currencies: Sequence[str] = currencies_of(settings.cinetpay_country)[:1]
        self._open_session = open_session
        self._clock = clock
        self._access = ""
        self._ends = 0.0

    async def open(self, order: Order) -> PaymentPage:
        """Open a page (`PaymentProvider.open`). CinetPay takes an order's id only once; a request
        that it would refuse is not sent (`ConnectionError`)."""
        least, most = AMOUNTS
        if not least <= order.amount <= most:
            raise ConnectionError(f"CinetPay takes {least} to {most} only, not {order.amount}")
        addresses = {
            "success_url": order.return_url,
            "failed_url": order.cancel_url,
            "notify_url": f"{order.callback_url}?key={next(iter(self._webhook_keys), '')}",
        }
        if any(len(address) > _MAX_ADDRESS for address in addresses.values()):
            raise ConnectionError(f"CinetPay takes addresses of {_MAX_ADDRESS} characters at most")
        question = {
            "merchant_transaction_id": order.id,
            "amount": order.amount,
            "currency": order.currency,
            "lang": order.language,
            "designation": order.title,
            "client_email": mail_of(order.id),
            "client_first_name": "Client",
            "client_last_name": "Griot",
            **addresses,
        }
        opened = read_answer(await self._ask("POST", "/v1/payment", question), _OpenedV1)
        return PaymentPage(opened.payment_url, reference=str(opened.transaction_id))

    def verify(self, webhook: Webhook) -> str:
        """Check a callback by the key in its address (`PaymentProvider.verify`): CinetPay signs
        nothing, but only CinetPay knows the address. Its `notify_token` proves no more, and is lost
        with a lost answer."""
        if webhook.method == "GET":
            return ""
        given = read_query(webhook).get("key", "")
        if not any(is_same_secret(given, key) for key in self._webhook_keys):
            raise Refused("wrong or missing key in the address, or SECRET_KEY is not set")
        order = read_event(webhook.body, _Notification).merchant_transaction_id
        return order if is_order(order) else ""

    async def look_up(self, order: str, reference: str) -> PaymentState:
        """Return the state of a payment (`PaymentProvider.look_up`). A transaction that CinetPay
        does not know waits: the answer to its opening may have been lost."""
        del reference  # it may not be noted yet, and CinetPay knows ours too
        try:
            answer = await self._ask("GET", f"/v1/payment/{order}")
        except Declined as declined:
            if declined.status != 404:
                raise
            return PaymentState("waiting")
        transaction = read_answer(answer, _TransactionV1)
        state = _STATES_V1.get(transaction.status)
        if state is None or transaction.merchant_transaction_id != order:
            raise ConnectionError("not what CinetPay has published: the status of a payment")
        if state != "paid":
            return PaymentState(state)
        if transaction.amount is None:
            return PaymentState(state, amount=None)
        return PaymentState(
            state, whole(transaction.amount), transaction.currency or self.currencies[0]
        )

    async def _ask(self, method: str, path: str, question: Any = None) -> Any:
        """Return the answer to a request, sent once more with a new access token if the old one is
        refused."""
        async with self._open_session() as session:
            await self._log_in(session)
            try:
                return await self._call(session, method, path, question)
            except Declined as declined:
                if declined.status != 401:
                    raise
            self._access = ""
            await self._log_in(session)
            return await self._call(session, method, path, question)

    async def _call(self, session: ClientSession, method: str, path: str, question: Any) -> Any:
        headers = {"Authorization": f"Bearer {self._access}"} if self._access else {}
        url = self._url + path
        try:
            answer = await ask(session, method, url, headers=headers, json=question)
        except Declined as declined:
            self._check_access(declined.answer)
            raise
        self._check_access(answer)
        return answer

    def _check_access(self, answer: Any) -> None:
        """Raise `Declined` with 401 where the answer's code refuses the token or the keys: which
        HTTP status goes with it is not published."""
        if get_fields(answer).get("code") in {*_BAD_TOKEN, _BAD_KEYS}:
            raise Declined(urlsplit(self._url).hostname or "", 401, answer, "") from None

    async def _log_in(self, session: ClientSession) -> None:
        """Get an access token, unless the stored one is still valid."""
        if self._access and self._clock() < self._ends:
            return
        self._access = ""
        answer = await self._call(session, "POST", "/v1/oauth/login", self._login)
        access = read_answer(answer, _Access)
        self._ends = self._clock() + access.expires_in - _SPARE
        self._access = access.access_token

"""MTN MoMo's collections: the person is asked on their phone, there is no page.

Facts: https://momodeveloper.mtn.com/api-documentation/callback, …/common-error, …/testing and
https://momodeveloper.mtn.com/docs/services/collection/operations/requesttopay-POST. The readings of
what they leave open are in docs/payments.md.
"""

from __future__ import annotations

import hashlib
import re
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode, urlsplit
from uuid import UUID

import msgspec
from aiohttp import ClientSession, encode_basic_auth

from bot.billing.providers.provider_client import (
    Amount,
    Declined,
    OpenSession,
    ask,
    is_order,
    open_session,
    read_answer,
    read_event,
    read_query,
    sign,
    whole,
)
from bot.contracts.channels import Webhook
from bot.contracts.payments import Order, Payment, PaymentPage, PaymentState
from bot.errors import BadRequest, NumberUnknown, PersonError, Refused, WalletUnknown
from bot.net import get_fields, is_same_secret
from bot.settings import Settings

SANDBOX: Final = "sandbox"
CURRENCIES: Final[Mapping[str, str]] = {
    SANDBOX: "XOF",
    "mtnivorycoast": "XOF",
    "mtnbenin": "XOF",
    "mtncameroon": "XAF",
    "mtncongo": "XAF",
}
"""The currency of each target environment. The sandbox takes EUR only, which stands for XOF."""
_SPARE: Final = 60.0
"""Seconds before its end at which an access token is not used any more."""
_MAX_MESSAGE: Final = 160
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 ]+")
_REQUESTS: Final = "/collection/v1_0/requesttopay"
_NO_WALLET: Final = "PAYER_NOT_FOUND"
_STATES: Final[Mapping[str, Payment]] = {
    "SUCCESSFUL": "paid",
    "FAILED": "failed",
    "REJECTED": "failed",
    "TIMEOUT": "failed",
    "PENDING": "waiting",
    "CREATED": "waiting",
    "ONGOING": "waiting",
}
"""Three of these are published; the others are from the sandbox's older use cases."""


class _Access(msgspec.Struct):
    access_token: str
    expires_in: int | float


class _Status(msgspec.Struct):
    status: str
    amount: Amount = 0
    currency: str = ""


class _Callback(msgspec.Struct):
    externalId: str | int = ""  # noqa: N815 - MTN's name for it


class MtnMomo:
    """Implements `bot.contracts.payments.PaymentProvider`.

    Args:
        settings: `mtn_momo_user`, `mtn_momo_key`, `mtn_momo_subscription_key`, `mtn_momo_api_url`,
            `mtn_momo_environment`; `secret_key` makes the callback's address one to keep secret.
        open_session: its time-out bounds each request.
        clock: monotonic seconds.
    """

    name: str = "mtn_momo"
    title: str = "MTN MoMo"
    reopens = True

    def __init__(
        self,
        settings: Settings,
        open_session: OpenSession = open_session,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = settings.mtn_momo_api_url.rstrip("/")
        is_sandbox = (urlsplit(self._url).hostname or "").startswith("sandbox.")
        self._environment = SANDBOX if is_sandbox else settings.mtn_momo_environment
        self.currencies: Sequence[str] = (CURRENCIES[self._environment],)
        self._login = encode_basic_auth(settings.mtn_momo_user, settings.mtn_momo_key)
        self._subscription = {"Ocp-Apim-Subscription-Key": settings.mtn_momo_subscription_key}
        self._secrets = settings.secret_keys
        self._open_session = open_session
        self._clock = clock
        self._access = ""
        self._ends = 0.0

    async def open(self, order: Order) -> PaymentPage:
        """Ask the person on their phone (`PaymentProvider.open`). For a second call MTN knows the
        request already, and does not ask the person again."""
        if not order.phone:
            raise NumberUnknown("MTN asks people on their phone, and the number is not known.")
        reference = _reference(order.id)
        headers = {"X-Reference-Id": reference}
        if order.callback_url.startswith("https://"):  # MTN refuses the request for any other
            mark = "&" if "?" in order.callback_url else "?"
            headers["X-Callback-Url"] = f"{order.callback_url}{mark}" + urlencode(
                {"order": order.id, "token": _token(next(iter(self._secrets), ""), order.id)}
            )
        # Letters without accents, digits and spaces: what every phone's menu can show.
        letters = unicodedata.normalize("NFKD", order.title)
        message = _NOT_PLAIN.sub("", letters)[:_MAX_MESSAGE].strip()
        question = {
            "amount": str(order.amount),
            "currency": "EUR" if self._environment == SANDBOX else order.currency,
            "externalId": order.id,
            "payer": {"partyIdType": "MSISDN", "partyId": order.phone.removeprefix("+")},
            "payerMessage": message,
            "payeeNote": message,
        }
        try:
            await self._ask("POST", _REQUESTS, headers, question)
        except Declined as declined:
            _check_known(declined)
        return PaymentPage(url="", reference=reference)

    def verify(self, webhook: Webhook) -> str:
        """Check a callback by the token in its address (`PaymentProvider.verify`): MTN signs
        nothing, but only MTN knows the address."""
        query = read_query(webhook)
        order, token = query.get("order", ""), query.get("token", "")
        if not any(is_same_secret(token, _token(secret, order)) for secret in self._secrets):
            raise Refused("wrong or missing token in the address, or SECRET_KEY is not set")
        reported = str(read_event(webhook.body, _Callback).externalId)
        if reported not in {"", order}:
            raise BadRequest("externalId and the address name two orders")
        return order if is_order(order) else ""

    async def look_up(self, order: str, reference: str) -> PaymentState:
        """Return the state of a request (`PaymentProvider.look_up`). A request that MTN does not
        know waits: it may be on its way."""
        del reference  # it follows from the order, and the callback may be quicker than our note
        try:
            answer = await self._ask("GET", f"{_REQUESTS}/{_reference(order)}")
        except Declined as declined:
            if declined.status != 404:
                raise
            return PaymentState("waiting")
        status = read_answer(answer, _Status)
        state = _STATES.get(status.status)
        if state is None:
            raise ConnectionError("not what MTN has published: the status of a request")
        if state != "paid":
            return PaymentState(state)
        return PaymentState(state, whole(status.amount), self._currency(status.currency))

    async def refund(self, order: str, state: PaymentState) -> None:
        """Raise `PersonError`: MTN refunds only by another product, with keys of its own."""
        del state
        raise PersonError(
            "MTN MoMo gives nothing back without its Disbursements product: "
            f"do it in MTN's partner portal, external id {order}."
        )

    def _currency(self, reported: str) -> str:
        if self._environment == SANDBOX and reported == "EUR":
            return CURRENCIES[SANDBOX]
        return reported

    async def _ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, question: Any = None
    ) -> Any:
        async with self._open_session() as session:
            named = {
                **self._subscription,
                **(headers or {}),
                "Authorization": f"Bearer {await self._authorise(session)}",
                "X-Target-Environment": self._environment,
            }
            try:
                return await ask(session, method, self._url + path, headers=named, json=question)
            except Declined as declined:
                if declined.status == 401:
                    self._access = ""
                raise

    async def _authorise(self, session: ClientSession) -> str:
        """Return an access token, kept as long as MTN says."""
        if not self._access or self._clock() >= self._ends:
            url = f"{self._url}/collection/token/"
            headers = {**self._subscription, "Authorization": self._login}
            access = read_answer(await ask(session, "POST", url, headers=headers), _Access)
            self._ends = self._clock() + access.expires_in - _SPARE
            self._access = access.access_token
        return self._access


def _token(secret: str, order: str) -> str:
    return sign(secret, f"mtn_momo:{order}".encode(errors="surrogatepass")).hex()[:32]


def _check_known(declined: Declined) -> None:
    """Return if MTN refused a request because it was made before; else raise.

    Raises:
        WalletUnknown: the number is not registered for Mobile Money.
        Declined: the given one, for any other refusal.
    """
    if get_fields(declined.answer).get("code") == _NO_WALLET:
        raise WalletUnknown("The number has no MTN MoMo account.") from None
    if declined.status != 409:
        raise declined


def _reference(order: str) -> str:
    """Return the order's UUID, always the same, of version 4, which MTN demands."""
    digest = hashlib.sha256(f"griot:mtn_momo:{order}".encode()).digest()
    return str(UUID(bytes=digest[:16], version=4))

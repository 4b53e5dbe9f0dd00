"""The client of Twilio's API, and the meaning of Twilio's refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from aiohttp import (
    ClientResponse,
    ClientTimeout,
    encode_basic_auth,
)
from yarl import URL

from adapters.base import (
    CONNECT_SECONDS,
    OPERATOR_SECONDS,
    HttpClient,
    convert_http_errors,
    explain_cause,
    read_answer,
    read_retry_after,
)
from bot.errors import DeliveryError, OutcomeUnknown, RetryAt, Undeliverable
from bot.messages.incoming import FailureCause
from bot.settings import Settings

_CAUSES: dict[int, FailureCause] = {
    368: "restricted",  # Meta's own codes, where they are passed on
    131031: "restricted",
    21211: "dead",  # invalid 'To' phone number
    21610: "opted_out",  # the recipient has replied STOP
    21614: "dead",  # 'To' number is not a valid mobile number
    21635: "dead",  # 'To' number cannot be a landline
    30005: "dead",  # unknown destination handset: inactive, or no longer in service
    30006: "dead",  # landline or unreachable carrier: not to be tried again
    63003: "dead",  # the channel could not find the address
    63014: "dead",  # the person blocked the sender: not before they write again
    63016: "window",  # free-form message outside the 24 hours
    63020: "restricted",  # Meta reports an error of the business account
    63024: "dead",  # invalid message recipient
    63112: "restricted",  # Meta disabled the account of this sender
}
"""Twilio's error dictionary, twilio.com/docs/api/errors. Not 30003: that phone may be off."""
_TOO_FAST = {20429, 21611}
"""Too many requests; too many messages queued for the sender. Neither was taken."""


class Refusal(Exception):
    """Twilio answered with an error.

    Args:
        status: the HTTP status.
        code: Twilio's error code; 0 when it gave none.
        retry_after: seconds to wait, as Twilio asked.
    """

    def __init__(self, status: int, code: int = 0, retry_after: float | None = None) -> None:
        super().__init__(f"Twilio error {code} (HTTP {status})" if code else f"HTTP {status}")
        self.status = status
        self.code = code
        self.retry_after = retry_after

    @property
    def is_for_operator(self) -> bool:
        """Whether the account, its token or TWILIO_API_URL is wrong, and not this message."""
        known = self.code in _CAUSES or self.code in _TOO_FAST
        return not known and (self.status in {401, 403} or 300 <= self.status < 400)


def classify_code(code: int) -> FailureCause:
    """Return the cause of an error that is about the conversation or the sender; empty for an error
    about one message."""
    return _CAUSES.get(code, "")


def explain(refusal: Refusal) -> DeliveryError:
    """Return the error that a refusal means for its delivery.

    A 429 was never processed; a 5xx may have been (twilio.com/docs/api/errors/20429).
    """
    reason, cause = str(refusal), classify_code(refusal.code)
    if cause:
        return explain_cause(cause, reason)
    if refusal.status == 429 or refusal.code in _TOO_FAST:
        return RetryAt(reason, refusal.retry_after)
    if refusal.is_for_operator:
        return RetryAt(reason, OPERATOR_SECONDS)
    if refusal.status >= 500:
        return OutcomeUnknown(reason)
    return Undeliverable(reason)


ANSWER_SECONDS = 15.0
DEFAULT_API_URL = "https://api.twilio.com"


class Answer(msgspec.Struct):
    """The fields read from Twilio's JSON, in success or failure."""

    sid: str | None = None
    code: int | None = None
    status: Any = None
    """The state of a verification or an account; of an error, the HTTP status once more."""
    incoming_phone_numbers: list[Any] | None = None


_decode = msgspec.json.Decoder(Answer).decode


class TwilioClient(HttpClient):
    """Calls Twilio's API with the credentials of an account.

    Args:
        settings: its `twilio_account_sid`, `twilio_auth_token` and `twilio_api_url`: unless that is
            Twilio's own, all requests go there, whichever of Twilio's hosts their URL names
            (messages, content, typing indicators and codes have one each).
        seconds: time-out of a whole exchange; the connection must be made in the first five.

    Its methods raise `RetryAt` (no connection), `Refusal` or `OutcomeUnknown` (no usable answer).
    """

    def __init__(self, settings: Settings, seconds: float = ANSWER_SECONDS) -> None:
        api_url = settings.twilio_api_url.rstrip("/")
        self._base = "" if api_url == DEFAULT_API_URL else api_url
        sid = settings.twilio_account_sid
        self.account_url = f"{DEFAULT_API_URL}/2010-04-01/Accounts/{quote(sid, safe='')}"
        self._headers = {
            "Accept": "application/json",
            "Authorization": encode_basic_auth(sid, settings.twilio_auth_token),
        }
        self._timeout = ClientTimeout(total=seconds, connect=CONNECT_SECONDS)

    async def get(self, url: str, query: Mapping[str, str] | None = None) -> Answer:
        target = self._target(url)
        return await self._exchange("GET", target.extend_query(query) if query else target)

    async def post(self, url: str, form: Mapping[str, str]) -> Answer:
        body = urlencode(form).encode()
        return await self._exchange(
            "POST", self._target(url), body, "application/x-www-form-urlencoded"
        )

    async def post_json(self, url: str, content: object) -> Answer:
        body = msgspec.json.encode(content)
        return await self._exchange("POST", self._target(url), body, "application/json")

    async def _exchange(
        self, method: str, url: URL, body: bytes | None = None, content_type: str = ""
    ) -> Answer:
        """Make a request. A redirect is an answer like another: it would carry keys elsewhere."""
        headers = self._headers | {"Content-Type": content_type} if body else self._headers
        with convert_http_errors("Twilio"):
            async with self.session.request(
                method,
                url,
                data=body,
                headers=headers,
                timeout=self._timeout,
                allow_redirects=False,
            ) as response:
                return await _read_answer(response)

    def _target(self, url: str) -> URL:
        target = URL(url)
        return URL(self._base + target.raw_path_qs, encoded=True) if self._base else target


async def _read_answer(response: ClientResponse) -> Answer:
    """Return a successful answer. Raises `Refusal` or `OutcomeUnknown`."""
    payload = await read_answer(response, "Twilio")
    if not 200 <= response.status < 300:
        raise Refusal(response.status, _code_in(payload), read_retry_after(response.headers))
    try:
        return _decode(payload)
    except (msgspec.DecodeError, RecursionError):
        raise OutcomeUnknown("Twilio's answer is not one of its API") from None


def _code_in(payload: bytes) -> int:
    """Return Twilio's error code; 0 where something other than its API answered."""
    try:
        return _decode(payload).code or 0
    except (msgspec.DecodeError, RecursionError):
        return 0

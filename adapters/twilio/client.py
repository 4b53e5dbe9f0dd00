"""The HTTP client given to the Twilio SDK, and the meaning of Twilio's refusals."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    encode_basic_auth,
)
from twilio.http import AsyncHttpClient
from twilio.http.response import Response
from yarl import URL

from adapters.base import (
    CONNECT_SECONDS,
    MAX_ANSWER,
    NO_CONNECTION,
    explain_cause,
    read_retry_after,
)
from bot.errors import DeliveryError, OutcomeUnknown, RetryAt, TooLarge, Undeliverable
from bot.messages.incoming import FailureCause
from bot.net import read_within

OPERATOR_SECONDS = 60.0
"""Seconds to wait where the operator has to act: no message was taken, and none is lost."""
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


class Answer(msgspec.Struct, omit_defaults=True):
    """The fields read from Twilio's JSON, in success or failure."""

    sid: str | None = None
    code: int | None = None
    status: Any = None
    """The state of a verification or an account; of an error, the HTTP status once more."""
    incoming_phone_numbers: list[Any] | None = None


_decode = msgspec.json.Decoder(Answer).decode


class HttpClient(AsyncHttpClient):
    """Sends the requests that the SDK composes.

    Args:
        api_url: unless it is Twilio's own, all requests go there, whichever of Twilio's hosts the
            SDK names (messages, content and typing indicators have one each).
        seconds: time-out of a whole exchange; the connection must be made in the first five.

    Its requests raise `RetryAt` (no connection), `Refusal` or `OutcomeUnknown` (no usable answer).
    """

    def __init__(self, api_url: str, seconds: float = ANSWER_SECONDS) -> None:
        super().__init__(logging.getLogger(__name__), is_async=True)
        self._base = "" if api_url.rstrip("/") == DEFAULT_API_URL else api_url.rstrip("/")
        self._timeout = ClientTimeout(total=seconds, connect=CONNECT_SECONDS)
        self._session: ClientSession | None = None

    async def request(
        self,
        method: str,
        uri: str,
        params: Mapping[str, object] | None = None,
        data: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 (the SDK passes none)
        allow_redirects: bool = False,  # noqa: ARG002 (a redirect is an answer like another)
    ) -> Response:
        target = self._target(uri)
        if params:
            target = target.extend_query({name: str(value) for name, value in params.items()})
        sent = dict(headers or {})
        if auth is not None:
            sent["Authorization"] = encode_basic_auth(*auth)
        try:
            async with self.session.request(
                method,
                target,
                data=_encode(data, sent) if data else None,
                headers=sent,
                timeout=self._timeout,
                allow_redirects=False,
            ) as response:
                return await _read_answer(response)
        # `from None`: aiohttp's errors may hold the URL, and with it the account.
        except NO_CONNECTION as error:
            raise RetryAt(f"no connection to Twilio ({type(error).__name__})") from None
        except (ClientError, TimeoutError, OSError, TooLarge) as error:
            raise OutcomeUnknown(f"no answer from Twilio ({type(error).__name__})") from None

    @property
    def session(self) -> ClientSession:
        """The one session, opened when it is first needed."""
        if self._session is None:
            self._session = ClientSession(cookie_jar=DummyCookieJar())
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _target(self, uri: str) -> URL:
        url = URL(uri)
        return URL(self._base + url.raw_path_qs, encoded=True) if self._base else url


async def _read_answer(response: ClientResponse) -> Response:
    """Return a successful answer, cut down to the fields of `Answer`: the SDK would parse dates and
    prices too. Raises `Refusal` or `OutcomeUnknown`."""
    payload = await read_within(response, MAX_ANSWER)
    if not 200 <= response.status < 300:
        raise Refusal(response.status, _code_in(payload), read_retry_after(response.headers))
    try:
        answer = _decode(payload)
    except (msgspec.DecodeError, RecursionError):
        raise OutcomeUnknown("Twilio's answer is not one of its API") from None
    return Response(response.status, msgspec.json.encode(answer).decode())


def _code_in(payload: bytes) -> int:
    """Return Twilio's error code; 0 where something other than its API answered."""
    try:
        return _decode(payload).code or 0
    except (msgspec.DecodeError, RecursionError):
        return 0


def _encode(data: Mapping[str, object], headers: Mapping[str, str]) -> bytes:
    """Encode a body by the content type that the SDK chose; a list becomes a repeated field."""
    if headers.get("Content-Type") == "application/json":
        return msgspec.json.encode(data)
    return urlencode(data, doseq=True).encode()

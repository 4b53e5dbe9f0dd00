"""How Twilio is reached: the HTTP client that the SDK is given.

The SDK's own forgets its time-outs and can send a POST again after a 500. This one asks once, and
keeps apart what the outbox must keep apart: surely not sent, refused, and in doubt.
"""

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

from adapters._http import (
    CONNECT_SECONDS,
    MAX_ANSWER,
    NO_CONNECTION,
    read_retry_after,
)
from adapters._twilio_errors import Refusal
from bot.bodies import read_within
from bot.errors import OutcomeUnknown, RetryAt, TooLarge

ANSWER_SECONDS = 15.0
DEFAULT_API_URL = "https://api.twilio.com"


class Answer(msgspec.Struct, omit_defaults=True):
    """What is read of Twilio's JSON, in success or failure."""

    sid: str | None = None
    code: int | None = None
    status: Any = None
    """Of a verification how it stands; of an error, the HTTP status once more."""


_decode = msgspec.json.Decoder(Answer).decode


class HttpClient(AsyncHttpClient):
    """Sends what the SDK composes.

    Args:
        api_url: unless it is Twilio's own, everything goes there, whichever of Twilio's hosts the
            SDK names (messages, content and typing indicators have one each).
        seconds: for a whole exchange; a connection must stand within the first five.

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
    """The success, cut down to what is read of it: the SDK would parse dates and prices too."""
    payload = await read_within(response, MAX_ANSWER)
    if not 200 <= response.status < 300:
        raise Refusal(response.status, _code_in(payload), read_retry_after(response.headers))
    try:
        answer = _decode(payload)
    except (msgspec.DecodeError, RecursionError):
        raise OutcomeUnknown("Twilio's answer is not one of its API") from None
    return Response(response.status, msgspec.json.encode(answer).decode())


def _code_in(payload: bytes) -> int:
    """Twilio's error code, 0 where something else than its API answered."""
    try:
        return _decode(payload).code or 0
    except (msgspec.DecodeError, RecursionError):
        return 0


def _encode(data: Mapping[str, object], headers: Mapping[str, str]) -> bytes:
    """By the content type that the SDK chose; a list becomes a repeated field."""
    if headers.get("Content-Type") == "application/json":
        return msgspec.json.encode(data)
    return urlencode(data, doseq=True).encode()

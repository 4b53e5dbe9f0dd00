"""How Meta's Graph API is reached: one request at a time, never sent twice from here.

Three outcomes are kept apart, as the outbox must: surely not sent (`RetryAt`), refused (`Refusal`),
and in doubt (`OutcomeUnknown`).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    FormData,
)
from yarl import URL

from adapters._http import (
    CONNECT_SECONDS,
    MAX_ANSWER,
    NO_CONNECTION,
    read_retry_after,
)
from adapters.whatsapp_errors import Refusal
from bot.bodies import read_within
from bot.errors import OutcomeUnknown, RetryAt, TooLarge

ANSWER_SECONDS = 20.0
TRANSFER_SECONDS = 300.0
"""For a request that carries a file, or fetches one: 100 MB at 350 KB/s."""


class _Error(msgspec.Struct):
    code: int = 0
    error_subcode: int = 0
    is_transient: bool = False


class _Failure(msgspec.Struct):
    error: _Error


_decode_failure = msgspec.json.Decoder(_Failure).decode


class Graph:
    """The API at `api_url`, version included.

    Args:
        api_url: such as `https://graph.facebook.com/v23.0`.
        token: goes into a header, and into nothing that is raised or logged.
        seconds: for an answer to begin, and between its parts.

    Its methods raise `RetryAt` (no connection), `Refusal` or `OutcomeUnknown` (no usable answer).
    """

    def __init__(self, api_url: str, token: str, seconds: float = ANSWER_SECONDS) -> None:
        self.url = URL(api_url.rstrip("/"))
        self._headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
        self._seconds = seconds
        self._session: ClientSession | None = None

    async def post(self, path: str, message: Mapping[str, object]) -> bytes:
        """What the API answered to `message` as JSON."""
        return await self._ask("POST", path, msgspec.json.encode(message))

    async def post_form(self, path: str, form: FormData) -> bytes:
        """What the API answered to a form with a file in it."""
        return await self._ask("POST", path, form)

    async def get(self, path: str) -> bytes:
        return await self._ask("GET", path, None)

    async def download(self, url: URL, limit: int) -> bytes:
        """The file at `url`, which sees our token. Raises `TooLarge` beyond `limit` bytes."""
        return await self._exchange("GET", url, None, limit)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _ask(self, verb: str, path: str, body: bytes | FormData | None) -> bytes:
        try:
            return await self._exchange(verb, self.url / path, body, MAX_ANSWER)
        except TooLarge:
            raise OutcomeUnknown("an answer without end from WhatsApp") from None

    async def _exchange(
        self, verb: str, url: URL, body: bytes | FormData | None, limit: int
    ) -> bytes:
        headers = self._headers
        if isinstance(body, bytes):
            headers = headers | {"Content-Type": "application/json"}
        try:
            async with self._opened().request(
                verb,
                url,
                data=body,
                headers=headers,
                timeout=self._timeout(carries_file=not isinstance(body, bytes)),
                allow_redirects=False,
            ) as response:
                if 200 <= response.status < 300:
                    return await read_within(response, limit)
                raise await _read_refusal(response)
        # `from None`: aiohttp's errors may hold the URL, and that of a file lets anyone in.
        except NO_CONNECTION as error:
            raise RetryAt(f"no connection to WhatsApp ({type(error).__name__})") from None
        except (ClientError, TimeoutError, OSError) as error:
            raise OutcomeUnknown(f"no answer from WhatsApp ({type(error).__name__})") from None

    def _timeout(self, *, carries_file: bool) -> ClientTimeout:
        total = TRANSFER_SECONDS if carries_file else self._seconds
        return ClientTimeout(total=total, connect=CONNECT_SECONDS, sock_read=self._seconds)

    def _opened(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(cookie_jar=DummyCookieJar())
        return self._session


async def _read_refusal(response: ClientResponse) -> Refusal:
    try:
        told = _decode_failure(await read_within(response, MAX_ANSWER)).error
    except (TooLarge, msgspec.DecodeError, RecursionError):
        told = _Error()  # something before Meta's API answered
    return Refusal(
        response.status,
        told.code,
        told.error_subcode,
        transient=told.is_transient,
        retry_after=read_retry_after(response.headers),
    )

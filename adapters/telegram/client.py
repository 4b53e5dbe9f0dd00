"""The HTTP client of Telegram's API, and the meaning of Telegram's answers.

python-telegram-bot sends through this transport: aiohttp with time-outs on every step, the bot
token put into the URL here and nowhere else, and three errors for the three cases that the outbox
must tell apart: surely not sent, refused, and in doubt.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import msgspec
from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
    DummyCookieJar,
    MultipartWriter,
)
from telegram.error import TelegramError
from telegram.request import BaseRequest, RequestData

from bot.errors import DeliveryError, OutcomeUnknown, RetryAt, TooLarge, Undeliverable
from bot.net import read_within

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 30.0
TRANSFER_SECONDS = 300.0
"""Time-out of a request that carries a file, or fetches one: 50 MB at 170 KB/s."""
MAX_ANSWER = 16 * 2**20
_MESSAGE_FIELDS = ("message_id", "date", "chat")
_KNOWN = (
    "can't parse entities", "entity", "message text is empty", "message is too long",
    "caption is too long", "message is not modified", "message to edit not found",
    "message can't be edited", "message to be replied not found", "message thread not found",
    "chat not found", "user not found", "bot was blocked by the user", "user is deactivated",
    "bot was kicked", "bot is not a member", "bot can't initiate conversation",
    "group chat was upgraded", "group chat was deleted", "not enough rights", "have no rights",
    "chat_write_forbidden", "topic_closed", "topic_deleted", "query is too old",
    "too many requests", "retry after", "unauthorized", "terminated by other", "webhook is active",
    "button_data_invalid", "button", "reply markup", "charge_already_refunded", "star",
    "photo_invalid_dimensions", "image_process_failed", "wrong file identifier", "file is too big",
    "file", "photo", "image", "method not found", "not found", "forbidden", "internal server error",
    "bad gateway", "restart", "bad request",
)  # fmt: skip
"""The phrases of a description that may be repeated, the clearest first; others may quote a
message."""


class NotSent(TelegramError):
    """There was no connection: Telegram has not seen the request."""


class Unanswered(TelegramError):
    """The request was sent, at least in part, and no usable answer came."""


class Refusal(TelegramError):
    """Telegram answered with an error.

    Args:
        status: the HTTP status, which Telegram repeats as `error_code`.
        description: Telegram's own words; empty when a proxy before Telegram answered. They may
            quote a person's message, so the error message has only known phrases of them.
        retry_after: seconds to wait.
        moved_to: id of the supergroup that the group became.
    """

    def __init__(
        self, status: int, description: str, retry_after: float | None = None, moved_to: str = ""
    ) -> None:
        self._said = description.lower()
        known = next((phrase for phrase in _KNOWN if phrase in self._said), "")
        super().__init__(f"{status} {known}".strip())
        self.status = status
        self.retry_after = retry_after
        self.moved_to = moved_to

    def says(self, *phrases: str) -> bool:
        """Return whether the description holds one of `phrases` (lower case)."""
        return any(phrase in self._said for phrase in phrases)


def explain(error: TelegramError) -> DeliveryError:
    """Return the error that `error` means for its delivery.

    A 5xx may come after Telegram has acted, and so may a gateway's 502 or 504: in doubt. By a 503 a
    server did not take the request (RFC 9110, 15.6.4): safe to send again. Every 403
    (blocked, deactivated, kicked, never started) lasts until the person acts.
    """
    if isinstance(error, NotSent):
        return RetryAt(error.message)
    if not isinstance(error, Refusal):
        return OutcomeUnknown(error.message)
    if error.status in {429, 503}:
        return RetryAt(error.message, error.retry_after)
    if error.status >= 500:
        return OutcomeUnknown(error.message)
    dead = error.status == 403 or (error.status == 400 and error.says("chat not found"))
    return Undeliverable(error.message, dead_target=dead, moved_to=error.moved_to)


class _Parameters(msgspec.Struct):
    retry_after: float | None = None
    migrate_to_chat_id: int | None = None


class _Failure(msgspec.Struct):
    description: str = ""
    parameters: _Parameters = msgspec.field(default_factory=_Parameters)


class _Success(msgspec.Struct):
    result: Any


_decode_failure = msgspec.json.Decoder(_Failure).decode
_decode_success = msgspec.json.Decoder(_Success).decode


class Transport(BaseRequest):
    """The Bot API at `api_url` for one bot.

    A `Bot` that uses it has an empty base URL: the library logs its URLs, and they hold the token.
    All methods raise `NotSent`, `Unanswered` or `Refusal`; none of them names the token.
    """

    __slots__ = ("_file_url", "_method_url", "_session")

    def __init__(self, api_url: str, token: str) -> None:
        self._method_url = f"{api_url}/bot{token}/"
        self._file_url = f"{api_url}/file/bot{token}/"
        self._session: ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        return ANSWER_SECONDS

    async def initialize(self) -> None:
        """Do nothing: the session opens with the first request."""

    async def shutdown(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def do_request(
        self,
        url: str,
        method: str,  # noqa: ARG002 (always POST: files are fetched by `download`)
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ARG002
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ARG002
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ARG002
    ) -> tuple[int, bytes]:
        seconds = read_timeout if isinstance(read_timeout, int | float) else ANSWER_SECONDS
        if request_data is not None and request_data.contains_files:
            target = self._method_url + url.lstrip("/")
            return 200, await self._post(target, _form(request_data), seconds)
        parameters = request_data.parameters if request_data is not None else {}
        return 200, await self.call(url.lstrip("/"), parameters, seconds)

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Return the answer as a dictionary with its `result`.

        Of a message only the fields that the library requires are kept: it would build an object
        for each entity and button (0.3 ms), and they are not read.
        """
        try:
            result = _decode_success(payload).result
        except msgspec.DecodeError:
            raise Unanswered("the answer is not what the Bot API answers") from None
        if isinstance(result, dict) and "message_id" in result:
            result = {name: result[name] for name in _MESSAGE_FIELDS if name in result}
        return {"result": result}

    async def call(
        self, method: str, parameters: Mapping[str, object], seconds: float = ANSWER_SECONDS
    ) -> bytes:
        """Call `method`; return the JSON of its answer, which must come within `seconds`."""
        body = msgspec.json.encode(parameters)
        return await self._post(self._method_url + method, body, seconds)

    async def download(self, path: str, limit: int) -> bytes:
        """Return a file by the path that `getFile` gave. Raises `TooLarge` beyond `limit` bytes."""
        return await self._exchange("GET", self._file_url + path, None, ANSWER_SECONDS, limit)

    async def _post(self, url: str, body: bytes | MultipartWriter, seconds: float) -> bytes:
        try:
            return await self._exchange("POST", url, body, seconds, MAX_ANSWER)
        except TooLarge:
            raise Unanswered(f"Telegram answered more than {MAX_ANSWER} bytes") from None

    async def _exchange(
        self,
        verb: str,
        url: str,
        body: bytes | MultipartWriter | None,
        seconds: float,
        limit: int,
    ) -> bytes:
        headers = {"Content-Type": "application/json"} if isinstance(body, bytes) else None
        total = CONNECT_SECONDS + seconds if isinstance(body, bytes) else TRANSFER_SECONDS
        timeout = ClientTimeout(total=total, connect=CONNECT_SECONDS, sock_read=seconds)
        try:
            async with self._opened().request(
                verb,
                url,
                data=body,
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                return _accept(response.status, await read_within(response, limit))
        # `from None`: an error of aiohttp may hold the URL, and the URL holds the token.
        except (ClientConnectorError, ConnectionTimeoutError) as error:
            raise NotSent(f"no connection to Telegram ({type(error).__name__})") from None
        except (ClientError, TimeoutError, OSError) as error:
            raise Unanswered(f"no answer from Telegram ({type(error).__name__})") from None

    def _opened(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(cookie_jar=DummyCookieJar())
        return self._session


def _accept(status: int, payload: bytes) -> bytes:
    if status == 200:
        return payload
    try:
        failure = _decode_failure(payload)
    except msgspec.DecodeError:
        raise Refusal(status, "") from None
    parameters = failure.parameters
    raise Refusal(
        status,
        failure.description,
        parameters.retry_after,
        str(parameters.migrate_to_chat_id) if parameters.migrate_to_chat_id is not None else "",
    )


def _form(request: RequestData) -> MultipartWriter:
    """Return files and fields as a form, with names in UTF-8: Telegram does not decode RFC 5987."""
    form = MultipartWriter("form-data")
    for name, value in request.json_parameters.items():
        form.append(value, {"Content-Disposition": f'form-data; name="{name}"'})
    for name, (filename, content, mime_type) in request.multipart_data.items():
        disposition = f'form-data; name="{name}"; filename="{_quotable(filename)}"'
        headers = {"Content-Disposition": disposition, "Content-Type": mime_type}
        form.append(BytesIO(content) if isinstance(content, bytes) else content, headers)
    return form


def _quotable(filename: str) -> str:
    """Escape a file name as browsers do (HTML standard, 4.10.21.8): it cannot end its header."""
    return filename.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")

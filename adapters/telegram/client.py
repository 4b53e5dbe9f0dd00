"""The client of Telegram's Bot API, and the meaning of Telegram's answers.

Every step has a time-out, the bot token is put into the URL here and nowhere else, and there are
three errors for the three cases that the outbox must tell apart: surely not sent, refused, and in
doubt.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from io import BytesIO
from typing import NamedTuple, TypeVar

import msgspec
from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientTimeout,
    ConnectionTimeoutError,
    MultipartWriter,
)

from adapters.base import HttpClient
from bot.errors import DeliveryError, OutcomeUnknown, RetryAt, TooLarge, Undeliverable
from bot.net import NOT_JSON, read_within

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 30.0
TRANSFER_SECONDS = 300.0
"""Time-out of a request that carries a file, or fetches one: 50 MB at 170 KB/s."""
MAX_ANSWER = 16 * 2**20
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


T = TypeVar("T")


class TelegramError(Exception):
    """A call of the Bot API failed. The message names neither the token nor what was said."""


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
    reason = str(error)
    if isinstance(error, NotSent):
        return RetryAt(reason)
    if not isinstance(error, Refusal):
        return OutcomeUnknown(reason)
    if error.status in {429, 503}:
        return RetryAt(reason, error.retry_after)
    if error.status >= 500:
        return OutcomeUnknown(reason)
    dead = error.status == 403 or (error.status == 400 and error.says("chat not found"))
    return Undeliverable(reason, dead_target=dead, moved_to=error.moved_to)


class _Parameters(msgspec.Struct):
    retry_after: float | None = None
    migrate_to_chat_id: int | None = None


class _Failure(msgspec.Struct):
    description: str = ""
    parameters: _Parameters = msgspec.field(default_factory=_Parameters)


class _Success(msgspec.Struct):
    result: msgspec.Raw


_decode_failure = msgspec.json.Decoder(_Failure).decode
_decode_success = msgspec.json.Decoder(_Success).decode


class _Message(msgspec.Struct):
    message_id: int


class Upload(NamedTuple):
    """A file to send, as the parameter `field` of a method."""

    field: str
    filename: str
    content: bytes


class BotApi(HttpClient):
    """The Bot API at `api_url` for one bot.

    All methods raise `NotSent`, `Unanswered` or `Refusal`; none of them names the token.
    """

    def __init__(self, api_url: str, token: str) -> None:
        self._method_url = f"{api_url}/bot{token}/"
        self._file_url = f"{api_url}/file/bot{token}/"

    async def call(
        self, method: str, parameters: Mapping[str, object], seconds: float = ANSWER_SECONDS
    ) -> msgspec.Raw:
        """Call `method`; return the JSON of its result, which must come within `seconds`."""
        return await self._post(method, msgspec.json.encode(parameters), seconds)

    async def ask(
        self,
        method: str,
        form: type[T],
        parameters: Mapping[str, object] | None = None,
        seconds: float = ANSWER_SECONDS,
    ) -> T:
        """Call `method`; return its result as an object."""
        return _read_result(method, await self.call(method, parameters or {}, seconds), form)

    async def send(
        self, method: str, parameters: Mapping[str, object], file: Upload | None = None
    ) -> str:
        """Call a method that sends a message, perhaps with a file; return the message's id."""
        body = msgspec.json.encode(parameters) if file is None else _make_form(parameters, file)
        result = await self._post(method, body, ANSWER_SECONDS)
        return str(_read_result(method, result, _Message).message_id)

    async def download(self, path: str, limit: int) -> bytes:
        """Return a file by the path that `getFile` gave. Raises `TooLarge` beyond `limit` bytes."""
        return await self._exchange("GET", self._file_url + path, None, ANSWER_SECONDS, limit)

    async def _post(
        self, method: str, body: bytes | MultipartWriter, seconds: float
    ) -> msgspec.Raw:
        url = self._method_url + method
        try:
            payload = await self._exchange("POST", url, body, seconds, MAX_ANSWER)
        except TooLarge:
            raise Unanswered(f"Telegram answered more than {MAX_ANSWER} bytes") from None
        try:
            return _decode_success(payload).result
        except NOT_JSON:
            raise Unanswered("the answer is not what the Bot API answers") from None

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
            async with self.session.request(
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


def _read_result(method: str, result: msgspec.Raw, form: type[T]) -> T:
    try:
        return msgspec.json.decode(result, type=form)
    except NOT_JSON:
        raise Unanswered(f"it answered something else than {method} answers") from None


def _make_form(parameters: Mapping[str, object], file: Upload) -> MultipartWriter:
    """Return a form with a file, its name in UTF-8: Telegram does not decode RFC 5987."""
    form = MultipartWriter("form-data")
    for name, value in parameters.items():
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        form.append(text, {"Content-Disposition": f'form-data; name="{name}"'})
    mime_type = mimetypes.guess_type(file.filename, strict=False)[0] or "application/octet-stream"
    disposition = f'form-data; name="{file.field}"; filename="{_quotable(file.filename)}"'
    headers = {"Content-Disposition": disposition, "Content-Type": mime_type}
    form.append(BytesIO(file.content), headers)
    return form


def _quotable(filename: str) -> str:
    """Escape a file name as browsers do (HTML standard, 4.10.21.8): it cannot end its header."""
    return filename.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")

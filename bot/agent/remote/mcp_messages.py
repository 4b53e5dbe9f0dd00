"""What an MCP server sends, read within bounds before the SDK sees any of it.

The SDK starts a task for each message, and takes lines and bodies of any length. Here a message has
a largest size, only answers that somebody awaits are decoded, notifications are reduced to the one
that matters, requests are rationed, and all reading keeps below a quarter of the event loop's time.
"""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.shared.message import SessionMessage
    from mcp_types import RequestId

MAX_MESSAGE = 1024 * 1024
"""Bytes of one message."""
MAX_VALUES = 20_000
"""Objects and lists in an answer: many small ones are what takes long to decode, and to collect."""
CHUNK = 16 * 1024
"""Bytes read at once: as many lines as take a few milliseconds."""
BROKEN = -32000
"""Code of the error that stands for a connection that broke (`CONNECTION_CLOSED` of the SDK)."""
TOO_LARGE = -32010
"""Code of the error that stands for an answer above `MAX_MESSAGE`. From here on in the range that
JSON-RPC leaves to implementations."""
UNREADABLE = -32011
"""Code of the error that stands for an answer that cannot be read, or that never came."""
_BYTES_A_SECOND = 256 * 1024 * 1024
"""Reckoned for reading itself, before `Pace` stretches it."""
_REQUESTS_A_SECOND = 10
_LIST_CHANGED = "notifications/tools/list_changed"
_ID = re.compile(rb'"id"\s{0,4}:\s{0,4}"?(\d{1,15})"?\s{0,4}[,}]')
_DIGITS = re.compile(r"[0-9]{1,15}")
_EDGE = 200
"""Bytes at either end of a long line in which its id is looked for."""


class _Frame(msgspec.Struct):
    """A JSON-RPC message, as far as it must be known to decide what becomes of it."""

    id: int | str | None = None
    method: str = ""
    result: msgspec.Raw = msgspec.Raw(b"")
    error: msgspec.Raw = msgspec.Raw(b"")


class _Error(msgspec.Struct):
    code: int = 0
    message: str = ""


_frames = msgspec.json.Decoder(_Frame)
_errors = msgspec.json.Decoder(_Error)
_objects = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class TooLong:
    """What is kept of a message larger than `MAX_MESSAGE`: its beginning and its end."""

    head: bytes
    tail: bytes


class Inbox:
    """What one connection has sent.

    Args:
        sender: where messages for the SDK's session go.
    """

    def __init__(self, sender: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        self._sender = sender
        self._awaited: set[RequestId] = set()
        self._requests_left = float(_REQUESTS_A_SECOND)
        self._counted_at = time.monotonic()
        self.news = asyncio.Event()
        """Set when the list of tools has changed, and when the connection has ended."""
        self.ended = False

    def expect(self, request: RequestId) -> None:
        """An answer to this request is awaited from now on."""
        self._awaited.add(request)

    def forget(self, request: RequestId) -> None:
        self._awaited.discard(request)

    def awaits(self, request: RequestId) -> bool:
        return request in self._awaited

    async def take(self, message: bytes | TooLong) -> None:
        """Pass a message on, if it is one that matters. Whatever is in it, nothing is raised.

        One that is too large fails the request it answers, if the id stands near its beginning or
        end, as it does with the usual SDKs; else that request has its time-out.
        """
        if isinstance(message, TooLong):
            for found in _ID.findall(message.head + b"\n" + message.tail):
                await self.fail(int(found), TOO_LARGE)
        elif (fit := self._read(message)) is not None:
            await self._deliver(fit)

    async def fail(self, request: RequestId, code: int) -> None:
        """Answer an awaited request with an error of ours; no effect if nobody awaits it."""
        if self.awaits(request):
            self.forget(request)
            await self._deliver(_failure(request, code, ""))

    def end(self) -> None:
        """The connection has ended: all that is awaited fails."""
        self.ended = True
        self._awaited.clear()
        self._sender.close()
        self.news.set()

    async def _deliver(self, message: SessionMessage) -> None:
        from anyio import BrokenResourceError, ClosedResourceError

        with suppress(BrokenResourceError, ClosedResourceError):  # nobody reads any more
            await self._sender.send(message)

    def _read(self, message: bytes) -> SessionMessage | None:
        try:
            frame = _frames.decode(message)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return None
        if not frame.method:
            return self._answer(frame)
        if frame.id is not None:
            return self._request(frame.id, frame.method)
        if frame.method == _LIST_CHANGED:
            self.news.set()
        return None

    def _answer(self, frame: _Frame) -> SessionMessage | None:
        request = _number(frame.id)
        if request is None or not self.awaits(request):
            return None
        self.forget(request)
        try:
            if frame.error:
                error = _errors.decode(frame.error)
                return _failure(request, error.code, error.message[:2_000])
            if _count_values(frame.result) > MAX_VALUES:
                return _failure(request, TOO_LARGE, "")
            return _success(request, _objects.decode(frame.result))
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return _failure(request, UNREADABLE, "")

    def _request(self, request: RequestId, method: str) -> SessionMessage | None:
        """A request of the server, for the session to answer; too many of them are left without."""
        from mcp.shared.message import SessionMessage
        from mcp_types import JSONRPCRequest

        now = time.monotonic()
        earned = (now - self._counted_at) * _REQUESTS_A_SECOND
        self._requests_left = min(self._requests_left + earned, float(_REQUESTS_A_SECOND))
        self._counted_at = now
        if self._requests_left < 1:
            return None
        self._requests_left -= 1
        return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=request, method=method))


class Lines:
    """Cuts a stream of bytes into lines, in time linear in its length and with bounded memory."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._head: bytes | None = None

    def feed(self, chunk: bytes) -> list[bytes | TooLong]:
        """The lines that `chunk` completes, without the empty ones."""
        *whole, rest = chunk.split(b"\n")
        lines = [self._finish(line) for line in whole]
        self._keep(rest)
        return [line for line in lines if line]

    def _finish(self, line: bytes) -> bytes | TooLong:
        self._keep(line)
        waiting = bytes(self._waiting)
        self._waiting.clear()
        head, self._head = self._head, None
        return waiting if head is None else TooLong(head, waiting[-_EDGE:])

    def _keep(self, part: bytes) -> None:
        self._waiting += part
        if len(self._waiting) > MAX_MESSAGE:
            if self._head is None:
                self._head = bytes(self._waiting[:_EDGE])
            del self._waiting[:-_EDGE]


class Pace:
    """Keeps the reading of one source below a quarter of the event loop's time."""

    def __init__(self) -> None:
        self._worked = 0.0

    async def rest(self, began: float, size: int) -> None:
        """To be awaited after each piece.

        Args:
            began: when work on it began, by `time.monotonic`.
            size: bytes of it.
        """
        self._worked += time.monotonic() - began + size / _BYTES_A_SECOND
        if self._worked > 0.005:
            pause, self._worked = min(3 * self._worked, 0.5), 0.0
            await asyncio.sleep(pause)


def _count_values(encoded: msgspec.Raw) -> int:
    """Objects and lists, and what looks like them within texts."""
    plain = bytes(encoded)
    return plain.count(b"{") + plain.count(b"[")


def _number(request: RequestId | None) -> int | None:
    """Our own ids are numbers; some servers send them back as text."""
    if isinstance(request, str):
        return int(request) if _DIGITS.fullmatch(request) else None
    return request


def _success(request: RequestId, result: dict[str, Any]) -> SessionMessage:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCResponse

    return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=request, result=result))


def _failure(request: RequestId, code: int, message: str) -> SessionMessage:
    from mcp.shared.message import SessionMessage
    from mcp_types import ErrorData, JSONRPCError

    error = ErrorData(code=code, message=message)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request, error=error))

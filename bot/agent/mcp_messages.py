"""Read what an MCP server sends, within bounds, before the SDK sees any of it.

The SDK starts a task for each message, and takes lines and bodies of any length. Here a message has
a largest size, only awaited answers are decoded, notifications are reduced to the one
that matters, requests are rationed, and all reading keeps below a quarter of the event loop's time.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import msgspec

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.shared.message import SessionMessage
    from mcp_types import RequestId

MAX_MESSAGE = 1024 * 1024
"""Bytes of one message."""
MAX_VALUES = 20_000
"""Most objects and lists in an answer: many small ones take long to decode and to collect."""
CHUNK = 16 * 1024
"""Bytes read at once: as many lines as take a few milliseconds."""
BROKEN = -32000
"""Error code for a connection that broke (`CONNECTION_CLOSED` of the SDK)."""
TOO_LARGE = -32010
"""Error code for an answer above `MAX_MESSAGE`, in the range that JSON-RPC leaves to
implementations."""
UNREADABLE = -32011
"""Error code for an answer that cannot be read, or that never came."""
_BYTES_A_SECOND = 256 * 1024 * 1024
"""Assumed speed of reading itself, before `ReadThrottle` stretches it."""
_REQUESTS_A_SECOND = 10
_LIST_CHANGED = "notifications/tools/list_changed"
_ID = re.compile(rb'"id"\s{0,4}:\s{0,4}"?(\d{1,15})"?\s{0,4}[,}]')
_DIGITS = re.compile(r"[0-9]{1,15}")
_EDGE = 200
"""Bytes at either end of a long line in which its id is looked for."""


class _Frame(msgspec.Struct):
    """The parts of a JSON-RPC message that decide how it is handled."""

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
class OversizedMessage:
    """The beginning and the end of a message larger than `MAX_MESSAGE`."""

    head: bytes
    tail: bytes


class IncomingMessages:
    """Passes on what one connection has sent.

    Args:
        sender: where messages for the SDK's session go.
    """

    def __init__(self, sender: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        self._sender = sender
        self._awaited: set[RequestId] = set()
        self._requests_left = float(_REQUESTS_A_SECOND)
        self._counted_at = time.monotonic()
        self.changed = asyncio.Event()
        """Set when the list of tools has changed, and when the connection has ended."""
        self.ended = False

    def expect(self, request: RequestId) -> None:
        """Note that an answer to this request is awaited from now on."""
        self._awaited.add(request)

    def forget(self, request: RequestId) -> None:
        self._awaited.discard(request)

    def awaits(self, request: RequestId) -> bool:
        return request in self._awaited

    async def take(self, message: bytes | OversizedMessage) -> None:
        """Pass a message on if it matters. Never raises, whatever is in it.

        One that is too large fails the request it answers, if the id stands near its beginning or
        end, as it does with the usual SDKs; else that request has its time-out.
        """
        if isinstance(message, OversizedMessage):
            for found in _ID.findall(message.head + b"\n" + message.tail):
                await self.fail(int(found), TOO_LARGE)
        elif (fit := self._read(message)) is not None:
            await self._deliver(fit)

    async def fail(self, request: RequestId, code: int) -> None:
        """Answer an awaited request with an error of ours; no effect if it is not awaited."""
        if self.awaits(request):
            self.forget(request)
            await self._deliver(_failure(request, code, ""))

    def end(self) -> None:
        """End the connection: all that is awaited fails."""
        self.ended = True
        self._awaited.clear()
        self._sender.close()
        self.changed.set()

    async def _deliver(self, message: SessionMessage) -> None:
        from anyio import BrokenResourceError, ClosedResourceError

        with suppress(BrokenResourceError, ClosedResourceError):  # the reader is gone
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
            self.changed.set()
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
            from mcp.shared.message import SessionMessage
            from mcp_types import JSONRPCResponse

            return SessionMessage(
                JSONRPCResponse(jsonrpc="2.0", id=request, result=_objects.decode(frame.result))
            )
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return _failure(request, UNREADABLE, "")

    def _request(self, request: RequestId, method: str) -> SessionMessage | None:
        """Pass on a request of the server for the session to answer; too many are left
        unanswered."""
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


class LineReader:
    """Cuts a stream of bytes into lines, in time linear in its length and with bounded memory."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._head: bytes | None = None

    def feed(self, chunk: bytes) -> list[bytes | OversizedMessage]:
        """Return the lines that `chunk` completes, without the empty ones."""
        *whole, rest = chunk.split(b"\n")
        lines = [self._finish(line) for line in whole]
        self._keep(rest)
        return [line for line in lines if line]

    def _finish(self, line: bytes) -> bytes | OversizedMessage:
        self._keep(line)
        waiting = bytes(self._waiting)
        self._waiting.clear()
        head, self._head = self._head, None
        return waiting if head is None else OversizedMessage(head, waiting[-_EDGE:])

    def _keep(self, part: bytes) -> None:
        self._waiting += part
        if len(self._waiting) > MAX_MESSAGE:
            if self._head is None:
                self._head = bytes(self._waiting[:_EDGE])
            del self._waiting[:-_EDGE]


class ReadThrottle:
    """Keeps the reading of one source below a quarter of the event loop's time."""

    def __init__(self) -> None:
        self._worked = 0.0

    async def rest(self, began: float, size: int) -> None:
        """Pause if needed; to be awaited after each piece.

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
    """Return our own id as a number; some servers send it back as text."""
    if isinstance(request, str):
        return int(request) if _DIGITS.fullmatch(request) else None
    return request


def _failure(request: RequestId, code: int, message: str) -> SessionMessage:
    from mcp.shared.message import SessionMessage
    from mcp_types import ErrorData, JSONRPCError

    error = ErrorData(code=code, message=message)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request, error=error))


_MAX_PARTS = 1_000
_MAX_NAME = 200
"""Characters shown of a type or an address."""


def render_result(result: Mapping[str, Any]) -> str:
    """Write the content of a `tools/call` result as text for the model."""
    content = result.get("content")
    parts = cast("list[object]", content) if isinstance(content, list) else []
    shown = [_render_part(part) for part in parts[:_MAX_PARTS]]
    if len(parts) > _MAX_PARTS:
        shown.append(f"[{len(parts) - _MAX_PARTS:,} more parts: not shown]")
    structured = result.get("structuredContent")
    if structured is not None and not any(map(_is_text, parts)):
        shown.append(_encode(structured))
    return "\n".join(shown) or "[no content]"


def _is_text(part: object) -> bool:
    return _as_object(part).get("type") == "text"


def _as_object(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _render_part(content: object) -> str:
    part = _as_object(content)
    kind = part.get("type")
    if kind == "text" and isinstance(text := part.get("text"), str):
        return text
    if kind in ("image", "audio"):
        return (
            f"[{kind} {_shorten_name(part.get('mimeType'))}, {_count_bytes(part)} bytes: not shown]"
        )
    if kind == "resource":
        return _render_resource(_as_object(part.get("resource")))
    if kind == "resource_link":
        return f"[resource {_shorten_name(part.get('uri'))}: not shown]"
    return f"[{_shorten_name(kind)}: not shown]"


def _render_resource(resource: Mapping[str, Any]) -> str:
    kind = _shorten_name(resource.get("mimeType"))
    size = _count_bytes({"data": resource.get("blob"), "text": resource.get("text")})
    return f"[resource {_shorten_name(resource.get('uri'))} {kind}, {size} bytes: not shown]"


def _count_bytes(part: Mapping[str, Any]) -> str:
    """Return the size of base64 `data` once decoded, else that of `text`."""
    if isinstance(data := part.get("data"), str):
        return f"{len(data) * 3 // 4 - data[-2:].count('='):,}"
    text = part.get("text")
    return f"{len(text.encode(errors='replace')):,}" if isinstance(text, str) else "0"


def _shorten_name(value: object) -> str:
    return " ".join(value[:_MAX_NAME].split()) if isinstance(value, str) else "unknown"


def _encode(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return "[structured content: not readable]"

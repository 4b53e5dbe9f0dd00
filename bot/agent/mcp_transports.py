"""Open the streams to an MCP server with the SDK's transports, within limits of our own.

The SDK alone would take lines and bodies of any length, wait for an answer over HTTP without limit,
and queue messages that a server does not read. Slow to import: imported when the first server is
connected to.
"""

from __future__ import annotations

import codecs
import os
import re
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, TextIO, cast

import anyio
import httpx2
import structlog
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import MCP_SESSION_ID, streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from bot.settings import McpServer

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from mcp.client._transport import ReadStream, TransportStreams, WriteStream

MAX_MESSAGE = 1024 * 1024
"""Bytes of one message of a server."""
TOO_LARGE = "larger than can be read"
"""Text in the error that answers a request in place of a message above `MAX_MESSAGE`."""
_MAX_UNSENT = 64
"""Most messages that wait while a server does not read."""
_NOTICE_SECONDS = 0.001
"""Pause after a notification, so that a stream of them cannot occupy the event loop."""
_REQUEST_SECONDS = 0.01
"""Pause after a request of the server, so that our answers do not pile up."""
_LIST_CHANGED = "notifications/tools/list_changed"
_log = structlog.get_logger()


@asynccontextmanager
async def open_streams(
    name: str, server: McpServer, call_seconds: float, recheck: Callable[[], None]
) -> AsyncGenerator[TransportStreams]:
    """Connect to the server. Sending a message to it never waits for the server.

    Args:
        name: the operator's name for the server.
        call_seconds: limit for an answer over HTTP; the server has half of it to read a message.
        recheck: called when the server's tools may have changed, or it may be out of reach.

    Raises:
        ExceptionGroup: the connection has ended, or could not be opened.
    """
    async with _open_transport(name, server, call_seconds, recheck) as (reader, writer):
        incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        sent, outgoing = anyio.create_memory_object_stream[SessionMessage](_MAX_UNSENT)
        async with incoming, received, sent, outgoing, anyio.create_task_group() as tasks:
            tasks.start_soon(_receive, reader, incoming, recheck)
            tasks.start_soon(_send, outgoing, writer, call_seconds / 2)
            yield received, sent
            tasks.cancel_scope.cancel()


def _open_transport(
    name: str, server: McpServer, call_seconds: float, recheck: Callable[[], None]
) -> AbstractAsyncContextManager[TransportStreams]:
    if server.url:
        return _connect_http(server, _BoundedTransport(call_seconds, recheck))
    return _run_process(name, server)


async def _receive(
    source: ReadStream[SessionMessage | Exception],
    target: WriteStream[SessionMessage | Exception],
    recheck: Callable[[], None],
) -> None:
    """Pass on answers, and requests slowly. Raises `ConnectionError` at the end of `source`."""
    async with target:
        async for item in source:
            match item:
                case SessionMessage(message=JSONRPCResponse() | JSONRPCError()):
                    await target.send(item)
                case SessionMessage(message=JSONRPCRequest()):
                    await target.send(item)
                    await anyio.sleep(_REQUEST_SECONDS)
                case SessionMessage(message=JSONRPCNotification(method=method)):
                    if method == _LIST_CHANGED:
                        recheck()
                    await anyio.sleep(_NOTICE_SECONDS)
                case _:  # what could not be read
                    await anyio.sleep(_NOTICE_SECONDS)
    raise ConnectionError("the server has ended the connection")


async def _send(
    source: ReadStream[SessionMessage], target: WriteStream[SessionMessage], seconds: float
) -> None:
    """Pass on messages. Raises `TimeoutError`: the server has not read for `seconds`."""
    async for item in source:
        with anyio.fail_after(seconds):
            await target.send(item)


# A process ---------------------------------------------------------------------------------------

_LINES = "griot_mcp_lines"
"""Name of the encoding that `LineDecoder` reads."""
_ID = re.compile(rb'"id"\s{0,4}:\s{0,4}"?(\d{1,15})"?\s{0,4}[,}]')
_EDGE = 200
"""Bytes at either end of a long line that are searched for its id."""
_LAST_LINE = 500
"""Characters that are kept of a server's last line on stderr."""


@asynccontextmanager
async def _run_process(name: str, server: McpServer) -> AsyncGenerator[TransportStreams]:
    """Run the server as a process; its last line on stderr is logged at debug level."""
    language = {"LANG": os.environ["LANG"]} if "LANG" in os.environ else {}
    parameters = StdioServerParameters(
        command=server.command,
        args=list(server.args),
        env=language | dict(server.env),
        encoding=_LINES,
    )
    with _open_stderr(name) as stderr:
        async with stdio_client(parameters, stderr) as streams:
            yield streams


@contextmanager
def _open_stderr(name: str) -> Generator[TextIO]:
    reading, writing = os.pipe()
    threading.Thread(target=_drain, args=(name, reading), daemon=True).start()
    with os.fdopen(writing, "w") as stderr:
        yield stderr


def _drain(name: str, descriptor: int) -> None:
    """Read stderr to its end and keep its last line; a full pipe would block the server."""
    last = b""
    with os.fdopen(descriptor, "rb", buffering=0) as stderr:
        while chunk := stderr.read(64 * 1024):
            last = (last + chunk.rstrip())[-4 * _LAST_LINE :]
    if line := last.decode(errors="replace").rpartition("\n")[2]:
        _log.debug("mcp_server_said", server=name, line=line[-_LAST_LINE:])


class LineDecoder(codecs.IncrementalDecoder):
    """Decodes lines of UTF-8 in bounded memory.

    The SDK keeps a line in memory until its end has come; an encoding is the only place where it
    lets us limit that. A line above `MAX_MESSAGE` becomes an error that answers the same request,
    if its id stands near the beginning or the end, as with the usual SDKs; otherwise the request
    times out.
    """

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._line = bytearray()
        self._head: bytes | None = None

    def decode(self, input: ReadableBuffer, final: bool = False) -> str:  # noqa: A002, ARG002
        *ends, rest = bytes(input).split(b"\n")
        lines = [self._finish(end) for end in ends]
        self._keep(rest)
        return "".join(f"{line}\n" for line in lines if line)

    def _finish(self, end: bytes) -> str:
        self._keep(end)
        line, head = bytes(self._line), self._head
        self._line.clear()
        self._head = None
        if head is None:
            return line.decode(errors="replace").strip()
        found = _ID.findall(head)[:1] or _ID.findall(line[-_EDGE:])[-1:]
        error = f'"error":{{"code":-32000,"message":"{TOO_LARGE}"}}'
        return "".join(f'{{"jsonrpc":"2.0","id":{int(request)},{error}}}' for request in found)

    def _keep(self, part: bytes) -> None:
        self._line += part
        if len(self._line) > MAX_MESSAGE:
            if self._head is None:
                self._head = bytes(self._line[:_EDGE])
            del self._line[:-_EDGE]


def _find_codec(name: str) -> codecs.CodecInfo | None:
    if name != _LINES:
        return None
    utf8 = codecs.lookup("utf-8")
    return codecs.CodecInfo(utf8.encode, utf8.decode, incrementaldecoder=LineDecoder, name=name)


codecs.register(_find_codec)

# HTTP --------------------------------------------------------------------------------------------

_CONNECT_SECONDS = 10.0
_GOODBYE_SECONDS = 1.0
_LATE_SECONDS = 1.0
"""Seconds that a connection stays open for a late answer after its call has timed out."""


@asynccontextmanager
async def _connect_http(
    server: McpServer, transport: _BoundedTransport
) -> AsyncGenerator[TransportStreams]:
    async with (
        httpx2.AsyncClient(
            transport=transport,
            headers={"Accept-Encoding": "identity", "User-Agent": "Griot", **server.headers},
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
            trust_env=False,
            max_redirects=3,
        ) as client,
        streamable_http_client(
            server.url, http_client=client, max_sse_event_size=2 * MAX_MESSAGE
        ) as streams,
    ):
        yield streams


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    """Limits the size and time of a server's answers.

    An error raised here ends the connection, except on the stream of unrequested messages (GET),
    which the SDK gives up silently: there `recheck` finds out whether the server is still
    reachable.
    """

    def __init__(self, call_seconds: float, recheck: Callable[[], None]) -> None:
        super().__init__(limits=httpx2.Limits(max_connections=None))
        self._seconds = call_seconds + _LATE_SECONDS
        self._recheck = recheck

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        seconds = _GOODBYE_SECONDS if request.method == "DELETE" else self._seconds
        deadline = anyio.current_time() + seconds
        try:
            with anyio.CancelScope(deadline=deadline):
                response = await super().handle_async_request(request)
                _check(request, response)
                if request.method != "GET":
                    response.stream = _BoundedBody(response, deadline)
                return response
        except httpx2.TransportError:
            self._recheck()
            raise
        return httpx2.Response(504)


def _check(request: httpx2.Request, response: httpx2.Response) -> None:
    if response.status_code == 404 and MCP_SESSION_ID in request.headers:
        raise httpx2.RemoteProtocolError("the server no longer knows the session")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise httpx2.RemoteProtocolError("compressed, though that was not accepted")


class _BoundedBody(httpx2.AsyncByteStream):
    """The body of an answer, read up to `MAX_MESSAGE` and until the deadline."""

    def __init__(self, response: httpx2.Response, deadline: float) -> None:
        self._body = cast("httpx2.AsyncByteStream", response.stream)
        self._deadline = deadline

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left, chunk = MAX_MESSAGE, b""
        chunks = aiter(self._body)
        while left >= 0:
            with anyio.CancelScope(deadline=self._deadline) as scope:
                chunk = await anext(chunks, b"")
            if scope.cancelled_caught:
                raise _RefusedBodyError("too late")
            if not chunk:
                return
            left -= len(chunk)
            yield chunk
        raise _RefusedBodyError(TOO_LARGE)

    async def aclose(self) -> None:
        await self._body.aclose()


class _RefusedBodyError(httpx2.SSEError, httpx2.StreamError):
    """Fails one request only: in an event stream as `SSEError`, in JSON as `StreamError`."""

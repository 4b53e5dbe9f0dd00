"""Speak with an MCP server by streamable HTTP or with a child process.

HTTP, as the specification of 2025-11-25 has it: each message is a POST that is answered by JSON or
by an event stream; a GET stream brings what the server says unasked. A process is spoken to in
lines over stdin and stdout.

https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import aiohttp
import structlog
from yarl import URL

from bot.agent.mcp_messages import (
    BROKEN,
    CHUNK,
    MAX_MESSAGE,
    TOO_LARGE,
    UNREADABLE,
    IncomingMessages,
    LineReader,
    ReadThrottle,
)
from bot.agent.openai_protocol.sse import BadStream, EventStream
from bot.errors import TooLarge
from bot.net import read_within
from bot.periodic import cancel_tasks
from bot.settings import McpServer

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCMessage, RequestId

_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "Griot"}
_ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
_SESSION = "Mcp-Session-Id"
_CONNECT_SECONDS = 10.0
_NOTICE_SECONDS = 10.0
"""For a message that is not answered; what is answered has the time-out of the call."""
_GOODBYE_SECONDS = 1.0
_MAX_REDIRECTS = 3
_LONGEST_PAUSE = 60.0
_GONE = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_BROKEN = (aiohttp.ClientError, OSError, ValueError, BadStream)
"""What may go wrong in one exchange; the others go on."""
_log = structlog.get_logger()


@asynccontextmanager
async def connect_http(
    name: str, server: McpServer, inbox: IncomingMessages
) -> AsyncGenerator[Callable[[SessionMessage], None]]:
    """Connect to the server; its messages go to `inbox`, which ends when the server is gone or no
    longer knows the session.

    Yields a function that sends a message; it never waits. Redirects are followed within the same
    origin only; compressed answers are refused, as their size cannot be known.
    """
    async with aiohttp.ClientSession(
        headers=_HEADERS | dict(server.headers),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
        auto_decompress=False,
        read_bufsize=CHUNK,
    ) as client:
        conversation = _HttpSession(name, URL(server.url), client, inbox)
        try:
            yield conversation.send
        finally:
            await conversation.close()


class _HttpSession:
    """One session with one server."""

    def __init__(
        self, name: str, url: URL, client: aiohttp.ClientSession, inbox: IncomingMessages
    ) -> None:
        self._name = name
        self._url = url
        self._client = client
        self._inbox = inbox
        self._headers: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._posts: dict[object, asyncio.Task[None]] = {}
        """The requests under way, by id."""
        self._greeted = asyncio.Event()
        """The server knows that we are initialized: before, nothing else may be sent."""

    def send(self, message: SessionMessage) -> None:
        from mcp.shared.message import ClientMessageMetadata
        from mcp_types import JSONRPCNotification, JSONRPCRequest

        metadata = message.metadata
        if isinstance(metadata, ClientMessageMetadata) and metadata.headers:
            self._headers |= metadata.headers
        match message.message:
            case JSONRPCRequest(method="initialize", id=request):
                self._posts[request] = self._spawn(self._ask(message.message, request))
            case JSONRPCNotification(method="notifications/initialized"):
                self._spawn(self._greet(message.message))
            case JSONRPCRequest(id=request):
                self._posts[request] = self._spawn(self._ask_later(message.message, request))
            case JSONRPCNotification(method="notifications/cancelled", params=params):
                if task := self._posts.pop((params or {}).get("requestId"), None):
                    task.cancel()
                self._spawn(self._notify(message.message))
            case other:
                self._spawn(self._notify(other))

    async def close(self) -> None:
        """Stop all requests under way, and tell the server that the session is over."""
        await cancel_tasks(self._tasks)
        if _SESSION in self._headers:
            with suppress(aiohttp.ClientError, OSError, ValueError):
                async with asyncio.timeout(_GOODBYE_SECONDS):
                    await self._client.delete(
                        self._url, headers=self._headers, allow_redirects=False
                    )

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _greet(self, message: JSONRPCMessage) -> None:
        await self._notify(message)
        self._greeted.set()
        self._spawn(self._listen())

    async def _notify(self, message: JSONRPCMessage) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_NOTICE_SECONDS):
                await self._post(message, None)

    async def _ask_later(self, message: JSONRPCMessage, request: RequestId) -> None:
        await self._greeted.wait()
        await self._ask(message, request)

    async def _ask(self, message: JSONRPCMessage, request: RequestId) -> None:
        try:
            await self._post(message, request)
        finally:
            self._posts.pop(request, None)
        await self._inbox.fail(request, UNREADABLE)

    async def _post(self, message: JSONRPCMessage, request: RequestId | None) -> None:
        """Send a message; for a request, read until its answer is there."""
        body = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        try:
            async with self._open("POST", data=body, headers=_ACCEPT) as response:
                self._check(response)
                if request is not None:
                    await self._read(response, request)
        except _GONE:
            self._inbox.end()
        except _BROKEN as error:
            _log.debug("mcp_post_failed", server=self._name, reason=type(error).__name__)
            if request is not None:
                await self._inbox.fail(request, BROKEN)

    async def _listen(self) -> None:
        """Read the server's own stream, as long as it has one."""
        pause = 1.0
        while not self._inbox.ended:
            try:
                async with self._open("GET", headers={"Accept": "text/event-stream"}) as response:
                    self._check(response)
                    if response.status != 200 or response.content_type != "text/event-stream":
                        return
                    await self._read_events(response, None)
            except _GONE:
                self._inbox.end()
            except _BROKEN as error:
                _log.debug("mcp_stream_broken", server=self._name, reason=type(error).__name__)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    @asynccontextmanager
    async def _open(
        self, method: str, *, headers: dict[str, str], data: bytes | None = None
    ) -> AsyncGenerator[aiohttp.ClientResponse]:
        url = self._url
        for _ in range(_MAX_REDIRECTS + 1):
            async with self._client.request(
                method, url, data=data, headers=headers | self._headers, allow_redirects=False
            ) as response:
                location = response.headers.get("Location", "")
                target = url.join(URL(location)) if location else url
                if response.status not in {307, 308} or target.origin() != url.origin():
                    yield response
                    return
            url = target
        raise aiohttp.ClientError("redirects in circles")

    def _check(self, response: aiohttp.ClientResponse) -> None:
        """Note the session id, and whether the session is over."""
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise aiohttp.ClientError("compressed, though that was not accepted")
        if response.status == 404 and _SESSION in self._headers:
            self._inbox.end()
        session = response.headers.get(_SESSION, "")
        if session.isascii() and session.isprintable() and 0 < len(session) <= 1_000:
            self._headers.setdefault(_SESSION, session)

    async def _read(self, response: aiohttp.ClientResponse, request: RequestId) -> None:
        if response.content_type == "text/event-stream":
            await self._read_events(response, request)
        elif response.content_type == "application/json":
            try:
                body = await read_within(response, MAX_MESSAGE)
            except TooLarge:
                await self._inbox.fail(request, TOO_LARGE)
            else:
                await self._inbox.take(body)

    async def _read_events(
        self, response: aiohttp.ClientResponse, request: RequestId | None
    ) -> None:
        """Take the messages of a stream: to its end, or until the answer to `request` is there."""
        stream, pace = EventStream(), ReadThrottle()
        async for chunk in response.content.iter_chunked(CHUNK):
            began = time.monotonic()
            for payload in stream.feed(chunk):
                await self._inbox.take(payload)
            if request is not None and stream.dropped:
                await self._inbox.fail(request, TOO_LARGE)
            if request is not None and not self._inbox.awaits(request):
                return
            await pace.rest(began, len(chunk))


P = TypeVar("P")
_INHERITED = ("PATH", "HOME", "LANG")
"""Variables of our environment that a server gets, besides those its settings name."""
_MAX_UNREAD = 1024 * 1024
"""Bytes that a server may leave unread on its stdin before it counts as broken."""
_LAST_LINE = 500
"""Characters kept of what it last said on stderr."""


@asynccontextmanager
async def run_stdio_server(
    name: str, server: McpServer, inbox: IncomingMessages, grace: float
) -> AsyncGenerator[Callable[[SessionMessage], None]]:
    """Run the server; its output goes to `inbox`, which ends when its stdout does.

    Yields a function that sends a message: it never waits, and ends the inbox if the server does
    not read. On leaving, stdin is closed, then the whole process group is killed: with SIGTERM
    after half of `grace` seconds at most, with SIGKILL after all of it.

    Raises:
        OSError: it cannot be started.
        ValueError: nor could it ever (a NUL byte in the command).
    """
    transport, process = await _start_process(server)
    readers = (
        asyncio.create_task(_read_stdout(_require_pipe(process.stdout), inbox)),
        asyncio.create_task(_drain_stderr(_require_pipe(process.stderr), name)),
    )
    stdin = _require_pipe(process.stdin)

    def send(message: SessionMessage) -> None:
        text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        stdin.write(text.encode() + b"\n")
        if stdin.transport.get_write_buffer_size() > _MAX_UNREAD:
            inbox.end()

    try:
        yield send
    finally:
        try:
            await _stop_process(process, grace)
        finally:
            _kill_group(process, signal.SIGKILL)
            if stdin.transport.get_write_buffer_size():
                stdin.transport.abort()
            transport.close()
            for reader in readers:
                reader.cancel()


async def _start_process(server: McpServer) -> tuple[asyncio.SubprocessTransport, Process]:
    inherited = {key: os.environ[key] for key in _INHERITED if key in os.environ}
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: SubprocessStreamProtocol(limit=CHUNK, loop=loop),
        server.command,
        *server.args,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=inherited | dict(server.env),
        start_new_session=True,
    )
    return transport, Process(transport, protocol, loop)


async def _read_stdout(stdout: asyncio.StreamReader, inbox: IncomingMessages) -> None:
    lines, pace = LineReader(), ReadThrottle()
    try:
        while chunk := await stdout.read(CHUNK):
            began = time.monotonic()
            for line in lines.feed(chunk):
                await inbox.take(line)
            await pace.rest(began, len(chunk))
    except OSError:
        _log.debug("mcp_stdout_broken", exc_info=True)
    finally:
        inbox.end()


async def _drain_stderr(stderr: asyncio.StreamReader, name: str) -> None:
    """Read stderr to its end and forget it, so that the server is never held up by it."""
    pace, last = ReadThrottle(), b""
    try:
        while chunk := await stderr.read(CHUNK):
            began = time.monotonic()
            last = (last + chunk.rstrip())[-4 * _LAST_LINE :]
            await pace.rest(began, len(chunk))
    except OSError:
        _log.debug("mcp_stderr_broken", exc_info=True)
    *_, line = last.decode(errors="replace").rsplit("\n", 1)
    _log.debug("mcp_server_said", server=name, line=line[-_LAST_LINE:])


async def _stop_process(process: Process, grace: float) -> None:
    """Let the process end, or make it; all that it started in its group ends with it."""
    _require_pipe(process.stdin).close()
    for sign in (signal.SIGTERM, signal.SIGKILL):
        await _wait_for_exit(process, grace / 2)
        _kill_group(process, sign)
    await _wait_for_exit(process, 1.0)


async def _wait_for_exit(process: Process, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await process.wait()


def _kill_group(process: Process, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, sign)


def _require_pipe(pipe: P | None) -> P:
    if pipe is None:
        raise ValueError("the process was started without this pipe")
    return pipe

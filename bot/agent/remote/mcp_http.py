"""An MCP server reached by streamable HTTP, as the specification of 2025-11-25 has it: each message
is a POST that is answered by JSON or by an event stream; a GET stream brings what nobody asked for.

https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import aiohttp
import structlog
from yarl import URL

from bot.agent.remote.mcp_messages import (
    BROKEN,
    CHUNK,
    MAX_MESSAGE,
    TOO_LARGE,
    UNREADABLE,
    Inbox,
    Pace,
)
from bot.agent.wire.sse import BadStream, EventStream
from bot.bodies import read_within
from bot.errors import TooLarge
from bot.rounds import cancel
from bot.settings import McpServer

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCMessage, RequestId

_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "Griot"}
_ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
_SESSION = "Mcp-Session-Id"
_VERSION = "MCP-Protocol-Version"
_CONNECT_SECONDS = 10.0
_NOTICE_SECONDS = 10.0
"""For a message that is not answered; what is answered has the time-out of whoever asks."""
_GOODBYE_SECONDS = 1.0
_MAX_REDIRECTS = 3
_LONGEST_PAUSE = 60.0
_GONE = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_BROKEN = (aiohttp.ClientError, OSError, ValueError, BadStream)
"""What may go wrong in one exchange; the others go on."""
_log = structlog.get_logger()


@asynccontextmanager
async def reach_url(
    name: str, server: McpServer, inbox: Inbox
) -> AsyncGenerator[Callable[[SessionMessage], None]]:
    """Speak with the server; what it says goes to `inbox`, which ends when the server is gone or no
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
        conversation = _Conversation(name, URL(server.url), client, inbox)
        try:
            yield conversation.send
        finally:
            await conversation.close()


class _Conversation:
    """One session with one server."""

    def __init__(self, name: str, url: URL, client: aiohttp.ClientSession, inbox: Inbox) -> None:
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
        """Stop all that is under way, and tell the server that the session is over."""
        await cancel(self._tasks)
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
        """Send a message; to a request, read the answer until it is there."""
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
        """Read what the server says unasked, for as long as it has a stream for that."""
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
        """Note the session, and whether it is over."""
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
        stream, pace = EventStream(), Pace()
        async for chunk in response.content.iter_chunked(CHUNK):
            began = time.monotonic()
            for payload in stream.feed(chunk):
                await self._inbox.take(payload)
            if request is not None and stream.dropped:
                await self._inbox.fail(request, TOO_LARGE)
            if request is not None and not self._inbox.awaits(request):
                return
            await pace.rest(began, len(chunk))

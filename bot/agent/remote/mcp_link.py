"""The link to one MCP server: kept up by a task of its own, through which tools are called."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

import structlog

from bot.agent.remote.mcp_http import reach_url
from bot.agent.remote.mcp_messages import TOO_LARGE, Inbox
from bot.agent.remote.mcp_results import render_result
from bot.agent.remote.mcp_stdio import run_command
from bot.agent.remote.mcp_tools import MAX_TOOLS, Offered, read_tools
from bot.contracts import mark_untrusted
from bot.errors import ToolFailed
from bot.settings import McpServer

if TYPE_CHECKING:
    from mcp.shared.exceptions import MCPError
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
    from mcp.shared.message import SessionMessage

_MAX_PAGES = 16
_MAX_FAILURE = 2_000
"""Characters of a tool's own error that reach the model."""
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Times:
    """How long a server may take, in seconds."""

    connect: float
    """To start, to introduce itself and to list its tools; later, to list them anew."""
    call: float
    first_pause: float
    """Before it is tried again; doubled each time, up to `longest_pause`."""
    longest_pause: float
    between_listings: float
    grace: float
    """To stop, before it is killed."""


class Link:
    """The link to one server.

    Args:
        name: as the operator calls the server.
        changed: called when `offered` has changed.
    """

    def __init__(
        self, name: str, server: McpServer, times: Times, changed: Callable[[], None]
    ) -> None:
        self.name = name
        self.offered: tuple[Offered, ...] = ()
        """The tools that can be called now."""
        self._server = server
        self._times = times
        self._changed = changed
        self._dispatcher: JSONRPCDispatcher | None = None

    async def keep(self) -> None:
        """Connect, and again whenever the connection is lost; until cancelled.

        A server that stood for `longest_pause` is tried again after `first_pause`.
        """
        pause = self._times.first_pause
        await asyncio.to_thread(_load)
        while True:
            began = time.monotonic()
            reason = await self._try()
            if time.monotonic() - began > self._times.longest_pause:
                pause = self._times.first_pause
            _log.warning("mcp_server_lost", server=self.name, reason=reason, again_after=pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, self._times.longest_pause)

    async def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """The tool's result as text, marked as untrusted.

        Raises:
            ToolFailed: in words for the model, whatever went wrong.
        """
        from mcp.shared.exceptions import MCPError

        dispatcher = self._dispatcher
        if dispatcher is None:
            raise self._unreachable()
        try:
            result = await dispatcher.send_raw_request(
                "tools/call",
                {"name": tool, "arguments": arguments},
                {"timeout": self._times.call},
            )
        except MCPError as error:
            raise self._explain(error) from None
        text = render_result(result)
        if result.get("isError"):
            raise ToolFailed(mark_untrusted(text[:_MAX_FAILURE], f"by {self.name}"))
        return mark_untrusted(text, f"by {self.name}")

    async def _try(self) -> str:
        """Serve one connection to its end; why it ended, without anything the server said."""
        import aiohttp
        from mcp.shared.exceptions import MCPError

        reason = "ended"
        try:
            await self._serve()
        except* (MCPError, OSError, ValueError, RuntimeError, aiohttp.ClientError) as failures:
            reason = _name_first(failures)
        return reason

    async def _serve(self) -> None:
        from mcp.client.session import ClientSession
        from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
        from mcp_types import Implementation

        async with _open_inbox() as (inbox, receiver), self._connect(inbox) as send:
            dispatcher: JSONRPCDispatcher = JSONRPCDispatcher(receiver, _Outgoing(inbox, send))
            griot = Implementation(name="griot", version="1")
            async with ClientSession(dispatcher=dispatcher, client_info=griot) as session:
                async with asyncio.timeout(self._times.connect):
                    await session.initialize()
                    self._offer(await self._list(dispatcher))
                _log.info("mcp_server_connected", server=self.name, tools=len(self.offered))
                self._dispatcher = dispatcher
                try:
                    await self._follow(inbox, dispatcher)
                finally:
                    self._dispatcher = None
                    self._offer(())

    async def _follow(self, inbox: Inbox, dispatcher: JSONRPCDispatcher) -> None:
        """List the tools anew whenever they change, until the connection ends."""
        while not inbox.ended:
            await inbox.news.wait()
            inbox.news.clear()
            if not inbox.ended:
                async with asyncio.timeout(self._times.connect):
                    self._offer(await self._list(dispatcher))
                await asyncio.sleep(self._times.between_listings)

    async def _list(self, dispatcher: JSONRPCDispatcher) -> tuple[Offered, ...]:
        listed: list[object] = []
        cursor: object = None
        for _ in range(_MAX_PAGES):
            params = {"cursor": cursor} if cursor else None
            page = await dispatcher.send_raw_request("tools/list", params)
            tools, cursor = page.get("tools"), page.get("nextCursor")
            listed += tools if isinstance(tools, list) else []
            if not isinstance(cursor, str) or len(listed) > MAX_TOOLS:
                break
        return read_tools(self.name, listed)

    def _connect(
        self, inbox: Inbox
    ) -> AbstractAsyncContextManager[Callable[[SessionMessage], None]]:
        if self._server.url:
            return reach_url(self.name, self._server, inbox)
        return run_command(self.name, self._server, inbox, self._times.grace)

    def _offer(self, offered: tuple[Offered, ...]) -> None:
        if offered != self.offered:
            self.offered = offered
            self._changed()

    def _unreachable(self) -> ToolFailed:
        return ToolFailed(
            f"The server {self.name!r} of this tool cannot be reached now. Do without it, or try "
            "again in a minute."
        )

    def _explain(self, error: MCPError) -> ToolFailed:
        from mcp_types import CONNECTION_CLOSED, INVALID_PARAMS, REQUEST_TIMEOUT

        match error.code:
            case code if code == CONNECTION_CLOSED:
                return self._unreachable()
            case code if code == REQUEST_TIMEOUT:
                return ToolFailed(f"The tool took longer than {self._times.call:g} s.")
            case code if code == INVALID_PARAMS:
                return ToolFailed("The tool did not accept these arguments. Check its schema.")
            case code if code == TOO_LARGE:
                return ToolFailed("The tool's answer was too large to be read. Ask for less.")
            case _:
                return ToolFailed("The tool answered with an error. Try another way.")


class _Outgoing:
    """The session's way out, in the form that the SDK wants: nothing here ever waits."""

    def __init__(self, inbox: Inbox, send: Callable[[SessionMessage], None]) -> None:
        self._inbox = inbox
        self._send = send

    async def send(self, item: SessionMessage) -> None:
        """Raises `anyio.ClosedResourceError` once the connection has ended."""
        from anyio import ClosedResourceError
        from mcp_types import JSONRPCNotification, JSONRPCRequest

        if self._inbox.ended:
            raise ClosedResourceError
        match item.message:
            case JSONRPCRequest(id=request):
                self._inbox.expect(request)
            case JSONRPCNotification(method="notifications/cancelled", params=params):
                self._inbox.forget((params or {}).get("requestId", ""))
            case _:
                pass
        self._send(item)

    async def aclose(self) -> None: ...

    async def __aenter__(self) -> _Outgoing:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None: ...


@asynccontextmanager
async def _open_inbox() -> AsyncGenerator[tuple[Inbox, Any]]:
    import anyio
    from mcp.shared.message import SessionMessage

    sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    with sender, receiver:
        yield Inbox(sender), receiver


def _load() -> None:
    """Import the SDK: it takes a second, which the event loop must not stand still for."""
    import_module("mcp.client.session")


def _name_first(group: BaseExceptionGroup[BaseException]) -> str:
    first = group.exceptions[0]
    while isinstance(first, BaseExceptionGroup):
        first = cast("BaseExceptionGroup[BaseException]", first).exceptions[0]
    return type(first).__name__

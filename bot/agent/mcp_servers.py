"""Keep connections to MCP servers, and offer their tools.

The SDK (`mcp`) is imported when the first server is connected to, never by importing this module.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import structlog

from bot.agent.mcp_tools import MAX_TOOLS, OfferedTool, fit_name, read_tools, render_result
from bot.cancellation import cancel_tasks
from bot.contracts.services import ToolContext
from bot.contracts.tools import AnyArguments, Tool, ToolSpec, mark_untrusted
from bot.errors import ToolFailed
from bot.settings import McpServer

if TYPE_CHECKING:
    from mcp.shared.exceptions import MCPError
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

_INSIST_SECONDS = 10.0
"""Seconds to wait for the servers to stop: longer than the SDK takes to stop one."""
_log = structlog.get_logger()


class McpServers:
    """A `ToolSource` with the tools of all servers.

    Args:
        servers: the servers by name; the names of their tools begin with it.
        taken: names that other tools have and these must not take.
    """

    def __init__(
        self,
        servers: Mapping[str, McpServer],
        *,
        taken: Collection[str] = (),
        times: Timeouts | None = None,
    ) -> None:
        times = times or Timeouts()
        self._connections = [
            ServerConnection(name, server, times, self._collect_tools)
            for name, server in servers.items()
        ]
        self._taken = frozenset(taken)
        self._call_seconds = times.call_seconds
        self.tools: tuple[Tool[Any], ...] = ()
        """The tools that can be called now; the same tuple as long as nothing has changed."""
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Connect to all servers in the background, without waiting for any."""
        for connection in self._connections:
            task = asyncio.create_task(connection.keep_connected(), name=f"mcp {connection.name}")
            task.add_done_callback(_log_broken_connection)
            self._tasks.append(task)

    async def close(self) -> None:
        """Disconnect from all servers; those that are our processes have ended when it returns."""
        for connection in self._connections:
            connection.is_closing = True
        await cancel_tasks(self._tasks, patience=_INSIST_SECONDS)
        self._tasks.clear()

    def _collect_tools(self) -> None:
        tools: dict[str, Tool[Any]] = {}
        for connection in self._connections:
            for offered in connection.offered:
                name = fit_name(connection.name, offered.name, self._taken | tools.keys())
                tools[name] = self._tool(connection, offered, name)
        self.tools = tuple(tools.values())

    def _tool(self, connection: ServerConnection, offered: OfferedTool, name: str) -> Tool[Any]:
        async def call(args: AnyArguments, _: ToolContext) -> str:
            return await connection.call(offered.name, dict(args.model_extra or {}))

        return Tool(
            AnyArguments,
            call,
            modes=frozenset({"child", "pro"}),
            effect=offered.effect,
            timeout=self._call_seconds,
            max_result=16_000,
            label=f"{connection.name}…",
            given=ToolSpec(name, offered.description, offered.parameters),
        )


def _log_broken_connection(task: asyncio.Task[None]) -> None:
    """Log the failure of a connection's task, which should only end by being cancelled."""
    if not task.cancelled() and (error := task.exception()):
        _log.error("mcp_link_broken", connection=task.get_name(), exc_info=error)


_MAX_PAGES = 16
_MAX_FAILURE = 2_000
"""Characters of a tool's own error that reach the model."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Times that a server may take, in seconds."""

    connect_seconds: float = 30.0
    """Seconds to start, to introduce itself and to list its tools; later, to list them again."""
    call_seconds: float = 60.0
    first_pause: float = 1.0
    """Seconds before the first reconnection; doubled each time, up to `longest_pause`."""
    longest_pause: float = 60.0
    between_listings: float = 1.0
    """Seconds between two listings, however often the server says that its tools have changed."""


class ServerConnection:
    """The connection to one server.

    Args:
        name: the operator's name for the server.
        changed: called when `offered` has changed.
    """

    def __init__(
        self, name: str, server: McpServer, times: Timeouts, changed: Callable[[], None]
    ) -> None:
        self.name = name
        self.offered: tuple[OfferedTool, ...] = ()
        """The tools that can be called now."""
        self.is_closing = False
        """Set before `keep_connected` is cancelled."""
        self._server = server
        self._times = times
        self._changed = changed
        self._dispatcher: JSONRPCDispatcher | None = None
        self._may_have_changed = asyncio.Event()

    async def keep_connected(self) -> None:
        """Connect, and reconnect whenever the connection is lost, until cancelled.

        After a connection that lasted for `longest_pause` the next pause is `first_pause`.
        """
        pause = self._times.first_pause
        await asyncio.to_thread(_import_sdk)
        while True:
            began = time.monotonic()
            reason = await self._try()
            if self.is_closing:  # a task group that just gave up by itself swallows a cancellation
                return
            if time.monotonic() - began > self._times.longest_pause:
                pause = self._times.first_pause
            _log.warning("mcp_server_lost", server=self.name, reason=reason, again_after=pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, self._times.longest_pause)

    async def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Return the tool's result as text, marked as untrusted.

        Raises:
            ToolFailed: for any failure, with a message for the model.
        """
        from mcp.shared.exceptions import MCPError

        dispatcher = self._dispatcher
        if dispatcher is None:
            raise self._unreachable()
        try:
            result = await dispatcher.send_raw_request(
                "tools/call",
                {"name": tool, "arguments": arguments},
                {"timeout": self._times.call_seconds},
            )
        except MCPError as error:
            raise self._explain(error) from None
        text = render_result(result)
        if result.get("isError"):
            raise ToolFailed(mark_untrusted(text[:_MAX_FAILURE], f"by {self.name}"))
        return mark_untrusted(text, f"by {self.name}")

    async def _try(self) -> str:
        """Keep one connection until it ends; return the kind of error that ended it."""
        from anyio import BrokenResourceError, ClosedResourceError
        from httpx2 import HTTPError
        from mcp.shared.exceptions import MCPError

        closed = (BrokenResourceError, ClosedResourceError)
        reason = "ended"
        try:
            await self._serve()
        except* (MCPError, HTTPError, OSError, ValueError, RuntimeError, *closed) as failures:
            first = failures.exceptions[0]
            while isinstance(first, BaseExceptionGroup):
                first = cast("BaseExceptionGroup[BaseException]", first).exceptions[0]
            reason = type(first).__name__
        return reason

    async def _serve(self) -> None:
        from mcp.client.session import ClientSession
        from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
        from mcp_types import Implementation

        from bot.agent.mcp_transports import open_streams

        recheck = self._may_have_changed.set
        async with open_streams(self.name, self._server, self._times.call_seconds, recheck) as (
            reader,
            writer,
        ):
            dispatcher: JSONRPCDispatcher = JSONRPCDispatcher(reader, writer)
            griot = Implementation(name="griot", version="1")
            async with ClientSession(dispatcher=dispatcher, client_info=griot) as session:
                async with asyncio.timeout(self._times.connect_seconds):
                    await session.initialize()
                    self._offer(await self._list(dispatcher))
                _log.info("mcp_server_connected", server=self.name, tools=len(self.offered))
                self._dispatcher = dispatcher
                try:
                    await self._follow(dispatcher)
                finally:
                    self._dispatcher = None
                    self._offer(())

    async def _follow(self, dispatcher: JSONRPCDispatcher) -> None:
        """List the tools again whenever they may have changed; a lost connection raises."""
        while True:
            await self._may_have_changed.wait()
            self._may_have_changed.clear()
            async with asyncio.timeout(self._times.connect_seconds):
                self._offer(await self._list(dispatcher))
            await asyncio.sleep(self._times.between_listings)

    async def _list(self, dispatcher: JSONRPCDispatcher) -> tuple[OfferedTool, ...]:
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

    def _offer(self, offered: tuple[OfferedTool, ...]) -> None:
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

        from bot.agent.mcp_transports import TOO_LARGE

        if TOO_LARGE in error.message:
            return ToolFailed("The tool's answer was too large to be read. Ask for less.")
        if error.code == CONNECTION_CLOSED:
            return self._unreachable()
        if error.code == REQUEST_TIMEOUT:
            return ToolFailed(f"The tool took longer than {self._times.call_seconds:g} s.")
        if error.code == INVALID_PARAMS:
            return ToolFailed("The tool did not accept these arguments. Check its schema.")
        return ToolFailed("The tool answered with an error. Try another way.")


def _import_sdk() -> None:
    """Import the SDK, which takes a second: run it outside the event loop."""
    import_module("bot.agent.mcp_transports")
    for name in ("mcp", "client"):  # their log records quote any text of a server
        logging.getLogger(name).setLevel(logging.CRITICAL)

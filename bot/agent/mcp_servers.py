"""Connections to MCP servers, and their tools.

The SDK (`mcp`) is imported when the first server is connected to, never by importing this module.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

import msgspec
import structlog

from bot.agent.mcp_messages import TOO_LARGE, IncomingMessages, render_result
from bot.agent.mcp_transports import connect_http, run_stdio_server
from bot.contracts.services import ToolContext
from bot.contracts.tools import AnyArguments, Effect, Tool, ToolSpec, mark_untrusted
from bot.errors import ToolFailed
from bot.periodic import cancel_tasks
from bot.settings import McpServer

if TYPE_CHECKING:
    from mcp.shared.exceptions import MCPError
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
    from mcp.shared.message import SessionMessage

_INSIST_SECONDS = 5.0
"""Longer than any server takes to stop."""
_log = structlog.get_logger()


class McpServers:
    """A `ToolSource` with the tools of all servers.

    Args:
        servers: by the names that their tools begin with.
        taken: names that no tool may have, because others have them.
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
        """Leave all servers; those that are our processes have ended when it returns."""
        # A task group that is just giving up by itself may lose a cancellation.
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
    """Log a connection's task that failed: it should only end by being cancelled."""
    if not task.cancelled() and (error := task.exception()):
        _log.error("mcp_link_broken", connection=task.get_name(), exc_info=error)


_MAX_PAGES = 16
_MAX_FAILURE = 2_000
"""Characters of a tool's own error that reach the model."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Times that a server may take, in seconds."""

    connect_seconds: float = 30.0
    """To start, to introduce itself and to list its tools; later, to list them anew."""
    call_seconds: float = 60.0
    first_pause: float = 1.0
    """Before it is tried again; doubled each time, up to `longest_pause`."""
    longest_pause: float = 60.0
    between_listings: float = 1.0
    """Between two listings, however often the server says that its tools have changed."""
    grace: float = 2.0
    """To stop, before its process is killed."""


class ServerConnection:
    """The connection to one server.

    Args:
        name: as the operator calls the server.
        changed: called when `offered` has changed.
    """

    def __init__(
        self, name: str, server: McpServer, times: Timeouts, changed: Callable[[], None]
    ) -> None:
        self.name = name
        self.offered: tuple[OfferedTool, ...] = ()
        """The tools that can be called now."""
        self._server = server
        self._times = times
        self._changed = changed
        self._dispatcher: JSONRPCDispatcher | None = None

    async def keep_connected(self) -> None:
        """Connect, and again whenever the connection is lost, until cancelled.

        A server that stood for `longest_pause` is tried again after `first_pause`.
        """
        pause = self._times.first_pause
        await asyncio.to_thread(_import_sdk)
        while True:
            began = time.monotonic()
            reason = await self._try()
            if time.monotonic() - began > self._times.longest_pause:
                pause = self._times.first_pause
            _log.warning("mcp_server_lost", server=self.name, reason=reason, again_after=pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, self._times.longest_pause)

    async def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Return the tool's result as text, marked as untrusted.

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
                {"timeout": self._times.call_seconds},
            )
        except MCPError as error:
            raise self._explain(error) from None
        text = render_result(result)
        if result.get("isError"):
            raise ToolFailed(mark_untrusted(text[:_MAX_FAILURE], f"by {self.name}"))
        return mark_untrusted(text, f"by {self.name}")

    async def _try(self) -> str:
        """Serve one connection to its end; return why it ended, without the server's words."""
        import aiohttp
        from mcp.shared.exceptions import MCPError

        reason = "ended"
        try:
            await self._serve()
        except* (MCPError, OSError, ValueError, RuntimeError, aiohttp.ClientError) as failures:
            first = failures.exceptions[0]
            while isinstance(first, BaseExceptionGroup):
                first = cast("BaseExceptionGroup[BaseException]", first).exceptions[0]
            reason = type(first).__name__
        return reason

    async def _serve(self) -> None:
        from mcp.client.session import ClientSession
        from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
        from mcp_types import Implementation

        async with _open_inbox() as (inbox, receiver), self._connect(inbox) as send:
            dispatcher: JSONRPCDispatcher = JSONRPCDispatcher(
                receiver, _OutgoingMessages(inbox, send)
            )
            griot = Implementation(name="griot", version="1")
            async with ClientSession(dispatcher=dispatcher, client_info=griot) as session:
                async with asyncio.timeout(self._times.connect_seconds):
                    await session.initialize()
                    self._offer(await self._list(dispatcher))
                _log.info("mcp_server_connected", server=self.name, tools=len(self.offered))
                self._dispatcher = dispatcher
                try:
                    await self._follow(inbox, dispatcher)
                finally:
                    self._dispatcher = None
                    self._offer(())

    async def _follow(self, inbox: IncomingMessages, dispatcher: JSONRPCDispatcher) -> None:
        """List the tools anew whenever they change, until the connection ends."""
        while not inbox.ended:
            await inbox.changed.wait()
            inbox.changed.clear()
            if not inbox.ended:
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

    def _connect(
        self, inbox: IncomingMessages
    ) -> AbstractAsyncContextManager[Callable[[SessionMessage], None]]:
        if self._server.url:
            return connect_http(self.name, self._server, inbox)
        return run_stdio_server(self.name, self._server, inbox, self._times.grace)

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

        match error.code:
            case code if code == CONNECTION_CLOSED:
                return self._unreachable()
            case code if code == REQUEST_TIMEOUT:
                return ToolFailed(f"The tool took longer than {self._times.call_seconds:g} s.")
            case code if code == INVALID_PARAMS:
                return ToolFailed("The tool did not accept these arguments. Check its schema.")
            case code if code == TOO_LARGE:
                return ToolFailed("The tool's answer was too large to be read. Ask for less.")
            case _:
                return ToolFailed("The tool answered with an error. Try another way.")


class _OutgoingMessages:
    """Sends the session's messages in the form that the SDK wants; nothing here ever waits."""

    def __init__(self, inbox: IncomingMessages, send: Callable[[SessionMessage], None]) -> None:
        self._inbox = inbox
        self._send = send

    async def send(self, item: SessionMessage) -> None:
        """Send a message. Raises `anyio.ClosedResourceError` once the connection has ended."""
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

    async def __aenter__(self) -> _OutgoingMessages:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None: ...


@asynccontextmanager
async def _open_inbox() -> AsyncGenerator[tuple[IncomingMessages, Any]]:
    import anyio
    from mcp.shared.message import SessionMessage

    sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    with sender, receiver:
        yield IncomingMessages(sender), receiver


def _import_sdk() -> None:
    """Import the SDK, which takes a second: run it outside the event loop."""
    import_module("mcp.client.session")


MAX_TOOLS = 128
"""Tools taken from one server."""
_MAX_NAME = 64
"""Characters of a tool's name, as `bot.contracts.tools.TOOL_NAME` has it."""
_MAX_DESCRIPTION = 1_000
_MAX_SCHEMA = 16 * 1024
_MAX_OWN_NAME = 500
_UNFIT = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True)
class OfferedTool:
    """One tool as its server offers it."""

    name: str
    """The server's own name for it."""
    description: str
    parameters: Mapping[str, Any]
    effect: Effect


class _Hints(msgspec.Struct, rename="camel"):
    read_only_hint: bool | None = None
    idempotent_hint: bool | None = None


class _ListedTool(msgspec.Struct, rename="camel"):
    name: str
    input_schema: dict[str, Any]
    description: str | None = None
    annotations: _Hints | None = None


def read_tools(server: str, listed: Sequence[object]) -> tuple[OfferedTool, ...]:
    """Read the usable entries of a server's `tools/list`, at most `MAX_TOOLS`.

    An entry of the wrong form is left out with a warning, and does not cost the others: no name, an
    input schema that is not that of an object, or one larger than 16 KB.
    """
    offered: dict[str, OfferedTool] = {}
    for entry in listed[: 2 * MAX_TOOLS]:
        if (tool := _read_tool(server, entry)) is not None:
            offered.setdefault(tool.name, tool)
    if len(listed) > MAX_TOOLS:
        _log.warning("mcp_too_many_tools", server=server, listed=len(listed), taken=MAX_TOOLS)
    return tuple(offered.values())[:MAX_TOOLS]


def fit_name(server: str, tool: str, taken: Collection[str]) -> str:
    """Return `{server}_{tool}` as endpoints accept it, with a number if that is taken."""
    base = _UNFIT.sub("_", f"{server}_{tool}")[:_MAX_NAME]
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base[: _MAX_NAME - len(str(number)) - 1]}_{number}"
    return name


def _read_tool(server: str, entry: object) -> OfferedTool | None:
    try:
        tool = msgspec.convert(entry, _ListedTool)
        _check(tool)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        name = cast("dict[str, object]", entry).get("name") if isinstance(entry, dict) else None
        _log.warning("mcp_tool_left_out", server=server, tool=str(name)[:64], reason=str(error))
        return None
    return OfferedTool(
        tool.name, (tool.description or "")[:_MAX_DESCRIPTION], tool.input_schema, _effect(tool)
    )


def _check(tool: _ListedTool) -> None:
    if not 0 < len(tool.name) <= _MAX_OWN_NAME:
        raise ValueError(f"its name is not of 1 to {_MAX_OWN_NAME} characters")
    schema = tool.input_schema
    if schema.get("type") != "object" or not _is_mapping(schema.get("properties", {})):
        raise ValueError("its input schema is not that of an object")
    if len(msgspec.json.encode(schema)) > _MAX_SCHEMA:
        raise ValueError("its input schema is larger than 16 KB")


def _is_mapping(properties: object) -> bool:
    """Return whether each property has a schema: endpoints refuse a request in which one has
    not."""
    if not isinstance(properties, dict):
        return False
    schemas = cast("dict[str, object]", properties).values()
    return all(isinstance(schema, dict | bool) for schema in schemas)


def _effect(tool: _ListedTool) -> Effect:
    hints = tool.annotations or _Hints()
    if hints.read_only_hint:
        return "read"
    return "repeatable" if hints.idempotent_hint else "once"

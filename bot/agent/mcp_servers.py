"""Keep connections to MCP servers, offer their tools, and write the results as text.

Lists of tools and results are read from the JSON, where the SDK would refuse a whole one for one
part. The SDK (`mcp`) is imported when the first server is connected to, never by importing this
module.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import msgspec
import structlog

from bot.asyncio_tasks import cancel_tasks
from bot.contracts.services import ToolContext
from bot.contracts.tools import AnyArguments, Effect, Tool, ToolSpec, mark_untrusted, to_tool_name
from bot.errors import ToolFailed
from bot.net import get_fields
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

    async def wait_until_tried(self, seconds: float) -> Mapping[str, str]:
        """Wait for the first try to connect to each server, for at most these seconds; return the
        names of those not connected with the kind of error, empty if none came yet."""
        trying = [each.was_tried.wait() for each in self._connections]
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*trying)
        return {each.name: each.failure for each in self._connections if not each.is_connected}

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
            acts_outside=offered.effect != "read",
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
        self.was_tried = asyncio.Event()
        """Set when the first connection was made or has failed."""
        self.failure = ""
        """The kind of error that ended the last connection."""
        self._server = server
        self._times = times
        self._changed = changed
        self._dispatcher: JSONRPCDispatcher | None = None
        self._may_have_changed = asyncio.Event()
        self._connected_at = math.inf

    @property
    def is_connected(self) -> bool:
        return self._dispatcher is not None

    async def keep_connected(self) -> None:
        """Connect, and reconnect whenever the connection is lost, until cancelled.

        After a connection that lasted for `longest_pause` the next pause is `first_pause`.
        """
        pause = self._times.first_pause
        await asyncio.to_thread(_import_sdk)
        while True:
            self._connected_at = math.inf
            reason = self.failure = await self._try()
            self.was_tried.set()
            if self.is_closing:  # a task group that just gave up by itself swallows a cancellation
                return
            if time.monotonic() - self._connected_at > self._times.longest_pause:
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
            errors = _list_errors(failures)
            causes = [error for error in errors if not isinstance(error, closed)]
            reason = type((causes or errors)[0]).__name__  # streams that break are an effect
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
                self._connected_at = time.monotonic()
                self.was_tried.set()
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


def _list_errors(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    errors: list[BaseException] = []
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            errors += _list_errors(cast("BaseExceptionGroup[BaseException]", each))
        else:
            errors.append(each)
    return errors


def _import_sdk() -> None:
    """Import the SDK, which takes a second: run it outside the event loop."""
    import_module("bot.agent.mcp_transports")
    for name in ("mcp", "client"):  # their log records quote any text of a server
        logging.getLogger(name).setLevel(logging.CRITICAL)


MAX_TOOLS = 128
"""Tools taken from one server."""
_MAX_NAME = 64
"""Characters of a tool's name, the same as in `bot.contracts.tools.TOOL_NAME`."""
_MAX_DESCRIPTION = 1_000
_MAX_SCHEMA = 16 * 1024
_MAX_OWN_NAME = 500


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

    An unusable entry is left out with a warning, and the others are kept. Unusable are entries
    without a name, with an input schema that is not that of an object, or with one larger than 16
    KB.
    """
    offered: dict[str, OfferedTool] = {}
    for entry in listed[: 2 * MAX_TOOLS]:
        if (tool := _read_tool(server, entry)) is not None:
            offered.setdefault(tool.name, tool)
    if len(listed) > MAX_TOOLS:
        _log.warning("mcp_too_many_tools", server=server, listed=len(listed), taken=MAX_TOOLS)
    return tuple(offered.values())[:MAX_TOOLS]


def fit_name(server: str, tool: str, taken: Collection[str]) -> str:
    """Return `{server}_{tool}` in a form that endpoints accept, with a number if it is taken."""
    base = to_tool_name(f"{server}_{tool}")
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
    none."""
    if not isinstance(properties, dict):
        return False
    schemas = cast("dict[str, object]", properties).values()
    return all(isinstance(schema, dict | bool) for schema in schemas)


def _effect(tool: _ListedTool) -> Effect:
    hints = tool.annotations or _Hints()
    if hints.read_only_hint:
        return "read"
    return "repeatable" if hints.idempotent_hint else "once"


_MAX_PARTS = 1_000
_MAX_SHOWN_NAME = 200
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
    return get_fields(part).get("type") == "text"


def _render_part(content: object) -> str:
    part = get_fields(content)
    kind = part.get("type")
    if kind == "text" and isinstance(text := part.get("text"), str):
        return text
    if kind in ("image", "audio"):
        return (
            f"[{kind} {_shorten_name(part.get('mimeType'))}, {_count_bytes(part)} bytes: not shown]"
        )
    if kind == "resource":
        return _render_resource(get_fields(part.get("resource")))
    if kind == "resource_link":
        return f"[resource {_shorten_name(part.get('uri'))}: not shown]"
    return f"[{_shorten_name(kind)}: not shown]"


def _render_resource(resource: Mapping[str, Any]) -> str:
    kind = _shorten_name(resource.get("mimeType"))
    size = _count_bytes({"data": resource.get("blob"), "text": resource.get("text")})
    return f"[resource {_shorten_name(resource.get('uri'))} {kind}, {size} bytes: not shown]"


def _count_bytes(part: Mapping[str, Any]) -> str:
    """Return the number of bytes of base64 `data` once decoded, else of `text`."""
    if isinstance(data := part.get("data"), str):
        return f"{len(data) * 3 // 4 - data[-2:].count('='):,}"
    text = part.get("text")
    return f"{len(text.encode(errors='replace')):,}" if isinstance(text, str) else "0"


def _shorten_name(value: object) -> str:
    return " ".join(value[:_MAX_SHOWN_NAME].split()) if isinstance(value, str) else "unknown"


def _encode(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return "[structured content: not readable]"

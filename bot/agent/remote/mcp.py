"""Tools of MCP servers, kept ready while Griot runs.

The SDK (`mcp`) is imported when the first server is connected to, never by importing this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import Any

import structlog

from bot.agent.remote.mcp_link import Link, Times
from bot.agent.remote.mcp_tools import Offered, fit_name
from bot.contracts import AnyArguments, Tool, ToolContext, ToolSpec
from bot.rounds import cancel
from bot.settings import McpServer

_INSIST_SECONDS = 5.0
"""Longer than any server may take to stop."""
_log = structlog.get_logger()


class McpServers:
    """The tools of all servers: a `ToolSource`.

    Args:
        servers: by the names that their tools begin with.
        taken: names that no tool may have, because others have them.
        connect_seconds: for a server to start, to introduce itself and to list its tools.
        call_seconds: for one call.
        first_pause: seconds before a lost server is tried again, doubled up to `longest_pause`.
        between_listings: seconds between two listings, however often a server says it has changed.
        grace: seconds for a server's process to stop before it is killed.
    """

    def __init__(
        self,
        servers: Mapping[str, McpServer],
        *,
        taken: Collection[str] = (),
        connect_seconds: float = 30.0,
        call_seconds: float = 60.0,
        first_pause: float = 1.0,
        longest_pause: float = 60.0,
        between_listings: float = 1.0,
        grace: float = 2.0,
    ) -> None:
        times = Times(
            connect_seconds, call_seconds, first_pause, longest_pause, between_listings, grace
        )
        self._links = [Link(name, server, times, self._forget) for name, server in servers.items()]
        self._taken = frozenset(taken)
        self._call_seconds = call_seconds
        self._tools: tuple[Tool[Any], ...] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def tools(self) -> tuple[Tool[Any], ...]:
        """The tools that can be called now; the same tuple as long as nothing has changed."""
        if self._tools is None:
            self._tools = self._build()
        return self._tools

    def start(self) -> None:
        """Connect to all servers in the background; none is waited for."""
        for link in self._links:
            task = asyncio.create_task(link.keep(), name=f"mcp {link.name}")
            task.add_done_callback(_complain)
            self._tasks.append(task)

    async def close(self) -> None:
        """Leave all servers; those that are our processes have ended then."""
        # A task group that is just giving up by itself may lose a cancellation.
        await cancel(self._tasks, patience=_INSIST_SECONDS)
        self._tasks.clear()

    def _forget(self) -> None:
        self._tools = None

    def _build(self) -> tuple[Tool[Any], ...]:
        tools: dict[str, Tool[Any]] = {}
        for link in self._links:
            for offered in link.offered:
                name = fit_name(link.name, offered.name, self._taken | tools.keys())
                tools[name] = self._tool(link, offered, name)
        return tuple(tools.values())

    def _tool(self, link: Link, offered: Offered, name: str) -> Tool[Any]:
        async def call(args: AnyArguments, _: ToolContext) -> str:
            return await link.call(offered.name, dict(args.model_extra or {}))

        return Tool(
            AnyArguments,
            call,
            modes=frozenset({"child", "pro"}),
            effect=offered.effect,
            timeout=self._call_seconds,
            max_result=16_000,
            label=f"{link.name}…",
            given=ToolSpec(name, offered.description, offered.parameters),
        )


def _complain(task: asyncio.Task[None]) -> None:
    """A link ends by being cancelled; if it ends otherwise, that is our bug."""
    if not task.cancelled() and (error := task.exception()):
        _log.error("mcp_link_broken", link=task.get_name(), exc_info=error)

"""Which tools there are, for whom, and which of them the model is told of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import structlog

from bot.agent.prices import BYTES_OF_JSON, facts_of
from bot.agent.selection import MOST_OFFERED, Selector
from bot.agent.turn import Turn
from bot.contracts import Tool, ToolSource, ToolSpec
from bot.messages import AssistantMessage
from bot.settings import Settings

AnyTool = Tool[Any]
_SHARE_OF_TOOLS = 2
"""At most one part in so many of a model's window."""
log = structlog.get_logger()


@dataclass(frozen=True)
class _Shelf:
    """The tools for one mode."""

    tools: Mapping[str, AnyTool]
    window: int
    """Tokens of the model that is told of them."""

    @cached_property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self.tools.values())

    @cached_property
    def selector(self) -> Selector:
        always = [tool.name for tool in self.tools.values() if tool.always_offered]
        tokens = sum(len(spec.encoded) for spec in self.specs) // BYTES_OF_JSON
        fits = tokens * _SHARE_OF_TOOLS <= self.window
        return Selector(self.specs, always, MOST_OFFERED if fits else 0)


class Catalogue:
    """Our own tools, and those that sources have at the moment. A name counts once, the first."""

    def __init__(
        self,
        tools: Sequence[AnyTool],
        sources: Sequence[ToolSource],
        settings: Settings,
        *,
        only: frozenset[str] | None = None,
    ) -> None:
        """
        Args:
            only: the names of those that count; None: all.
        """
        self._only = only
        self._own = tuple(tool for tool in tools if tool.enabled(settings))
        self._sources = sources
        self._disabled = settings.disabled_tools
        self._window = facts_of(settings.model, settings.model_capabilities).context_window
        self._known: list[Sequence[AnyTool]] = []
        self._tools: Mapping[str, AnyTool] = {}
        self._shelves: dict[tuple[str, bool], _Shelf] = {}

    def find(self, name: str) -> AnyTool | None:
        """The tool of this name, whoever may use it."""
        return self._current().get(name)

    def for_turn(self, turn: Turn) -> Mapping[str, AnyTool]:
        """The tools that may run in this turn, by name: none for a guest, and no delegates where
        too many stand behind one another already."""
        return self._shelf(turn).tools

    def offer(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """What the model is told of in this turn: all, or the most relevant where they are many or
        would fill half of its window; always the same tuple within a turn."""
        if turn.offered is None:
            shelf = self._shelf(turn)
            turn.offered = shelf.selector.select(turn.request, more=_called(turn))
        return turn.offered

    def _shelf(self, turn: Turn) -> _Shelf:
        tools = self._current()
        key = ("" if turn.person.is_guest else turn.person.mode, turn.depth > 0)
        if key not in self._shelves:
            mode, may_delegate = key
            self._shelves[key] = _Shelf(
                {
                    name: tool
                    for name, tool in tools.items()
                    if mode in tool.modes and (may_delegate or not tool.is_delegate)
                },
                self._window,
            )
        return self._shelves[key]

    def _current(self) -> Mapping[str, AnyTool]:
        """All tools by name, put together anew only when a source has changed."""
        given = [source.tools for source in self._sources]
        if not self._tools or any(a is not b for a, b in zip(given, self._known, strict=True)):
            self._known, self._shelves = given, {}
            self._tools = self._collect(given)
        return self._tools

    def _collect(self, given: Sequence[Sequence[AnyTool]]) -> Mapping[str, AnyTool]:
        tools: dict[str, AnyTool] = {}
        for tool in chain(self._own, *given):
            if tool.name in self._disabled or (
                self._only is not None and tool.name not in self._only
            ):
                continue
            if tools.setdefault(tool.name, tool) is not tool:
                log.warning("tool_name_taken", tool=tool.name)
        return tools


def _called(turn: Turn) -> set[str]:
    """The tools that were called in this conversation: they may be needed again."""
    return {
        call.name
        for message in turn.messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    }

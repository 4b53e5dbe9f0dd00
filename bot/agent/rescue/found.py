"""The calls found in a text, and which of them count."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bot.agent.rescue.dialects import DIALECTS
from bot.agent.rescue.written import Span, Written, known_name, tool_call
from bot.messages import ToolCall

MOST_CALLS = 32
"""In one text; the rest is taken out of it and not run."""


class FoundCalls:
    """Calls of known tools, by dialect."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._by_dialect: list[list[tuple[str, Written, str]]] = [[] for _ in DIALECTS]

    def add(self, order: int, written: Sequence[Written], span: Span) -> None:
        """Add what was `written` in `span`, in the dialect number `order`."""
        found = self._by_dialect[order]
        for call in written:
            name = known_name(call.name, self._known)
            if name and len(found) < MOST_CALLS:
                found.append((name, call, span.text))

    def chosen(self) -> tuple[ToolCall, ...]:
        """The calls of the first dialect with one that could be read, else of the first at all."""
        chosen = next(filter(_has_readable, self._by_dialect), None)
        if chosen is None:
            chosen = next((found for found in self._by_dialect if found), ())
        return tuple(tool_call(name, call.arguments, span) for name, call, span in chosen)


def read_span(span: Span) -> tuple[int, list[Written]]:
    """The number of the first dialect that finds calls in `span`, and the calls."""
    for order, dialect in enumerate(DIALECTS):
        if span.kind in dialect.kinds and (written := dialect.read(span)):
            return order, written
    return 0, []


def _has_readable(found: list[tuple[str, Written, str]]) -> bool:
    return any(isinstance(call.arguments, dict) for _, call, _ in found)

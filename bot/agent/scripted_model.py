"""Answer from a list instead of a model (`DEBUG_MOCK_RESPONSES`), for tests and demonstrations.

It keeps the contract of a real model, streaming included, and never opens a socket.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from bot.agent.model_facts import UNKNOWN_MODEL, ModelFacts, estimate_usage
from bot.agent.openai_protocol.chunks import make_call_id
from bot.agent.tool_calls.tool_call_parser import ToolCallParser
from bot.contracts.models import ModelRequest
from bot.errors import ScriptExhausted
from bot.events import Content, Emit, ToolProgress
from bot.messages.transcript import AssistantMessage, ModelReply, ToolCall
from bot.settings import ScriptedCall, ScriptedCalls

PIECE = 24
"""Characters of a text that are shown at once."""


class ScriptedModel:
    """A `Model` whose entry n answers the n-th call of the process."""

    def __init__(
        self, entries: Sequence[str | ScriptedCalls], facts: ModelFacts = UNKNOWN_MODEL
    ) -> None:
        """Take the script; `facts` are the abilities and token prices that it pretends to have."""
        self._entries = tuple(entries)
        self._facts = facts
        self._calls = 0

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        """Answer with the next entry. Raises `ScriptExhausted` when all entries are used."""
        if self._calls == len(self._entries):
            raise ScriptExhausted(
                f"DEBUG_MOCK_RESPONSES has {len(self._entries)} entries and a call more was made"
            )
        self._calls += 1
        entry = self._entries[self._calls - 1]
        text = entry if isinstance(entry, str) else entry.content
        calls = () if isinstance(entry, str) else tuple(map(_call, entry.tool_calls))
        schemas = {tool.name: tool.parameters for tool in request.known_tools}
        prose = ToolCallParser(schemas, native=self._facts.tools, schemas=schemas)
        shown = [*map(prose.feed, _pieces(text)), prose.close()]
        for piece in filter(None, shown):
            emit(Content(piece))
        calls = calls or prose.calls
        watched = {tool.name for tool in request.tools if tool.shows_arguments}
        for call in calls:
            if call.name in watched:
                for piece in _pieces(call.arguments):
                    emit(ToolProgress(id=call.id, name=call.name, delta=piece))
        message = AssistantMessage(prose.text, calls, endpoint="scripted")
        return ModelReply(
            message=message,
            usage=estimate_usage(request, message, self._facts),
            model="scripted",
            finish_reason="tool_calls" if calls else "stop",
            is_estimated=True,
        )

    async def close(self) -> None:
        """Do nothing: no connection is open."""


def _call(scripted: ScriptedCall) -> ToolCall:
    arguments = scripted.arguments
    text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
    return ToolCall(make_call_id(), scripted.name, text)


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))

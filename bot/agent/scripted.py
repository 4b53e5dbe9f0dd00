"""The scripted model (`DEBUG_MOCK_RESPONSES`): answers from a list, for tests and demonstrations.

It keeps the contract of a real model, streaming included, and never opens a socket.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from bot.agent.calls import make_id
from bot.agent.prices import UNKNOWN, ModelFacts, estimate_usage
from bot.contracts import ModelRequest
from bot.errors import ScriptExhausted
from bot.events import Content, Emit, ToolProgress
from bot.messages import AssistantMessage, ModelReply, ToolCall
from bot.settings import ScriptedCall, ScriptedCalls

PIECE = 24
"""Characters of a text shown at once."""


class ScriptedModel:
    """Implements `Model`: entry n answers the n-th call, whoever asks."""

    def __init__(self, entries: Sequence[str | ScriptedCalls], facts: ModelFacts = UNKNOWN) -> None:
        """`facts` give the price of the tokens that it pretends to use."""
        self._entries = tuple(entries)
        self._facts = facts
        self._asked = 0

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        """The next entry. Raises `ScriptExhausted` when there is none."""
        entry = self._next_entry()
        text = entry if isinstance(entry, str) else entry.content
        calls = () if isinstance(entry, str) else tuple(map(_call, entry.tool_calls))
        for piece in _pieces(text):
            emit(Content(piece))
        watched = {tool.name for tool in request.tools if tool.shows_arguments}
        for call in calls:
            if call.name in watched:
                for piece in _pieces(call.arguments):
                    emit(ToolProgress(id=call.id, name=call.name, delta=piece))
        message = AssistantMessage(text=text, tool_calls=calls, endpoint="scripted")
        return ModelReply(
            message=message,
            usage=estimate_usage(request, message, self._facts),
            model="scripted",
            finish_reason="tool_calls" if calls else "stop",
        )

    async def close(self) -> None:
        """Nothing is open."""

    def _next_entry(self) -> str | ScriptedCalls:
        if self._asked == len(self._entries):
            raise ScriptExhausted(
                f"DEBUG_MOCK_RESPONSES has {len(self._entries)} entries and a call more was made"
            )
        self._asked += 1
        return self._entries[self._asked - 1]


def _call(scripted: ScriptedCall) -> ToolCall:
    arguments = scripted.arguments
    text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
    return ToolCall(make_id(), scripted.name, text)


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))

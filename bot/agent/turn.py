"""A turn as the loop sees it: what was said, what it may use, what it has used."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.contracts import Finished, Journal
from bot.events import Content, Emit
from bot.messages import (
    AssistantMessage,
    Message,
    ModelReply,
    Outgoing,
    Person,
    ToolCall,
    ToolResult,
    Usage,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one turn may use; 0 means none."""

    iterations: int
    seconds: float
    usd: float
    tool_calls: int


@dataclass(slots=True)
class Turn:
    """The state of one turn. It can be rebuilt from the journal after a crash."""

    id: int
    lane: str
    person: Person
    messages: list[Message]
    """The whole context, this turn's own messages last."""
    limits: Limits
    journal: Journal
    emit: Emit
    monotonic: Callable[[], float] = time.monotonic
    started: float = field(init=False)
    iterations: int = 0
    tool_calls: int = 0
    usage: Usage = field(default_factory=Usage)
    spending: dict[tuple[str, str], tuple[int, Usage]] = field(
        default_factory=dict[tuple[str, str], tuple[int, Usage]]
    )
    """(`model` or `tool`, name) → calls and usage."""
    is_free: bool = False
    """Nothing came of it: the person owes nothing."""
    prose: list[str] = field(default_factory=list[str])
    """What the person was told in this turn, one text an iteration."""
    outgoing: list[Outgoing] = field(default_factory=list[Outgoing])
    """What tools want delivered, in order."""

    def __post_init__(self) -> None:
        self.started = self.monotonic()

    @property
    def seconds_left(self) -> float:
        return self.limits.seconds - (self.monotonic() - self.started)

    @property
    def unanswered_calls(self) -> tuple[ToolCall, ...]:
        """The calls of the newest reply that have no result yet."""
        answered: set[str] = set()
        for message in reversed(self.messages):
            if isinstance(message, ToolResult):
                answered.add(message.call_id)
            elif isinstance(message, AssistantMessage):
                return tuple(call for call in message.tool_calls if call.id not in answered)
            else:
                break
        return ()

    def key_of(self, call: ToolCall) -> str:
        """The call's identity within the turn: providers may use an id again in a later reply."""
        return f"{self.iterations}/{call.id}"

    @property
    def answer(self) -> str:
        """All that was told, as one text."""
        return "\n\n".join(self.prose)

    def say(self, text: str) -> None:
        """Tell the person something that is not the model's."""
        self.prose.append(text)
        self.emit(Content(text))

    def recall(self, steps: Sequence[ModelReply | Finished]) -> None:
        """Count what the journal says was done before a crash; the messages are there already."""
        for step in steps:
            if isinstance(step, ModelReply):
                self._count_reply(step)
            else:
                self._count_result(step)

    def take_reply(self, reply: ModelReply) -> None:
        """Add what the model said, and count the call."""
        self.messages.append(reply.message)
        self._count_reply(reply)

    def take_result(self, finished: Finished) -> None:
        """Add a tool's result, and count the call."""
        self.messages.append(finished.result)
        self._count_result(finished)

    def _count_reply(self, reply: ModelReply) -> None:
        self.iterations += 1
        self.usage += reply.usage
        self._spend("model", reply.model, reply.usage)
        if text := reply.message.text.strip():
            self.prose.append(text)

    def _count_result(self, finished: Finished) -> None:
        self.tool_calls += 1
        self._spend("tool", finished.result.name, Usage())
        self.outgoing.extend(finished.outgoing)

    def _spend(self, kind: str, name: str, usage: Usage) -> None:
        calls, before = self.spending.get((kind, name), (0, Usage()))
        self.spending[kind, name] = calls + 1, before + usage

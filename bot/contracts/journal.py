"""Where a turn records what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.contracts.guardrails import ObjectionKind
from bot.messages.outgoing import Outgoing
from bot.messages.transcript import ModelReply, ToolResult, Usage, UserMessage


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls of a model, or of a tool, consumed."""

    kind: Literal["model", "tool"]
    name: str
    calls: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class Finished:
    """A tool call that ended: its result, and what it wants said to the person."""

    result: ToolResult
    outgoing: tuple[Outgoing, ...] = ()
    spent: tuple[Spent, ...] = ()
    """By a delegate."""


@dataclass(frozen=True, slots=True)
class Correction:
    """The newest reply was objected to, and is not said as it is."""

    kind: ObjectionKind
    quote: str
    """The words of it that were objected to first, for operators."""
    text: str
    """What of the reply, or in place of it, counts as said; empty: nothing."""
    note: str
    """What the model is to know before it answers again; empty: it is not asked again, or reads it
    in the results of its calls."""


class Journal(Protocol):
    """Where a turn records what it did, durably, before it goes on.

    Each method raises `LeaseLost` when the turn belongs to another process by now.
    """

    async def replied(self, reply: ModelReply) -> None: ...

    async def corrected(self, correction: Correction) -> None:
        """The newest reply counts as said in these words only."""
        ...

    async def intends(self, key: str, name: str) -> bool:
        """A tool of effect `once` is about to run; False if that was noted before: it may have."""
        ...

    async def overheard(self) -> list[UserMessage]:
        """Return what the person has said since the turn began, if that is for the running turn."""
        ...

    async def finished(self, results: Sequence[Finished]) -> None: ...

"""Where a turn records what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.messages import ModelReply, Outgoing, ToolResult


@dataclass(frozen=True, slots=True)
class Finished:
    """A tool call that ended: its result, and what it wants said to the person."""

    result: ToolResult
    outgoing: tuple[Outgoing, ...] = ()


class Journal(Protocol):
    """Where a turn records what it did, durably, before it goes on.

    Each method raises `LeaseLost` when the turn belongs to another process by now.
    """

    async def replied(self, reply: ModelReply) -> None: ...

    async def intends(self, key: str, name: str) -> bool:
        """A tool of effect `once` is about to run; False if that was noted before: it may have."""
        ...

    async def finished(self, results: Sequence[Finished]) -> None: ...

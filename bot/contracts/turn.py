"""What a turn asks of those who run it: a journal of its steps, and a guardrail for its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from bot.messages.outgoing import Outgoing
from bot.messages.transcript import ModelReply, ToolResult, Usage, UserMessage

if TYPE_CHECKING:
    from bot.contracts.services import GivenExercise

ObjectionKind = Literal["maths", "leak"]


@dataclass(frozen=True, slots=True)
class Objection:
    """A reason why a text may not be sent as it is."""

    kind: ObjectionKind
    quote: str
    """The words of the text that are wrong."""
    reason: str
    """What is wrong with these words: a sentence in English for the model."""


class Guardrail(Protocol):
    """Inspects the texts of one turn."""

    @property
    def keeps_secrets(self) -> bool:
        """Whether open questions have answers that no text may give away, in any form."""
        ...

    async def prepare(self, outgoing: Sequence[Outgoing]) -> None:
        """Note the questions that tools have asked the person in this turn."""
        ...

    def is_harmless(self, text: str) -> bool:
        """Return whether a piece of a text, or of a word, needs no inspection; quick."""
        ...

    def is_open(self, question: str, options: Sequence[str]) -> bool:
        """Return whether this question, or one with the same options, waits for an answer."""
        ...

    def find_given_away(self, asked: Sequence[GivenExercise], text: str) -> Sequence[Objection]:
        """Return the objections to a text that gives away what tools are about to ask."""
        ...

    async def inspect(self, text: str) -> Sequence[Objection]:
        """Return the objections to a text, or to the part of it that has arrived."""
        ...

    async def repair(self, text: str) -> str:
        """Return the text to send instead of one that was objected to too often."""
        ...


@dataclass(frozen=True, slots=True)
class Spent:
    """The usage of calls of a model, or of a tool."""

    kind: Literal["model", "tool"]
    name: str
    calls: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class Finished:
    """A tool call that ended: its result, and the messages that it sends to the person."""

    result: ToolResult
    outgoing: tuple[Outgoing, ...] = ()
    spent: tuple[Spent, ...] = ()
    """What the delegate consumed, where the tool is one."""


@dataclass(frozen=True, slots=True)
class Correction:
    """An objection to the newest reply, which is not sent as it is."""

    kind: ObjectionKind
    quote: str
    """The words of the reply that were objected to first, for operators."""
    text: str
    """The part of the reply, or the text in its place, that counts as sent; empty: none."""
    note: str
    """What the model reads before it answers again; empty: the model is not asked again, or reads
    it in the results of its calls."""


class Journal(Protocol):
    """Records the steps of a turn, durably, before the turn goes on.

    Each method raises `LeaseLost` when the turn belongs to another process by now.
    """

    async def replied(self, reply: ModelReply) -> None: ...

    async def corrected(self, correction: Correction) -> None:
        """Record that only `correction.text` of the newest reply counts as sent."""
        ...

    async def intends(self, key: str, name: str) -> bool:
        """Record that a tool of effect `once` is about to run; return False if this was recorded
        before, so that it may have run."""
        ...

    async def overheard(self) -> list[UserMessage]:
        """Return the messages that the person wrote since the turn began and that are for it."""
        ...

    async def finished(self, results: Sequence[Finished]) -> None: ...

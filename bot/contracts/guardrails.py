"""The checks that a model's text passes before the person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.messages.outgoing import Outgoing

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

    async def inspect(self, text: str) -> Sequence[Objection]:
        """Return the objections to a text, or to the part of it that has arrived."""
        ...

    async def repair(self, text: str) -> str:
        """Return the text to send instead of one that was objected to too often."""
        ...


class Unguarded:
    """A guardrail that objects to nothing, for texts that no person reads: an advisor's."""

    keeps_secrets = False

    async def prepare(self, outgoing: Sequence[Outgoing]) -> None: ...

    def is_harmless(self, text: str) -> bool:  # noqa: ARG002 (the contract's names)
        return True

    async def inspect(self, text: str) -> Sequence[Objection]:  # noqa: ARG002
        return ()

    async def repair(self, text: str) -> str:
        return text

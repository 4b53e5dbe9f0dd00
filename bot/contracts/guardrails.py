"""What the model says has to pass before the person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.messages.outgoing import Outgoing

ObjectionKind = Literal["maths", "leak"]


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a text may not be said as it is."""

    kind: ObjectionKind
    quote: str
    """The words of the text that it is about."""
    reason: str
    """What is wrong with them, a sentence in English for the model."""


class Guardrail(Protocol):
    """Inspects the texts of one turn."""

    @property
    def keeps_secrets(self) -> bool:
        """Whether there is something that may not be given away, in whatever form."""
        ...

    async def prepare(self, outgoing: Sequence[Outgoing]) -> None:
        """Take note of what tools have asked the person in this turn."""
        ...

    def is_harmless(self, text: str) -> bool:
        """Return whether a piece of a text, or of a word, needs no inspection; quick."""
        ...

    async def inspect(self, text: str) -> Sequence[Objection]:
        """Return what is to be objected to in a text, or in the part of it that is there."""
        ...

    async def repair(self, text: str) -> str:
        """Return what may be said instead of a text that was objected to too often."""
        ...


class Unguarded:
    """Lets everything pass: for texts that no person reads, such as an advisor's."""

    keeps_secrets = False

    async def prepare(self, outgoing: Sequence[Outgoing]) -> None: ...

    def is_harmless(self, text: str) -> bool:  # noqa: ARG002 (the contract's names)
        return True

    async def inspect(self, text: str) -> Sequence[Objection]:  # noqa: ARG002
        return ()

    async def repair(self, text: str) -> str:
        return text

"""What tools may send by e-mail, and what they tell the operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from bot.messages import Outgoing

if TYPE_CHECKING:
    from bot.contracts.services import ToolContext

Severity = Literal["low", "normal", "high"]


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter as a tool writes it; it is cleaned and limited when it is kept."""

    subject: str
    text: str
    """Plain, or Markdown."""
    html: str = ""
    """Empty: made of `text`."""
    attachments: tuple[str, ...] = ()
    """Ids of the person's own files."""


class MailRoom(Protocol):
    """Sends letters, each once, however often the process dies on the way.

    Each method raises `ToolFailed` when no mail is set up here, a file is not the person's own,
    or a limit is reached.
    """

    async def send_to_person(self, letter: Letter, context: ToolContext) -> None:
        """Send it to the person's own proven address, once a `context.key`.

        Raises `ToolFailed`: they have proven none."""
        ...

    async def draft(self, letter: Letter, to: Sequence[str], context: ToolContext) -> Outgoing:
        """Keep it, once a `context.key`, and give what asks for consent to it; once that is given
        it is sent as it was shown.

        Raises `ToolFailed`: an address is none, or something else waits for consent already."""
        ...


class ReportDesk(Protocol):
    async def file(self, description: str, severity: Severity, context: ToolContext) -> None:
        """Keep a report of a fault, once a `context.key`, and tell the operators.

        Raises `ToolFailed`: the person has reported enough for one day."""
        ...

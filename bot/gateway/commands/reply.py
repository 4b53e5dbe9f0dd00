"""An update that needs no model: who asks, what it is answered with, and how that is found out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.contracts.channels import Capabilities
from bot.contracts.storage import Transaction
from bot.gateway.render.renderer import render_outgoing
from bot.i18n import say
from bot.messages.incoming import Decided, Person, Said, Update
from bot.messages.outgoing import Body, Button, Outgoing, Say, TextBody
from bot.storage.buttons import offer_commands


@dataclass(frozen=True, slots=True)
class Reply:
    """What an update is answered with, and what else follows from it."""

    outgoing: tuple[Outgoing, ...] = ()
    note: str = ""
    """What the model is to know of it, as a message of the user."""
    stop: bool = False
    """Cancel the turn that runs in this lane."""
    bodies: tuple[Body, ...] = ()
    """Deliveries that are rendered already; they follow what is outgoing."""
    follow_up: Decided | Said | None = None
    """What is to be handled as if the person had sent it after this."""


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """Who asks what, and where."""

    tx: Transaction
    """Ends with the answer."""
    person: Person
    update: Update
    seq: int
    """The update's number."""
    argument: str = ""
    """What follows a command."""
    capabilities: Capabilities | None = None
    """Of the channel by which it is answered, where they are known."""
    least_credits: int = 1
    """What the cheapest answer costs."""

    def phrase(self, sentence: str, **values: object) -> str:
        """Return a sentence in the person's language."""
        return say(self.person.language, sentence, **values)

    def reply(self, sentence: str, **values: object) -> Reply:
        return Reply((Say(self.phrase(sentence, **values)),))


async def offer_another(request: CommandRequest, words: str, label: str, hint: str) -> Say:
    """Return the words, with a button that asks for the next question; on channels without buttons
    with the hint how to ask. Neither may cost a message, or a paid segment, more.

    Channels that show questions themselves offer it themselves.
    """
    capabilities = request.capabilities
    if capabilities is None or capabilities.streams or capabilities.one_way:
        return Say(words)
    if not capabilities.max_buttons:
        longer = Say(f"{words}\n\n{hint}")
        return longer if _cost(longer, request) == _cost(Say(words), request) else Say(words)
    if _cost(Say(words, (Button(label, ""),)), request) > _cost(Say(words), request):
        return Say(words)
    lane, address = request.update.lane, request.person.address
    return Say(words, await offer_commands(request.tx, lane, address, [(label, label)]))


def _cost(say_: Say, request: CommandRequest) -> tuple[int, int]:
    """Return how many messages it is, and how many segments are paid for them."""
    if request.capabilities is None:
        return 0, 0
    bodies = render_outgoing(say_, request.capabilities, request.person.language)
    return len(bodies), sum(body.segments for body in bodies if isinstance(body, TextBody))


CommandHandler = Callable[[CommandRequest], Awaitable[Reply]]
"""Answers within the transaction that marks the update as handled."""

SlowCommandHandler = Callable[[Person, Update, str], Awaitable[Reply | CommandHandler]]
"""Answers a command, whose argument is given, by what no transaction can wait for: a picture, a
provider's page, an archive; or finds out how to answer it. It may be run again, and then has no
second effect."""

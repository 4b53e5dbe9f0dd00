"""The request and the reply of an update that needs no model, and the types of its handlers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from bot.contracts.channels import Capabilities
from bot.contracts.storage import Transaction
from bot.i18n import say
from bot.messages.incoming import Decided, Person, Said, Update
from bot.messages.outgoing import Body, Button, Outgoing, Say, sum_segments
from bot.render.renderer import render_outgoing
from bot.storage.buttons import offer_commands


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to an update, and what else follows from it."""

    outgoing: tuple[Outgoing, ...] = ()
    note: str = ""
    """A note about it to the model, as a message of the user."""
    stop: bool = False
    """Cancel the turn that runs in this lane."""
    bodies: tuple[Body, ...] = ()
    """Deliveries that are rendered already; they follow `outgoing`."""
    follow_up: Decided | Said | None = None
    """Content to be handled as if the person had sent it after this."""


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """An update to be answered, with its sender and conversation."""

    tx: Transaction
    """It ends once the answer is stored."""
    person: Person
    update: Update
    seq: int
    """The update's number."""
    argument: str = ""
    """The text after a command."""
    capabilities: Capabilities | None = None
    """Those of the channel by which it is answered, if known."""
    least_credits: int = 1
    """Credits that the cheapest answer costs."""

    @property
    def is_one_way(self) -> bool:
        """Whether it is answered on a channel where no answer comes back."""
        return self.capabilities is not None and self.capabilities.one_way

    def phrase(self, sentence: str, **values: object) -> str:
        """Return a sentence in the person's language."""
        return say(self.person.language, sentence, **values)

    def reply(self, sentence: str, **values: object) -> Reply:
        return Reply((Say(self.phrase(sentence, **values)),))

    async def offer(self, choices: Sequence[tuple[str, str]]) -> tuple[Button, ...]:
        """Store buttons for the person, each with its label and its command, and return them."""
        return await offer_commands(self.tx, self.update.lane, self.person.address, choices)


def ask_to_log_in(language: str) -> Reply:
    """Reply to a guest who asks for what needs an account."""
    return Reply((Say(say(language, "Log in with /login first: this needs an account.")),))


async def offer_another(
    request: CommandRequest, words: str, label: str, hint: str, *, keeps_letters: bool = False
) -> Say:
    """Return the words with a button that asks for the next question; on channels without buttons,
    with the hint how to ask.

    The words go alone if that would take one more message or paid segment, and on channels that
    stream, whose clients offer it themselves.
    """
    capabilities, said = request.capabilities, Say(words, keeps_letters=keeps_letters)
    if capabilities is None or capabilities.streams or capabilities.one_way:
        return said
    if not capabilities.max_buttons:
        longer = replace(said, markdown=f"{words}\n\n{hint}")
        return said if takes_more(longer, said, request) else longer
    if takes_more(replace(said, buttons=(Button(label, ""),)), said, request):
        return said
    return replace(said, buttons=await request.offer([(label, label)]))


def takes_more(said: Say, other: Say, request: CommandRequest) -> bool:
    """Return whether this takes more messages or paid segments than the other."""
    return _cost(said, request) > _cost(other, request)


def _cost(say_: Say, request: CommandRequest) -> tuple[int, int]:
    """Return how many messages this takes, and how many paid segments."""
    if request.capabilities is None:
        return 0, 0
    bodies = render_outgoing(say_, request.capabilities, request.person.language)
    return len(bodies), sum_segments(bodies)


CommandHandler = Callable[[CommandRequest], Awaitable[Reply]]
"""Answers within the transaction that marks the update as handled."""

SlowCommandHandler = Callable[[Person, Update, str], Awaitable[Reply | CommandHandler]]
"""Answers a command, given its argument, outside of a transaction, as it takes long: a picture, a
provider's page, an archive. It may return a `CommandHandler` instead, which then answers. It may
be run again, and then has no second effect."""

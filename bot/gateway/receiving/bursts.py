"""What waits for more, and what does not: messages sent in one go become one turn.

A person on a phone sends a question in three pieces, or an album of five photos that arrive as five
updates. What never waits: a tap, a command, an answer to a question that is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.gateway.receiving.command_words import find_command
from bot.messages import (
    Checkout,
    Migrated,
    Notice,
    OptedOut,
    Paid,
    Reachable,
    Said,
    Tapped,
    TypedCode,
    Update,
)

MOST_JOINED = 50
"""Updates that one turn takes at most."""
LONG = 4000
"""Characters from which a message was probably cut in two by the channel."""


@dataclass(frozen=True, slots=True)
class Bursts:
    """How long a message waits for the next one, in seconds."""

    short: float = 0.0
    """0: nothing is joined."""
    long: float = 0.0
    """After a text of `LONG` characters, or a photo: phones send those one by one."""
    most: float = 10.0
    """After the first message of a burst its turn begins whatever follows."""
    watched: frozenset[str] = frozenset()
    """Names of adapters where someone watches the stream, so that nothing waits."""

    def wait(self, update: Update) -> float:
        """How long this update waits for what follows it."""
        content = update.content
        if not self.short or update.via in self.watched or is_express(update):
            return 0.0
        if not isinstance(content, Said):
            return 0.0
        if find_command(update.channel, content) is not None:
            return 0.0
        if content.attachments or len(content.text) >= LONG:
            return max(self.short, self.long)
        return self.short


NEVER = Bursts()


def is_express(update: Update) -> bool:
    """Whether it is handled at once, beside a running turn, rather than after it."""
    match update.content:
        case Tapped() | TypedCode() | Reachable() | OptedOut() | Migrated():
            return True
        case Checkout() | Paid() | Notice():
            return True
        case Said() as said:
            command = find_command(update.channel, said)
            return command is not None and command.express
        case _:
            return False


def belong_together(first: Update, next_one: Update) -> bool:
    """Whether the same person said both, in the same way."""
    if not isinstance(first.content, Said) or not isinstance(next_one.content, Said):
        return False
    same_person = first.sender.address == next_one.sender.address
    return same_person and first.content.forwarded == next_one.content.forwarded


def join(updates: Sequence[Update]) -> Update:
    """One update that says what all of them say; each is a `Said`."""
    first = updates[0]
    if len(updates) == 1:
        return first
    said = [update.content for update in updates if isinstance(update.content, Said)]
    texts = [content.text for content in said]
    return Update(
        channel=first.channel,
        via=updates[-1].via,
        conversation=first.conversation,
        sender=updates[-1].sender,
        delivery_key=first.delivery_key,
        message_key=updates[-1].message_key,
        content=Said(
            text="\n".join(text for text in texts if text),
            attachments=tuple(item for content in said for item in content.attachments),
            quoted=next((content.quoted for content in said if content.quoted), ""),
            told=next((content.told for content in said if content.told), ""),
            forwarded=said[0].forwarded,
            consents=any(content.consents for content in said),
        ),
        at=first.at,
        group=first.group,
    )

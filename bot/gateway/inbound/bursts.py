"""Join the messages that a person sends in one burst.

An update waits for more where people send one message in pieces: a question in three messages, an
album of five photos. Taps, commands and answers to open questions never wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.messages.incoming import (
    Attempt,
    Checkout,
    Migrated,
    Notice,
    OptedOut,
    Paid,
    Reachable,
    Said,
    Tapped,
    TypedCode,
    Unsupported,
    Update,
)

MAX_JOINED = 50
"""Updates that one turn takes at most."""
LONG_TEXT = 4000
"""Characters from which a message was probably cut in two by the channel."""


@dataclass(frozen=True, slots=True)
class Bursts:
    """How long a message waits for the next one of its burst, in seconds."""

    short: float = 0.0
    """After most messages; 0: none are joined."""
    long: float = 0.0
    """After a text of `LONG_TEXT` characters, or a photo: phones send those one by one."""
    most: float = 10.0
    """After the first message of a burst: then its turn begins in any case."""
    watched: frozenset[str] = frozenset()
    """Names of adapters whose people follow a stream, so that no message waits."""

    def wait(self, update: Update) -> float:
        """Return the seconds for which this update waits for the next ones."""
        content = update.content
        if not self.short or update.via in self.watched or bypasses_queue(update):
            return 0.0
        if not isinstance(content, Said) or content.command:
            return 0.0
        if content.attachments or len(content.text) >= LONG_TEXT:
            return max(self.short, self.long)
        return self.short


NO_BURSTS = Bursts()


def bypasses_queue(update: Update) -> bool:
    """Return whether an update, whose command is noted, is handled at once while a turn runs."""
    match update.content:
        case Tapped() | Attempt() | TypedCode() | Reachable() | OptedOut() | Migrated():
            return True
        case Checkout() | Paid() | Notice() | Unsupported():
            return True
        case Said(command=command):
            return command is not None and command.bypasses_queue
        case _:
            return False


def belong_together(first: Update, next_one: Update) -> bool:
    """Return whether both are messages of one person, and both or neither are forwarded."""
    if not isinstance(first.content, Said) or not isinstance(next_one.content, Said):
        return False
    same_person = first.sender.address == next_one.sender.address
    return same_person and first.content.forwarded == next_one.content.forwarded


def join_updates(updates: Sequence[Update]) -> Update:
    """Return one update with the texts and attachments of all; each is a `Said`. They are in the
    order in which they were sent, where the channel tells it: providers deliver some late."""
    first = updates[0]
    if len(updates) == 1:
        return first
    has_times = all(update.at for update in updates)
    as_sent = sorted(updates, key=lambda update: update.at) if has_times else updates
    said = [update.content for update in as_sent if isinstance(update.content, Said)]
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
            context=next((content.context for content in said if content.context), ""),
            forwarded=said[0].forwarded,
            consents=any(content.consents for content in said),
        ),
        at=first.at,
        group=first.group,
    )

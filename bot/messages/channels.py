"""The channels by which people write, and the facts about each that hold for every provider.

This registry, adapters and the demo are the only modules that name a channel. Facts that depend on
the provider, such as the longest text, are in the adapter's `Capabilities`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bot.i18n import fold

PushChannel = Literal["telegram", "whatsapp", "sms"]
"""A channel on which Griot may write to people who did not write just now."""
WebChannel = Literal["http"]
EmailChannel = Literal["email"]
Channel = Literal[PushChannel, WebChannel, EmailChannel, "console"]

WEB: Final[WebChannel] = "http"
EMAIL: Final[EmailChannel] = "email"
CONSOLE: Final[Channel] = "console"
OPERATOR_CHANNEL: Final[Channel] = "whatsapp"
"""The channel by which operators are notified of reported faults (`OPERATOR_WHATSAPP`)."""
NUMBER_CHANNEL: Final[Channel] = "sms"
"""The channel by which every mobile number can be reached."""

USER_ID: Final = re.compile(r"[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}")
"""A WhatsApp business-scoped user id: the person's country, and an id that only this business sees
(https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids).
"""

SMS_STOP_KEYWORDS: Final = frozenset({"stop", "stopall", "unsubscribe", "cancel", "end", "quit"})
SMS_START_KEYWORDS: Final = frozenset({"start", "unstop", "yes"})
SMS_HELP_KEYWORDS: Final = frozenset({"help", "info"})
"""Carriers act on a message that is one of these words alone."""
STOP_WORDS: Final = SMS_STOP_KEYWORDS | {
    "arret", "desabonnement", "desabonner", "desinscription", "desinscrire",
}  # fmt: skip
"""The words, folded, that alone opt out of reminders and other notices; no carrier acts on the
French ones."""


def read_keyword(text: str) -> str:
    """Return the text as it is compared with these words: folded, without the point that phones
    add.

    Carriers may not act on `Stop.`, but whoever writes it wants the same.
    """
    return fold(text.strip().rstrip(".!… \u00a0\u202f"))


@dataclass(frozen=True, slots=True)
class ChannelFacts:
    """The facts of a channel that hold for every provider that carries it."""

    display_name: str = ""
    """The name that people use in a sentence."""
    phone_is_identity: bool = False
    """An address is a phone number (E.164) that is certainly the sender's, or their user id."""
    user_ids: bool = False
    """The provider has an id of its own for each person (`USER_ID`), who may hide their number."""
    shared_thread: bool = False
    """A person has one conversation there, which they continue on all such channels; otherwise each
    session is a conversation."""
    carries_codes: bool = False
    """Login codes may be sent there."""
    shares_contact: bool = False
    """People can share their own contact, which proves their number."""
    message_costs: bool = False
    """Each message is paid for by its length, so lists are short and news is sent only once."""
    paid_by: Literal["", "message", "segment"] = ""
    """What the operator pays for: each message, by its category, or each of its segments; both by
    the country that it is sent to."""
    notices_a_day: int | None = None
    """The most messages a day that a person gets without asking; None: any number."""
    bare_commands: bool = False
    """A command counts without its slash."""
    slash_commands: frozenset[str] = frozenset()
    """Commands that need their slash in spite of `bare_commands`."""
    opens_links: bool = True
    """People can open links to our pages; without a web part no process serves them."""
    reserved_words: frozenset[str] = frozenset()
    """Words, folded, that opt out or in or on which the carrier acts, so that they can be no
    answer."""


CHANNELS: Final[Mapping[Channel, ChannelFacts]] = {
    "telegram": ChannelFacts("Telegram", shared_thread=True, shares_contact=True),
    "whatsapp": ChannelFacts(
        "WhatsApp",
        paid_by="message",
        phone_is_identity=True,
        user_ids=True,
        shared_thread=True,
        carries_codes=True,
        bare_commands=True,
        # `more` asks the tutor to go on, but by SMS, where the rest of a long answer waits.
        slash_commands=frozenset({"job", "more"}),
    ),
    "sms": ChannelFacts(
        "SMS",
        paid_by="segment",
        phone_is_identity=True,
        shared_thread=True,
        carries_codes=True,
        message_costs=True,
        notices_a_day=20,
        bare_commands=True,
        slash_commands=frozenset({"job"}),
        reserved_words=STOP_WORDS | SMS_START_KEYWORDS | SMS_HELP_KEYWORDS,
    ),
    "http": ChannelFacts(),
    EMAIL: ChannelFacts(),
    "console": ChannelFacts(opens_links=False),
}
PUSH_CHANNELS: Final[tuple[PushChannel, ...]] = ("telegram", "whatsapp", "sms")
"""The channels on which Griot may write first, the cheapest first."""
PHONE_CHANNELS: Final[tuple[Channel, ...]] = tuple(
    sorted(channel for channel, facts in CHANNELS.items() if facts.phone_is_identity)
)
"""The channels on all of which the same address is the same person."""
PAID_CHANNELS: Final[tuple[Channel, ...]] = tuple(
    channel for channel, facts in CHANNELS.items() if facts.paid_by
)
"""The channels on which the operator pays for messages."""
CODE_CHANNELS: Final[tuple[Channel, ...]] = tuple(
    channel for channel, facts in CHANNELS.items() if facts.carries_codes
)
"""The channels on which login codes are sent, the cheapest first."""


def is_reserved_word(channel: Channel, word: str) -> bool:
    """Return whether this word opts out or in, or the carrier acts on it, if a person of this
    channel answers with it."""
    return fold(word) in CHANNELS[channel].reserved_words

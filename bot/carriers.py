"""Words on which carriers, and Twilio, act by themselves: alone in an SMS they stop everything that
is sent to the person, start it again, or are answered with help
(https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.messages import Channel

STOP: Final = frozenset({"stop", "stopall", "unsubscribe", "cancel", "end", "quit"})
START: Final = frozenset({"start", "unstop", "yes"})
HELP: Final = frozenset({"help", "info"})
_TAKEN: Mapping[Channel, frozenset[str]] = {"sms": STOP | START | HELP}


def is_taken(channel: Channel, word: str) -> bool:
    """Whether a person of this channel who answers with `word` is heard by the carrier."""
    return word.strip().casefold() in _TAKEN.get(channel, frozenset())

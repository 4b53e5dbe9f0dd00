"""Where the turns of a conversation begin."""

from __future__ import annotations

from collections.abc import Sequence

from bot.messages import Message, SystemMessage, UserMessage


def find_turns(messages: Sequence[Message]) -> list[int]:
    """The positions at which turns begin, in order.

    A turn begins with a user's message, or several in a row, and lasts until the next one. System
    messages make no difference.
    """
    starts: list[int] = []
    follows_user = False
    for position, message in enumerate(messages):
        if isinstance(message, SystemMessage):
            continue
        is_user = isinstance(message, UserMessage)
        if is_user and not follows_user:
            starts.append(position)
        follows_user = is_user
    return starts

"""Phone numbers as names of conversations."""

from __future__ import annotations

import re

from bot.errors import Undeliverable

NUMBER = re.compile(r"\+[1-9][0-9]{6,14}")
"""E.164."""


def address_of(conversation: str) -> str:
    """The number to send to. Raises `Undeliverable` where it is none."""
    if not NUMBER.fullmatch(conversation):
        raise Undeliverable("not a phone number")
    return conversation

"""What was asked for in plain words, and is typed as a message of its own: a number, a code."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Literal

from bot.accounts.numbers import is_written_number, normalise_digits
from bot.contracts import Transaction
from bot.messages import Said, TypedCode

Expected = Literal["", "number", "code"]
PATIENCE = 15 * 60.0
_CODE = re.compile(r"(?<![\d+-])\d{3}[ -]?\d{3}(?![\d-])")
"""Also in a sentence, or in the whole message that brought it."""
_LONGEST = 200
_MOST_CODES = 20
"""Of one message, that are held against open codes."""


async def expect(tx: Transaction, lane: str, expected: Expected) -> None:
    """For `PATIENCE` seconds such a message is taken for what was asked for; empty: nothing is."""
    until = int(time.time() + PATIENCE)
    await tx.execute(_EXPECT, lane=lane, awaits=f"{expected}:{until}" if expected else "")


def read_expected(said: Said, awaited: str, seal: Callable[[str], str]) -> Said | TypedCode | None:
    """What a plain message means while a number, or a code, is awaited; None: something else.

    Whoever awaits a code may give another number instead; whoever is asked for a number may have a
    code that came before.

    Args:
        awaited: as `expect` has noted it.
        seal: makes of a code what may be kept of it.
    """
    _, _, until = awaited.partition(":")
    text = said.text.strip()
    if time.time() > float(until or 0):
        return None
    if said.attachments or said.forwarded or len(text) > _LONGEST or text.startswith("/"):
        return None
    if is_written_number(text):
        return Said(f"/login {normalise_digits(text)}")
    codes = _CODE.findall(normalise_digits(text))
    return TypedCode(seal(re.sub(r"\D", "", codes[0]))) if len(codes) == 1 else None


def find_codes(said: Said) -> list[str]:
    """The one-time codes that a message may hold, as digits."""
    found = _CODE.findall(normalise_digits(said.text))
    return [re.sub(r"\D", "", each) for each in found[:_MOST_CODES]]


_EXPECT = """
UPDATE lane SET awaits = :awaits WHERE id = :lane
"""

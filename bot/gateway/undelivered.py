"""Letters that came to nothing: whoever wrote them is told, where they can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

import structlog

from bot.contracts import Transaction
from bot.errors import ToolFailed
from bot.gateway.render.escaping import escape
from bot.gateway.sending.courier import Courier
from bot.mail.letters import Kept
from bot.messages import Channel, Say
from bot.texts import say

_PUSHED: Final[tuple[Channel, ...]] = ("telegram", "whatsapp", "sms")
"""Channels on which people are told without having asked just now; the cheapest first."""
_MOST_NAMED: Final = 3
log = structlog.get_logger()


class Undelivered:
    def __init__(self, courier: Courier) -> None:
        self._courier = courier

    async def tell(self, tx: Transaction, letter: Kept, refused: tuple[str, ...]) -> None:
        """Tell the person, within the caller's transaction and once, whom their letter will never
        reach: in the channel in which they asked for it, else in one that may be used."""
        row = await tx.fetch_one("SELECT language FROM account WHERE id = :id", id=letter.account)
        words = Say(_describe(row["language"] if row else "", letter, refused))
        for channel in _ways(letter.lane):
            try:
                await self._courier.put(
                    tx,
                    channel,
                    [words],
                    account=letter.account or 0,
                    key=f"notice:letter:{letter.id}",
                    may_wait=False,
                )
            except ToolFailed:
                continue
            return
        log.warning("letter_unreachable", letter=letter.id)


def _describe(language: str, letter: Kept, refused: tuple[str, ...]) -> str:
    named = ", ".join(f"`{address}`" for address in refused[:_MOST_NAMED])
    return say(
        language,
        "The e-mail “{subject}” could not be delivered to {addresses}.",
        subject=escape(letter.subject),
        addresses=f"{named}…" if len(refused) > _MOST_NAMED else named,
    )


def _ways(lane: str) -> Iterator[Channel]:
    first = cast("Channel", lane.partition(":")[0])
    ways: dict[Channel, None] = dict.fromkeys((first, *_PUSHED))
    return (channel for channel in ways if channel in _PUSHED)

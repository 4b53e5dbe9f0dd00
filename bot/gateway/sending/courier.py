"""What we say to people by ourselves, perhaps in another of their conversations.

It goes through the inbox of that conversation like an update: so it is stored once under its key,
comes in order, and is delivered by whoever has the lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, Literal

from bot.contracts import Adapter, Capabilities, Database, Row, ToolContext, Transaction
from bot.errors import ToolFailed
from bot.gateway.receiving.inbox import Inbox
from bot.messages import Channel, Notice, Outgoing, Sender, Update
from bot.storage.living import lock_holder

PUSHED: Final[tuple[Literal["telegram", "whatsapp", "sms"], ...]] = ("telegram", "whatsapp", "sms")
"""Channels on which people are told without having asked just now; the cheapest first."""
MOST_SMS = 20
"""That one person is sent within 24 hours, besides answers to their own: each costs money."""


@dataclass(frozen=True, slots=True)
class Place:
    """A conversation in which a person can be told something now."""

    channel: Channel
    via: str
    """Name of the adapter."""
    address: str
    capabilities: Capabilities
    is_closed: bool
    """No free words are taken there now; a template may be."""

    @property
    def lane(self) -> str:
        return f"{self.channel}:{self.address}"


class DailyLimitReached(ToolFailed):
    """The person has had as many paid messages as one may have within 24 hours."""

    def __init__(self, message: str, after: float) -> None:
        super().__init__(message)
        self.after = after
        """Seconds until the next one may be sent."""


class Courier:
    """Implements `contracts.Courier`."""

    def __init__(self, database: Database, inbox: Inbox, adapters: Mapping[str, Adapter]) -> None:
        self._database = database
        self._inbox = inbox
        self._adapters = adapters

    async def send(
        self, channel: Channel, outgoing: Sequence[Outgoing], context: ToolContext
    ) -> None:
        """Have this said to the person on `channel`, at their own number, once a `context.key`.

        Raises:
            ToolFailed: they have no number, want no messages there or were erased, or there is no
                such channel.
        """
        await self._database.write(
            lambda tx: self.put(
                tx, channel, outgoing, account=context.account, key=f"notice:{context.key}"
            )
        )

    async def put(
        self,
        tx: Transaction,
        channel: Channel,
        outgoing: Sequence[Outgoing],
        *,
        account: int,
        key: str,
        may_wait: bool = True,
    ) -> None:
        """The same within the caller's transaction.

        Args:
            may_wait: it may be held until the person writes there.

        Raises:
            ToolFailed: as `send`; also if it would be held, and may not.
        """
        place = await self.find(tx, channel, account=account, may_wait=may_wait)
        await self.hand_over(tx, place, outgoing, key=key)

    async def find(
        self,
        tx: Transaction,
        channel: Channel,
        *,
        account: int,
        may_wait: bool = True,
        asked_for: bool = False,
    ) -> Place:
        """Where the person can be told something on this channel.

        Args:
            asked_for: they asked for it in this very conversation; whoever turned notices off
                there still gets it.

        Raises:
            DailyLimitReached: not before its `after` seconds have passed.
            ToolFailed: as `put`.
        """
        holder = await lock_holder(tx, account)
        known = await tx.fetch_one(_KNOWN, account=holder, channel=channel)
        if known is None:
            raise ToolFailed(
                f"The person's address on {channel} is not known. They can log in with /login."
            )
        if known["opted_out"] or (known["notices_off"] and not asked_for):
            raise ToolFailed(
                f"The person wants no messages by {channel}, until they write START there. Tell "
                "them here instead."
            )
        if channel == "sms" and known["sent_today"] >= MOST_SMS:
            raise DailyLimitReached(
                f"The person has had {MOST_SMS} SMS today, which is the most. Tell them here.",
                after=max(1.0, known["oldest"] + 86_400 - known["now"]),
            )
        via = self._choose(channel, known["via"] or "")
        if not may_wait and self._would_wait(via, known):
            raise ToolFailed(f"It would wait until the person writes by {channel}.")
        return self.place(channel, via, known["address"], known["silence"])

    async def find_at(self, tx: Transaction, channel: Channel, address: str) -> Place:
        """Where whoever has this address can be told something, known to us or not.

        Raises:
            ToolFailed: there is no such channel here, or they want no messages there.
        """
        known = await tx.fetch_one(_AT, lane=f"{channel}:{address}")
        if known is not None and (known["opted_out"] or known["notices_off"]):
            raise ToolFailed(f"They want no messages by {channel}.")
        via = self._choose(channel, known["via"] if known else "")
        return self.place(channel, via, address, known["silence"] if known else inf)

    async def hand_over(
        self, tx: Transaction, place: Place, outgoing: Sequence[Outgoing], *, key: str
    ) -> int | None:
        """Have this said there, once a key; the number of the turn that says it, None if the key
        was used there before."""
        update = Update(
            channel=place.channel,
            via=place.via,
            conversation=place.address,
            sender=Sender(place.address),
            delivery_key=key,
            message_key=key,
            content=Notice(tuple(outgoing)),
        )
        return await self._inbox.put(tx, update)

    def place(self, channel: Channel, via: str, address: str, silence: float = inf) -> Place:
        """This conversation, whatever it takes.

        Args:
            silence: seconds since the person last wrote there.
        """
        able = self._adapters[via].capabilities
        return Place(channel, via, address, able, is_closed=0 < able.window <= silence)

    def _would_wait(self, via: str, known: Row) -> bool:
        """Whether the channel takes nothing for this person now, not even a template."""
        able = self._adapters[via].capabilities
        is_closed = able.window > 0 and known["silence"] >= able.window
        asks = able.template and not known["held"]  # once it has asked, it waits for the answer
        return (is_closed and not asks) or known["reachable"] == 0

    def _choose(self, channel: Channel, last: str) -> str:
        """The adapter that the person last wrote to, else the first."""
        names = [name for name, each in self._adapters.items() if each.channel == channel]
        if not names:
            raise ToolFailed(f"Nothing can be sent by {channel} here. Tell them here instead.")
        return last if last in names else names[0]


_AT = """
SELECT via, opted_out, notices_off, {now} - heard_at AS silence FROM lane WHERE id = :lane
"""

_KNOWN = """
SELECT known.address, lane.via, lane.opted_out, lane.notices_off, lane.reachable, lane.held,
    {now} - coalesce(lane.heard_at, 0) AS silence, {now} AS now, (
    SELECT count(*) FROM inbox
    WHERE inbox.lane = lane.id AND inbox.stored_at > {now} - 86400
        AND (inbox.message_key LIKE 'notice:%' OR inbox.message_key LIKE 'reminder:%')
) AS sent_today, (
    SELECT min(stored_at) FROM inbox
    WHERE inbox.lane = lane.id AND inbox.stored_at > {now} - 86400
        AND (inbox.message_key LIKE 'notice:%' OR inbox.message_key LIKE 'reminder:%')
) AS oldest
FROM (
    SELECT address, 0 AS place FROM identity WHERE account = :account AND channel = :channel
    UNION ALL
    SELECT phone, 1 FROM account
    WHERE id = :account AND phone IS NOT NULL AND :channel IN ('sms', 'whatsapp')
) AS known
LEFT JOIN lane ON lane.id = CAST(:channel AS TEXT) || ':' || known.address
ORDER BY known.place, coalesce(lane.heard_at, 0) DESC LIMIT 1
"""

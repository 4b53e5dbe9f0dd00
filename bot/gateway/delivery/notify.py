"""Send people messages that do not answer an update: reminders, receipts, e-mails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from typing import Any, cast

import structlog

from bot.accounts.aliases import name_address
from bot.accounts.email_addresses import parse_operators
from bot.accounts.people import People, email_of, number_of
from bot.billing.purchase_service import confirm_payment
from bot.billing.purchases import PaymentReceipt, Purchase
from bot.contracts.channels import Adapter, Capabilities
from bot.contracts.services import RemindBy, ToolContext
from bot.contracts.storage import Database, Row, Transaction
from bot.errors import ToolFailed
from bot.gateway.delivery.routing import NO_ROUTES, OutboundRoutes
from bot.gateway.inbound.inbox import Inbox, store_notices
from bot.gateway.lanes import accepts_notices, note_moved
from bot.gateway.reply_window import is_window_closed
from bot.gateway.sender_restrictions import is_restricted
from bot.messages.channels import (
    CHANNELS,
    EMAIL,
    NUMBER_CHANNEL,
    PUSH_CHANNELS,
    Channel,
)
from bot.messages.incoming import Notice, Person, Sender, build_update
from bot.messages.outgoing import (
    Outgoing,
    Say,
    SendEmail,
)
from bot.storage.accounts import (
    find_current_account,
    lock_current_account,
    lock_current_accounts,
)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Destination:
    """A conversation to which messages for a person are sent."""

    channel: Channel
    via: str
    """Name of the adapter."""
    address: str
    capabilities: Capabilities
    is_closed: bool
    """The provider takes no free messages there now, but perhaps a template."""

    @property
    def lane(self) -> str:
        return f"{self.channel}:{self.address}"


class DailyLimitReached(ToolFailed):
    """The person has had as many paid messages as one may have within 24 hours."""

    def __init__(self, message: str, after: float) -> None:
        super().__init__(message)
        self.after = after
        """Seconds until the next one may be sent."""


class NoMessagesWanted(ToolFailed):
    """The person at an address wants no messages there."""

    def __init__(self, message: str, via: str) -> None:
        super().__init__(message)
        self.via = via
        """Name of the adapter that would send them."""


class Notifier:
    """Implements `bot.contracts.services.Notifier`.

    Args:
        operators: the setting `OPERATOR_EMAIL`; empty: no operator reads e-mail.
    """

    def __init__(
        self,
        database: Database,
        inbox: Inbox,
        adapters: Mapping[str, Adapter],
        routes: OutboundRoutes = NO_ROUTES,
        operators: str = "",
    ) -> None:
        self._database = database
        self._inbox = inbox
        self._adapters = adapters
        self._routes = routes
        self._operators = operators

    async def send(
        self, channel: Channel, outgoing: Sequence[Outgoing], context: ToolContext
    ) -> bool:
        """Send messages to the person on `channel`, at their own number, once a `context.key`.

        Returns:
            Whether they wait until the person writes there.

        Raises:
            ToolFailed: they have no number, want no messages there or were erased, or there is no
                such channel.
        """

        async def work(tx: Transaction) -> bool:
            place = await self.find(tx, channel, account=context.account)
            await self.hand_over(tx, place, outgoing, key=f"notice:{context.key}")
            return place.is_closed

        return await self._database.write(work)

    async def is_number_known(self, account: int) -> bool:
        """Return whether the number of the account, or of the one it was merged into, is known."""

        async def read(tx: Transaction) -> bool:
            return bool(await number_of(tx, await find_current_account(tx, account)))

        return await self._database.read(read)

    async def accepts_notices(self, person: Person) -> bool:
        """Return whether reminders may be sent where the person writes from."""
        lane = f"{person.channel}:{person.address}"
        return await self._database.read(lambda tx: accepts_notices(tx, lane))

    async def explain_refusals(self, account: int) -> Mapping[RemindBy, str]:
        """Return, for each way of reminding, why it does not reach the person: a sentence for the
        model; empty: it does, by SMS perhaps once their number is known."""

        async def work(tx: Transaction) -> dict[RemindBy, str]:
            holder = await lock_current_account(tx, account)
            ways: tuple[RemindBy, ...] = (*PUSH_CHANNELS, EMAIL)
            return {way: await self._explain_refusal(tx, way, holder) for way in ways}

        return await self._database.write(work)

    async def _explain_refusal(self, tx: Transaction, way: RemindBy, holder: int) -> str:
        if way == EMAIL:
            if not self.has_email:
                return "No mail is set up here."
            has_address = bool(await email_of(tx, holder))
            return "" if has_address else "They have proven no e-mail address: /email does that."
        if not any(each.channel == way for each in self._adapters.values()):
            return f"Nothing can be sent by {way} here."
        is_asked_for_number = way == NUMBER_CHANNEL and not await number_of(tx, holder)
        try:
            await self.find(tx, way, account=holder)
        except ToolFailed as error:
            is_delayed = isinstance(error, DailyLimitReached)
            return "" if is_delayed or is_asked_for_number else str(error)
        return ""

    async def find(
        self,
        tx: Transaction,
        channel: Channel,
        *,
        account: int,
        may_wait: bool = True,
        asked_for: bool = False,
    ) -> Destination:
        """Find where messages to the person are sent on this channel.

        Args:
            may_wait: the messages may wait until the person writes there.
            asked_for: the person asked for the message in this very conversation, so it is sent
                even if they turned notices off there.

        Raises:
            DailyLimitReached: the next message may be sent after its `after` seconds.
            ToolFailed: as `send`; also if the messages would have to wait, and may not.
        """
        holder = await lock_current_account(tx, account)
        known = await tx.fetch_one(_KNOWN, **_ask_for(holder, channel))
        return await self._judge(tx, channel, known, may_wait=may_wait, asked_for=asked_for)

    async def find_first(
        self,
        tx: Transaction,
        channels: Iterable[Channel],
        *,
        account: int,
        may_wait: bool = False,
        asked_in: str = "",
    ) -> Destination | None:
        """Find the first of these channels on which messages may be sent to the person, by `find`.

        Args:
            asked_in: the channel on which the person asked for the messages.
        """
        for channel in channels:
            with suppress(ToolFailed):
                return await self.find(
                    tx,
                    channel,
                    account=account,
                    may_wait=may_wait,
                    asked_for=channel == asked_in,
                )
        return None

    async def find_first_or_wait(
        self, tx: Transaction, channels: Sequence[Channel], *, account: int
    ) -> Destination | None:
        """Find the first of these channels that takes a message now; else the first on which it
        waits until the person writes there."""
        now = await self.find_first(tx, channels, account=account)
        return now or await self.find_first(tx, channels, account=account, may_wait=True)

    async def find_many(
        self, tx: Transaction, channels: Mapping[int, Channel]
    ) -> dict[int, Destination]:
        """Find where messages are sent that may not wait, as `find` does, by few statements.

        Args:
            channels: for each account the channel.

        Returns:
            The destination of each account; none where `find` would raise.
        """
        holders = await lock_current_accounts(tx, channels)
        asked = [_ask_for(holders[each], channels[each]) for each in holders]
        rows = await tx.fetch_many(_KNOWN, asked)
        known = {(row["account"], row["channel"]): row for row in rows}
        found: dict[int, Destination] = {}
        for account, holder in holders.items():
            channel = channels[account]
            with suppress(ToolFailed):
                found[account] = await self._judge(
                    tx, channel, known.get((holder, channel)), may_wait=False, asked_for=False
                )
        return found

    async def _judge(
        self,
        tx: Transaction,
        channel: Channel,
        known: Row | None,
        *,
        may_wait: bool,
        asked_for: bool,
    ) -> Destination:
        """Return what `find` does, or raise as it does, by what is known of the person there."""
        facts = CHANNELS[channel]
        if known is None:
            raise ToolFailed(
                f"The person's address on {channel} is not known. They can log in with /login."
            )
        if known["opted_out"] or (known["notices_off"] and not asked_for):
            raise ToolFailed(
                f"The person wants no messages by {channel}, until they write START there. Tell "
                "them here instead."
            )
        if facts.notices_a_day is not None and known["sent_today"] >= facts.notices_a_day:
            raise DailyLimitReached(
                f"The person has had {facts.notices_a_day} {facts.display_name} today, which is "
                "the most. Tell them here.",
                after=max(1.0, known["oldest"] + 86_400 - known["now"]),
            )
        via = self._choose(channel, known["address"], known["via"] or "")
        if not may_wait and (self._would_wait(via, known) or await _is_restricted(tx, via, known)):
            raise ToolFailed(f"It would wait until the person writes by {channel}.")
        return self.place(channel, via, known["address"], known["silence"])

    async def find_at(self, tx: Transaction, channel: Channel, address: str) -> Destination:
        """Find where messages to this identity are sent.

        Raises:
            NoMessagesWanted: the person wants no messages there.
            ToolFailed: there is no such channel here.
        """
        known = await tx.fetch_one(_AT, lane=f"{channel}:{address}")
        via = self._choose(channel, address, known["via"] if known else "")
        if known is not None and (known["opted_out"] or known["notices_off"]):
            raise NoMessagesWanted(f"They want no messages by {channel}.", via)
        return self.place(channel, via, address, known["silence"] if known else inf)

    async def find_by_number(self, tx: Transaction, channel: Channel, number: str) -> Destination:
        """Find the same as `find_at` for a phone number in E.164, known to us or not.

        If its conversation has another address, store that messages to it go to the number.
        """
        address = await name_address(tx, channel, number)
        if address != number:
            await note_moved(tx, f"{channel}:{address}", f"{channel}:{number}")
        return await self.find_at(tx, channel, address)

    async def hand_over(
        self, tx: Transaction, place: Destination, outgoing: Sequence[Outgoing], *, key: str
    ) -> int | None:
        """Send messages there, once a key; return the number of their turn, None if the key was
        used there before."""
        sender = Sender(place.address)
        return await self._inbox.put(
            tx, build_update(place.lane, place.via, sender, key, Notice(tuple(outgoing)))
        )

    async def hand_over_many(
        self, tx: Transaction, notices: Sequence[tuple[Destination, Sequence[Outgoing], str]]
    ) -> None:
        """Send messages to many destinations, as `hand_over` does, by few statements.

        Args:
            notices: the destination, the messages and the key of each.
        """
        updates = [
            build_update(place.lane, place.via, Sender(place.address), key, Notice(tuple(outgoing)))
            for place, outgoing, key in notices
        ]
        await store_notices(tx, updates)

    @property
    def has_email(self) -> bool:
        return EMAIL in self._adapters

    async def hand_over_email(
        self, tx: Transaction, email: SendEmail, *, key: str, owner: str = ""
    ) -> int | None:
        """Send an e-mail, once a key, as `hand_over` does.

        Args:
            owner: if no account has it: the conversation that it is about, with which it is erased.
        """
        lane = name_email_lane(email.account or owner or "own", key)
        notice = build_update(lane, EMAIL, Sender(lane), key, Notice((email,)))
        return await self._inbox.put(tx, notice)

    async def email_operators(self, tx: Transaction, subject: str, words: str, key: str) -> None:
        """Send the operators an e-mail, once a key, if they have addresses and e-mail can be sent.

        Raises:
            SettingsError: their addresses cannot be read.
        """
        if self._operators and self.has_email:
            email = SendEmail(parse_operators(self._operators), subject, words)
            await self.hand_over_email(tx, email, key=key)

    def place(self, channel: Channel, via: str, address: str, silence: float = inf) -> Destination:
        """Return this conversation as a destination, whether or not it takes messages now.

        Args:
            via: the adapter that the person wrote to.
            silence: seconds since the person last wrote there.
        """
        via = self._routes.find(channel, address, via) or via
        able = self._routes.describe(self._adapters[via].capabilities, address)
        return Destination(channel, via, address, able, is_closed=is_window_closed(able, silence))

    def may_be_one_way(self, channel: Channel) -> bool:
        """Return whether some people cannot answer on this channel."""
        return any(
            each.channel == channel and each.capabilities.answers != "always"
            for each in self._adapters.values()
        )

    def _would_wait(self, via: str, known: Row) -> bool:
        """Return whether the channel takes no message for this person now, not even a template."""
        able = self._adapters[via].capabilities
        is_closed = is_window_closed(able, known["silence"])
        has_asked = known["window_closed"]  # now it waits for the answer
        asks = able.template and not has_asked
        return (is_closed and not asks) or known["reachable"] == 0

    def _choose(self, channel: Channel, address: str, last: str) -> str:
        """Return the adapter of the address's route; without routes the one that the person last
        wrote to, else the channel's first. Raises `ToolFailed`: there is none."""
        names = [name for name, each in self._adapters.items() if each.channel == channel]
        if not names:
            raise ToolFailed(f"Nothing can be sent by {channel} here. Tell them here instead.")
        via = self._routes.find(channel, address, last if last in names else names[0])
        if not via:
            raise ToolFailed(f"Nothing can be sent to this number by {channel}. Tell them here.")
        return via


def _ask_for(holder: int, channel: Channel) -> dict[str, Any]:
    """Return the values of `_KNOWN`."""
    facts = CHANNELS[channel]
    return {
        "account": holder,
        "channel": channel,
        "is_phone": int(facts.phone_is_identity),
        "is_limited": int(facts.notices_a_day is not None),
    }


async def _is_restricted(tx: Transaction, via: str, known: Row) -> bool:
    """Return whether a sender is restricted; ask the database only if any sender is."""
    return bool(known["some_restricted"]) and await is_restricted(tx, via)


def name_email_lane(owner: int | str, key: str) -> str:
    """Return the lane of an e-mail, named by its owner and key. Each has a lane of its own, so that
    a server which defers one delays no other."""
    return f"{EMAIL}:{owner}/{sha256(key.encode()).hexdigest()[:24]}"


class PaymentNotifier:
    """Tells buyers the outcome of payments, within the transactions that store it."""

    def __init__(self, inbox: Inbox, people: People, notifier: Notifier) -> None:
        self._inbox = inbox
        self._people = people
        self._notifier = notifier

    async def tell(self, tx: Transaction, receipt: PaymentReceipt) -> None:
        """Tell the buyer the outcome of a payment, by the adapter that they wrote to last.

        A paid purchase is reported once; any other outcome once for each payment.
        """
        purchase, words = receipt.purchase, confirm_payment(receipt)
        if purchase is None or words is None:
            return
        key = _name(purchase, receipt)
        if not await self._tell_there(tx, purchase, words, key):
            await self._tell_elsewhere(tx, purchase, words, key)

    async def _tell_there(self, tx: Transaction, purchase: Purchase, words: Say, key: str) -> bool:
        """Tell the buyer in the conversation in which they bought; return whether that is possible.

        It is not if the conversation is gone, or has another account now: the words tell a balance.
        """
        channel, sender = purchase.lane.partition(":")[0], Sender(purchase.address)
        row = await tx.fetch_one("SELECT via FROM lane WHERE id = :lane", lane=purchase.lane)
        if row is None or not row["via"]:
            return False
        buyer = await self._people.find_sender(tx, cast("Channel", channel), sender)
        if buyer.account != await find_current_account(tx, purchase.account):
            return False
        await self._inbox.put(
            tx, build_update(purchase.lane, row["via"], sender, key, Notice((words,)))
        )
        return True

    async def _tell_elsewhere(
        self, tx: Transaction, purchase: Purchase, words: Say, key: str
    ) -> None:
        place = await self._notifier.find_first_or_wait(tx, PUSH_CHANNELS, account=purchase.account)
        if place is None:
            log.warning("purchase_untold", purchase=purchase.id)
            return
        await self._notifier.hand_over(tx, place, [words], key=key)


def _name(purchase: Purchase, receipt: PaymentReceipt) -> str:
    """Return the key under which the outcome is sent once."""
    if receipt.outcome == "paid":
        return f"purchase:{purchase.id}"
    charge = sha256(receipt.charge.encode()).hexdigest()[:16]
    return f"purchase:{purchase.id}:{receipt.outcome}:{charge}"


_AT = """
SELECT via, opted_out, notices_off, {now} - person_wrote_at AS silence FROM lane WHERE id = :lane
"""

_KNOWN = """
SELECT CAST(:account AS BIGINT) AS account, CAST(:channel AS TEXT) AS channel, known.address,
    lane.via, lane.opted_out, lane.notices_off, lane.reachable,
    lane.window_closed, {now} - coalesce(lane.person_wrote_at, 0) AS silence, {now} AS now,
    EXISTS (SELECT 1 FROM restriction) AS some_restricted,
    CASE WHEN CAST(:is_limited AS BIGINT) = 1 THEN (
        SELECT count(*) FROM inbox
        WHERE inbox.lane = lane.id AND inbox.stored_at > {now} - 86400
            AND (inbox.message_key LIKE 'notice:%' OR inbox.message_key LIKE 'reminder:%')
    ) END AS sent_today,
    CASE WHEN CAST(:is_limited AS BIGINT) = 1 THEN (
        SELECT min(stored_at) FROM inbox
        WHERE inbox.lane = lane.id AND inbox.stored_at > {now} - 86400
            AND (inbox.message_key LIKE 'notice:%' OR inbox.message_key LIKE 'reminder:%')
    ) END AS oldest
FROM (
    SELECT address, 0 AS place FROM identity WHERE account = :account AND channel = :channel
    UNION ALL
    SELECT coalesce(alias.address, account.phone), 1 FROM account
    LEFT JOIN alias ON alias.channel = :channel AND alias.value = account.phone
    WHERE account.id = :account AND CAST(:is_phone AS BIGINT) = 1
        AND coalesce(alias.address, account.phone, '') <> ''
) AS known
LEFT JOIN lane ON lane.id = CAST(:channel AS TEXT) || ':' || known.address
ORDER BY CASE WHEN lane.reachable = 0 AND lane.opted_out = 0 THEN 1 ELSE 0 END, known.place,
    coalesce(lane.person_wrote_at, 0) DESC
LIMIT 1
"""

"""Link identities to an account, tell its other conversations of it, and unlink identities."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from bot.accounts import ledger
from bot.accounts.aliases import list_addresses, read_contact_ids
from bot.accounts.approvals import drop_all
from bot.accounts.people import People, identities_of, language_of
from bot.contracts.storage import Transaction
from bot.errors import ToolFailed
from bot.gateway.conversation_history import is_phone_session
from bot.gateway.delivery.notify import Destination, Notifier
from bot.gateway.lanes import find_thread, leave_thread, place_in_thread
from bot.gateway.people.personal_data import PERSONAL, Keep, Reassign
from bot.i18n import say
from bot.learning import exercises, quiz
from bot.learning.reviews import cards
from bot.learning.skills.learner_model import enter_placement
from bot.learning.skills.placement import adopt_placement_from_guest
from bot.messages.channels import CHANNELS, WEB, Channel
from bot.messages.incoming import Person, Sender, Update
from bot.messages.outgoing import Say
from bot.storage.accounts import lock_current_account


class AccountLinking:
    def __init__(self, people: People, notifier: Notifier) -> None:
        self._people = people
        self._notifier = notifier

    async def join(
        self, tx: Transaction, update: Update, person: Person, number: str, turn: int
    ) -> Person:
        """Link the sender of `update` to the account of `number` (E.164, proven); return them.

        If the sender's own number or user id has an account, that is merged into it; a user id and
        its number have welcome credits once. The data of another account that the sender was linked
        to stays there, with what was said before `turn`.
        """
        channel = update.channel
        sender = msgspec.structs.replace(update.sender, language=person.language)
        account = await self._people.account_of(tx, channel, sender, number)
        if person.account not in (None, account):
            own = await self._part(tx, person.account, channel, sender, turn)
            if own not in (None, account):
                welcomed = await self._list_second_welcome(tx, channel, sender.address, number)
                await merge_without_welcome(
                    tx, self._people, own, account, welcomed, key=update.message_key
                )
        joined = await self._people.log_in(tx, channel, sender, number)
        if person.account is None and not update.group:
            await adopt_answers(tx, update.lane, account)
        await place_in_thread(tx, update, joined, await find_thread(tx, update.lane), 0)
        await self.tell_of_place(tx, account, channel, sender.address, key=update.message_key)
        return joined

    async def leave(self, tx: Transaction, update: Update, turn: int) -> None:
        """Unlink the sender from the account, and begin their history anew at `turn`."""
        if not CHANNELS[update.channel].shared_thread:
            await drop_all(tx, update.lane)
            if not is_phone_session(update.conversation):  # that one is the account's
                await leave_thread(tx, update.lane, turn)
        await self._show_out(tx, update.channel, update.sender.address, turn)

    async def leave_others(self, tx: Transaction, update: Update, person: Person, turn: int) -> int:
        """Unlink all other identities of the account as `leave` does, but those of its own number;
        return how many."""
        if person.account is None:
            return 0
        ended = 0
        for channel, address in await identities_of(tx, person.account):
            is_here = (channel, address) == (update.channel, update.sender.address)
            own = await self._people.own_account(tx, channel, address)
            if is_here or own == person.account:
                continue
            await self._show_out(tx, channel, address, turn)
            ended += 1
        return ended

    async def tell_of_place(
        self, tx: Transaction, account: int, channel: Channel, address: str, *, key: str
    ) -> None:
        """Tell the account's other conversations that it is used in a new place, so that a new
        owner of the number (a SIM card issued again) does not enter it unseen."""
        language = await language_of(tx, account)
        words = say(
            language,
            "Your account is now used on {channel} too. If it was not you, send /logout all.",
            channel=_name(language, channel),
        )
        await self._tell_others(tx, account, (channel, address), words, key=f"linked:{key}")

    async def tell_of_mailbox(
        self, tx: Transaction, account: int, update: Update, mailbox: str
    ) -> None:
        """Tell the account's other conversations to which address its e-mails go from now on."""
        words = say(
            await language_of(tx, account),
            "Your e-mails now go to {address}. If it was not you, send /logout all and /email "
            "remove.",
            address=mailbox,
        )
        here = (update.channel, update.sender.address)
        await self._tell_others(tx, account, here, words, key=f"mailbox:{update.message_key}")

    async def _tell_others(
        self, tx: Transaction, account: int, here: tuple[Channel, str], words: str, *, key: str
    ) -> None:
        """Send words to the account's other conversations; by SMS, which costs money, only if there
        is no other. Where none takes a message now, they wait there until the person writes."""
        others: list[tuple[Channel, str]] = [
            (other, where)
            for other, where in await identities_of(tx, account)
            if CHANNELS[other].shared_thread and (other, where) != here
        ]
        spots = [spot for each in others if (spot := await self._find(tx, *each))]
        reached = [
            spot for spot in spots if not spot.is_closed or spot.capabilities.template
        ] or spots
        free = [spot for spot in reached if not CHANNELS[spot.channel].message_costs]
        for spot in free or reached:
            await self._notifier.hand_over(tx, spot, [Say(words)], key=key)

    async def _find(self, tx: Transaction, channel: Channel, address: str) -> Destination | None:
        """Find where messages to this identity are sent; None: they are unwanted there."""
        try:
            return await self._notifier.find_at(tx, channel, address)
        except ToolFailed:
            return None

    async def _show_out(self, tx: Transaction, channel: Channel, address: str, turn: int) -> None:
        """Unlink an address from its account, so that it leads to none, or to its own.

        The history of its conversations begins anew at `turn`, and their approvals are dropped.
        """
        together = await list_addresses(tx, channel, address)
        for each, where in together if CHANNELS[channel].shared_thread else ():
            await drop_all(tx, f"{each}:{where}")
            await leave_thread(tx, f"{each}:{where}", turn)
        await self._people.log_out(tx, channel, address)

    async def _list_second_welcome(
        self, tx: Transaction, channel: Channel, address: str, number: str
    ) -> Sequence[str]:
        """Return the sender's user id if it is known without a number, and this number, which is
        theirs, had its welcome credits already; else nothing."""
        user_id = (await read_contact_ids(tx, channel, address)).user_id
        is_second = (
            user_id
            and await self._people.has_no_number(tx, user_id)
            and await self._people.was_welcomed(tx, number)
        )
        return (user_id,) if is_second else ()

    async def _part(
        self, tx: Transaction, account: int, channel: Channel, sender: Sender, turn: int
    ) -> int | None:
        """Return the account of the sender's own number or user id, unlinked from any other; None:
        there is none."""
        if await self._people.own_account(tx, channel, sender.address) == account:
            return account
        await self._show_out(tx, channel, sender.address, turn)
        if not CHANNELS[channel].phone_is_identity:
            return None
        return await self._people.open_own_account(tx, channel, sender)


async def adopt_answers(tx: Transaction, lane: str, account: int) -> None:
    """Give an account what a guest was asked and answered in a conversation: results, cards, and
    what they show of skills, and the level of a placement. Raises `ToolFailed`: the account was
    erased."""
    holder = await lock_current_account(tx, account)
    if placed := await adopt_placement_from_guest(tx, lane, holder):
        await enter_placement(tx, holder, placed)  # before results, which move the level
    await exercises.adopt_exercises_from_guest(tx, lane, holder)  # before results of no exercise
    await quiz.adopt_quizzes_from_guest(tx, lane, holder)
    await cards.adopt_cards_from_guest(tx, lane, holder)


async def merge_without_welcome(
    tx: Transaction,
    people: People,
    account: int,
    into: int,
    welcomed: Sequence[str],
    *,
    key: str,
) -> None:
    """Merge an account into another, and take back the welcome credits that it had for these ids;
    those that its running turns hold are taken from the other, which gets them back."""
    amount = await people.count_welcome(tx, account, welcomed)
    book = partial(ledger.take_back, tx, kind="welcome")
    taken = await book(account=account, amount=amount, key=f"welcome:back:{account}")
    await merge_accounts(tx, account, into, key=key)
    await book(account=into, amount=amount - taken, key=f"welcome:held:{account}")


async def merge_accounts(tx: Transaction, account: int, into: int, *, key: str) -> None:
    """Merge one account into another, as the registry of personal data says.

    Args:
        key: names the cause; the credits move once a key.
    """
    await ledger.move(tx, account, into, key=f"join:{account}:{key}")
    for name, table in PERSONAL.items():
        match table.merged:
            case Reassign(values=values):
                changes = f"account = :into, {values}" if values else "account = :into"
                sql = f"UPDATE {name} SET {changes} WHERE account = :account"  # noqa: S608 (made of constants)
                await tx.execute(sql, account=account, into=into)
            case Keep() | None:
                pass
            case combine:
                await combine(tx, account, into)


def _name(language: str, channel: Channel) -> str:
    return say(language, "the website") if channel == WEB else CHANNELS[channel].display_name

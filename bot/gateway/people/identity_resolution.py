"""Find the conversation of an update on channels that name people by changing ids.

On WhatsApp a person has a number, which they may hide or change, and a user id, which changes with
the number. An identity keeps its first address, and so its conversation, for ever; `bot.accounts.
aliases` leads there from each id. A number that comes with another user id than before has a new
owner (SIM cards are recycled), who sees nothing of the former owner's.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import structlog

from bot.accounts import aliases
from bot.accounts.aliases import ContactIds
from bot.accounts.one_time_codes import withdraw_codes_to
from bot.accounts.people import (
    People,
    find_account_of_number,
    is_identity,
)
from bot.accounts.phone_numbers import is_number
from bot.contracts.storage import Transaction
from bot.gateway.inbox_rows import drop_notices
from bot.gateway.lanes import list_lanes_moved_to, note_moved, note_unreachable
from bot.gateway.outbox_rows import refuse_notices_on_their_way
from bot.gateway.people.linking import merge_without_welcome
from bot.messages.channels import CHANNELS, PHONE_CHANNELS, USER_ID, Channel
from bot.messages.incoming import IdentityChanged, Sender, Update
from bot.storage.accounts import (
    lock_current_account,
    set_phone,
    set_user_id,
    was_opened_since,
)

log = structlog.get_logger()
_EARLY: Final = 3600.0
"""Seconds before the change of a number in which an account of the new number is the same person's;
a number that had another owner rests for months."""


@dataclass(frozen=True, slots=True)
class _GivenIds:
    """The ids of one person, as a provider gave them."""

    channel: Channel
    number: str
    """E.164; empty: hidden."""
    user_id: str
    """Empty: none."""
    at: float
    """Unix seconds, by the provider's clock."""


class IdentityResolver:
    def __init__(self, people: People) -> None:
        self._people = people

    async def resolve(self, tx: Transaction, update: Update) -> Update:
        """Return the update with its sender's first address; store what is new about their ids.

        An update that reports a change of ids gets the address that had the former ids; the caller
        has to call `change` next, once.
        """
        facts = CHANNELS[update.channel]
        is_named = facts.user_ids or (facts.phone_is_identity and is_number(update.sender.address))
        if update.group or not is_named:
            return update
        given = self._read_ids(update, update.sender.address, update.sender.user_id)
        if isinstance(change := update.content, IdentityChanged):
            address = await _find_former(tx, given)
            if address is None:
                new = self._read_ids(update, change.number, change.user_id)
                address = await self._find(tx, new)
                if given.user_id:  # a change to this one may still be on its way
                    await aliases.add_alias(tx, given.channel, given.user_id, address, given.at)
                    await aliases.mark_former(tx, given.channel, address, given.user_id)
        elif facts.user_ids:
            address = await self._find(tx, given)
        else:
            address = await self._find_by_number(tx, given)
        sender = msgspec.structs.replace(update.sender, address=address)
        return msgspec.structs.replace(update, conversation=address, sender=sender)

    async def change(self, tx: Transaction, update: Update, change: IdentityChanged) -> None:
        """Give the person with the address of `update` other ids; they keep their account, balance,
        history and reminders."""
        given, address = (
            self._read_ids(update, change.number, change.user_id),
            update.sender.address,
        )
        own = await self._people.own_account(tx, given.channel, address)
        known = await self._claim_user_id(tx, given, address)
        if known is not None and known.address != address:
            if known.is_former and given.at > known.reported_at:
                await _make_current_again(tx, given, known.address)
            await self._join(tx, given, address, known.address)
        else:
            await self._rename(tx, given, address, own)
        log.info("identity_changed", channel=given.channel, known=bool(given.number))

    async def _claim_user_id(
        self, tx: Transaction, given: _GivenIds, address: str
    ) -> aliases.Alias | None:
        """Map a new user id to the address unless it is mapped already; return the alias that was
        there before, locked; None: there was none.

        It is inserted before it is looked up, so that a first message from the new user id, which
        another process stores at the same moment, either finds it or is found.
        """
        if given.user_id and await aliases.add_alias(
            tx, given.channel, given.user_id, address, given.at
        ):
            return None
        _, known = await aliases.find_aliases(tx, given.channel, "", given.user_id, lock=True)
        return known

    async def prove_number(self, tx: Transaction, update: Update, number: str) -> None:
        """Store that the number (E.164) is the sender's own on the channel, as they have proven;
        they get all that is stored under it."""
        given = _GivenIds(update.channel, number, update.sender.user_id, time.time())
        await self._learn_number(tx, given, update.sender.address, joins=True)

    def _read_ids(self, update: Update, number: str, user_id: str) -> _GivenIds:
        number = number if is_number(number) else ""
        user_id = user_id if USER_ID.fullmatch(user_id) else ""
        return _GivenIds(update.channel, number, user_id, update.at or time.time())

    async def _find(self, tx: Transaction, given: _GivenIds) -> str:
        """Return the address of the person with these ids; create it if they are new."""
        channel, number, user_id = given.channel, given.number, given.user_id
        of_number, of_user = await aliases.find_aliases(tx, channel, number, user_id)
        if of_user is None:
            if user_id:
                return await self._meet_user(tx, given)
            if of_number is None:
                is_new = await aliases.add_alias(tx, channel, number, number, 0.0)
                return number if is_new else await self._find(tx, given)
            if of_number.address:
                return of_number.address
            await self._take_from_former_owner(tx, number, of_number)
            return await self._name_anew(tx, given)
        if number and (of_number is None or of_number.address != of_user.address):
            is_late = of_number is not None and given.at < of_number.reported_at
            if not is_late and not of_user.is_former:
                await self._learn_number(tx, given, of_user.address, joins=True)
        return of_user.address

    async def _find_by_number(self, tx: Transaction, given: _GivenIds) -> str:
        """Return the address of the number's owner where the channel has no user ids; a new one
        after the number was taken from its account."""
        address = await aliases.find_address(tx, given.channel, given.number)
        return address or await self._name_anew(tx, given)

    async def _name_anew(self, tx: Transaction, given: _GivenIds) -> str:
        address = await aliases.name_address(tx, given.channel, given.number)
        await note_moved(tx, f"{given.channel}:{address}", f"{given.channel}:{given.number}")
        return address

    async def _meet_user(self, tx: Transaction, given: _GivenIds) -> str:
        """Return the address of a user id that comes for the first time: a new one, or that of the
        number."""
        channel, number, user_id = given.channel, given.number, given.user_id
        of_number, _ = await aliases.find_aliases(tx, channel, number, user_id, lock=True)
        address = of_number.address if of_number else number
        is_taken = bool(address) and await _has_user_id(tx, channel, address)
        is_late = of_number is not None and given.at < of_number.reported_at
        if address and not is_taken:
            if not await aliases.add_alias(tx, channel, user_id, address, given.at):
                return await self._find(tx, given)  # another process was faster
            await aliases.move_alias(tx, channel, number, address, given.at)
            if own := await self._people.own_account(tx, channel, address):
                await self._people.note_user_id(tx, own, user_id)
            return address
        if not await aliases.add_alias(tx, channel, user_id, user_id, given.at):
            return await self._find(tx, given)
        if number and not (is_taken and is_late):
            await self._take_from_former_owner(tx, number, of_number)
            await self._give_number(tx, given, user_id)
            log.info("number_has_new_owner", channel=channel)
        return user_id

    async def _learn_number(
        self, tx: Transaction, given: _GivenIds, address: str, *, joins: bool
    ) -> None:
        """Store that the person with this address has the number.

        Args:
            joins: the number's account is theirs too, unless the number came with another user id,
                or they had another number: then that account may be a former owner's.
        """
        channel, number = given.channel, given.number
        is_unseen = await aliases.add_alias(tx, channel, number, number, 0.0)
        holder, _ = await aliases.find_aliases(tx, channel, number, given.user_id, lock=True)
        known = await aliases.list_aliases(tx, channel, address)
        numbers = [alias for alias in known if is_number(alias.value) and alias.value != number]
        if any(alias.reported_at > given.at for alias in numbers):
            return
        own = await self._people.own_account(tx, channel, address)
        former = "" if is_unseen or holder is None or holder.address == address else holder.address
        is_others = bool(former) and await _has_user_id(tx, channel, former)
        joins = joins and not numbers and not is_others
        for alias in numbers:
            await self._release(tx, channel, alias.value, address)
            if own is not None:
                await self._take_from_account(tx, alias.value, own)
        await self._give_number(tx, given, address, joins=joins)
        if joins and former and own is None:
            own = await self._open_for_both(tx, channel, address, former)
        user_ids = [alias.value for alias in known if not is_number(alias.value)]
        await self._give_number_to_account(tx, given, own, user_ids if joins else None)

    async def _open_for_both(
        self, tx: Transaction, channel: Channel, address: str, former: str
    ) -> int | None:
        """Open the account of a person who wrote from two addresses and has had no turn yet, and
        link the one that was their number's, so that the first turn there finds it."""
        own = await self._people.open_own_account(tx, channel, Sender(address))
        if own is not None and not await is_identity(tx, channel, former):
            await self._people.link(tx, channel, Sender(former), own)
        return own

    async def _give_number_to_account(
        self, tx: Transaction, given: _GivenIds, own: int | None, user_ids: Sequence[str] | None
    ) -> None:
        """Store the number with this account, or merge it into the number's own if that is theirs.

        Args:
            user_ids: those that they have and had, if the number's account is theirs.
        """
        number = given.number
        owner = await find_account_of_number(tx, number)
        if owner is not None and owner != own and user_ids is None:
            await self._take_from_account(tx, number)
            owner = None
        if own is None or owner == own:
            return
        if owner is None:
            await self._people.note_number(tx, own, number)
        elif user_ids is not None and await lock_current_account(tx, own) == own:
            into = await lock_current_account(tx, owner)
            welcomed = user_ids if await self._people.was_welcomed(tx, number) else ()
            key = f"number:{given.at}"
            await merge_without_welcome(tx, self._people, own, into, welcomed, key=key)

    async def _give_number(
        self, tx: Transaction, given: _GivenIds, address: str, *, joins: bool = False
    ) -> None:
        """Have the number lead to the address, and messages to the address go to the number.

        Args:
            joins: the address that has the number now is the same person's, who is still to get
                there what is being answered.
        """
        channel, number = given.channel, given.number
        holder, _ = await aliases.find_aliases(tx, channel, number, "")
        former = number if holder is None else holder.address
        if former not in {"", address}:
            if joins:
                await note_moved(tx, f"{channel}:{former}", f"{channel}:{number}")
            else:
                await self._release(tx, channel, number, former)
        await aliases.move_alias(tx, channel, number, address, given.at)
        await note_moved(tx, f"{channel}:{address}", f"{channel}:{number}")

    async def _release(self, tx: Transaction, channel: Channel, number: str, address: str) -> None:
        """Take the number from this address; messages to it, and to others that the person had
        before, go to its user id, if it has one."""
        await aliases.move_alias(tx, channel, number, "", time.time())
        ids = await aliases.read_contact_ids(tx, channel, address)
        others = await list_lanes_moved_to(tx, f"{channel}:{number}")
        for lane in sorted({f"{channel}:{address}", *others}):
            if ids.user_id:
                await note_moved(tx, lane, f"{channel}:{ids.user_id}")
            else:
                await note_unreachable(tx, lane, opted_out=False)

    async def _take_from_former_owner(
        self, tx: Transaction, number: str, known: aliases.Alias | None
    ) -> None:
        """Take a number that has a new owner from its account, unless that was opened since the
        number was released: then it is the new owner's, who wrote on another channel first."""
        account = await find_account_of_number(tx, number)
        if account is None or known is None or known.address:
            is_new = False
        else:
            is_new = await was_opened_since(tx, account, known.reported_at)
        if not is_new:
            await self._take_from_account(tx, number)

    async def _take_from_account(
        self, tx: Transaction, number: str, own: int | None = None
    ) -> None:
        """Take a number that has a new owner from its account, which is not reached by it any more
        and keeps its conversations; the new owner's get another address.

        Args:
            own: only from this account; None: from whichever has it.
        """
        account = await find_account_of_number(tx, number)
        if account is None or own not in (None, account):
            return
        await set_phone(tx, account, "")
        await withdraw_codes_to(tx, number)
        for channel in PHONE_CHANNELS:
            if CHANNELS[channel].user_ids:
                continue
            if address := await aliases.find_address(tx, channel, number):
                if not await is_identity(tx, channel, address):  # we may have written to them there
                    holder = await lock_current_account(tx, account)
                    await self._people.link(tx, channel, Sender(address), holder)
                lane = f"{channel}:{address}"
                await drop_notices(tx, lane)
                await refuse_notices_on_their_way(tx, lane)
                await self._release(tx, channel, number, address)

    async def _rename(
        self, tx: Transaction, given: _GivenIds, address: str, own: int | None
    ) -> None:
        """Give the person with this address the new ids, whose user id no person has yet."""
        channel = given.channel
        if given.user_id:
            for alias in await aliases.list_aliases(tx, channel, address):
                if not is_number(alias.value) and alias.value != given.user_id:
                    await aliases.mark_former(tx, channel, address, alias.value)
            await aliases.move_alias(tx, channel, given.user_id, address, given.at)
            if own:
                await self._people.note_user_id(tx, own, given.user_id)
        if given.number:
            await _keep_own_number(tx, channel, address)
            early = await self._find_early(tx, given)
            await self._learn_number(tx, given, address, joins=False)
            if early is not None and own not in (None, early):
                await self._join_early(tx, given, early, own)
        else:
            await self._release_numbers(tx, channel, address, own)
            if given.user_id:
                await note_moved(tx, f"{channel}:{address}", f"{channel}:{given.user_id}")

    async def _find_early(self, tx: Transaction, given: _GivenIds) -> int | None:
        """Return the account that was opened by a message from the new number on this channel just
        before the change; one that was opened by SMS may be another person's."""
        holder, _ = await aliases.find_aliases(tx, given.channel, given.number, "")
        if holder is None or not holder.address:
            return None
        early = await self._people.own_account(tx, given.channel, holder.address)
        if early is None or not await was_opened_since(tx, early, given.at - _EARLY):
            return None
        return early

    async def _join_early(
        self, tx: Transaction, given: _GivenIds, early: int, own: int | None
    ) -> None:
        """Merge the account that was opened by the number alone, before its change was told."""
        into = await lock_current_account(tx, own or 0)
        if await lock_current_account(tx, early) == early:
            key = f"renamed:{given.at}"
            await merge_without_welcome(tx, self._people, early, into, (given.number,), key=key)

    async def _join(self, tx: Transaction, given: _GivenIds, address: str, new: str) -> None:
        """Unite this address with `new`, from which the person wrote already under the new ids.

        Both lead to the former account. Welcome credits of the other account are taken back.
        """
        channel = given.channel
        into = await self._people.open_own_account(tx, channel, Sender(address))
        own = await self._people.own_account(tx, channel, address)
        other = await self._people.own_account(tx, channel, new)
        ids = await aliases.read_contact_ids(tx, channel, new)
        for alias in await aliases.list_aliases(tx, channel, address):
            if not is_number(alias.value):
                await aliases.mark_former(tx, channel, address, alias.value)
        await self._release_numbers(tx, channel, address, own)
        if given.number:
            await self._learn_number(tx, given, new, joins=False)
            ids = await aliases.read_contact_ids(tx, channel, new)
        if own is not None and into is not None:
            await self._fold_account(tx, other, own, into, ids, key=f"renamed:{given.at}")
        await note_moved(tx, f"{channel}:{address}", f"{channel}:{ids.number or ids.user_id}")

    async def _fold_account(
        self, tx: Transaction, new: int | None, own: int, into: int, ids: ContactIds, *, key: str
    ) -> None:
        """Merge the account that was opened for the new ids into the former, which gets these ids.

        Args:
            new: the account of the new ids; None: none was opened yet.
            own: the former account; `into` is the one that it was merged into, or the same.
        """
        if new is not None and new != own:
            await set_user_id(tx, new, "")
            await set_phone(tx, new, "")
            if await lock_current_account(tx, new) == new:
                welcomed = (ids.user_id, ids.number)
                await merge_without_welcome(tx, self._people, new, into, welcomed, key=key)
        if ids.user_id:
            await self._people.note_user_id(tx, own, ids.user_id)
        if ids.number:
            await self._people.note_number(tx, own, ids.number)

    async def _release_numbers(
        self, tx: Transaction, channel: Channel, address: str, own: int | None
    ) -> None:
        """Take all numbers from this address and its account `own`: a user id changes with the
        number, which somebody else may get next."""
        await _keep_own_number(tx, channel, address)
        for alias in await aliases.list_aliases(tx, channel, address):
            if is_number(alias.value):
                await self._release(tx, channel, alias.value, address)
                if own is not None:
                    await self._take_from_account(tx, alias.value, own)


async def _find_former(tx: Transaction, given: _GivenIds) -> str | None:
    """Return the address of the person who had these ids; None: they are not known."""
    of_number, of_user = await aliases.find_aliases(tx, given.channel, given.number, given.user_id)
    if of_user is not None:
        return of_user.address
    address = of_number.address if of_number else given.number
    if not address or (given.user_id and await _has_user_id(tx, given.channel, address)):
        return None
    is_known = of_number is not None or await is_identity(tx, given.channel, address)
    return address if is_known else None


async def _has_user_id(tx: Transaction, channel: Channel, address: str) -> bool:
    return bool((await aliases.read_contact_ids(tx, channel, address)).user_id)


async def _make_current_again(tx: Transaction, given: _GivenIds, address: str) -> None:
    """Store that the person with this address has a former user id again."""
    await aliases.move_alias(tx, given.channel, given.user_id, address, given.at)
    await note_moved(tx, f"{given.channel}:{address}", f"{given.channel}:{given.user_id}")


async def _keep_own_number(tx: Transaction, channel: Channel, address: str) -> None:
    """Store that a number which is its own address leads there, before it leads elsewhere."""
    if is_number(address):
        await aliases.add_alias(tx, channel, address, address, 0.0)

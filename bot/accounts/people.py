"""Recognise people: accounts, the identities that lead to them, guests, and their profiles."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.accounts import ledger
from bot.accounts.aliases import ContactIds, has_former_owner, list_addresses, read_contact_ids
from bot.accounts.personal_ids import recall_limits, welcome_key
from bot.accounts.phone_numbers import country_of, parse_number, zone_of, zone_of_country
from bot.contracts.storage import MAX_BIGINT, Clock, Database, Transaction, parse_whole_number
from bot.errors import NotFound
from bot.i18n import best_language
from bot.messages.channels import CHANNELS, EMAIL, NUMBER_CHANNEL, USER_ID, WEB, Channel
from bot.messages.incoming import Person, Sender
from bot.messages.value import Mode
from bot.settings import Settings
from bot.storage import accounts
from bot.storage.accounts import (
    insert_account,
    lock_current_account,
    separate_account,
    set_phone,
    set_user_id,
)
from bot.typography import to_one_line

_MAX_NAME = 80


@dataclass(frozen=True, slots=True)
class Account:
    id: int
    phone: str | None
    """E.164; None: it is hidden, or the person was erased."""
    name: str
    mode: Mode
    language: str
    grade: str
    balance: int
    created_at: float
    erased: bool = False


@dataclass(frozen=True, slots=True)
class KnownAddress:
    """An address by which a person is known on a channel."""

    channel: Channel
    address: str
    """`session` for all web sessions, whose addresses are hashes of their tokens."""
    number: str = ""
    """E.164, where the address is a user id and the number behind it is known."""


class People:
    def __init__(self, database: Database, settings: Settings, clock: Clock = time.time) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock

    async def recognise(self, tx: Transaction, channel: Channel, sender: Sender) -> Person:
        """Return the person who wrote, with the account of the identity or as a guest, and store a
        new identity.

        A number or a user id that the channel vouches for has an account from its first message.
        """
        row = await tx.fetch_one(_RECOGNISE, channel=channel, address=sender.address)
        is_phone = CHANNELS[channel].phone_is_identity
        if row is not None and (row["account"] is not None or not is_phone):
            return _person(channel, sender.address, row)
        language, name = best_language(sender.language), to_one_line(sender.name, _MAX_NAME)
        if row is None:
            await recall_limits(tx, self._settings, channel, sender.address)
            await tx.execute(
                _MEET, channel=channel, address=sender.address, name=name, language=language
            )
        if is_phone:
            if own := await self.open_own_account(tx, channel, sender):
                return await self.link(tx, channel, sender, own)
            # The number was joined to a user id meanwhile, and this address to its account.
            row = await tx.fetch_one(_RECOGNISE, channel=channel, address=sender.address)
            return _person(channel, sender.address, row)
        return Person(channel, sender.address, name=name, language=language)

    async def find_sender(self, tx: Transaction, channel: Channel, sender: Sender) -> Person:
        """Return the same person as `recognise`, but store nothing: they did not write just now."""
        row = await tx.fetch_one(_RECOGNISE, channel=channel, address=sender.address)
        if row is not None:
            return _person(channel, sender.address, row)
        if CHANNELS[channel].phone_is_identity:  # its account may have written elsewhere only
            ids = await read_contact_ids(tx, channel, sender.address)
            if row := await accounts.find_of_contact(tx, ids.number, ids.user_id):
                return _person(channel, sender.address, row)
        return Person(channel, sender.address, language=best_language(sender.language))

    async def log_in(self, tx: Transaction, channel: Channel, sender: Sender, phone: str) -> Person:
        """Link this identity to the account of a proven number, opened (with welcome credits) if
        new.

        Args:
            phone: E.164, proven to be the sender's.
        """
        account = await self.account_of(tx, channel, sender, phone)
        return await self.link(tx, channel, sender, account)

    async def link(self, tx: Transaction, channel: Channel, sender: Sender, account: int) -> Person:
        """Link this identity to an account."""
        await tx.execute(
            _LINK,
            channel=channel,
            address=sender.address,
            account=account,
            name=to_one_line(sender.name, _MAX_NAME),
            language=best_language(sender.language),
        )
        row = await tx.fetch_one(_RECOGNISE, channel=channel, address=sender.address)
        return _person(channel, sender.address, row)

    async def log_out(self, tx: Transaction, channel: Channel, address: str) -> None:
        """Unlink the identity from its account. A number or user id that the channel vouches for
        gets its own account again with its next message."""
        for each, where in await list_addresses(tx, channel, address):
            await unlink_identity(tx, each, where)
        if own := await self.own_account(tx, channel, address):
            await separate_account(tx, own)

    async def open_own_account(
        self, tx: Transaction, channel: Channel, sender: Sender
    ) -> int | None:
        """Return the account of the sender's own number or user id, or the one that it was merged
        into; open one if there is none. None where the address is neither number nor user id."""
        ids = await read_contact_ids(tx, channel, sender.address, lock=True)
        return None if ids == ContactIds() else await self._account_of_ids(tx, ids, channel, sender)

    async def own_account(self, tx: Transaction, channel: Channel, address: str) -> int | None:
        """Return the account of the sender's own number or user id, even if it was merged into
        another; None: there is none."""
        if not CHANNELS[channel].phone_is_identity:
            return None
        ids = await read_contact_ids(tx, channel, address)
        rows = await tx.fetch(_OF_IDS, phone=ids.number, user_id=ids.user_id)
        return rows[0]["id"] if rows else None

    async def account_of(
        self, tx: Transaction, channel: Channel, sender: Sender, phone: str
    ) -> int:
        """Return the account of a number (E.164), or the one that it was merged into; open one,
        with welcome credits, if there is none. It stays so until the transaction ends.

        Where the sender's account has a user id only, the number is added to that account.
        """
        own = (await read_contact_ids(tx, channel, sender.address)).user_id
        ids = ContactIds(phone, own if own and await self.has_no_number(tx, own) else "")
        return await self._account_of_ids(tx, ids, channel, sender)

    async def _account_of_ids(
        self, tx: Transaction, ids: ContactIds, channel: Channel, sender: Sender
    ) -> int:
        """Return the same as `account_of`, by number, user id or both; add the one it lacks."""
        rows = await tx.fetch(_OF_IDS, phone=ids.number, user_id=ids.user_id)
        if not rows:
            return await self._open(tx, ids, channel, sender)
        known = rows[0]
        if ids.number and not known["phone"]:
            await self.note_number(tx, known["id"], ids.number)
        if ids.user_id and not known["user_id"] and len(rows) == 1:
            await self.note_user_id(tx, known["id"], ids.user_id)
        return await lock_current_account(tx, known["id"])

    async def _open(
        self, tx: Transaction, ids: ContactIds, channel: Channel, sender: Sender
    ) -> int:
        country = country_of(ids.number) if ids.number else ids.user_id[:2]
        account = await insert_account(
            tx,
            phone=ids.number,
            user_id=ids.user_id,
            name=to_one_line(sender.name, _MAX_NAME),
            language=best_language(sender.language),
            country=country,
            timezone=zone_of(ids.number) if ids.number else zone_of_country(country),
        )
        if account is None:  # made by another transaction just now
            return await self._account_of_ids(tx, ids, channel, sender)
        names = [name for name in (ids.user_id, ids.number) if name]
        if CHANNELS[channel].user_ids and has_former_owner(sender.address, ids.number):
            names = [sender.address, *names]
        counts = names[:1] if sender.address == names[0] else names
        is_gift = not any([await self.was_welcomed(tx, name) for name in counts])
        for place, name in enumerate(names):
            amount = self._settings.welcome_credits if is_gift and place == 0 else 0
            await self._welcome(tx, account, name, amount=amount)
        return account

    async def note_number(self, tx: Transaction, account: int, number: str) -> None:
        """Add this number (E.164) to the account; it gets no welcome credits any more."""
        await set_phone(tx, account, number)
        await self._welcome(tx, account, number, amount=0)

    async def note_user_id(self, tx: Transaction, account: int, user_id: str) -> None:
        """Add this user id to the account; it gets no welcome credits any more."""
        await set_user_id(tx, account, user_id)
        await self._welcome(tx, account, user_id, amount=0)

    async def count_welcome(self, tx: Transaction, account: int, names: Sequence[str]) -> int:
        """Return how many welcome credits for these ids the account still has, together with those
        that are held for its running turns."""
        keys = [welcome_key(secret, name) for secret in self._secrets for name in names if name]
        given = sum([await ledger.booked_of(tx, key, "welcome") or 0 for key in keys])
        has = await ledger.balance_of(tx, account) + await ledger.held_of(tx, account)
        return min(given, has)

    async def was_welcomed(self, tx: Transaction, name: str) -> bool:
        """Return whether a number or user id had its welcome credits, even under an older
        `SECRET_KEY`."""
        keys = [welcome_key(secret, name) for secret in self._secrets]
        return any([await ledger.booked_of(tx, key, "welcome") is not None for key in keys])

    async def _welcome(self, tx: Transaction, account: int, name: str, *, amount: int) -> None:
        """Book welcome credits for a number or user id, once; an amount of 0 also counts as had."""
        if not await self.was_welcomed(tx, name):
            key = welcome_key(self._secrets[0], name)
            await ledger.book(tx, account=account, amount=amount, kind="welcome", key=key)

    @property
    def _secrets(self) -> tuple[str, ...]:
        return tuple(self._settings.secret_keys) or ("",)

    async def has_no_number(self, tx: Transaction, user_id: str) -> bool:
        """Return whether this user id has an account, and that account has no number."""
        rows = await tx.fetch(_OF_IDS, phone="", user_id=user_id)
        return bool(rows) and rows[0]["phone"] is None

    async def allow_guest(self, tx: Transaction, person: Person) -> bool:
        """Count one of a guest's messages for today (UTC); return False when all are used."""
        row = await tx.fetch_one(
            _USE_ALLOWANCE,
            channel=person.channel,
            address=person.address,
            day=self._today(),
            allowed=self._settings.guest_daily_messages,
        )
        return row is not None

    async def allow_email(self, tx: Transaction, account: int, most: int) -> bool:
        """Count one of the account's e-mails for today (UTC); return False when `most` are sent."""
        row = await tx.fetch_one(
            _USE_ALLOWANCE, channel=EMAIL, address=str(account), day=self._today(), allowed=most
        )
        return row is not None

    async def guest_messages_left(self, channel: Channel, address: str) -> int:
        values = {"channel": channel, "address": address, "day": self._today()}
        row = await self._database.read(lambda tx: tx.fetch_one(_USED_TODAY, **values))
        return self._settings.guest_daily_messages - (row["used"] if row else 0)

    def _today(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).date().isoformat()

    async def issue_token(self, phone: str) -> str:
        """Return a bearer token for the account of this number (opened if new); only the token's
        hash is stored."""
        token, sender = _make_token()
        await self._database.write(lambda tx: self.log_in(tx, WEB, sender, phone))
        return token

    async def issue_token_of_account(self, account: int) -> str:
        """Return a bearer token for an account; only the token's hash is stored."""
        token, sender = _make_token()
        await self._database.write(lambda tx: self.link(tx, WEB, sender, account))
        return token

    async def bearer(self, token: str) -> Person | None:
        """Return the person of this bearer token; None if it is unknown or logged out."""
        address = token_address(token)
        row = await self._database.read(
            lambda tx: tx.fetch_one(_RECOGNISE, channel=WEB, address=address)
        )
        return _person(WEB, address, row) if row and row["account"] is not None else None

    async def find(self, reference: str) -> Account:
        """Return the account with this id, E.164 number or user id, or the one that it was merged
        into. Raises `NotFound`, `InvalidNumber`."""
        by_id = reference.isdecimal()  # a number is written with its +
        by_user_id = USER_ID.fullmatch(reference) is not None
        number = parse_whole_number(reference, MAX_BIGINT) if by_id else 0
        if number is None:
            raise _nobody(reference)
        values = {
            "id": number,
            "phone": "" if by_id or by_user_id else parse_number(reference),
            "user_id": reference if by_user_id else "",
        }
        row = await self._database.read(lambda tx: tx.fetch_one(_FIND, **values))
        if row is None:
            raise _nobody(reference)
        return account_of_row(row)

    async def list_addresses(self, account: int) -> list[KnownAddress]:
        """Return the addresses by which the account's person is known now. A number that they have
        proven elsewhere is one by SMS, where the account is theirs before they write."""

        async def work(tx: Transaction) -> list[KnownAddress]:
            found = [
                known
                for channel, address in await identities_of(tx, account)
                for known in await _read_addresses(tx, channel, address)
            ]
            number = await number_of(tx, account)
            if number and all(number not in (known.address, known.number) for known in found):
                found.append(KnownAddress(NUMBER_CHANNEL, number))
            return list(dict.fromkeys(found))  # united identities share a number, sessions a name

        return await self._database.read(work)


async def _read_addresses(tx: Transaction, channel: Channel, address: str) -> list[KnownAddress]:
    if channel == WEB:
        return [KnownAddress(channel, "session")]
    if not CHANNELS[channel].phone_is_identity:
        return [KnownAddress(channel, address)]
    ids = await read_contact_ids(tx, channel, address)
    numbers = [KnownAddress(channel, ids.number)] if ids.number else []
    users = [KnownAddress(channel, ids.user_id, ids.number)] if ids.user_id else []
    return numbers + users


def _nobody(reference: str) -> NotFound:
    return NotFound(f"Nobody has the number, user id or account id {reference}.")


def _make_token() -> tuple[str, Sender]:
    token = secrets.token_urlsafe(32)
    return token, Sender(token_address(token))


def token_address(token: str) -> str:
    """Return the address of a web session: a hash of its token, so that the table gives no token
    away."""
    return "token:" + hashlib.sha256(token.encode()).hexdigest()


def _person(channel: Channel, address: str, row: Any) -> Person:
    return Person(
        channel,
        address,
        account=row["account"],
        name=row["name"],
        mode=row["mode"],
        language=row["language"] or best_language(""),
        grade=row["grade"],
        country=row["country"],
        timezone=row["timezone"],
        is_new=not row["greeted"],
    )


def account_of_row(row: Any) -> Account:
    """Return the account of a whole row of the table."""
    return Account(
        row["id"],
        row["phone"],
        row["name"],
        row["mode"],
        row["language"],
        row["grade"],
        row["balance"],
        row["created_at"],
        bool(row["erased"]),
    )


async def find_account_of_number(tx: Transaction, number: str) -> int | None:
    """Return the account that has a number (E.164), even if it was merged into another."""
    rows = await tx.fetch(_OF_IDS, phone=number, user_id="")
    return rows[0]["id"] if rows else None


async def is_identity(tx: Transaction, channel: Channel, address: str) -> bool:
    """Return whether a person has written from this address."""
    return await tx.fetch_one(_RECOGNISE, channel=channel, address=address) is not None


async def unlink_identity(tx: Transaction, channel: Channel, address: str) -> None:
    """Unlink the address from its account."""
    await tx.execute(_UNLINK, channel=channel, address=address)


async def set_language(tx: Transaction, person: Person, language: str) -> None:
    """Set the language of a person's account and of the address that they write from; of a guest,
    the latter."""
    await tx.execute(
        _SET_GUESTS_LANGUAGE, language=language, channel=person.channel, address=person.address
    )
    await accounts.set_language(tx, person.account or 0, language)


async def number_of(tx: Transaction, account: int) -> str:
    """Return the account's own number (E.164); empty: none is known."""
    row = await tx.fetch_one("SELECT phone FROM account WHERE id = :account", account=account)
    return (row["phone"] if row else None) or ""


async def email_of(tx: Transaction, account: int) -> str:
    """Return the account's proven e-mail address, or empty. The row is locked, so that two e-mails
    at once are counted one after the other."""
    row = await tx.fetch_one(_EMAIL, account=account)
    return row["email"] if row else ""


async def language_of(tx: Transaction, account: int) -> str:
    row = await tx.fetch_one("SELECT language FROM account WHERE id = :account", account=account)
    return row["language"] if row else ""


async def identities_of(tx: Transaction, account: int) -> list[tuple[Channel, str]]:
    """Return channel and address of each identity that leads to the account."""
    return [
        (row["channel"], row["address"]) for row in await tx.fetch(_IDENTITIES, account=account)
    ]


_RECOGNISE = """
SELECT identity.account, coalesce(nullif(account.name, ''), identity.name) AS name,
    coalesce(account.mode, 'child') AS mode,
    coalesce(account.language, identity.language) AS language,
    coalesce(account.grade, '') AS grade, coalesce(account.country, '') AS country,
    coalesce(account.timezone, 'Africa/Abidjan') AS timezone,
    coalesce(account.greeted, 1) AS greeted
FROM identity LEFT JOIN account ON account.id = identity.account
WHERE identity.channel = :channel AND identity.address = :address
"""

_MEET = """
INSERT INTO identity (channel, address, name, language, created_at)
VALUES (:channel, :address, :name, :language, {now})
ON CONFLICT (channel, address) DO NOTHING
"""

_OF_IDS = """
SELECT id, phone, user_id FROM account WHERE phone = :phone OR user_id = :user_id
ORDER BY CASE WHEN phone = :phone THEN 0 ELSE 1 END {for_update}
"""

_LINK = """
INSERT INTO identity (channel, address, account, name, language, created_at)
VALUES (:channel, :address, :account, :name, :language, {now})
ON CONFLICT (channel, address) DO UPDATE SET account = excluded.account
"""

_UNLINK = """
UPDATE identity SET account = NULL WHERE channel = :channel AND address = :address
"""

_USE_ALLOWANCE = """
INSERT INTO allowance (channel, address, day, used)
SELECT CAST(:channel AS TEXT), CAST(:address AS TEXT), CAST(:day AS TEXT), 1
WHERE CAST(:allowed AS BIGINT) > 0
ON CONFLICT (channel, address, day) DO UPDATE SET used = allowance.used + 1
WHERE allowance.used < CAST(:allowed AS BIGINT)
RETURNING used
"""

_USED_TODAY = """
SELECT used FROM allowance WHERE channel = :channel AND address = :address AND day = :day
"""

_FIND = """
SELECT * FROM account WHERE id = (
    SELECT coalesce(part_of, id) FROM account
    WHERE id = CAST(:id AS BIGINT) OR phone = CAST(:phone AS TEXT)
        OR user_id = CAST(:user_id AS TEXT)
)
"""

_SET_GUESTS_LANGUAGE = """
UPDATE identity SET language = :language WHERE channel = :channel AND address = :address
"""

_EMAIL = """
SELECT email FROM account WHERE id = :account {for_update}
"""

_IDENTITIES = """
SELECT channel, address FROM identity WHERE account = :account ORDER BY channel, address
"""

"""Recognise people: accounts, the identities that lead to them, guests, and their profiles."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.accounts import ledger
from bot.accounts.ledger import balance_of, book, is_booked
from bot.accounts.personal_data import recall_limits, welcome_key
from bot.accounts.phone_numbers import country_of, is_number, parse_number, zone_of
from bot.contracts.storage import MAX_BIGINT, Clock, Database, Transaction, parse_whole_number
from bot.errors import BadRequest, NotFound
from bot.i18n import best_language
from bot.messages.channels import CHANNELS, NUMBER_CHANNEL, PHONE_CHANNELS, WEB, Channel
from bot.messages.incoming import Person, Sender
from bot.messages.value import Mode
from bot.settings import Settings
from bot.storage import accounts
from bot.storage.accounts import (
    insert_account,
    lock_current_account,
    merge_account,
    separate_account,
)


@dataclass(frozen=True, slots=True)
class Account:
    id: int
    phone: str
    name: str
    mode: Mode
    language: str
    grade: str
    balance: int
    created_at: float


class People:
    def __init__(self, database: Database, settings: Settings, clock: Clock = time.time) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock

    async def recognise(self, tx: Transaction, channel: Channel, sender: Sender) -> Person:
        """Who wrote: the account that the identity leads to, or a guest. Notes the identity.

        Where the address is a number that the channel vouches for, it has an account from its
        first message.
        """
        row = await tx.fetch_one(_RECOGNISE, channel=channel, address=sender.address)
        is_phone = CHANNELS[channel].phone_is_identity
        if row is not None and (row["account"] is not None or not is_phone):
            return _person(channel, sender.address, row)
        language, name = best_language(sender.language), _clean(sender.name)
        if row is None:
            await recall_limits(tx, self._settings, channel, sender.address)
            await tx.execute(
                _MEET, channel=channel, address=sender.address, name=name, language=language
            )
        if is_phone and is_number(sender.address):
            return await self.log_in(tx, channel, sender, sender.address)
        return Person(channel, sender.address, name=name, language=language)

    async def look_up(self, tx: Transaction, channel: Channel, sender: Sender) -> Person:
        """As `recognise`, of someone who has not written just now: nothing is noted or made."""
        row = await tx.fetch_one(_RECOGNISE, channel=channel, address=sender.address)
        if row is not None:
            return _person(channel, sender.address, row)
        return Person(channel, sender.address, language=best_language(sender.language))

    async def log_in(self, tx: Transaction, channel: Channel, sender: Sender, phone: str) -> Person:
        """Lead this identity to the account of a proven number, made (with welcome credits) if new.

        Args:
            phone: E.164, proven to be the sender's.
        """
        account = await self.account_of(tx, phone, sender)
        await tx.execute(
            _LINK,
            channel=channel,
            address=sender.address,
            account=account,
            name=_clean(sender.name),
            language=best_language(sender.language),
        )
        row = await tx.fetch_one(_RECOGNISE, channel=channel, address=sender.address)
        return _person(channel, sender.address, row)

    async def log_out(self, tx: Transaction, channel: Channel, address: str) -> None:
        """The identity leads to no account any more; a number that the channel vouches for leads
        to its own again, from its next message on."""
        is_phone = CHANNELS[channel].phone_is_identity
        for each in PHONE_CHANNELS if is_phone else (channel,):
            await tx.execute(_UNLINK, channel=each, address=address)
        if is_phone:
            await separate_account(tx, address)

    async def account_of(self, tx: Transaction, phone: str, sender: Sender) -> int:
        """The account of a number (E.164), or the one that it has been made part of; made, with
        welcome credits, if there is none. It stays so until the transaction ends."""
        row = await tx.fetch_one(_OF_NUMBER, phone=phone)
        if row is not None:
            return await lock_current_account(tx, row["id"])
        await insert_account(
            tx,
            phone=phone,
            name=_clean(sender.name),
            language=best_language(sender.language),
            country=country_of(phone),
            timezone=zone_of(phone),
        )
        row = await tx.fetch_one(_OF_NUMBER, phone=phone)
        account = int(row["id"]) if row else 0
        await self._welcome(tx, account, phone)
        return account

    async def _welcome(self, tx: Transaction, account: int, phone: str) -> None:
        """Credits, once a number, also if that was before `SECRET_KEY` was changed."""
        key, *older = (welcome_key(secret, phone) for secret in self._settings.secret_keys or ("",))
        if any([await ledger.booked_of(tx, each, "welcome") is not None for each in older]):
            return
        amount = self._settings.welcome_credits
        await ledger.book(tx, account=account, amount=amount, kind="welcome", key=key)

    async def allow_guest(self, tx: Transaction, person: Person) -> bool:
        """Count one of a guest's messages for today (UTC); False when all are used."""
        row = await tx.fetch_one(
            _USE_ALLOWANCE,
            channel=person.channel,
            address=person.address,
            day=self._today(),
            allowed=self._settings.guest_daily_messages,
        )
        return row is not None

    async def guest_messages_left(self, channel: Channel, address: str) -> int:
        async def work(tx: Transaction) -> int:
            row = await tx.fetch_one(
                _USED_TODAY, channel=channel, address=address, day=self._today()
            )
            return self._settings.guest_daily_messages - (row["used"] if row else 0)

        return await self._database.read(work)

    def _today(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).date().isoformat()

    # Web sessions -------------------------------------------------------------------------------

    async def issue_token(self, phone: str) -> str:
        """A bearer token for the account of this number (made if new); only its hash is kept."""
        token = secrets.token_urlsafe(32)

        async def work(tx: Transaction) -> None:
            await self.log_in(tx, WEB, Sender(token_address(token)), phone)

        await self._database.write(work)
        return token

    async def bearer(self, token: str) -> Person | None:
        """Who carries this bearer token; None if it is unknown or logged out."""
        address = token_address(token)

        async def work(tx: Transaction) -> Person | None:
            row = await tx.fetch_one(_RECOGNISE, channel=WEB, address=address)
            return _person(WEB, address, row) if row and row["account"] is not None else None

        return await self._database.read(work)

    # For operators ------------------------------------------------------------------------------

    async def find(self, reference: str) -> Account:
        """The account with this id or E.164 number, or the one that it has been made part of.
        Raises `NotFound`."""
        by_id = reference.isdecimal()  # a number is written with its +
        number = parse_whole_number(reference, MAX_BIGINT) if by_id else 0
        if number is None:
            raise _nobody(reference)

        async def work(tx: Transaction) -> Account:
            row = await tx.fetch_one(
                _FIND,
                id=number,
                phone="" if by_id else parse_number(reference),
            )
            if row is None:
                raise _nobody(reference)
            return account_of_row(row)

        return await self._database.read(work)

    async def identities(self, account: int) -> list[tuple[Channel, str]]:
        """Channel and address of each identity that leads to the account."""
        return await self._database.read(lambda tx: identities_of(tx, account))


def _nobody(reference: str) -> NotFound:
    return NotFound(f"Nobody has the number or account id {reference}.")


def token_address(token: str) -> str:
    """The address under which a web session is known: a hash, so that the table gives none away."""
    return "token:" + hashlib.sha256(token.encode()).hexdigest()


def _clean(name: str) -> str:
    """A name on one line, without control characters, at most 80 characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:80]


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
    """The account of a whole row of the table."""
    return Account(
        row["id"],
        row["phone"] or "",
        row["name"],
        row["mode"],
        row["language"],
        row["grade"],
        row["balance"],
        row["created_at"],
    )


async def set_language(tx: Transaction, person: Person, language: str) -> None:
    """Also of a guest, for the address that they write from."""
    await tx.execute(
        _SET_GUESTS_LANGUAGE, language=language, channel=person.channel, address=person.address
    )
    await accounts.set_language(tx, person.account or 0, language)


async def read_greeted(tx: Transaction, account: int) -> int:
    row = await tx.fetch_one("SELECT greeted FROM account WHERE id = :account", account=account)
    return int(row["greeted"]) if row else 0


async def number_of(tx: Transaction, account: int) -> str:
    """The account's own number (E.164); empty: it is erased."""
    row = await tx.fetch_one("SELECT phone FROM account WHERE id = :account", account=account)
    return (row["phone"] if row else None) or ""


async def email_of(tx: Transaction, account: int) -> str:
    """The account's proven address, or empty. Its row is locked: two letters at once are counted
    one after the other."""
    row = await tx.fetch_one(_EMAIL, account=account)
    return row["email"] if row else ""


async def language_of(tx: Transaction, account: int) -> str:
    row = await tx.fetch_one("SELECT language FROM account WHERE id = :account", account=account)
    return row["language"] if row else ""


async def identities_of(tx: Transaction, account: int) -> list[tuple[Channel, str]]:
    """Channel and address of each identity that leads to the account."""
    return [
        (row["channel"], row["address"]) for row in await tx.fetch(_IDENTITIES, account=account)
    ]


async def adopt_profile(tx: Transaction, account: int, into: int) -> None:
    """All identities of one account lead to another from now on, which it becomes a part of. How
    the person wants to be spoken with comes along where the other was never asked."""
    await tx.execute(_LEAD, account=account, into=into)
    await merge_account(tx, account, into)


async def list_accounts(
    database: Database, *, before: int = MAX_BIGINT, limit: int = 50
) -> list[Account]:
    """The newest accounts before one, newest first."""

    async def work(tx: Transaction) -> list[Account]:
        rows = await tx.fetch(_LISTING, before=before, most=limit)
        return [account_of_row(row) for row in rows]

    return await database.read(work)


async def grant_credits(
    database: Database,
    people: People,
    account: int | None,
    amount: int,
    *,
    key: str,
    phone: str = "",
) -> tuple[bool, int]:
    """Whether it was booked now, and the balance after it; the same key is booked once.

    Args:
        account: None has one opened for `phone` (E.164), reached by that number itself, which is
            what an SMS proves.
        amount: credits, more than 0.

    Raises:
        BadRequest: something else was booked under this key.
    """

    async def work(tx: Transaction) -> tuple[bool, int]:
        known = account
        if known is None:
            known = (await people.log_in(tx, NUMBER_CHANNEL, Sender(phone), phone)).account or 0
        booked = await book(tx, account=known, amount=amount, kind="grant", key=key)
        if not booked and not await is_booked(tx, known, amount, kind="grant", key=key):
            raise BadRequest(
                "This key has booked something else. Nothing was given: choose a new one."
            )
        return booked, await balance_of(tx, known)

    return await database.write(work)


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

_OF_NUMBER = """
SELECT id FROM account WHERE phone = :phone {for_update}
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

_LEAD = """
UPDATE identity SET account = :into WHERE account = :account
"""

_LISTING = """
SELECT * FROM account WHERE id < :before ORDER BY id DESC LIMIT :most
"""

"""People: accounts, the identities that lead to them, and guests."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import phonenumbers

from bot.accounts import ledger
from bot.accounts.numbers import parse_number
from bot.contracts import Clock, Database, Transaction
from bot.errors import NotFound
from bot.messages import Channel, Mode, Person, Sender
from bot.settings import Settings
from bot.texts import best_language


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
        """Who wrote: the account that the identity leads to, or a guest. Notes the identity."""
        row = await tx.fetch_one(_RECOGNISE, channel=channel, address=sender.address)
        if row is None:
            language, name = best_language(sender.language), _clean(sender.name)
            await tx.execute(
                _MEET, channel=channel, address=sender.address, name=name, language=language
            )
            return Person(channel, sender.address, name=name, language=language)
        return _person(channel, sender.address, row)

    async def log_in(self, tx: Transaction, channel: Channel, sender: Sender, phone: str) -> Person:
        """Lead this identity to the account of a proven number, made (with welcome credits) if new.

        Args:
            phone: E.164, proven to be the sender's.
        """
        account = await self._account_of(tx, phone, sender)
        await self.recognise(tx, channel, sender)
        await tx.execute(_LINK, channel=channel, address=sender.address, account=account)
        return await self.recognise(tx, channel, sender)

    async def log_out(self, tx: Transaction, channel: Channel, address: str) -> None:
        await tx.execute(_UNLINK, channel=channel, address=address)

    async def _account_of(self, tx: Transaction, phone: str, sender: Sender) -> int:
        language = best_language(sender.language)
        country = phonenumbers.region_code_for_number(phonenumbers.parse(phone)) or ""
        await tx.execute(
            _OPEN, phone=phone, name=_clean(sender.name), language=language, country=country
        )
        row = await tx.fetch_one("SELECT id FROM account WHERE phone = :phone", phone=phone)
        account = int(row["id"]) if row else 0
        await ledger.book(
            tx,
            account=account,
            amount=self._settings.welcome_credits,
            kind="welcome",
            key=f"welcome:{self._fingerprint(phone)}",
        )
        return account

    def _fingerprint(self, phone: str) -> str:
        """A keyed hash: tells the same number again without keeping it."""
        key = self._settings.secret_key.encode()
        return hmac.new(key, f"number:{phone}".encode(), hashlib.sha256).hexdigest()[:32]

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

    async def set_language(self, tx: Transaction, person: Person, language: str) -> None:
        await tx.execute(
            "UPDATE identity SET language = :language"
            " WHERE channel = :channel AND address = :address",
            language=language,
            channel=person.channel,
            address=person.address,
        )
        await tx.execute(
            "UPDATE account SET language = :language WHERE id = :account",
            language=language,
            account=person.account or 0,
        )

    async def set_mode(self, tx: Transaction, person: Person, mode: Mode) -> None:
        await tx.execute(
            "UPDATE account SET mode = :mode WHERE id = :account",
            mode=mode,
            account=person.account or 0,
        )

    # Web sessions -------------------------------------------------------------------------------

    async def issue_token(self, phone: str) -> str:
        """A bearer token for the account of this number (made if new); only its hash is kept."""
        token = secrets.token_urlsafe(32)

        async def work(tx: Transaction) -> None:
            await self.log_in(tx, "http", Sender(token_address(token)), phone)

        await self._database.write(work)
        return token

    async def bearer(self, token: str) -> Person | None:
        """Who carries this bearer token; None if it is unknown or logged out."""
        address = token_address(token)

        async def work(tx: Transaction) -> Person | None:
            row = await tx.fetch_one(_RECOGNISE, channel="http", address=address)
            return _person("http", address, row) if row and row["account"] is not None else None

        return await self._database.read(work)

    # For operators ------------------------------------------------------------------------------

    async def find(self, reference: str) -> Account:
        """The account with this id or E.164 number. Raises `NotFound`."""
        by_id = reference.isdecimal()  # a number is written with its +

        async def work(tx: Transaction) -> Account:
            row = await tx.fetch_one(
                _FIND,
                id=int(reference) if by_id else 0,
                phone="" if by_id else parse_number(reference),
            )
            if row is None:
                raise NotFound(f"Nobody has the number or account id {reference}.")
            return _account(row)

        return await self._database.read(work)

    async def listing(self, limit: int = 1000) -> list[Account]:
        async def work(tx: Transaction) -> list[Account]:
            return [_account(row) for row in await tx.fetch(_LISTING, limit=limit)]

        return await self._database.read(work)

    async def identities(self, account: int) -> list[tuple[str, str]]:
        """Channel and address of each identity that leads to the account."""

        async def work(tx: Transaction) -> list[tuple[str, str]]:
            rows = await tx.fetch(_IDENTITIES, account=account)
            return [(row["channel"], row["address"]) for row in rows]

        return await self._database.read(work)


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
    )


def _account(row: Any) -> Account:
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


_RECOGNISE = """
SELECT identity.account, coalesce(nullif(account.name, ''), identity.name) AS name,
    coalesce(account.mode, 'child') AS mode,
    coalesce(account.language, identity.language) AS language,
    coalesce(account.grade, '') AS grade, coalesce(account.country, '') AS country,
    coalesce(account.timezone, 'Africa/Abidjan') AS timezone
FROM identity LEFT JOIN account ON account.id = identity.account
WHERE identity.channel = :channel AND identity.address = :address
"""

_MEET = """
INSERT INTO identity (channel, address, name, language, created_at)
VALUES (:channel, :address, :name, :language, {now})
ON CONFLICT (channel, address) DO NOTHING
"""

_OPEN = """
INSERT INTO account (phone, name, language, country, created_at)
VALUES (:phone, :name, :language, :country, {now})
ON CONFLICT (phone) DO NOTHING
"""

_LINK = """
UPDATE identity SET account = :account WHERE channel = :channel AND address = :address
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
SELECT * FROM account WHERE id = CAST(:id AS BIGINT) OR phone = CAST(:phone AS TEXT)
"""

_LISTING = """
SELECT * FROM account ORDER BY id LIMIT :limit
"""

_IDENTITIES = """
SELECT channel, address FROM identity WHERE account = :account ORDER BY channel, address
"""

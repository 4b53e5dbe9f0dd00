"""Find the ids and addresses by which rows are a person's, and keep the limits of erased people."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from bot.accounts.aliases import list_addresses_of_number
from bot.contracts.storage import Transaction
from bot.messages.channels import EMAIL, WEB
from bot.messages.incoming import Person
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class PersonalIds:
    """The ids of a person: every row that has one of them is theirs."""

    accounts: tuple[int, ...] = ()
    """The first is the person's account; the others were merged into it. Empty: a guest."""
    proven: tuple[str, ...] = ()
    """Numbers, user ids and e-mail addresses."""
    addresses: tuple[tuple[str, str], ...] = ()
    """Channel and address of each identity."""
    sessions: tuple[str, ...] = ()

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes in which no other person can speak, whether or not such lanes exist."""
        threads = [f"account:{account}" for account in self.accounts]
        chats = [f"{channel}:{address}" for channel, address in self.addresses]
        sessions = [f"{WEB}:{session}" for session in self.sessions]
        spoken = [lane for lane in chats if not lane.startswith(f"{WEB}:")]
        shared = [f"session:{lane}" for lane in sessions]
        about = [*map(str, self.accounts), *spoken, *sessions]
        emails = [f"{EMAIL}:{each}" for each in about]
        return (*threads, *spoken, *sessions, *shared, *emails)


async def find_personal_ids(tx: Transaction, person: Person) -> PersonalIds:
    """Return the ids of a person; their accounts stay locked until the transaction ends."""
    here = (person.channel, person.address)
    if person.account is None:
        return await _with_sessions(tx, PersonalIds(addresses=(here,)), here)
    return await _with_sessions(tx, await _of_account(tx, person.account), here)


async def find_personal_ids_of_account(tx: Transaction, account: int) -> PersonalIds:
    """Return the same for the person who has this account."""
    return await _with_sessions(tx, await _of_account(tx, account), None)


async def recall_limits(tx: Transaction, settings: Settings, channel: str, address: str) -> None:
    """Restore the limits of a new identity that was erased lately: the guest messages and codes
    used before count again, so that erasing brings no advantage."""
    hidden = pseudonymise(settings, f"{channel}:{address}")
    for recall in (_RECALL_ALLOWANCE, _RECALL_ASKER):
        await tx.execute(recall, channel=channel, address=address, hidden=hidden)


async def forget_old_marks(tx: Transaction) -> None:
    """Delete limits that have run out: codes, and limits under keyed hashes, of more than a day
    ago."""
    await tx.execute(_FORGET_OLD_ALLOWANCES, email=EMAIL)
    await tx.execute(_FORGET_OLD_CODES)


def pseudonymise(settings: Settings, name: str) -> str:
    """Return a keyed hash of a name, by which the same name is found again without storing it."""
    key = settings.secret_key.encode()
    return "erased:" + hmac.new(key, f"erased:{name}".encode(), hashlib.sha256).hexdigest()[:32]


def welcome_key(secret: str, phone: str) -> str:
    """Return the key of the welcome entry in the ledger: a keyed hash, all that stays of a
    number."""
    mac = hmac.new(secret.encode(), f"number:{phone}".encode(), hashlib.sha256)
    return f"welcome:{mac.hexdigest()[:32]}"


async def _of_account(tx: Transaction, account: int) -> PersonalIds:
    rows = await tx.fetch(_ACCOUNTS, account=account)
    rows.sort(key=lambda row: (row["part_of"] is not None, row["id"]))
    phones = [row["phone"] for row in rows if row["phone"]]
    addresses: set[tuple[str, str]] = set()
    for phone in phones:
        addresses |= {*await list_addresses_of_number(tx, phone)}
    for row in rows:
        found = await tx.fetch(_IDENTITIES, account=row["id"])
        addresses |= {(identity["channel"], identity["address"]) for identity in found}
    user_ids = [row["user_id"] for row in rows if row["user_id"]]
    emails = [row["email"] for row in rows if row["email"]]
    accounts = tuple(row["id"] for row in rows)
    return PersonalIds(accounts, (*phones, *user_ids, *emails), tuple(sorted(addresses)))


async def _with_sessions(
    tx: Transaction, personal: PersonalIds, here: tuple[str, str] | None
) -> PersonalIds:
    known = {*personal.addresses, here} if here else {*personal.addresses}
    addresses: list[tuple[str, str]] = sorted(known)
    sessions = {
        row["id"]
        for account in personal.accounts
        for row in await tx.fetch(_SESSIONS_OF_ACCOUNT, account=account)
    }
    for address in (each for channel, each in addresses if channel == WEB):
        sessions |= {row["id"] for row in await tx.fetch(_SESSIONS_OF_GUEST, address=address)}
    return PersonalIds(
        personal.accounts, personal.proven, tuple(addresses), tuple(sorted(sessions))
    )


_ACCOUNTS = """
SELECT id, phone, user_id, email, part_of FROM account
WHERE id = (SELECT coalesce(part_of, id) FROM account WHERE id = :account)
    OR part_of = (SELECT coalesce(part_of, id) FROM account WHERE id = :account)
ORDER BY id {for_update}
"""

_IDENTITIES = """
SELECT channel, address FROM identity WHERE account = :account
"""

_SESSIONS_OF_ACCOUNT = """
SELECT id FROM session WHERE account = :account
"""

_SESSIONS_OF_GUEST = """
SELECT id FROM session WHERE account IS NULL AND address = :address
"""

_RECALL_ALLOWANCE = """
UPDATE allowance SET address = :address WHERE channel = :channel AND address = :hidden
"""

_RECALL_ASKER = """
UPDATE code SET address = :address WHERE channel = :channel AND address = :hidden
"""

_FORGET_OLD_ALLOWANCES = """
DELETE FROM allowance WHERE (address LIKE 'erased:%' OR channel IN ('code', :email)) AND day < (
    SELECT max(day) FROM allowance
)
"""

_FORGET_OLD_CODES = """
DELETE FROM code WHERE created_at < {now} - 86400
"""

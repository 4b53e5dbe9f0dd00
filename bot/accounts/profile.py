"""What is known of an account, and changed by its owner; each within the caller's transaction."""

from __future__ import annotations

from bot.contracts import Transaction
from bot.messages import Channel, Mode, Person


async def set_language(tx: Transaction, person: Person, language: str) -> None:
    """Also of a guest, for the address that they write from."""
    await tx.execute(
        _SET_GUESTS_LANGUAGE, language=language, channel=person.channel, address=person.address
    )
    await tx.execute(_SET_LANGUAGE, language=language, account=person.account or 0)


async def set_mode(tx: Transaction, person: Person, mode: Mode) -> None:
    await tx.execute(_SET_MODE, mode=mode, account=person.account or 0)


async def set_grade(tx: Transaction, person: Person, grade: str) -> None:
    await tx.execute(_SET_GRADE, grade=grade, account=person.account or 0)


async def set_greeted(tx: Transaction, account: int, stage: int) -> None:
    """How far the person was asked how Griot is to speak with them; 0: not at all."""
    await tx.execute(_SET_GREETED, stage=stage, account=account)


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


async def set_email(tx: Transaction, account: int, address: str) -> None:
    await tx.execute(_SET_EMAIL, address=address, account=account)


async def language_of(tx: Transaction, account: int) -> str:
    row = await tx.fetch_one("SELECT language FROM account WHERE id = :account", account=account)
    return row["language"] if row else ""


async def identities_of(tx: Transaction, account: int) -> list[tuple[Channel, str]]:
    """Channel and address of each identity that leads to the account."""
    return [
        (row["channel"], row["address"]) for row in await tx.fetch(_IDENTITIES, account=account)
    ]


async def adopt(tx: Transaction, account: int, into: int) -> None:
    """All identities of one account lead to another from now on, which it becomes a part of. How
    the person wants to be spoken with comes along where the other was never asked."""
    await tx.execute(_FILL_IN, account=account, into=into)
    await tx.execute(_LEAD, account=account, into=into)
    await tx.execute(_PART, account=account, into=into)


_SET_GUESTS_LANGUAGE = """
UPDATE identity SET language = :language WHERE channel = :channel AND address = :address
"""

_SET_LANGUAGE = """
UPDATE account SET language = :language WHERE id = :account
"""

_SET_MODE = """
UPDATE account SET mode = :mode WHERE id = :account
"""

_SET_GRADE = """
UPDATE account SET grade = :grade WHERE id = :account
"""

_EMAIL = """
SELECT email FROM account WHERE id = :account {for_update}
"""

_SET_EMAIL = """
UPDATE account SET email = :address WHERE id = :account
"""

_SET_GREETED = """
UPDATE account SET greeted = :stage WHERE id = :account
"""

_IDENTITIES = """
SELECT channel, address FROM identity WHERE account = :account ORDER BY channel, address
"""

_FILL_IN = """
UPDATE account SET
    email = CASE WHEN account.email = '' THEN old.email ELSE account.email END,
    name = CASE WHEN account.name = '' THEN old.name ELSE account.name END,
    mode = CASE WHEN account.greeted = 0 THEN old.mode ELSE account.mode END,
    grade = CASE WHEN account.greeted = 0 THEN old.grade ELSE account.grade END,
    language = CASE WHEN account.greeted = 0 THEN old.language ELSE account.language END,
    greeted = CASE WHEN account.greeted = 0 THEN old.greeted ELSE account.greeted END
FROM account AS old WHERE account.id = :into AND old.id = :account
"""

_LEAD = """
UPDATE identity SET account = :into WHERE account = :account
"""

_PART = """
UPDATE account SET part_of = :into WHERE id = :account OR part_of = :account
"""

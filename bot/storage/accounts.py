"""Write the table `account`, and find the account that now owns the data of another.

This is the only module that writes the table. The callers decide what may be written when, within
their transactions.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.contracts.storage import Row, Transaction
from bot.errors import ToolFailed
from bot.messages.value import Mode


async def lock_account(tx: Transaction, account: int) -> None:
    """Lock this very account until the transaction ends, whether or not it owns its data."""
    await tx.fetch_one(_LOCK, account=account)


async def lock_current_account(tx: Transaction, account: int) -> int:
    """Return the account that owns what belongs to `account`, locked until the transaction ends:
    the account itself, or the one that it was merged into. An unknown id is returned as it is.

    Raises:
        ToolFailed: the person was erased, and nothing is added to the account any more.
    """
    owners = await lock_current_accounts(tx, [account])
    if account not in owners:
        raise ToolFailed("This person has had everything erased: nothing is kept for them now.")
    return owners[account]


async def lock_current_accounts(tx: Transaction, accounts: Iterable[int]) -> dict[int, int]:
    """Return the owner of each account, locked as by `lock_current_account`; none for an account
    whose person was erased. They are locked in the order of their ids."""
    owners = {account: account for account in sorted(accounts)}
    parts: dict[int, int] = {}
    for row in await tx.fetch_many(_LOCK, [{"account": account} for account in owners]):
        if row["erased"]:
            del owners[row["id"]]
        elif row["part_of"] is not None:
            parts[row["id"]] = row["part_of"]
    if parts:
        wholes = await lock_current_accounts(tx, set(parts.values()))
        for account, whole in parts.items():
            del owners[account]
            if whole in wholes:
                owners[account] = wholes[whole]
    return owners


async def find_current_account(tx: Transaction, account: int) -> int:
    """Return the same without a lock, so it may change, and also for erased accounts."""
    row = await tx.fetch_one("SELECT part_of FROM account WHERE id = :account", account=account)
    return account if row is None or row["part_of"] is None else row["part_of"]


async def find_of_contact(tx: Transaction, phone: str, user_id: str) -> Row | None:
    """Return what is known of the person with a number (E.164) or user id, by their account or the
    one that it was merged into; None: there is none."""
    return await tx.fetch_one(_OF_CONTACT, phone=phone, user_id=user_id)


async def was_opened_since(tx: Transaction, account: int, at: float) -> bool:
    """Return whether an account that no user id belongs to was opened at `at` (Unix seconds) or
    later."""
    row = await tx.fetch_one(
        "SELECT created_at, user_id FROM account WHERE id = :account", account=account
    )
    return row is not None and not row["user_id"] and row["created_at"] >= at


async def insert_account(
    tx: Transaction,
    *,
    phone: str,
    user_id: str,
    name: str,
    language: str,
    country: str,
    timezone: str,
) -> int | None:
    """Store an account for a number (E.164), a user id, or both; empty: not known.

    Returns:
        Its id; None: there is one already.
    """
    row = await tx.fetch_one(
        _INSERT,
        phone=phone or None,
        user_id=user_id or None,
        name=name,
        language=language,
        country=country,
        timezone=timezone,
    )
    return row["id"] if row else None


async def set_phone(tx: Transaction, account: int, phone: str) -> None:
    """Set the account's number (E.164); empty: none."""
    known = phone or None
    await tx.execute(
        "UPDATE account SET phone = :phone WHERE id = :account", phone=known, account=account
    )


async def set_user_id(tx: Transaction, account: int, user_id: str) -> None:
    """Set the account's user id; empty: none."""
    await tx.execute(
        "UPDATE account SET user_id = :user_id WHERE id = :account",
        user_id=user_id or None,
        account=account,
    )


async def set_language(tx: Transaction, account: int, language: str) -> None:
    """Set the language in which Griot writes to the account's person."""
    await tx.execute(
        "UPDATE account SET language = :language WHERE id = :account",
        language=language,
        account=account,
    )


async def set_mode(tx: Transaction, account: int, mode: Mode) -> None:
    """Set whether Griot writes to the account's person as to a pupil or as to an adult."""
    await tx.execute(
        "UPDATE account SET mode = :mode WHERE id = :account", mode=mode, account=account
    )


async def set_grade(tx: Transaction, account: int, grade: str) -> None:
    """Set the school grade; empty: none."""
    await tx.execute(
        "UPDATE account SET grade = :grade WHERE id = :account", grade=grade, account=account
    )


async def set_greeted(tx: Transaction, account: int, stage: int) -> None:
    """Set how far the person was asked for their preferences; 0: not at all."""
    await tx.execute(
        "UPDATE account SET greeted = :stage WHERE id = :account", stage=stage, account=account
    )


async def read_greeted(tx: Transaction, account: int) -> int:
    """Return how far the person was asked for their preferences; 0: not at all."""
    row = await tx.fetch_one("SELECT greeted FROM account WHERE id = :account", account=account)
    return int(row["greeted"]) if row else 0


async def set_email(tx: Transaction, account: int, address: str) -> None:
    """Set the proven e-mail address; empty: none."""
    await tx.execute(
        "UPDATE account SET email = :address WHERE id = :account", address=address, account=account
    )


async def change_balance(tx: Transaction, account: int, amount: int) -> None:
    """Add credits to the balance, or take them from it. The caller has booked the entry."""
    await tx.execute(_CHANGE_BALANCE, account=account, amount=amount)


async def merge_account(tx: Transaction, account: int, into: int) -> None:
    """Make an account, with all that were merged into it, a part of another.

    The person's preferences are copied to the other account if its person was never asked.
    """
    await tx.execute(_FILL_PROFILE, account=account, into=into)
    await tx.execute(
        "UPDATE account SET part_of = :into WHERE id = :account OR part_of = :account",
        account=account,
        into=into,
    )


async def separate_account(tx: Transaction, account: int) -> None:
    """Make an account that was merged into another stand alone again."""
    await tx.execute("UPDATE account SET part_of = NULL WHERE id = :account", account=account)


_INSERT = """
INSERT INTO account (phone, user_id, name, language, country, timezone, created_at)
VALUES (:phone, :user_id, :name, :language, :country, :timezone, {now})
ON CONFLICT DO NOTHING RETURNING id
"""

_OF_CONTACT = """
SELECT account.id AS account, account.name, account.mode, account.language, account.grade,
    account.country, account.timezone, account.greeted
FROM account AS known JOIN account ON account.id = coalesce(known.part_of, known.id)
WHERE (known.phone = :phone OR known.user_id = :user_id) AND account.erased = 0
ORDER BY CASE WHEN known.phone = :phone THEN 0 ELSE 1 END LIMIT 1
"""

_CHANGE_BALANCE = """
UPDATE account SET balance = balance + :amount WHERE id = :account
"""

_FILL_PROFILE = """
UPDATE account SET
    email = CASE WHEN account.email = '' THEN old.email ELSE account.email END,
    name = CASE WHEN account.name = '' THEN old.name ELSE account.name END,
    mode = CASE WHEN account.greeted = 0 THEN old.mode ELSE account.mode END,
    grade = CASE WHEN account.greeted = 0 AND account.grade = '' THEN old.grade
        ELSE account.grade END,
    language = CASE WHEN account.greeted = 0 THEN old.language ELSE account.language END,
    greeted = CASE WHEN account.greeted = 0 THEN old.greeted ELSE account.greeted END
FROM account AS old WHERE account.id = :into AND old.id = :account
"""

_LOCK = """
SELECT id, erased, part_of FROM account WHERE id = :account {for_update}
"""

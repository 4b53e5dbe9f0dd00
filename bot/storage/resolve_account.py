"""Whose is what is kept for an account: another's, once it is part of that; nobody's, once it is
erased."""

from __future__ import annotations

from bot.contracts.storage import Transaction
from bot.errors import ToolFailed


async def lock_current_account(tx: Transaction, account: int) -> int:
    """The account that has all that is this one's: itself, or the one of which it was made a part
    meanwhile. It stays so until the transaction ends. A number of no account is its own holder.

    Raises:
        ToolFailed: its person was erased, and nothing is added to it any more.
    """
    row = await tx.fetch_one(_LOCK, account=account)
    if row is None:
        return account
    if row["phone"] is None:
        raise ToolFailed("This person has had everything erased: nothing is kept for them now.")
    return account if row["part_of"] is None else await lock_current_account(tx, row["part_of"])


async def find_current_account(tx: Transaction, account: int) -> int:
    """The same without a lock, so only for now, and of those who were erased as well."""
    row = await tx.fetch_one("SELECT part_of FROM account WHERE id = :account", account=account)
    return account if row is None or row["part_of"] is None else row["part_of"]


_LOCK = """
SELECT phone, part_of FROM account WHERE id = :account {for_update}
"""

"""Who has an account: listed for operators."""

from __future__ import annotations

from bot.accounts.people import Account, account_of_row
from bot.contracts import Database, Transaction
from bot.whole_numbers import BIGGEST


async def list_accounts(
    database: Database, *, before: int = BIGGEST, limit: int = 50
) -> list[Account]:
    """The newest accounts before one, newest first."""

    async def work(tx: Transaction) -> list[Account]:
        rows = await tx.fetch(_LISTING, before=before, most=limit)
        return [account_of_row(row) for row in rows]

    return await database.read(work)


_LISTING = """
SELECT * FROM account WHERE id < :before ORDER BY id DESC LIMIT :most
"""

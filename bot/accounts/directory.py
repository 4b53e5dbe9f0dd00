"""Who has an account: listed for operators."""

from __future__ import annotations

from typing import Final

from bot.accounts.people import Account, account_of_row
from bot.contracts import Database, Transaction

NEWEST: Final = 2**63 - 1
"""Before it is everybody: where a listing begins."""


async def list_accounts(
    database: Database, *, before: int = NEWEST, limit: int = 50
) -> list[Account]:
    """The newest accounts before one, newest first."""

    async def work(tx: Transaction) -> list[Account]:
        rows = await tx.fetch(_LISTING, before=before, most=limit)
        return [account_of_row(row) for row in rows]

    return await database.read(work)


_LISTING = """
SELECT * FROM account WHERE id < :before ORDER BY id DESC LIMIT :most
"""

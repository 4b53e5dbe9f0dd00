"""List accounts and grant credits, for operators."""

from __future__ import annotations

from bot.accounts.ledger import balance_of, book, is_booked
from bot.accounts.people import Account, People, account_of_row
from bot.contracts.storage import MAX_BIGINT, Database, Transaction
from bot.errors import BadRequest
from bot.messages.channels import NUMBER_CHANNEL
from bot.messages.incoming import Sender


async def list_accounts(
    database: Database, *, before: int = MAX_BIGINT, limit: int = 50
) -> list[Account]:
    """Return the newest accounts whose id is less than `before`, newest first; without those that
    were merged into another, which have no data of their own."""

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
    """Book credits once per `key`; return whether they were booked now, and the balance after it.

    Args:
        account: None opens one for `phone` (E.164), reached by that number itself, which is what an
            SMS proves.
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


_LISTING = """
SELECT * FROM account WHERE id < :before AND part_of IS NULL ORDER BY id DESC LIMIT :most
"""

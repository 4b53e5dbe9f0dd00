"""Credits that operators give."""

from __future__ import annotations

from bot.accounts import ledger
from bot.accounts.people import People
from bot.contracts import Database, Transaction
from bot.errors import BadRequest
from bot.messages import Sender


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
            known = (await people.log_in(tx, "sms", Sender(phone), phone)).account or 0
        booked = await ledger.book(tx, account=known, amount=amount, kind="grant", key=key)
        if not booked and not await ledger.is_booked(tx, known, amount, kind="grant", key=key):
            raise BadRequest(
                "This key has booked something else. Nothing was given: choose a new one."
            )
        return booked, await ledger.balance_of(tx, known)

    return await database.write(work)

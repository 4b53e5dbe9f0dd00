"""Bonus credits: small rewards for learning, booked once each and capped by the day (UTC)."""

from __future__ import annotations

from collections.abc import Callable

from bot.accounts import ledger
from bot.contracts import Bonus, Database, ToolContext, Transaction
from bot.errors import ToolFailed

PER_DAY = 20
"""Credits that one account can be given as bonuses on one day."""
_DAY = 86_400.0


def begin_of_day(now: float) -> float:
    """When the day of UTC began in which `now` lies, both in Unix seconds."""
    return now - now % _DAY


class Bonuses:
    """Implements `contracts.BonusDesk`.

    Args:
        begin_of_day: when the day began, given the database's time.
    """

    def __init__(
        self, database: Database, begin_of_day: Callable[[float], float] = begin_of_day
    ) -> None:
        self._database = database
        self._begin_of_day = begin_of_day

    async def award(self, amount: int, context: ToolContext) -> Bonus:
        """Book `amount` credits, or what the day still allows of them; the same `context.key` once.

        Raises:
            ToolFailed: today's bonuses are used up; nothing is booked.
        """

        async def work(tx: Transaction) -> Bonus:
            return await self._award(tx, amount, context)

        return await self._database.write(work)

    async def _award(self, tx: Transaction, amount: int, context: ToolContext) -> Bonus:
        account, key = context.account, f"bonus:{context.key}"
        if await tx.fetch_one(_LOCK, account=account) is None:
            raise ToolFailed("There is no account to give credits to.")
        given = await self._given_today(tx, account)
        known = await tx.fetch_one("SELECT amount FROM ledger WHERE key = :key", key=key)
        if known is not None:
            return Bonus(known["amount"], max(0, PER_DAY - given))
        granted = min(amount, PER_DAY - given)
        if granted <= 0:
            raise ToolFailed(
                f"Today's bonus credits are used up: at most {PER_DAY} a day. Praise in words "
                "only, and don't promise credits before tomorrow."
            )
        await ledger.book(tx, account=account, amount=granted, kind="bonus", key=key)
        return Bonus(granted, PER_DAY - given - granted)

    async def _given_today(self, tx: Transaction, account: int) -> int:
        clock = await tx.fetch_one("SELECT {now} AS now")
        since = self._begin_of_day(clock["now"] if clock else 0.0)
        row = await tx.fetch_one(_GIVEN, account=account, since=since)
        return row["given"] if row else 0


_LOCK = """
SELECT id FROM account WHERE id = :account AND phone IS NOT NULL {for_update}
"""

_GIVEN = """
SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) AS given FROM ledger
WHERE account = :account AND kind = 'bonus' AND at >= :since
"""

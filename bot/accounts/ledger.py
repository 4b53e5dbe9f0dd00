"""Book credits in an append-only ledger whose sum is every account's balance.

Bonuses are small rewards for learning, booked once each and capped by the day (UTC).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from bot.contracts.services import Bonus, ToolContext
from bot.contracts.storage import MAX_BIGINT, Database, Transaction
from bot.errors import OutOfCredits, ToolFailed
from bot.storage.accounts import change_balance, find_current_account

RESERVE = 10
"""Credits held back for a turn, or half of the balance if that is less, so that the person can ask
elsewhere meanwhile; more is taken at the end if more was used."""
LOW = 10
"""The balance in credits at which a person is warned that it runs low."""


@dataclass(frozen=True, slots=True)
class Entry:
    key: str
    kind: str
    amount: int
    at: float


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An account whose balance is not the sum of its entries."""

    account: int
    balance: int
    total: int


async def book(tx: Transaction, *, account: int, amount: int, kind: str, key: str) -> bool:
    """Book `amount` credits, once per `key`; return False when it is booked already.

    Raises:
        OutOfCredits: the balance would become negative; nothing is booked.
    """
    if amount < 0 and await balance_of(tx, account) + amount < 0:
        raise OutOfCredits("The balance does not cover this.")
    return await _book(tx, account=account, amount=amount, kind=kind, key=key)


async def reserve(tx: Transaction, *, account: int, turn: str, least: int) -> int:
    """Hold credits back for a turn, once; return how many, also when called again.

    Raises:
        OutOfCredits: fewer than `least` are left.
    """
    key = f"reserve:{turn}"
    most = max(least, RESERVE)
    row = await tx.fetch_one(_RESERVE, key=key, account=account, least=least, most=most)
    if row is not None:
        await change_balance(tx, account, row["amount"])
        return -int(row["amount"])
    holder = await find_current_account(tx, account)
    if holder != account:
        return await reserve(tx, account=holder, turn=turn, least=least)
    booked = await booked_of(tx, key, "reserve")
    if booked is None:
        raise OutOfCredits("Fewer credits are left than a turn costs.")
    return -booked


async def held_of(tx: Transaction, account: int) -> int:
    """Return the credits that are held back for the turns that run now."""
    row = await tx.fetch_one(_HELD, account=account)
    return int(row["held"]) if row else 0


async def settle(tx: Transaction, *, account: int, turn: str, held: int, cost: int) -> int:
    """Charge a turn's cost in place of `held`, as far as the balance goes; return the charge.

    Settling again changes nothing and returns the same number; a refunded turn costs nothing.
    """
    key = f"settle:{turn}"
    charged = cost if cost <= held else min(cost, held + await balance_of(tx, account))
    if await _book(tx, account=account, amount=held - charged, kind="settle", key=key):
        return charged
    booked = await booked_of(tx, key, "settle")
    return 0 if booked is None else held - booked


async def refund(tx: Transaction, *, account: int, turn: str, held: int) -> None:
    """Give back the credits held for a turn that failed on our side."""
    await book(tx, account=account, amount=held, kind="refund", key=f"settle:{turn}")


async def take_back(tx: Transaction, *, account: int, amount: int, kind: str, key: str) -> int:
    """Take credits back, once per `key`, as far as the balance goes; return how many."""
    taken = min(amount, await balance_of(tx, account))
    if taken:
        await _book(tx, account=account, amount=-taken, kind=kind, key=key)
    return taken


async def move(tx: Transaction, account: int, into: int, *, key: str) -> int:
    """Move all credits of an account to another, once per `key`; return how many. An account that
    was merged into a third has none."""
    for each in sorted((account, into)):  # locked in one order, whichever of them gives
        await balance_of(tx, each)
    if await find_current_account(tx, account) != account:
        return 0
    amount = await balance_of(tx, account)
    if await _book(tx, account=account, amount=-amount, kind="join", key=f"{key}:out"):
        await _book(tx, account=into, amount=amount, kind="join", key=f"{key}:in")
    return amount


async def _book(tx: Transaction, *, account: int, amount: int, kind: str, key: str) -> bool:
    """Book credits like `book`, even if the balance becomes negative. The statement also locks the
    account: until the transaction ends it is merged into no other."""
    if not await tx.execute(_BOOK, key=key, account=account, amount=amount, kind=kind):
        holder = await find_current_account(tx, account)
        return holder != account and await _book(
            tx, account=holder, amount=amount, kind=kind, key=key
        )
    if amount:
        await change_balance(tx, account, amount)
    return True


async def is_booked(tx: Transaction, account: int, amount: int, *, kind: str, key: str) -> bool:
    """Return whether the key's entry has this account, amount and kind."""
    row = await tx.fetch_one(
        "SELECT account FROM ledger WHERE key = :key AND amount = :amount AND kind = :kind",
        key=key,
        amount=amount,
        kind=kind,
    )
    return row is not None and row["account"] == account


async def booked_of(tx: Transaction, key: str, kind: str) -> int | None:
    """Return the amount booked under this key; None: nothing, or an entry of another kind."""
    row = await tx.fetch_one(_BOOKED, key=key, kind=kind)
    return int(row["amount"]) if row else None


async def balance_of(tx: Transaction, account: int) -> int:
    """Return the balance, locked until the transaction ends."""
    row = await tx.fetch_one(_BALANCE, account=account)
    if row is not None:
        return int(row["balance"])
    holder = await find_current_account(tx, account)
    return 0 if holder == account else await balance_of(tx, holder)


def price(usd: float, *, credits_per_usd: int, least: int) -> int:
    """Return the price of a turn that used `usd` dollars: whole credits, rounded up."""
    return max(least, math.ceil(round(usd * credits_per_usd, 6)))


async def entries(
    database: Database, account: int, newest: int | None = None
) -> tuple[int, list[Entry]]:
    """Return the balance of an account and its entries, oldest first: all, or the newest
    `newest`."""

    async def work(tx: Transaction) -> tuple[int, list[Entry]]:
        rows = await tx.fetch(_ENTRIES, account=account, most=newest or MAX_BIGINT)
        return await balance_of_snapshot(tx, account), [
            Entry(row["key"], row["kind"], row["amount"], row["at"]) for row in reversed(rows)
        ]

    return await database.read(work)


async def balance_of_snapshot(tx: Transaction, account: int) -> int:
    """Return the balance without locking the account, for readers."""
    row = await tx.fetch_one("SELECT balance FROM account WHERE id = :account", account=account)
    return int(row["balance"]) if row else 0


async def totals(database: Database) -> tuple[int, int]:
    """Return the sum of all entries and that of all balances; if they differ, something is
    broken."""
    row = await database.read(lambda tx: tx.fetch_one(_TOTALS))
    return (int(row["entries"]), int(row["balances"])) if row else (0, 0)


async def check(database: Database) -> list[Mismatch]:
    """Return every account whose balance is not the sum of its entries; if there is one, something
    is broken."""
    rows = await database.read(lambda tx: tx.fetch(_CHECK))
    return [Mismatch(row["account"], row["balance"], row["total"]) for row in rows]


MAX_BONUS_PER_DAY = 20
"""The most credits that one account can get as bonuses on one day."""
_DAY = 86_400.0


def begin_of_day(now: float) -> float:
    """Return the beginning of the UTC day of `now`, both in Unix seconds."""
    return now - now % _DAY


class Bonuses:
    """Implements `bot.contracts.services.BonusService`.

    Args:
        begin_of_day: returns when the day began, given the database's time.
    """

    def __init__(
        self, database: Database, begin_of_day: Callable[[float], float] = begin_of_day
    ) -> None:
        self._database = database
        self._begin_of_day = begin_of_day

    async def award(self, amount: int, context: ToolContext) -> Bonus:
        """Book `amount` credits, or as many as the day still allows, once per `context.key`.

        Raises:
            ToolFailed: today's bonuses are used up; nothing is booked.
        """
        return await self._database.write(lambda tx: self._award(tx, amount, context))

    async def _award(self, tx: Transaction, amount: int, context: ToolContext) -> Bonus:
        account, key = context.account, f"bonus:{context.key}"
        if await tx.fetch_one(_LOCK, account=account) is None:
            raise ToolFailed("There is no account to give credits to.")
        given = await self._given_today(tx, account)
        known = await tx.fetch_one("SELECT amount FROM ledger WHERE key = :key", key=key)
        if known is not None:
            return Bonus(known["amount"], max(0, MAX_BONUS_PER_DAY - given))
        granted = min(amount, MAX_BONUS_PER_DAY - given)
        if granted <= 0:
            raise ToolFailed(
                "Today's bonus credits are used up: "
                f"at most {MAX_BONUS_PER_DAY} a day. Praise in words "
                "only, and don't promise credits before tomorrow."
            )
        await book(tx, account=account, amount=granted, kind="bonus", key=key)
        return Bonus(granted, MAX_BONUS_PER_DAY - given - granted)

    async def _given_today(self, tx: Transaction, account: int) -> int:
        clock = await tx.fetch_one("SELECT {now} AS now")
        since = self._begin_of_day(clock["now"] if clock else 0.0)
        row = await tx.fetch_one(_GIVEN, account=account, since=since)
        return row["given"] if row else 0


_BALANCE = """
SELECT balance FROM account WHERE id = :account AND part_of IS NULL {for_update}
"""

_BOOK = """
INSERT INTO ledger (key, account, amount, kind, at)
SELECT CAST(:key AS TEXT), id, CAST(:amount AS BIGINT), CAST(:kind AS TEXT), {now}
FROM account WHERE id = :account AND part_of IS NULL {for_update}
ON CONFLICT (key) DO NOTHING
"""

_RESERVE = """
INSERT INTO ledger (key, account, amount, kind, at)
SELECT CAST(:key AS TEXT), id, -CASE
        WHEN balance / 2 >= CAST(:most AS BIGINT) THEN CAST(:most AS BIGINT)
        WHEN balance / 2 > CAST(:least AS BIGINT) THEN balance / 2
        ELSE CAST(:least AS BIGINT)
    END, 'reserve', {now}
FROM account
WHERE id = :account AND part_of IS NULL AND balance >= CAST(:least AS BIGINT) {for_update}
ON CONFLICT (key) DO NOTHING
RETURNING amount
"""

_HELD = """
SELECT coalesce(sum(reserved), 0) AS held FROM turn WHERE state = 'running' AND account = :account
"""

_BOOKED = """
SELECT amount FROM ledger WHERE key = :key AND kind = :kind
"""

_ENTRIES = """
SELECT key, kind, amount, at FROM ledger WHERE account = :account
ORDER BY at DESC, key DESC LIMIT :most
"""

_CHECK = """
SELECT account.id AS account, account.balance,
    CAST(coalesce(sum(ledger.amount), 0) AS BIGINT) AS total
FROM account LEFT JOIN ledger ON ledger.account = account.id
GROUP BY account.id, account.balance
HAVING account.balance <> coalesce(sum(ledger.amount), 0)
ORDER BY account.id
"""

_TOTALS = """
SELECT (SELECT coalesce(sum(amount), 0) FROM ledger) AS entries,
    (SELECT coalesce(sum(balance), 0) FROM account) AS balances
"""

_LOCK = """
SELECT id FROM account WHERE id = :account AND erased = 0 {for_update}
"""

_GIVEN = """
SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) AS given FROM ledger
WHERE account = :account AND kind = 'bonus' AND at >= :since
"""

"""Store purchases: each is stored before the person is asked for money, and credited once.

This is the only module that writes the table `purchase`, apart from refunds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from bot.accounts import ledger
from bot.contracts.payments import PaymentState
from bot.contracts.storage import Database, Row, Transaction
from bot.errors import NotFound, PersonError
from bot.storage.accounts import find_current_account, lock_account

SAME: Final = 15 * 60.0
"""Seconds within which the same intent is the same purchase: a link tapped twice is paid once."""
MOST: Final = 20
"""The most new purchases of one account within an hour: each may be a page at a provider."""
Credited = Literal["paid", "known", "again", "wrong", "unknown"]
Outcome = Credited | Literal["failed"]


@dataclass(frozen=True, slots=True)
class PurchaseIntent:
    """A purchase that a person wants to make: who, what, in which lane, and how they pay."""

    account: int
    lane: str
    address: str
    pack: str
    credits: int
    provider: str
    currency: str
    amount: int
    language: str
    """The language in which its provider is asked, each time the same."""


@dataclass(frozen=True, slots=True)
class Purchase(PurchaseIntent):
    id: str
    state: str
    reason: str
    reference: str
    url: str
    charge: str


@dataclass(frozen=True, slots=True)
class PaymentReceipt:
    """The outcome of a payment.

    `known`: it was credited, or found wrong, before. `again`: the purchase was paid already, by
    another payment. `wrong`: not what was ordered; nothing is credited. `failed`: the provider says
    that none will come.
    """

    outcome: Outcome
    purchase: Purchase | None = None
    balance: int = 0
    language: str = ""
    charge: str = ""
    """The provider's id of the payment."""


class TooMany(PersonError):
    """The account has begun `MOST` purchases within an hour."""

    code = "too_many_purchases"


async def begin_purchase(
    tx: Transaction, intent: PurchaseIntent, *, order: str, key: str, ask_in: float = 60.0
) -> Purchase:
    """Store a purchase under the id `order`, or return the one begun with the same key, or with the
    same intent within `SAME` seconds. Its provider is asked about it in `ask_in` seconds.

    The account is locked first, so that of two at the same moment the second finds the first.

    Raises:
        TooMany: the account has begun `MOST` within an hour.
    """
    await lock_account(tx, intent.account)
    row = await tx.fetch_one(_KNOWN, key=key, same=SAME, **_wished(intent))
    if row is None:
        lately = await tx.fetch_one(_LATELY, account=intent.account)
        if lately and lately["n"] >= MOST:
            raise TooMany(f"{MOST} purchases were begun within an hour.")
        row = await tx.fetch_one(_BEGIN, id=order, key=key, ask_in=ask_in, **_wished(intent))
    return read_purchase(row)


async def find_purchase(tx: Transaction, order: str) -> Purchase:
    """Return the purchase of this id. Raises `NotFound`."""
    row = await tx.fetch_one("SELECT * FROM purchase WHERE id = :id", id=order)
    if row is None:
        raise NotFound(f"There is no purchase {order}.")
    return read_purchase(row)


async def list_latest(tx: Transaction, account: int, most: int) -> Sequence[Row]:
    """Return the account's newest purchases: id, credits, amount, currency, state, created_at."""
    return await tx.fetch(_LATEST, account=account, most=most)


async def note_page(tx: Transaction, order: str, *, url: str, reference: str) -> None:
    """Store the page on which a purchase is paid, and the provider's id of the payment; a purchase
    that was given up before is open again."""
    await tx.execute(_PAGE, id=order, url=url, reference=reference)


async def read_phone(tx: Transaction, account: int) -> str:
    """Return the account's number in E.164; empty if none is known."""
    row = await tx.fetch_one("SELECT phone FROM account WHERE id = :id", id=account)
    return (row["phone"] or "") if row else ""


async def credit_purchase(tx: Transaction, order: str, paid: PaymentState) -> PaymentReceipt:
    """Book a purchase's credits, once, if the payment is what was ordered; else note why not.

    Run again with the same payment, it changes nothing and returns the outcome `known`.
    """
    row = await tx.fetch_one("SELECT * FROM purchase WHERE id = :id {for_update}", id=order)
    if row is None:
        return PaymentReceipt("unknown", charge=paid.charge)
    purchase = read_purchase(row)
    owner = await find_owner(tx, purchase)
    if owner is not None and owner["erased"]:
        owner = None  # the row is left without a person
    if purchase.state in {"paid", "refunded"}:
        outcome = "known" if paid.charge in {"", purchase.charge} else "again"
    else:
        outcome = await _credit_row(tx, purchase, owner, paid)
    if owner is None:
        return PaymentReceipt(outcome, purchase, charge=paid.charge)
    balance = await ledger.balance_of_snapshot(tx, owner["id"])
    return PaymentReceipt(outcome, purchase, balance, owner["language"], paid.charge)


async def _credit_row(
    tx: Transaction, purchase: Purchase, owner: Row | None, paid: PaymentState
) -> Credited:
    fault = _find_fault(purchase, paid) if owner else "the account is gone"
    if owner is None or fault:
        if purchase.state == "failed" and paid.charge and paid.charge == purchase.charge:
            return "known"
        await tx.execute(_FAIL_PURCHASE, id=purchase.id, reason=fault, charge=paid.charge)
        return "wrong"
    await ledger.book(
        tx,
        account=owner["id"],
        amount=purchase.credits,
        kind="purchase",
        key=f"purchase:{purchase.id}",
    )
    await tx.execute(_PAID, id=purchase.id, charge=paid.charge)
    return "paid"


async def find_owner(tx: Transaction, purchase: Purchase) -> Row | None:
    """Return the account that gets the credits, locked: the purchase's own, or the one that it was
    merged into since the purchase was begun."""
    return await tx.fetch_one(_OWNER, id=await find_current_account(tx, purchase.account))


def _find_fault(purchase: Purchase, paid: PaymentState) -> str:
    if paid.amount is None:
        return ""
    if (paid.amount, paid.currency.upper()) == (purchase.amount, purchase.currency):
        return ""
    return f"{paid.amount} {paid.currency[:8]} paid, {purchase.amount} {purchase.currency} asked"


def _wished(intent: PurchaseIntent) -> dict[str, Any]:
    return {name: getattr(intent, name) for name in PurchaseIntent.__slots__}


def read_purchase(row: Row) -> Purchase:
    """Return the purchase of a whole row of the table."""
    names = (*PurchaseIntent.__slots__, *Purchase.__slots__)
    return Purchase(**{name: row[name] for name in names})


CHECK_SOON: Final = 10.0
"""Seconds after a callback in which the process that took it asks; then any process may ask."""
CHECK_LIFE: Final = 24 * 3600.0
"""Seconds after which an unpaid purchase expires."""


async def fail_open_purchases(tx: Transaction, order: str, reason: str) -> bool:
    """Mark a purchase as failed if it is open or expired; return whether it was."""
    return await tx.execute(_FAIL_OPEN, id=order, reason=reason) > 0


async def postpone_check(tx: Transaction, order: str, *, after: float) -> bool:
    """Stop checking a purchase that is older than `after` seconds; an open one expires. Return
    whether it expired by this call."""
    was_open = await tx.execute(_EXPIRE, id=order, after=after) > 0
    await tx.execute(_POSTPONE, id=order, after=after)
    return was_open


async def note_callback(tx: Transaction, order: str, provider: str) -> bool:
    """Make a purchase due for a check soon, as a callback says that it has changed.

    Return False if the provider has no such purchase, or its state can no longer change.
    """
    return await tx.execute(_HINT, id=order, provider=provider, soon=CHECK_SOON) > 0


async def take_due_checks(tx: Transaction, limit: int) -> Sequence[Purchase]:
    """Take the purchases that are due for a check; no other process gets them until the next
    one."""
    return [read_purchase(row) for row in await tx.fetch(_TAKE_DUE, limit=limit)]


Show = Literal["", "look", "open", "paid", "failed", "expired", "refunded"]
"""A state; `""`: all of them; `look`: the purchases that an operator should look at, paid otherwise
than asked, or looked up at the provider again and again without a final answer."""
ASKED_OFTEN: Final = 4
"""How often a provider was asked in vain before an operator should look."""
LATELY: Final = 30 * 86_400.0


@dataclass(frozen=True, slots=True)
class Sale:
    id: str
    account: int
    pack: str
    credits: int
    provider: str
    currency: str
    amount: int
    state: str
    reason: str
    """The reason of a failure, for operators."""
    charge: str
    asked: int
    created_at: float

    @property
    def needs_look(self) -> bool:
        is_asked_often = self.state == "open" and self.asked >= ASKED_OFTEN
        return is_asked_often or (self.state == "failed" and self.charge != "")


async def list_sales(
    database: Database,
    *,
    show: Show = "",
    before: tuple[float, str] | None = None,
    limit: int = 50,
) -> list[Sale]:
    """Return the newest purchases before one (its time and id), newest first."""
    condition = _NEED_LOOK if show == "look" else _OF_SALE_STATE if show else ""
    values: dict[str, Any] = {"state": show} if condition == _OF_SALE_STATE else {}
    at, order = before or (1e18, "")
    sql = _LISTING.replace("{condition}", condition)
    rows = await database.read(lambda tx: tx.fetch(sql, at=at, id=order, most=limit, **values))
    return [Sale(**{name: row[name] for name in Sale.__slots__}) for row in rows]


async def count_sales(database: Database) -> Mapping[str, int]:
    """Count the purchases of the last 30 days by state; `look` counts those that an operator should
    look at."""
    rows = await database.read(lambda tx: tx.fetch(_COUNT, lately=LATELY))
    counts: dict[str, int] = {row["state"]: row["n"] for row in rows}
    return counts | {"look": sum(int(row["odd"]) for row in rows)}


_KNOWN = """
SELECT * FROM purchase
WHERE key = :key OR (
    account = :account AND created_at > {now} - :same AND state = 'open' AND lane = :lane
    AND address = :address AND pack = :pack AND credits = :credits AND provider = :provider
    AND currency = :currency AND amount = :amount
)
ORDER BY CASE WHEN key = :key THEN 0 ELSE 1 END, created_at DESC LIMIT 1
"""

_LATELY = """
SELECT count(*) AS n FROM purchase WHERE account = :account AND created_at > {now} - 3600
"""

_LATEST = """
SELECT id, credits, amount, currency, state, created_at FROM purchase
WHERE account = :account ORDER BY created_at DESC, id LIMIT :most
"""

_BEGIN = """
INSERT INTO purchase
    (id, key, account, lane, address, pack, credits, provider, currency, amount, language,
    created_at, ask_at)
VALUES (
    :id, :key, :account, :lane, :address, :pack, :credits, :provider, :currency, :amount, :language,
    {now}, {now} + :ask_in
)
ON CONFLICT (key) DO UPDATE SET key = excluded.key
RETURNING *
"""

_PAGE = """
UPDATE purchase SET url = :url, reference = :reference,
    state = CASE WHEN state = 'failed' AND charge = '' THEN 'open' ELSE state END,
    ask_at = CASE WHEN state = 'failed' AND charge = '' THEN {now} + 60 ELSE ask_at END
WHERE id = :id
"""

_OWNER = """
SELECT id, language, erased FROM account WHERE id = :id {for_update}
"""

_PAID = """
UPDATE purchase SET state = 'paid', reason = '', charge = :charge, paid_at = {now}, ask_at = NULL
WHERE id = :id
"""

_FAIL_PURCHASE = """
UPDATE purchase SET state = 'failed', reason = :reason, charge = :charge, ask_at = NULL
WHERE id = :id
"""

_FAIL_OPEN = """
UPDATE purchase SET state = 'failed', reason = :reason, ask_at = NULL
WHERE id = :id AND state IN ('open', 'expired')
"""

_EXPIRE = """
UPDATE purchase SET state = 'expired', ask_at = NULL
WHERE id = :id AND state = 'open' AND created_at <= {now} - :after
"""

_POSTPONE = """
UPDATE purchase SET ask_at = NULL
WHERE id = :id AND state IN ('failed', 'expired') AND created_at <= {now} - :after
"""

_HINT = """
UPDATE purchase SET ask_at = {now} + :soon
WHERE id = :id AND provider = :provider AND state IN ('open', 'failed', 'expired')
"""

NEXT_CHECK: Final = "SELECT min(ask_at) FROM purchase WHERE ask_at IS NOT NULL"
"""A query for the time at which the next check is due, in Unix seconds."""

_TAKE_DUE = """
UPDATE purchase SET asked = asked + 1, asked_at = {now}, ask_at = {now} + CASE
    WHEN asked = 0 THEN 120 WHEN asked = 1 THEN 300 WHEN asked = 2 THEN 900
    WHEN asked = 3 THEN 1800 ELSE 3600 END
WHERE id IN (
    SELECT id FROM purchase WHERE ask_at <= {now} ORDER BY ask_at LIMIT :limit {skip_locked}
)
RETURNING *
"""

_OF_SALE_STATE = "AND state = :state"
_ODD = f"((state = 'failed' AND charge <> '') OR (state = 'open' AND asked >= {ASKED_OFTEN}))"
_NEED_LOOK = f"AND {_ODD}"

_LISTING = """
SELECT id, account, pack, credits, provider, currency, amount, state, reason, charge, asked,
    created_at
FROM purchase
WHERE (created_at < :at OR (created_at = :at AND id < :id)) {condition}
ORDER BY created_at DESC, id DESC LIMIT :most
"""

_COUNT = f"""
SELECT state, count(*) AS n, sum(CASE WHEN {_ODD} THEN 1 ELSE 0 END) AS odd FROM purchase
WHERE created_at > {{now}} - :lately GROUP BY state
"""  # noqa: S608 (made of constants)

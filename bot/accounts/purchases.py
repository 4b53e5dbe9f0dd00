"""The table of purchases: each is kept before anybody is asked for money, and credited once.

    open → paid → refunded
         → failed, expired: nothing was credited, but money that comes late still counts

When its provider is asked how it stands is in `bot/accounts/outstanding.py`, how it is given back
in `bot/accounts/refunds.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from bot.accounts import ledger
from bot.contracts import PaymentState, Row, Transaction
from bot.errors import NotFound, PersonError
from bot.storage.living import find_holder

SAME: Final = 15 * 60.0
"""Seconds in which the same wish is the same purchase: a link tapped twice is paid once."""
MOST: Final = 20
"""New purchases of one account within an hour: each may be a page that a provider makes."""
Credited = Literal["paid", "known", "again", "wrong", "unknown"]
Outcome = Credited | Literal["failed"]


@dataclass(frozen=True, slots=True)
class Wish:
    """Who wants to buy what, where, and how they pay."""

    account: int
    lane: str
    address: str
    pack: str
    credits: int
    provider: str
    currency: str
    amount: int
    language: str


@dataclass(frozen=True, slots=True)
class Purchase:
    id: str
    account: int
    lane: str
    address: str
    pack: str
    credits: int
    provider: str
    currency: str
    amount: int
    state: str
    reason: str
    reference: str
    url: str
    charge: str
    language: str
    """In which its provider is asked, each time the same."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a payment has led to.

    `known`: it was credited, or found wrong, before. `again`: the purchase was paid already, by
    another payment. `wrong`: not what was ordered; nothing is credited. `failed`: the provider says
    that none will come.
    """

    outcome: Outcome
    purchase: Purchase | None = None
    balance: int = 0
    language: str = ""
    charge: str = ""
    """Of the payment."""


class TooMany(PersonError):
    """The account has begun as many purchases as it may for now."""

    code = "too_many_purchases"


async def begin(
    tx: Transaction, wish: Wish, *, order: str, key: str, ask_in: float = 60.0
) -> Purchase:
    """Keep the purchase, under the id `order` if it is new: the same key, and the same wish of the
    last minutes, give the same one. Its provider is asked about it in `ask_in` seconds.

    Raises:
        TooMany: the account has begun `MOST` within an hour.
    """
    row = await tx.fetch_one(_KNOWN, key=key, same=SAME, **_wished(wish))
    if row is None:
        lately = await tx.fetch_one(_LATELY, account=wish.account)
        if lately and lately["n"] >= MOST:
            raise TooMany(f"{MOST} purchases were begun within an hour.")
        row = await tx.fetch_one(_BEGIN, id=order, key=key, ask_in=ask_in, **_wished(wish))
    return read_purchase(row)


async def find(tx: Transaction, order: str) -> Purchase:
    """Raises `NotFound`."""
    row = await tx.fetch_one("SELECT * FROM purchase WHERE id = :id", id=order)
    if row is None:
        raise NotFound(f"There is no purchase {order}.")
    return read_purchase(row)


async def note_page(tx: Transaction, order: str, *, url: str, reference: str) -> None:
    """Where it is paid, and the provider's own id of the payment; from now on it can be paid, also
    if it was given up before."""
    await tx.execute(_PAGE, id=order, url=url, reference=reference)


async def read_phone(tx: Transaction, account: int) -> str:
    """E.164; empty if none is known."""
    row = await tx.fetch_one("SELECT phone FROM account WHERE id = :id", id=account)
    return (row["phone"] or "") if row else ""


async def credit(tx: Transaction, order: str, paid: PaymentState) -> Receipt:
    """Book what was paid for, once, if it is what was ordered; else note why not.

    Run again with the same payment it changes nothing, and says `known`.
    """
    row = await tx.fetch_one("SELECT * FROM purchase WHERE id = :id {for_update}", id=order)
    if row is None:
        return Receipt("unknown", charge=paid.charge)
    purchase = read_purchase(row)
    owner = await find_owner(tx, purchase)
    if owner is not None and owner["phone"] is None:
        owner = None  # erased: what is left has nobody behind it
    if purchase.state in {"paid", "refunded"}:
        outcome = "known" if paid.charge in {"", purchase.charge} else "again"
    else:
        outcome = await _credit(tx, purchase, owner, paid)
    if owner is None:
        return Receipt(outcome, purchase, charge=paid.charge)
    balance = await ledger.balance_of_snapshot(tx, owner["id"])
    return Receipt(outcome, purchase, balance, owner["language"], paid.charge)


async def _credit(
    tx: Transaction, purchase: Purchase, owner: Row | None, paid: PaymentState
) -> Credited:
    fault = _find_fault(purchase, paid) if owner else "the account is gone"
    if owner is None or fault:
        if purchase.state == "failed" and paid.charge and paid.charge == purchase.charge:
            return "known"
        await tx.execute(_FAIL, id=purchase.id, reason=fault, charge=paid.charge)
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


async def adopt(tx: Transaction, account: int, into: int) -> None:
    """What one account has bought is another's from now on, which has the credits."""
    await tx.execute(_ADOPT, account=account, into=into)


async def forget_buyer(tx: Transaction, account: int) -> None:
    """What was bought stays in the books, so that it can be given back (Telegram Stars cannot: they
    need the payer's address); who bought it does not."""
    await tx.execute(_FORGET_BUYER, account=account)


async def find_owner(tx: Transaction, purchase: Purchase) -> Row | None:
    """Whose the credits are, locked: the account, or the one that it became part of while the
    purchase was begun."""
    return await tx.fetch_one(_OWNER, id=await find_holder(tx, purchase.account))


def _find_fault(purchase: Purchase, paid: PaymentState) -> str:
    if (paid.amount, paid.currency.upper()) == (purchase.amount, purchase.currency):
        return ""
    return f"{paid.amount} {paid.currency[:8]} paid, {purchase.amount} {purchase.currency} asked"


def _wished(wish: Wish) -> dict[str, Any]:
    return {name: getattr(wish, name) for name in Wish.__slots__}


def read_purchase(row: Row) -> Purchase:
    """The purchase of a whole row of the table."""
    return Purchase(**{name: row[name] for name in Purchase.__slots__})


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
SELECT id, language, phone FROM account WHERE id = :id {for_update}
"""

_PAID = """
UPDATE purchase SET state = 'paid', reason = '', charge = :charge, paid_at = {now}, ask_at = NULL
WHERE id = :id
"""

_FAIL = """
UPDATE purchase SET state = 'failed', reason = :reason, charge = :charge, ask_at = NULL
WHERE id = :id
"""

_ADOPT = """
UPDATE purchase SET account = :into WHERE account = :account
"""

_FORGET_BUYER = """
UPDATE purchase SET key = id, lane = '', address = '', url = '' WHERE account = :account
"""

"""Make accounts and purchases, and read what became of them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import Any

from bot.accounts import ledger
from bot.accounts.progress_links import public_token
from bot.billing import purchases
from bot.billing.purchase_service import PurchaseService
from bot.billing.purchases import PaymentReceipt, Purchase, PurchaseIntent
from bot.contracts.payments import PaymentState
from bot.contracts.storage import Database
from bot.observability import Metrics
from tests.support.payment_provider import FakeProvider
from tests.support.queries import (
    Plus,
    add_row,
    change_rows,
    count_rows,
    read_seconds_until,
)


async def open_account(database: Database) -> int:
    """Add an account with a phone number of its own; return its id."""

    async def work(tx: Any) -> int:
        number = await count_rows(tx, "account")
        return (await add_row(tx, "account", phone=f"+225070102030{number}"))["id"]

    return await database.write(work)


PAID = PaymentState("paid", 500, "XOF", "ch1")


def make_intent(account: int, **values: Any) -> PurchaseIntent:
    """Make the intent to buy 100 credits for 500 francs with Wave; `values` replace its fields."""
    wish = PurchaseIntent(account, "telegram:1", "1", "500", 100, "wave", "XOF", 500, "fr")
    return replace(wish, **values)


async def begin_purchase(database: Database, wish: PurchaseIntent, key: str = "") -> Purchase:
    """Begin a purchase under a new order number, and a new key unless one is given."""
    order, unique = secrets.token_hex(12), key or secrets.token_hex(4)
    return await database.write(
        lambda tx: purchases.begin_purchase(tx, wish, order=order, key=unique)
    )


async def credit_purchase(
    database: Database, order: str, paid: PaymentState = PAID
) -> PaymentReceipt:
    """Credit the purchase, which its provider says is paid."""
    return await database.write(lambda tx: purchases.credit_purchase(tx, order, paid))


async def read_state(database: Database, order: str) -> tuple[str, str, str]:
    """Read state, reason and charge of a purchase."""
    purchase = await database.read(lambda tx: purchases.find_purchase(tx, order))
    return purchase.state, purchase.reason, purchase.charge


async def read_ledger(database: Database, account: int) -> list[tuple[str, int]]:
    """Read kind and amount of the account's entries; check that they add up to its balance."""
    balance, entries = await ledger.entries(database, account)
    assert balance == sum(entry.amount for entry in entries)
    assert await ledger.check(database) == []
    return [(entry.kind, entry.amount) for entry in entries]


async def read_seconds_until_asked(database: Database) -> int | None:
    """Read in how many seconds the only purchase is asked for, to the nearest ten."""
    [seconds] = await read_seconds_until(database, "purchase", "ask_at")
    return None if seconds is None else round(seconds, -1)


async def pass_time(database: Database, seconds: float) -> None:
    """Move all purchases so many seconds into the past."""
    await change_rows(
        database, "purchase", {"ask_at": Plus(-seconds), "created_at": Plus(-seconds)}
    )


@dataclass
class PurchaseDesk:
    """The service of purchases, its provider, and the receipts that people were told."""

    cashier: PurchaseService
    provider: FakeProvider
    database: Database
    metrics: Metrics
    account: int
    told: list[PaymentReceipt] = field(default_factory=list[PaymentReceipt])

    async def begin(self, key: str = "k", **values: Any) -> Purchase:
        return await self.cashier.begin(make_intent(self.account, **values), key)

    async def order(self) -> str:
        """Begin a purchase and open its page; return its order number."""
        purchase = await self.begin()
        await self.cashier.open_page(purchase)
        return purchase.id

    def counted(self, outcome: str, provider: str = "wave") -> bool:
        line = f'griot_purchases_total{{outcome="{outcome}",provider="{provider}"}} 1.0'
        return line in self.metrics.render().decode()


STARS: dict[str, Any] = {"provider": "stars", "currency": "XTR", "amount": 50}

IN_STARS = PaymentState("paid", 50, "XTR", "stx1")

PURCHASE = Purchase(
    1, "telegram:1", "1", "500", 100, "wave", "XOF", 500, "en", "a1" * 12, "paid", "", "", "", "c"
)


async def read_public_token(database: Database, account: int) -> str:
    """Read the token in links to the account's progress page."""
    return await database.read(lambda tx: public_token(tx, account))

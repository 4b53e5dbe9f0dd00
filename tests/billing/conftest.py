"""A cashier over a real database."""

from __future__ import annotations

import pytest

from bot.billing.purchase_service import PurchaseService
from bot.billing.purchases import PaymentReceipt
from bot.contracts.storage import Database, Transaction
from bot.observability import Metrics
from bot.settings import Settings
from tests.support.payment_provider import FakeProvider
from tests.support.purchases import (
    PurchaseDesk,
    open_account,
)
from tests.support.queries import change_rows


@pytest.fixture
async def desk(database: Database) -> PurchaseDesk:
    told: list[PaymentReceipt] = []

    async def tell(_: Transaction, receipt: PaymentReceipt) -> None:
        told.append(receipt)

    provider, metrics = FakeProvider(), Metrics()
    settings = Settings(public_url="https://griot.example")
    cashier = PurchaseService(database, settings, metrics, {"wave": provider}, tell)
    account = await open_account(database)
    await change_rows(database, "account", {"phone": "+2250701020304"})
    return PurchaseDesk(cashier, provider, database, metrics, account, told)

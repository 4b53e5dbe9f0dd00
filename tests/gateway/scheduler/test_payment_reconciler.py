from __future__ import annotations

import asyncio
from typing import cast

from structlog.testing import capture_logs

from bot.billing.service import AT_ONCE, PurchaseService
from bot.gateway.scheduler.periodic import PaymentReconciler


class FakeCashier:
    """Finds so many that are due at each look; a number below zero is an error."""

    def __init__(self, *found: int) -> None:
        self.looked = asyncio.Event()
        self.looks = 0
        self._found = list(found)

    async def ask_due(self) -> int:
        self.looks += 1
        found = self._found.pop(0)
        if not self._found:
            self.looked.set()
            await asyncio.sleep(60)
        if found < 0:
            raise OSError("no database")
        return found


async def test_as_long_as_much_is_due_it_goes_on_at_once() -> None:
    cashier = FakeCashier(AT_ONCE, AT_ONCE, 0)
    reconciling = PaymentReconciler(cast("PurchaseService", cashier), look_every=3600)
    reconciling.periodic_task.start()
    await asyncio.wait_for(cashier.looked.wait(), 20)
    await reconciling.periodic_task.stop()
    assert cashier.looks == 3


async def test_an_error_does_not_end_it() -> None:
    cashier = FakeCashier(-1, 0)
    reconciling = PaymentReconciler(cast("PurchaseService", cashier), look_every=0)
    with capture_logs() as logs:
        reconciling.periodic_task.start()
        await asyncio.wait_for(cashier.looked.wait(), 20)
        await reconciling.periodic_task.stop()
    assert [entry["loop"] for entry in logs] == ["reconciling"]

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.accounts.purchases import Outcome, Purchase, Receipt
from bot.gateway.sending.thanks import Thanks
from bot.messages import OptedOut
from tests.fakes import FakeModel
from tests.gateway.conftest import TestHouse, fetch, until

MakeHouse = Callable[..., Awaitable[TestHouse]]
PURCHASE = Purchase(
    "a1" * 12, 1, "telegram:1", "1", "500", 100, "wave", "XOF", 500, "paid", "", "", "", "c", "en"
)


async def tell(
    house: TestHouse,
    purchase: Purchase | None = PURCHASE,
    outcome: Outcome = "paid",
    charge: str = "c",
) -> None:
    thanks = Thanks(house.house.inbox)
    receipt = Receipt(outcome, purchase, 120, "en", charge)
    await house.database.write(lambda tx: thanks.tell(tx, receipt))


async def test_thanks_are_said_once_where_it_was_bought(house: MakeHouse) -> None:
    one = await house()
    await one.send("/help")
    await tell(one)
    await tell(one)
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said()[1:] == ["Thank you! 100 credits have been added. You have 120 credits."]


async def test_each_payment_that_was_not_credited_is_told_once(house: MakeHouse) -> None:
    one = await house()
    await one.send("/help")
    for outcome, charge in (("failed", ""), ("wrong", "c1"), ("again", "c2"), ("again", "c3")):
        for _ in range(2):
            await tell(one, PURCHASE, outcome, charge)
    await tell(one)
    await one.start(FakeModel())
    await until(one.settled)
    failed, wrong, second, third, thanks = one.said()[1:]
    assert "did not go through" in failed
    assert "not the amount" in wrong
    assert "paid twice" in second
    assert second == third
    assert thanks.startswith("Thank you!")


async def test_who_opted_out_is_told_nothing(house: MakeHouse) -> None:
    one = await house()
    await one.send(OptedOut())
    await tell(one)
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said() == []


async def test_a_conversation_that_is_gone_is_no_error(house: MakeHouse) -> None:
    one = await house()
    await tell(one, replace(PURCHASE, lane="telegram:404"))
    await tell(one, None)
    assert await fetch(one.database, "SELECT seq FROM inbox") == []

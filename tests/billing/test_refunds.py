"""Money is given back once, and only then its credits are taken, on both databases."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from bot.accounts import ledger
from bot.billing import refunds
from bot.billing.refunds import NotRefundable, Refunds, RefundUnfinished
from bot.contracts.payments import PaymentState, StarRefunds
from bot.contracts.storage import Database
from bot.errors import NotFound, PersonError
from tests.support.purchases import (
    IN_STARS,
    PAID,
    STARS,
    PurchaseDesk,
    begin_purchase,
    credit_purchase,
    make_intent,
    open_account,
    read_ledger,
    read_state,
)
from tests.support.queries import Plus, change_rows


class FakeStars:
    def __init__(self) -> None:
        self.refunded: list[tuple[str, str]] = []

    async def refund_stars(self, user: str, charge: str) -> None:
        self.refunded.append((user, charge))


def refunds_of(desk: PurchaseDesk, stars: StarRefunds | None = None) -> Refunds:
    return Refunds(desk.database, desk.cashier, desk.metrics, stars)


async def take_credits(database: Database, order: str) -> int:
    return await database.write(lambda tx: refunds.book_refund(tx, order))


async def test_money_is_given_back_and_then_the_credits_are_taken(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.pay(order)
    await desk.cashier.settle(order)
    assert await refunds_of(desk).refund(order) == 100
    [(refunded, state)] = desk.provider.refunded
    assert (refunded, state.charge, state.amount) == (order, "ch1", 500)
    assert await read_ledger(desk.database, desk.account) == [("purchase", 100), ("refund", -100)]
    with pytest.raises(NotRefundable):
        await refunds_of(desk).refund(order)
    assert len(desk.provider.refunded) == 1


@pytest.mark.parametrize("cause", ["down", "unable"])
async def test_what_the_provider_does_not_give_back_keeps_its_credits(
    desk: PurchaseDesk, cause: str
) -> None:
    order = await desk.order()
    desk.provider.pay(order)
    await desk.cashier.settle(order)
    desk.provider.down, desk.provider.refunds = cause == "down", cause != "unable"
    with pytest.raises((ConnectionError, PersonError)):
        await refunds_of(desk).refund(order)
    assert await read_ledger(desk.database, desk.account) == [("purchase", 100)]
    assert (await read_state(desk.database, order))[0] == "paid"


async def test_a_refund_that_was_cut_off_goes_on(desk: PurchaseDesk) -> None:
    """The provider gave it back, and now calls it something else; the credits are still there."""
    order = await desk.order()
    desk.provider.pay(order)
    await desk.cashier.settle(order)
    desk.provider.states[order] = PaymentState("failed")
    assert await refunds_of(desk).refund(order) == 100
    [(_, state)] = desk.provider.refunded
    assert state == PaymentState("paid", 500, "XOF", "ch1")


async def test_a_wrong_payment_can_be_given_back(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.pay(order, amount=5)
    await desk.cashier.settle(order)
    assert await refunds_of(desk).refund(order) == 0
    assert desk.provider.refunded[0][1].amount == 5


async def test_stars_are_given_back_to_who_paid(desk: PurchaseDesk) -> None:
    order = (await desk.begin(**STARS)).id
    await desk.cashier.receive(order, IN_STARS)
    stars = FakeStars()
    with pytest.raises(PersonError, match="TELEGRAM_BOT_TOKEN"):
        await refunds_of(desk).refund(order)
    assert await refunds_of(desk, stars).refund(order) == 100
    assert stars.refunded == [("1", "stx1")]


async def test_a_second_payment_in_stars_is_given_back_and_the_credits_stay(
    desk: PurchaseDesk,
) -> None:
    order = (await desk.begin(**STARS)).id
    await desk.cashier.receive(order, IN_STARS)
    await desk.cashier.receive(order, replace(IN_STARS, charge="stx2"))
    stars = FakeStars()
    await refunds_of(desk, stars).refund_charge(order, "stx2")
    assert stars.refunded == [("1", "stx2")]
    assert await read_ledger(desk.database, desk.account) == [("purchase", 100)]
    assert (await read_state(desk.database, order))[0] == "paid"


async def test_only_another_payment_in_stars_is_given_back_by_its_charge(
    desk: PurchaseDesk,
) -> None:
    order = (await desk.begin(**STARS)).id
    await desk.cashier.receive(order, IN_STARS)
    with pytest.raises(PersonError, match="leave out --charge"):
        await refunds_of(desk, FakeStars()).refund_charge(order, "stx1")
    with pytest.raises(PersonError, match="TELEGRAM_BOT_TOKEN"):
        await refunds_of(desk, None).refund_charge(order, "stx2")
    with pytest.raises(PersonError, match="console of wave"):
        await refunds_of(desk, FakeStars()).refund_charge((await desk.begin("k2")).id, "ch2")


async def test_nothing_is_given_back_for_what_is_unknown_or_not_paid(desk: PurchaseDesk) -> None:
    with pytest.raises(NotFound):
        await refunds_of(desk).refund("0" * 24)
    with pytest.raises(NotRefundable):
        await refunds_of(desk).refund(await desk.order())
    assert desk.provider.refunded == []


@pytest.mark.parametrize(
    ("state", "charge", "words"),
    [
        ("open", "", "nothing was paid"),
        ("failed", "", "nothing was paid"),
        ("expired", "", "nothing was paid"),
        ("refunded", "ch1", "refunded before"),
    ],
)
async def test_only_what_was_paid_can_be_given_back(
    desk: PurchaseDesk, state: str, charge: str, words: str
) -> None:
    order = await desk.order()
    await change_rows(desk.database, "purchase", {"state": state, "charge": charge})
    with pytest.raises(NotRefundable, match=words):
        await refunds_of(desk).refund(order)
    assert desk.provider.refunded == []


async def test_the_provider_is_asked_once_however_many_ask_at_once(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.pay(order)
    await desk.cashier.settle(order)
    desk.provider.held = asyncio.Event()
    asking = [asyncio.create_task(refunds_of(desk).refund(order)) for _ in range(5)]
    async with asyncio.timeout(20):
        while sum(task.done() for task in asking) < 4:
            await asyncio.sleep(0.01)
        desk.provider.held.set()
        outcomes = await asyncio.gather(*asking, return_exceptions=True)
    assert [outcome for outcome in outcomes if isinstance(outcome, int)] == [100]
    refused = [str(outcome) for outcome in outcomes if isinstance(outcome, NotRefundable)]
    assert len(refused) == 4
    assert all("just being refunded" in words for words in refused)
    assert len(desk.provider.refunded) == 1


async def paid_order(desk: PurchaseDesk) -> str:
    order = await desk.order()
    desk.provider.pay(order)
    await desk.cashier.settle(order)
    return order


async def break_off(desk: PurchaseDesk, order: str, asked: list[Any], held: str) -> None:
    """Ask for it, and cancel that while the provider is asked."""
    before, gate = len(asked), asyncio.Event()
    setattr(desk.provider, held, gate)
    asking = asyncio.create_task(refunds_of(desk).refund(order))
    async with asyncio.timeout(20):
        while len(asked) == before:
            await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    setattr(desk.provider, held, None)


async def test_what_the_provider_refused_may_be_asked_for_again_at_once(desk: PurchaseDesk) -> None:
    order = await paid_order(desk)
    desk.provider.refunds = False
    with pytest.raises(PersonError):
        await refunds_of(desk).refund(order)
    desk.provider.refunds = True
    assert await refunds_of(desk).refund(order) == 100


async def test_what_was_not_asked_of_the_provider_may_be_asked_for_at_once(
    desk: PurchaseDesk,
) -> None:
    order = await paid_order(desk)
    await break_off(desk, order, desk.provider.asked, "held")
    assert await refunds_of(desk).refund(order) == 100


async def test_who_loses_the_database_after_the_money_was_given_back_is_told_so(
    desk: PurchaseDesk,
) -> None:
    order = await paid_order(desk)

    class Lost:
        async def write(self, work: Any) -> Any:
            if desk.provider.refunded:
                raise ConnectionError("the database cannot be reached")
            return await desk.database.write(work)

    losing = Refunds(cast("Database", Lost()), desk.cashier, desk.metrics, None)
    with pytest.raises(RefundUnfinished, match="cannot be reached; it may have been given back"):
        await losing.refund(order)
    assert len(desk.provider.refunded) == 1


@pytest.mark.parametrize("how", ["unanswered", "cancelled"])
async def test_what_may_be_on_its_way_is_not_asked_for_beside_it(
    desk: PurchaseDesk, how: str
) -> None:
    order = await paid_order(desk)
    if how == "unanswered":
        desk.provider.mute = True
        with pytest.raises(RefundUnfinished, match="Ask again in 3 minutes"):
            await refunds_of(desk).refund(order)
        desk.provider.mute = False
    else:
        await break_off(desk, order, desk.provider.refunded, "held_refund")
    with pytest.raises(NotRefundable, match="just being refunded"):
        await refunds_of(desk).refund(order)
    assert len(desk.provider.refunded) == 1
    assert await read_ledger(desk.database, desk.account) == [("purchase", 100)]
    await pass_minutes(desk, order)
    assert await refunds_of(desk).refund(order) == 100


async def test_whoever_is_late_releases_nobody_elses_claim(desk: PurchaseDesk) -> None:
    order = await paid_order(desk)
    late = await desk.database.write(lambda tx: refunds.claim_refund(tx, order))
    await pass_minutes(desk, order)
    await desk.database.write(lambda tx: refunds.claim_refund(tx, order))
    await desk.database.write(lambda tx: refunds.release_refund(tx, late))
    with pytest.raises(NotRefundable, match="just being refunded"):
        await desk.database.write(lambda tx: refunds.claim_refund(tx, order))


async def pass_minutes(desk: PurchaseDesk, order: str) -> None:
    await change_rows(desk.database, "purchase", {"refund_until": Plus(-181)}, id=order)


async def test_stars_of_who_was_erased_cannot_be_given_back(desk: PurchaseDesk) -> None:
    order = (await desk.begin(**STARS)).id
    await desk.cashier.receive(order, IN_STARS)
    await change_rows(desk.database, "purchase", {"address": ""})
    with pytest.raises(PersonError, match="erased"):
        await refunds_of(desk, FakeStars()).refund(order)


async def test_a_refund_whose_process_died_is_asked_for_again_minutes_later(
    desk: PurchaseDesk,
) -> None:
    order = await paid_order(desk)
    await desk.database.write(lambda tx: refunds.claim_refund(tx, order))  # and then it dies
    with pytest.raises(NotRefundable, match="3 minutes"):
        await refunds_of(desk).refund(order)
    await pass_minutes(desk, order)
    assert await refunds_of(desk).refund(order) == 100


# Taking the credits ------------------------------------------------------------------------------


async def test_a_refund_takes_the_credits_once(database: Database) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    await credit_purchase(database, order)
    assert [await take_credits(database, order) for _ in range(2)] == [100, 100]
    assert await read_ledger(database, account) == [("purchase", 100), ("refund", -100)]
    assert (await read_state(database, order))[0] == "refunded"


async def test_a_refund_takes_no_more_than_is_left(database: Database) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    await credit_purchase(database, order)

    async def spend(tx: Any) -> None:
        await ledger.book(tx, account=account, amount=-70, kind="settle", key="spent")

    await database.write(spend)
    assert await take_credits(database, order) == 30
    assert (await ledger.entries(database, account))[0] == 0


async def test_a_refund_of_what_was_never_credited_takes_nothing(database: Database) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    await credit_purchase(database, order, replace(PAID, amount=100))
    assert await take_credits(database, order) == 0
    assert await read_ledger(database, account) == []


async def test_a_refunded_purchase_is_not_credited_again(database: Database) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    await credit_purchase(database, order)
    await take_credits(database, order)
    assert (await credit_purchase(database, order)).outcome == "known"
    assert sum(amount for _, amount in await read_ledger(database, account)) == 0

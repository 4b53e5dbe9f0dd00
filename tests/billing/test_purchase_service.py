"""Nobody is believed but the provider's own answer, and one that is down is a delay, no loss."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from bot.billing.purchase_service import PurchaseService
from bot.contracts.payments import PaymentState
from bot.errors import WalletUnknown
from bot.settings import Settings
from tests.support.payment_provider import FakeProvider
from tests.support.purchases import (
    IN_STARS,
    STARS,
    PurchaseDesk,
    pass_time,
    read_ledger,
    read_seconds_until_asked,
    read_state,
)


async def test_a_page_is_opened_with_all_that_its_provider_wants_to_know(
    desk: PurchaseDesk,
) -> None:
    purchase = await desk.begin()
    page = await desk.cashier.open_page(purchase)
    assert page.url == f"https://pay.example/{purchase.id}"
    [order] = desk.provider.opened
    assert (order.id, order.amount, order.currency) == (purchase.id, 500, "XOF")
    assert (order.title, order.phone, order.language) == (
        "100 crédits Griot",
        "+2250701020304",
        "fr",
    )
    assert order.callback_url == "https://griot.example/webhooks/payments/wave"
    assert order.return_url == "https://griot.example/payments/done"
    assert order.cancel_url == "https://griot.example/payments/cancelled"
    assert len(purchase.id) == 24
    assert set(purchase.id) <= set("0123456789abcdef")


async def test_a_page_that_is_open_is_given_again(desk: PurchaseDesk) -> None:
    first = await desk.cashier.open_page(await desk.begin())
    again = await desk.cashier.open_page(await desk.begin(key="another"))
    assert again == first
    assert len(desk.provider.opened) == 1


async def test_a_page_that_another_request_opened_just_now_is_given_out_too(
    desk: PurchaseDesk,
) -> None:
    """Most providers refuse a second page for one order."""
    purchase = await desk.begin()
    page = await desk.cashier.open_page(purchase)
    desk.provider.down = True
    assert await desk.cashier.open_page(purchase) == page
    assert await read_state(desk.database, purchase.id) == ("open", "", "")


async def test_the_purchase_is_kept_before_its_provider_is_asked(desk: PurchaseDesk) -> None:
    desk.provider.down = True
    purchase = await desk.begin()
    with pytest.raises(ConnectionError):
        await desk.cashier.open_page(purchase)
    assert await read_state(desk.database, purchase.id) == ("failed", "it could not be opened", "")
    assert desk.counted("unreachable")


async def test_another_purchase_takes_the_place_of_one_whose_page_was_lost(
    desk: PurchaseDesk,
) -> None:
    desk.provider.down = True
    lost = await desk.begin()
    with pytest.raises(ConnectionError):
        await desk.cashier.open_page(lost)
    desk.provider.down = False
    assert (await desk.begin(key="another")).id != lost.id


async def test_what_was_given_up_and_is_opened_all_the_same_is_looked_after(
    desk: PurchaseDesk,
) -> None:
    desk.provider.down = True
    with pytest.raises(ConnectionError):
        await desk.cashier.open_page(await desk.begin())
    desk.provider.down = False
    again = await desk.begin()
    assert (await desk.cashier.open_page(again)).url
    assert (await read_state(desk.database, again.id))[0] == "open"
    assert await read_seconds_until_asked(desk.database) == 60


async def test_where_someone_may_be_asked_already_the_same_purchase_is_opened_again(
    desk: PurchaseDesk,
) -> None:
    desk.provider.reopens, desk.provider.down = True, True
    purchase = await desk.begin(language="fr")
    with pytest.raises(ConnectionError):
        await desk.cashier.open_page(purchase)
    desk.provider.down = False
    again = await desk.begin(key="another", language="en")
    assert again.id == purchase.id
    await desk.cashier.open_page(again)
    [order] = desk.provider.opened
    assert (order.id, order.language, order.title) == (purchase.id, "fr", "100 crédits Griot")


async def test_who_cannot_pay_this_way_begins_anew_and_hears_why(desk: PurchaseDesk) -> None:
    desk.provider.reopens, desk.provider.knows_wallet = True, False
    purchase = await desk.begin()
    with pytest.raises(WalletUnknown):
        await desk.cashier.open_page(purchase)
    assert (await read_state(desk.database, purchase.id))[0] == "failed"
    assert desk.counted("failed")
    assert (await desk.begin(key="another")).id != purchase.id


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://a.example/ b", "https://a/<b>", "ftp://a.example/"]
)
async def test_what_is_no_address_is_shown_to_nobody(desk: PurchaseDesk, url: str) -> None:
    desk.provider.url = url
    with pytest.raises(ConnectionError):
        await desk.cashier.open_page(await desk.begin())


async def test_what_the_provider_confirms_is_credited_and_told_once(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.pay(order)
    await asyncio.gather(*(desk.cashier.settle(order) for _ in range(10)))
    await desk.cashier.settle(order)
    assert await read_ledger(desk.database, desk.account) == [("purchase", 100)]
    assert {(receipt.outcome, receipt.balance) for receipt in desk.told} == {("paid", 100)}
    assert desk.counted("paid")
    assert (order, f"ref-{order}") in desk.provider.asked


async def test_what_is_paid_is_not_asked_for_again(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.pay(order)
    await desk.cashier.settle(order)
    await desk.cashier.settle(order)
    assert len(desk.provider.asked) == 1


async def test_what_the_provider_does_not_confirm_is_nothing(desk: PurchaseDesk) -> None:
    order = await desk.order()
    await desk.cashier.settle(order)
    assert (await read_state(desk.database, order))[0] == "open"
    assert await read_ledger(desk.database, desk.account) == []
    assert desk.told == []


async def test_another_amount_is_logged_counted_and_credits_nothing(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.pay(order, amount=5)
    with capture_logs() as logs:
        await desk.cashier.settle(order)
    assert (await read_state(desk.database, order))[0] == "failed"
    assert await read_ledger(desk.database, desk.account) == []
    assert [entry["event"] for entry in logs] == ["purchase_paid_wrongly"]
    assert desk.counted("wrong")
    assert [(each.outcome, each.charge) for each in desk.told] == [("wrong", "ch1")]


async def test_a_payment_that_failed_may_still_be_paid(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.states[order] = PaymentState("failed")
    await desk.cashier.settle(order)
    assert (await read_state(desk.database, order))[0] == "failed"
    assert desk.counted("failed")
    desk.provider.pay(order)
    await desk.cashier.settle(order)
    assert (await read_state(desk.database, order))[0] == "paid"


async def test_who_was_asked_on_the_phone_is_told_once_that_it_failed(desk: PurchaseDesk) -> None:
    desk.provider.url = ""
    order = await desk.order()
    desk.provider.states[order] = PaymentState("failed")
    for _ in range(2):
        await desk.cashier.settle(order)
    assert [(each.outcome, each.language) for each in desk.told] == [("failed", "fr")]


async def test_who_has_a_page_has_read_there_that_it_failed(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.states[order] = PaymentState("failed")
    await desk.cashier.settle(order)
    assert desk.told == []


async def test_a_callback_before_the_reference_is_noted_works(desk: PurchaseDesk) -> None:
    purchase = await desk.begin()
    desk.provider.pay(purchase.id)
    assert await desk.cashier.hint("wave", purchase.id)
    await desk.cashier.settle(purchase.id)
    assert desk.provider.asked == [(purchase.id, "")]
    assert await read_ledger(desk.database, desk.account) == [("purchase", 100)]


async def test_a_payment_nobody_told_of_is_found(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.pay(order)
    assert await desk.cashier.ask_due() == 0
    await pass_time(desk.database, 61)
    assert await desk.cashier.ask_due() == 1
    assert await read_ledger(desk.database, desk.account) == [("purchase", 100)]
    assert len(desk.told) == 1


async def test_a_provider_that_is_down_is_a_delay_even_after_a_day(desk: PurchaseDesk) -> None:
    order = await desk.order()
    desk.provider.pay(order)
    desk.provider.down = True
    await pass_time(desk.database, 90_000)
    await desk.cashier.ask_due()
    assert (await read_state(desk.database, order))[0] == "open"
    desk.provider.down = False
    await pass_time(desk.database, 3_601)
    await desk.cashier.ask_due()
    assert (await read_state(desk.database, order))[0] == "paid"


async def test_what_waits_for_a_day_expires_but_not_before_it_was_asked_for(
    desk: PurchaseDesk,
) -> None:
    order = await desk.order()
    await pass_time(desk.database, 90_000)
    await desk.cashier.ask_due()
    assert len(desk.provider.asked) == 1
    assert (await read_state(desk.database, order))[0] == "expired"
    assert desk.counted("expired")


async def test_a_provider_that_is_no_longer_set_up_loses_nothing(desk: PurchaseDesk) -> None:
    purchase = await desk.begin(provider="stripe")
    await pass_time(desk.database, 90_000)
    await desk.cashier.ask_due()
    assert (await read_state(desk.database, purchase.id))[0] == "open"


async def test_one_that_breaks_holds_up_no_other(desk: PurchaseDesk) -> None:
    class Broken(FakeProvider):
        async def look_up(self, order: str, reference: str) -> PaymentState:
            raise ZeroDivisionError

    providers = {"wave": desk.provider, "broken": Broken("broken")}
    cashier = PurchaseService(desk.database, Settings(), desk.metrics, providers, _nobody)
    await desk.begin("b", provider="broken")
    order = (await desk.begin("w")).id
    desk.provider.pay(order)
    await pass_time(desk.database, 61)
    with capture_logs() as logs:
        assert await cashier.ask_due() == 2
    assert (await read_state(desk.database, order))[0] == "paid"
    assert [entry["event"] for entry in logs] == ["purchase_unsettled"]


async def _nobody(*_: object) -> None: ...


# Stars -------------------------------------------------------------------------------------------


async def test_stars_are_credited_by_the_channels_own_word_and_told_by_it(
    desk: PurchaseDesk,
) -> None:
    order = (await desk.begin(**STARS)).id
    receipts = [await desk.cashier.receive(order, IN_STARS) for _ in range(2)]
    assert [receipt.outcome for receipt in receipts] == ["paid", "known"]
    assert await read_ledger(desk.database, desk.account) == [("purchase", 100)]
    assert desk.told == []
    assert desk.counted("paid", "stars")


@pytest.mark.parametrize(
    ("charge", "order", "event"),
    [("stx2", "", "purchase_paid_again"), ("stx3", "0" * 24, "purchase_paid_unknown")],
)
async def test_money_that_nothing_was_credited_for_is_logged_with_its_charge(
    desk: PurchaseDesk, charge: str, order: str, event: str
) -> None:
    known = (await desk.begin(**STARS)).id
    await desk.cashier.receive(known, IN_STARS)
    with capture_logs() as logs:
        await desk.cashier.receive(order or known, replace(IN_STARS, charge=charge))
    assert [(entry["event"], entry["charge"]) for entry in logs] == [(event, charge)]
    assert desk.counted(event.rpartition("_")[2], "stars")
    assert await read_ledger(desk.database, desk.account) == [("purchase", 100)]


async def test_stars_are_asked_of_nobody_and_expire_after_a_day(desk: PurchaseDesk) -> None:
    order = (await desk.begin(**STARS)).id
    await pass_time(desk.database, 3_600)
    assert await desk.cashier.ask_due() == 0
    await pass_time(desk.database, 83_000)
    assert await desk.cashier.ask_due() == 1
    assert (await read_state(desk.database, order))[0] == "expired"
    assert (await desk.cashier.receive(order, IN_STARS)).outcome == "paid"

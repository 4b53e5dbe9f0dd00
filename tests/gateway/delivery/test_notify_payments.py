from __future__ import annotations

from dataclasses import replace

import structlog

from bot.billing.purchases import Outcome, PaymentReceipt, Purchase
from bot.gateway.delivery.notify import PaymentNotifier
from bot.messages.incoming import OptedOut, SharedContact
from bot.messages.outgoing import TextBody
from tests.support.app import MakeApp, TestApp
from tests.support.fakes import FakeChannel, FakeModel
from tests.support.purchases import PURCHASE
from tests.support.queries import read_rows
from tests.support.waiting import until

AWA, BINTA = "+2250701020304", "+2250701020305"


async def tell(
    app: TestApp,
    purchase: Purchase | None = PURCHASE,
    outcome: Outcome = "paid",
    charge: str = "c",
) -> None:
    of = app.app
    thanks = PaymentNotifier(of.inbox, of.people, of.notifier)
    receipt = PaymentReceipt(outcome, purchase, 120, "en", charge)
    await app.database.write(lambda tx: thanks.tell(tx, receipt))


async def bought(app: MakeApp, *more: FakeChannel) -> TestApp:
    """A app in which somebody has logged in on Telegram; their account is number 1."""
    one = await app(FakeChannel(), *more)
    await one.start(FakeModel())
    await one.send(SharedContact(AWA, owner="1"))
    await until(one.settled)
    return one


async def test_thanks_are_said_once_where_it_was_bought(app: MakeApp) -> None:
    one = await bought(app)
    await tell(one)
    await tell(one)
    await until(one.settled)
    assert one.said()[1:] == ["Thank you! 100 credits have been added. You have 120 credits."]


async def test_each_payment_that_was_not_credited_is_told_once(app: MakeApp) -> None:
    one = await bought(app)
    for outcome, charge in (("failed", ""), ("wrong", "c1"), ("again", "c2"), ("again", "c3")):
        for _ in range(2):
            await tell(one, PURCHASE, outcome, charge)
    await tell(one)
    await until(one.settled)
    failed, wrong, second, third, thanks = one.said()[1:]
    assert "did not go through" in failed
    assert "not the amount" in wrong
    assert "paid twice" in second
    assert second == third
    assert thanks.startswith("Thank you!")


async def test_who_opted_out_is_told_nothing(app: MakeApp) -> None:
    one = await bought(app)
    await one.send(OptedOut())
    await tell(one)
    await until(one.settled)
    assert len(one.said()) == 1


async def test_a_conversation_that_is_gone_is_no_error(app: MakeApp) -> None:
    one = await app()
    await tell(one, replace(PURCHASE, lane="telegram:404"))
    await tell(one, None)
    assert await read_rows(one.database, "inbox") == []


async def test_who_is_shown_out_where_they_bought_is_told_elsewhere(app: MakeApp) -> None:
    whatsapp = FakeChannel("wa", "whatsapp")
    one = await bought(app, whatsapp)
    await one.send("/logout")
    await until(one.settled)
    await one.send(SharedContact(BINTA, owner="1"))  # the next on the same phone
    await until(one.settled)
    said = len(one.said())
    await tell(one)
    await tell(one)
    await until(one.settled)
    assert len(one.said()) == said
    [thanks] = whatsapp.delivered
    assert isinstance(thanks.body, TextBody)
    assert thanks.conversation == AWA
    assert thanks.body.text.startswith("Thank you! 100 credits")


async def test_who_is_shown_out_everywhere_is_told_nowhere(app: MakeApp) -> None:
    one = await bought(app)
    await one.send("/logout")
    await until(one.settled)
    with structlog.testing.capture_logs() as logs:
        await tell(one)
    await until(one.settled)
    assert [entry["event"] for entry in logs] == ["purchase_untold"]
    assert len(one.said()) == 2

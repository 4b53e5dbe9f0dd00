"""`/buy` from the list to the link, and what is paid inside a channel."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.accounts import ledger
from bot.billing import purchases
from bot.billing.purchases import Purchase
from bot.gateway.commands.credits import BuyCommand, check_checkout
from bot.gateway.commands.reply import Reply
from bot.gateway.delivery.fault_reports import MOST_REPORTS_A_DAY
from bot.messages.incoming import Checkout, Paid, Person, Tapped
from bot.messages.outgoing import AnswerCheckout, Invoice, Say
from bot.storage.accounts import merge_account
from tests.support.app import MakeApp, TestApp, update
from tests.support.emails import make_email, read_emails
from tests.support.fakes import FakeChannel, FakeModel
from tests.support.payment_provider import FakeProvider
from tests.support.phones import AWA, MakePhones, phones_of
from tests.support.queries import FromNow, change_rows, read_row, read_rows
from tests.support.waiting import until


@dataclass
class Counter:
    """A person at the counter, logged in."""

    app: TestApp
    buying: BuyCommand
    person: Person

    async def buy(self, argument: str = "", key: str = "") -> Say:
        return only_say(
            await self.buying.buy(self.person, update(f"/buy {argument}", key=key), argument)
        )

    async def order_stars(self) -> Invoice:
        response = await self.buying.buy(self.person, update("/buy 500 stars"), "500 stars")
        [invoice] = response.outgoing
        assert isinstance(invoice, Invoice)
        return invoice

    async def purchase(self) -> Purchase:
        row = await read_row(self.app.database, "purchase")
        return await self.app.database.read(lambda tx: purchases.find_purchase(tx, row["id"]))

    async def check(self, checkout: Checkout, **other: Any) -> str:
        """What stands in the way of this payment."""
        person = replace_person(self.person, **other)
        response = await self.app.database.write(lambda tx: check_checkout(tx, person, checkout))
        [answer] = response.outgoing
        assert isinstance(answer, AnswerCheckout)
        assert answer.checkout_id == checkout.id
        return answer.error

    async def pay(self, invoice: Invoice, **other: Any) -> Reply:
        right: dict[str, Any] = {"charge": "stx1", "payload": invoice.payload, "amount": 50}
        paid = Paid(**right | other)
        return await self.buying.receive(self.person, update(paid), "")

    async def balance(self) -> int:
        assert await ledger.check(self.app.database) == []
        return (await ledger.entries(self.app.database, self.person.account or 0))[0]


def only_say(response: Reply) -> Say:
    [said] = response.outgoing
    assert isinstance(said, Say)
    return said


def replace_person(person: Person, **values: Any) -> Person:
    fields = {name: getattr(person, name) for name in person.__struct_fields__}
    return Person(**fields | values)


def telegram() -> FakeChannel:
    channel = FakeChannel()
    channel.capabilities = replace(channel.capabilities, invoices=True)
    return channel


@pytest.fixture
async def phones(app: MakeApp) -> MakePhones:
    return phones_of(app)


@pytest.fixture
def counter(app: MakeApp) -> Callable[..., Awaitable[Counter]]:
    async def make(*providers: FakeProvider, stars: bool = False) -> Counter:
        channel = telegram() if stars else FakeChannel()
        named = {each.name: each for each in providers}
        one = await app(channel, providers=named, welcome_credits=0)
        account = await one.log_in()
        buying = BuyCommand(one.app.purchases, one.app.shop, one.app.orders)
        person = Person("telegram", "1", account=account, language="en", country="CI")
        return Counter(one, buying, person)

    return make


MakeCounter = Callable[..., Awaitable[Counter]]


def labels(said: Say) -> list[str]:
    return [button.label for button in said.buttons]


async def test_the_packs_are_listed(counter: MakeCounter) -> None:
    one = await counter(FakeProvider())
    for argument in ("", "nonsense", "777"):
        said = await one.buy(argument)
        assert labels(said)[0] == "100 credits: 500 FCFA"
        assert len(said.buttons) == 4
        assert said.markdown.startswith("There is no such pack.") == bool(argument)
    assert await read_rows(one.app.database, "purchase") == []


async def test_with_one_provider_the_link_comes_at_once(counter: MakeCounter) -> None:
    provider = FakeProvider()
    one = await counter(provider)
    said = await one.buy("500")
    purchase = await one.purchase()
    assert f"https://pay.example/{purchase.id}" in said.markdown
    assert "Wave" in said.markdown
    assert said.buttons == ()
    assert (purchase.credits, purchase.amount, purchase.lane) == (100, 500, "telegram:1")


async def test_with_several_it_asks_which(counter: MakeCounter) -> None:
    one = await counter(FakeProvider(), FakeProvider("stripe", "Carte"))
    assert labels(await one.buy("500")) == ["Wave", "Carte"]
    unknown = await one.buy("500 bitcoin")
    assert labels(unknown) == ["Wave", "Carte"]
    assert unknown.markdown.startswith("I do not know this way to pay.")
    assert await read_rows(one.app.database, "purchase") == []
    said = await one.buy("500 Stripe")
    assert "https://pay.example/" in said.markdown
    assert (await one.purchase()).provider == "stripe"


async def test_beside_one_provider_stars_are_a_button_under_the_link(counter: MakeCounter) -> None:
    one = await counter(FakeProvider(), stars=True)
    said = await one.buy("500")
    assert "https://pay.example/" in said.markdown
    assert labels(said) == ["Telegram Stars ⭐"]
    assert labels(await one.buy("500 wave")) == []


async def test_an_errand_that_is_run_again_opens_one_page(counter: MakeCounter) -> None:
    provider = FakeProvider()
    one = await counter(provider)
    assert await one.buy("500", key="k") == await one.buy("500", key="k")
    assert len(provider.opened) == 1


async def test_a_provider_that_asks_on_the_phone_has_no_link(counter: MakeCounter) -> None:
    one = await counter(FakeProvider("mtn_momo", "MTN MoMo", url=""))
    said = await one.buy("500")
    assert "on your phone (MTN MoMo)" in said.markdown
    assert "http" not in said.markdown


async def test_a_number_without_a_wallet_is_said_plainly(counter: MakeCounter) -> None:
    one = await counter(FakeProvider("mtn_momo", "MTN MoMo", knows_wallet=False))
    assert "MTN MoMo knows no account of your number" in (await one.buy("500")).markdown


async def test_who_has_no_number_is_asked_for_it_before_a_phone_can_ring(
    counter: MakeCounter,
) -> None:
    provider = FakeProvider("mtn_momo", "MTN MoMo", url="")
    one = await counter(provider)
    await change_rows(one.app.database, "account", {"phone": None})
    said = await one.buy("500")
    assert said.asks_number
    assert "Nothing was charged" in said.markdown
    assert provider.opened == []
    assert (await read_row(one.app.database, "purchase"))["state"] == "failed"


async def test_a_provider_that_is_down_is_said_plainly(counter: MakeCounter) -> None:
    one = await counter(FakeProvider(down=True))
    assert "Wave does not answer just now. Nothing was charged." in (await one.buy("500")).markdown


async def test_who_may_be_asked_on_the_phone_all_the_same_hears_so(counter: MakeCounter) -> None:
    one = await counter(FakeProvider("mtn_momo", "MTN MoMo", reopens=True, down=True))
    words = (await one.buy("500")).markdown
    assert "Nothing was charged" not in words
    assert "you may confirm" in words


async def test_who_begins_too_many_is_asked_to_wait(counter: MakeCounter) -> None:
    one = await counter(FakeProvider())
    for _ in range(purchases.MOST):
        await one.buy("500")
        await change_rows(one.app.database, "purchase", {"created_at": FromNow(-1000)})
    assert "Try again in an hour" in (await one.buy("500")).markdown


async def test_a_guest_is_told_to_log_in_first(counter: MakeCounter) -> None:
    one = await counter(FakeProvider(), stars=True)
    one.person = replace_person(one.person, account=None)
    assert "/login" in (await one.buy("500")).markdown
    assert await read_rows(one.app.database, "purchase") == []


async def test_where_nothing_is_set_up_the_word_is_clear(counter: MakeCounter) -> None:
    one = await counter()
    assert "cannot be bought here yet" in (await one.buy("500")).markdown


# Inside the channel ------------------------------------------------------------------------------


async def test_stars_alone_are_asked_for_at_once(counter: MakeCounter) -> None:
    one = await counter(stars=True)
    response = await one.buying.buy(one.person, update("/buy 500"), "500")
    [invoice] = response.outgoing
    assert invoice == await one.order_stars()
    assert isinstance(invoice, Invoice)
    assert (invoice.amount, invoice.currency) == (50, "XTR")
    assert invoice.payload == (await one.purchase()).id
    assert len(invoice.title) <= 32
    assert len(invoice.description) <= 255


async def test_a_right_checkout_may_go_on(counter: MakeCounter) -> None:
    one = await counter(stars=True)
    invoice = await one.order_stars()
    assert await one.check(Checkout("c1", invoice.payload, 50, "XTR")) == ""


@pytest.mark.parametrize(
    "wrong",
    [{"payload": "0" * 24}, {"payload": "pack"}, {"amount": 49}, {"currency": "XOF"}],
    ids=str,
)
async def test_a_checkout_of_something_else_is_refused(
    counter: MakeCounter, wrong: dict[str, Any]
) -> None:
    one = await counter(stars=True)
    invoice = await one.order_stars()
    right: dict[str, Any] = {
        "id": "c1",
        "payload": invoice.payload,
        "amount": 50,
        "currency": "XTR",
    }
    assert "no longer valid" in await one.check(Checkout(**right | wrong))


async def test_a_checkout_by_someone_else_is_refused(counter: MakeCounter) -> None:
    one = await counter(stars=True)
    checkout = Checkout("c1", (await one.order_stars()).payload, 50, "XTR")
    assert await one.check(checkout, account=None)
    assert await one.check(checkout, account=99)
    assert await one.check(checkout, address="2")


async def test_a_checkout_of_what_a_part_of_the_account_ordered_may_go_on(
    counter: MakeCounter,
) -> None:
    one = await counter(stars=True)
    part = await one.app.log_in("2", "+2250708091011")
    ordering = replace_person(one.person, account=part)
    response = await one.buying.buy(ordering, update("/buy 500 stars"), "500 stars")
    [invoice] = response.outgoing
    assert isinstance(invoice, Invoice)
    checkout = Checkout("c1", invoice.payload, 50, "XTR")
    assert "no longer valid" in await one.check(checkout)
    whole = one.person.account or 0
    await one.app.database.write(lambda tx: merge_account(tx, part, whole))
    assert await one.check(checkout) == ""


@pytest.mark.parametrize("state", ["paid", "failed", "expired", "refunded"])
async def test_a_checkout_of_what_is_not_open_is_refused(counter: MakeCounter, state: str) -> None:
    one = await counter(stars=True)
    checkout = Checkout("c1", (await one.order_stars()).payload, 50, "XTR")
    await change_rows(one.app.database, "purchase", {"state": state})
    assert await one.check(checkout)


async def test_a_hosted_purchase_is_not_paid_in_stars(counter: MakeCounter) -> None:
    one = await counter(FakeProvider(), stars=True)
    await one.buy("500")
    purchase = await one.purchase()
    assert await one.check(Checkout("c1", purchase.id, 500, "XOF"))


async def test_what_was_paid_is_credited_once_and_thanked_for(counter: MakeCounter) -> None:
    one = await counter(stars=True)
    invoice = await one.order_stars()
    thanks = only_say(await one.pay(invoice, currency="XTR"))
    assert thanks.markdown == "Thank you! 100 credits have been added. You have 100 credits."
    await one.pay(invoice, currency="XTR")
    assert await one.balance() == 100


@pytest.mark.parametrize("wrong", [{"amount": 1}, {"currency": "XOF"}, {"payload": "0" * 24}])
async def test_a_payment_of_something_else_credits_nothing_and_the_payer_reads_what_to_do(
    counter: MakeCounter, wrong: dict[str, Any]
) -> None:
    one = await counter(stars=True)
    invoice = await one.order_stars()
    said = only_say(await one.pay(invoice, **{"currency": "XTR"} | wrong))
    assert "Ask whoever runs this Griot to give it back" in said.markdown
    assert await one.balance() == 0


async def test_another_payment_for_the_same_credits_nothing(counter: MakeCounter) -> None:
    one = await counter(stars=True)
    invoice = await one.order_stars()
    await one.pay(invoice, currency="XTR")
    said = only_say(await one.pay(invoice, currency="XTR", charge="stx2"))
    assert "paid twice" in said.markdown
    assert invoice.payload in said.markdown
    assert await one.balance() == 100


# Through the lane --------------------------------------------------------------------------------


async def test_without_credits_there_is_a_button_to_buy_and_nothing_is_run(
    app: MakeApp,
) -> None:
    one = await app(providers={"wave": FakeProvider()}, welcome_credits=0)
    await one.log_in()
    await one.start(FakeModel())
    await one.send("a question")
    await until(one.settled)
    [delivery] = one.channel.delivered
    [[button]] = delivery.body.buttons  # type: ignore[union-attr]
    assert button.label == "Buy credits"
    await one.send(Tapped(button.token))
    await until(one.settled)
    assert one.said()[-1].startswith("A question costs at least 1 credit;")
    assert one.said()[-1].endswith("Which pack?")


async def test_a_hosted_payment_is_thanked_for_in_its_conversation(app: MakeApp) -> None:
    provider = FakeProvider()
    one = await app(providers={"wave": provider}, welcome_credits=0)
    await one.log_in()
    await one.start(FakeModel())
    await one.send("/buy 500")
    await until(one.settled)
    row = await read_row(one.database, "purchase")
    assert f"https://pay.example/{row['id']}" in one.said()[0]
    provider.pay(row["id"])
    for _ in range(3):
        await one.app.purchases.settle(row["id"])
    await until(one.settled)
    assert one.said()[1:] == ["Thank you! 100 credits have been added. You have 100 credits."]


async def test_who_looks_for_payments_runs_with_the_worker(app: MakeApp) -> None:
    provider = FakeProvider()
    one = await app(providers={"wave": provider}, welcome_credits=0)
    await one.log_in()
    await one.start(FakeModel())
    await one.send("/buy 500")
    await until(one.settled)
    row = await read_row(one.database, "purchase")
    provider.pay(row["id"])
    await change_rows(one.database, "purchase", {"ask_at": FromNow(-1)})

    async def thanked() -> bool:
        return len(one.said()) == 2

    await until(thanked)
    assert one.said()[1].startswith("Thank you!")


# /paysupport --------------------------------------------------------------------------------------


async def test_payment_trouble_goes_to_the_operators_without_a_model(app: MakeApp) -> None:
    one = await app(
        telegram(),
        make_email(),
        providers={"wave": FakeProvider()},
        welcome_credits=0,
        operator_email="ops@example.org",
    )
    await one.log_in()
    await one.start(FakeModel())
    await one.send("/buy 500", "/paysupport", "/paiement payé hier, pas de crédits")
    await until(one.settled)
    assert len(one.said()) == 3
    purchase = await read_row(one.database, "purchase")
    _, listed, passed_on = one.said()
    assert ": 100 credits, 500 FCFA, not paid yet" in listed
    assert "/paysupport paid yesterday" in listed
    assert passed_on.startswith("Thank you")
    report = await read_row(one.database, "report")
    assert report["severity"] == "high"
    assert report["description"].startswith("/paysupport payé hier, pas de crédits")
    assert purchase["id"] in report["description"]
    [email] = await read_emails(one.database)
    assert email.to == ("ops@example.org",)


async def test_a_long_complaint_leaves_room_for_the_number_of_the_purchase(app: MakeApp) -> None:
    one = await app(telegram(), providers={"wave": FakeProvider()}, welcome_credits=0)
    await one.log_in()
    await one.start(FakeModel())
    await one.send("/buy 500", "/paysupport " + "payé " * 2000)
    await until(one.settled)
    purchase = await read_row(one.database, "purchase")
    assert purchase["id"] in (await read_row(one.database, "report"))["description"]


async def test_payment_trouble_is_passed_on_a_few_times_a_day(app: MakeApp) -> None:
    one = await app(telegram(), welcome_credits=0)
    await one.log_in()
    await one.start(FakeModel())
    await one.send("/paysupport", *["/paysupport no credits"] * (MOST_REPORTS_A_DAY + 1))
    await until(one.settled)
    assert len(one.said()) == MOST_REPORTS_A_DAY + 2
    assert len(await read_rows(one.database, "report")) == MOST_REPORTS_A_DAY
    assert one.said()[-1].endswith("Wait for the answer.")


async def test_a_guest_has_no_payments_to_ask_about(app: MakeApp) -> None:
    one = await app(telegram())
    await one.start(FakeModel())
    await one.send("/paysupport")
    await until(one.settled)
    assert len(one.said()) == 1
    assert await read_rows(one.database, "report") == []


@pytest.mark.parametrize("channel", ["telegram", "whatsapp", "sms"])
async def test_a_number_right_behind_buy_is_the_pack(phones: MakePhones, channel: str) -> None:
    one = await phones("Two?", providers={"wave": FakeProvider()})
    who = "1" if channel == "telegram" else AWA
    await one.app.log_in()
    await one.say("/language", channel, who)
    sent = [one.update(text, channel, who) for text in ("/buy", "2)")]
    await one.app.app.inbox.store(sent)
    await until(one.app.settled)
    assert "https://pay.example/" in one.told(channel, who)[-1]
    assert (await read_row(one.app.app.database, "purchase"))["amount"] == 1_000


async def test_a_price_right_behind_buy_is_the_pack_and_words_are_for_the_tutor(
    phones: MakePhones,
) -> None:
    one = await phones("Hello Awa.", providers={"wave": FakeProvider()})
    await one.app.app.inbox.store([one.update(text, "sms", AWA) for text in ("acheter", "2 500 F")])
    await until(one.app.settled)
    assert (await read_row(one.app.app.database, "purchase"))["amount"] == 2_500
    await one.app.app.inbox.store([one.update(text, "sms", AWA) for text in ("acheter", "hello")])
    await until(one.app.settled)
    assert one.told("sms", AWA)[-1] == "Hello Awa."
    assert len(await read_rows(one.app.app.database, "purchase")) == 1


async def test_a_pack_is_named_by_its_place_in_the_list(counter: MakeCounter) -> None:
    one = await counter(FakeProvider())
    for argument, amount in (("1", 500), ("4", 5_000)):
        await one.buy(argument)
        assert amount in [row["amount"] for row in await read_rows(one.app.database, "purchase")]
    assert (await one.buy("5")).markdown.startswith("There is no such pack.")
    assert (await one.buy("0")).markdown.startswith("There is no such pack.")

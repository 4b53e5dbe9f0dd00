from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.billing.packs import Shop, make_intent
from bot.contracts.storage import Database
from bot.messages.channels import Channel
from bot.messages.incoming import Person
from bot.messages.outgoing import Say
from bot.settings import PackOffer, Settings
from tests.support.payment_provider import FakeProvider
from tests.support.queries import read_rows

LANE = "telegram:42"
WAVE = FakeProvider()
CARDS = FakeProvider("stripe", "Carte (Stripe)", ("XOF", "XAF"))


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """One engine is enough here: the table of buttons has its own tests on both."""
    return sqlite_url


def open_shop(
    database: Database,
    *providers: FakeProvider,
    stars: Sequence[Channel] = (),
    packs: tuple[PackOffer, ...] = (),
) -> Shop:
    settings = Settings().model_copy(update={"packs": packs})
    return Shop(database, settings, {each.name: each for each in providers}, stars)


def person(country: str = "CI", channel: Channel = "telegram", language: str = "en") -> Person:
    return Person(channel, "42", account=7, language=language, country=country)


def names(shop: Shop, who: Person, lane: str = LANE) -> list[tuple[str, str]]:
    return [(way.name, way.currency) for way in shop.ways(who, lane)]


def labels(said: Say) -> list[str]:
    return [button.label for button in said.buttons]


def test_people_pay_in_the_money_of_their_country(database: Database) -> None:
    shop = open_shop(database, WAVE, CARDS)
    assert names(shop, person("CI")) == [("wave", "XOF"), ("stripe", "XOF")]
    assert names(shop, person("CM")) == [("stripe", "XAF")]


def test_where_nobody_takes_it_the_other_franc_is_as_good(database: Database) -> None:
    assert names(open_shop(database, WAVE), person("CM")) == [("wave", "XOF")]


def test_who_takes_neither_is_no_way(database: Database) -> None:
    naira = FakeProvider("naira", "Naira", ("NGN",))
    assert names(open_shop(database, naira), person()) == []


def test_stars_are_a_way_in_private_where_the_channel_has_them(database: Database) -> None:
    shop = open_shop(database, stars=["telegram"])
    assert names(shop, person()) == [("stars", "XTR")]
    assert names(shop, person(), "telegram:-100") == []
    assert names(shop, person(channel="whatsapp"), "whatsapp:42") == []


def test_a_pack_without_a_price_in_stars_is_not_sold_for_them(database: Database) -> None:
    packs = (PackOffer(fcfa=500, credits=100), PackOffer(fcfa=900, credits=200, stars=90))
    shop = open_shop(database, stars=["telegram"], packs=packs)
    assert shop.ways(person(), LANE, packs[0]) == []
    assert len(shop.ways(person(), LANE, packs[1])) == 1


async def test_the_packs_are_buttons_with_their_prices(database: Database) -> None:
    said = await open_shop(database, WAVE, stars=["telegram"]).show_packs(person(), LANE)
    assert labels(said)[:2] == ["100 credits: 500 FCFA / 50 ⭐", "220 credits: 1,000 FCFA / 100 ⭐"]
    assert len(said.buttons) == 4
    rows = await read_rows(database, "button")
    assert {(row["lane"], row["address"]) for row in rows} == {(LANE, "42")}
    assert any('"/buy 500"' in row["action"] for row in rows)


async def test_prices_are_written_as_the_french_write_them(database: Database) -> None:
    said = await open_shop(database, WAVE).show_packs(person(language="fr"), LANE)
    assert labels(said)[1] == "220 crédits\u00a0: 1\u202f000\u00a0F\u00a0CFA"


async def test_where_there_are_no_buttons_the_commands_stand_in_the_text(
    database: Database,
) -> None:
    said = await open_shop(database, WAVE).show_packs(person(channel="http"), "http:s")
    assert "- 100 credits: 500 FCFA (/buy 500)" in said.markdown
    assert said.buttons == ()


async def test_commands_in_the_text_are_in_the_persons_language(database: Database) -> None:
    there = person(channel="http", language="fr")
    said = await open_shop(database, WAVE).show_packs(there, "http:s")
    assert "(/acheter 500)" in said.markdown
    assert "/buy" not in said.markdown


async def test_a_pack_that_cannot_be_paid_is_not_shown(database: Database) -> None:
    packs = (PackOffer(fcfa=500, credits=100), PackOffer(fcfa=900, credits=200, stars=90))
    shop = open_shop(database, stars=["telegram"], packs=packs)
    assert labels(await shop.show_packs(person(), LANE)) == ["200 credits: 90 ⭐"]


async def test_the_ways_are_buttons_with_the_names_people_know(database: Database) -> None:
    shop = open_shop(database, WAVE, CARDS, stars=["telegram"])
    pack = shop.find("500")
    assert pack is not None
    said = await shop.show_ways(person(), LANE, pack)
    assert labels(said) == ["Wave", "Carte (Stripe)", "Telegram Stars ⭐"]
    assert said.markdown == "100 credits: 500 FCFA / 50 ⭐. How do you want to pay?"
    actions = {row["action"] for row in await read_rows(database, "button")}
    assert actions == {
        '{"command":"/buy 500 wave"}',
        '{"command":"/buy 500 stripe"}',
        '{"command":"/buy 500 stars"}',
    }


def test_a_wish_holds_what_its_way_costs(database: Database) -> None:
    shop = open_shop(database, WAVE, stars=["telegram"])
    pack = shop.find("500")
    assert pack is not None
    wishes = [make_intent(person(), LANE, pack, way) for way in shop.ways(person(), LANE, pack)]
    assert [(wish.provider, wish.amount, wish.currency) for wish in wishes] == [
        ("wave", 500, "XOF"),
        ("stars", 50, "XTR"),
    ]
    assert {(wish.account, wish.address, wish.credits) for wish in wishes} == {(7, "42", 100)}

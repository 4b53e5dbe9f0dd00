"""What a tool shows of buying: see `tests/gateway/commands/test_credits.py` for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.billing.packs import Shop
from bot.billing.purchase_service import OrderService, PurchaseService
from bot.billing.purchases import PaymentReceipt
from bot.contracts.services import ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import ToolFailed
from bot.messages.channels import Channel
from bot.messages.incoming import Person
from bot.messages.outgoing import Invoice, Say
from bot.observability import Metrics
from bot.settings import Settings
from tests.support.fakes import tool_context
from tests.support.payment_provider import FakeProvider
from tests.support.purchases import open_account
from tests.support.queries import read_rows

LANE = "telegram:42"
CARDS = FakeProvider("stripe", "Carte (Stripe)", ("XOF", "XAF"))


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """One engine is enough here: the table of purchases has its own tests on both."""
    return sqlite_url


def take_orders(
    database: Database, *providers: FakeProvider, stars: Sequence[Channel] = ()
) -> OrderService:
    async def tell(_: Transaction, __: PaymentReceipt) -> None:
        raise AssertionError("nobody pays here")

    settings, named = Settings(), {each.name: each for each in providers}
    cashier = PurchaseService(database, settings, Metrics(), named, tell)
    return OrderService(cashier, Shop(database, settings, named, stars))


@pytest.fixture
async def context(database: Database) -> ToolContext:
    account = await open_account(database)
    person = Person("telegram", "42", account=account, language="en", country="CI")
    return replace(tool_context(), person=person, account=account, lane=LANE)


async def show(ordering: OrderService, pack: str, context: ToolContext) -> Say:
    said = await ordering.offer(pack, context)
    assert isinstance(said, Say)
    return said


def labels(said: Say) -> list[str]:
    return [button.label for button in said.buttons]


async def test_all_packs_are_shown_where_none_is_named(
    database: Database, context: ToolContext
) -> None:
    for unnamed in ("", "  "):
        assert len(labels(await show(take_orders(database, CARDS), unnamed, context))) == 4


async def test_with_one_provider_the_link_comes_at_once_and_once(
    database: Database, context: ToolContext
) -> None:
    provider = FakeProvider()
    ordering = take_orders(database, provider)
    said = await show(ordering, "500 F", context)
    assert "https://pay.example/" in said.markdown
    assert labels(said) == []
    assert await show(ordering, "500 F", context) == said
    assert len(provider.opened) == 1


async def test_with_several_it_asks_which(database: Database, context: ToolContext) -> None:
    said = await show(take_orders(database, FakeProvider(), CARDS), "500", context)
    assert labels(said) == ["Wave", "Carte (Stripe)"]
    assert await read_rows(database, "purchase") == []


async def test_no_phone_rings_before_a_button_is_pressed(
    database: Database, context: ToolContext
) -> None:
    provider = FakeProvider("mtn_momo", "MTN MoMo", reopens=True, url="")
    said = await show(take_orders(database, provider), "500", context)
    assert labels(said) == ["MTN MoMo"]
    assert provider.opened == []


async def test_where_only_stars_are_taken_the_invoice_comes_at_once(
    database: Database, context: ToolContext
) -> None:
    said = await take_orders(database, stars=["telegram"]).offer("500", context)
    assert isinstance(said, Invoice)
    assert (said.amount, said.currency) == (50, "XTR")


@pytest.mark.parametrize("unknown", ["the big one", "777"])
async def test_a_pack_that_is_unknown_is_an_error_that_names_those_there_are(
    database: Database, context: ToolContext, unknown: str
) -> None:
    with pytest.raises(ToolFailed, match=r"no such pack.* 500, 1000, .*leave pack empty"):
        await take_orders(database, CARDS).offer(unknown, context)


async def test_where_nothing_can_be_bought_a_tool_is_told_so(
    database: Database, context: ToolContext
) -> None:
    with pytest.raises(ToolFailed, match="cannot be bought here yet"):
        await take_orders(database).offer("500", context)

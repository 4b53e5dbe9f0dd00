"""A callback is only a hint: whatever it says, the provider's own answer counts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.accounts import ledger
from bot.billing.purchase_service import PurchaseService
from bot.contracts.payments import PaymentState
from bot.contracts.storage import Database
from bot.observability import Metrics
from bot.settings import Settings
from bot.web.app import make_app
from bot.web.webhooks import LARGEST_CALLBACK, PaymentWebhooks
from tests.support.payment_provider import SECRET, FakeProvider
from tests.support.purchases import (
    make_intent,
    open_account,
    read_ledger,
    read_seconds_until_asked,
    read_state,
)
from tests.support.queries import read_values
from tests.support.site import MakeSite, Site
from tests.support.waiting import until

AUTHENTIC = {"X-Secret": SECRET}


@dataclass
class Door:
    """The route alone, before a real database and a provider that is passed in."""

    client: TestClient[web.Request, web.Application]
    provider: FakeProvider
    cashier: PurchaseService
    database: Database
    account: int

    async def begin(self) -> str:
        return (await self.cashier.begin(make_intent(self.account), "k")).id

    async def call(self, order: str, **options: Any) -> int:
        given: dict[str, Any] = {"headers": AUTHENTIC, "json": {"order": order}} | options
        async with self.client.post("/webhooks/payments/wave", **given) as answer:
            return answer.status


async def _nobody(*_: object) -> None: ...


@pytest.fixture
async def door(database: Database) -> Any:
    provider, metrics = FakeProvider(), Metrics()
    cashier = PurchaseService(database, Settings(), metrics, {"wave": provider}, _nobody)
    payments = PaymentWebhooks(cashier, metrics, patience=0.3)
    async with TestClient(TestServer(make_app([payments]))) as client:
        yield Door(client, provider, cashier, database, await open_account(database))
        if provider.held is not None:
            provider.held.set()


async def test_an_authentic_callback_has_the_provider_asked_and_credits_once(door: Door) -> None:
    order = await door.begin()
    door.provider.pay(order)
    assert await asyncio.gather(*(door.call(order) for _ in range(10))) == [200] * 10
    assert await door.call(order) == 200
    assert await read_ledger(door.database, door.account) == [("purchase", 100)]


async def test_what_the_provider_does_not_confirm_credits_nothing(door: Door) -> None:
    order = await door.begin()
    assert await door.call(order, json={"order": order, "status": "paid", "amount": 500}) == 200
    assert door.provider.asked == [(order, "")]
    assert await read_ledger(door.database, door.account) == []
    assert (await read_state(door.database, order))[0] == "open"


async def test_another_amount_credits_nothing(door: Door) -> None:
    order = await door.begin()
    door.provider.pay(order, amount=5)
    assert await door.call(order) == 200
    assert await read_ledger(door.database, door.account) == []
    assert (await read_state(door.database, order))[0] == "failed"


@pytest.mark.parametrize("headers", [{}, {"X-Secret": "wrong"}, {"X-Secret": SECRET + "x"}])
async def test_a_forged_callback_is_403_and_asks_nobody(
    door: Door, headers: dict[str, str]
) -> None:
    order = await door.begin()
    door.provider.pay(order)
    assert await door.call(order, headers=headers) == 403
    assert door.provider.asked == []
    assert await read_seconds_until_asked(door.database) == 60


async def test_a_malformed_callback_is_400(door: Door) -> None:
    async with door.client.post("/webhooks/payments/wave", headers=AUTHENTIC, data=b"{") as answer:
        assert answer.status == 400
        assert (await answer.json())["error"]["message"] == "not a callback"


@pytest.mark.parametrize("order", ["0" * 24, "nothing of ours", ""])
async def test_an_authentic_callback_about_nothing_of_ours_is_200(door: Door, order: str) -> None:
    assert await door.call(order) == 200
    assert door.provider.asked == []


@pytest.mark.parametrize("name", ["stripe", "bitcoin", "stars"])
async def test_a_provider_that_is_not_set_up_is_404(door: Door, name: str) -> None:
    async with door.client.post(f"/webhooks/payments/{name}", headers=AUTHENTIC) as answer:
        assert answer.status == 404
        assert (await answer.json())["error"]["code"] == "not_found"


async def test_a_callback_that_is_too_large_is_413(door: Door) -> None:
    body = b'{"order": "a"}' + b" " * LARGEST_CALLBACK
    assert await door.call("", json=None, data=body) == 413


@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
async def test_a_callback_may_come_by_any_method(door: Door, method: str) -> None:
    order = await door.begin()
    for headers, status in ((AUTHENTIC, 200), ({}, 403)):
        async with door.client.request(
            method, "/webhooks/payments/wave", headers=headers, json={"order": order}
        ) as answer:
            assert answer.status == status
    assert door.provider.asked == [(order, "")]


async def test_a_provider_that_is_down_is_asked_later(door: Door) -> None:
    order = await door.begin()
    door.provider.pay(order)
    door.provider.down = True
    assert await door.call(order) == 200
    assert await read_ledger(door.database, door.account) == []
    assert await read_seconds_until_asked(door.database) == 10


async def test_a_slow_provider_does_not_hold_the_callback(door: Door) -> None:
    order = await door.begin()
    door.provider.pay(order)
    door.provider.held = asyncio.Event()
    assert await door.call(order) == 200
    assert await read_ledger(door.database, door.account) == []
    door.provider.held.set()

    async def credited() -> bool:
        return bool(await read_ledger(door.database, door.account))

    await until(credited)


async def test_what_breaks_while_asking_is_left_to_who_looks_later(door: Door) -> None:
    class Odd(FakeProvider):
        async def look_up(self, order: str, reference: str) -> PaymentState:
            raise ZeroDivisionError

    door.cashier.providers = {"wave": Odd()}
    order = await door.begin()
    assert await door.call(order) == 200
    assert await read_seconds_until_asked(door.database) == 10


async def test_refusals_are_counted(door: Door) -> None:
    metrics = Metrics()
    payments = PaymentWebhooks(door.cashier, metrics)
    async with TestClient(TestServer(make_app([payments]))) as client:
        await client.post("/webhooks/payments/wave")
    line = 'griot_purchases_total{outcome="refused",provider="wave"} 1.0'
    assert line in metrics.render().decode()


@pytest.mark.parametrize(("language", "word"), [("fr-CI,en", "Merci"), ("en", "Thank you")])
async def test_the_page_leads_back_to_a_kind_word(door: Door, language: str, word: str) -> None:
    async with door.client.get("/payments/done", headers={"Accept-Language": language}) as answer:
        assert answer.status == 200
        assert word in await answer.text()


# The whole app ---------------------------------------------------------------------------------


async def buy(griot: Site, words: str) -> str:
    """What the person is told."""
    events = await griot.chat(words)
    assert events[-1] == ("end", {"reason": "answered"})
    return "".join(fields["text"] for name, fields in events if name == "content")


async def test_credits_are_bought_over_http(site: MakeSite) -> None:
    provider = FakeProvider()
    griot = await site(providers={"wave": provider}, welcome_credits=0)
    await griot.log_in()
    assert "(/acheter 500)" in await buy(griot, "/buy")
    told = await buy(griot, "/buy 500")
    [order] = provider.opened
    assert f"https://pay.example/{order.id}" in told
    assert order.phone == "+2250701020304"
    provider.pay(order.id)
    body = {"order": order.id}
    for _ in range(2):
        status, _ = await griot.request(
            "POST", "/webhooks/payments/wave", json=body, headers=AUTHENTIC
        )
        assert status == 200
    assert (await griot.request("GET", "/api/v1/me"))[1]["balance"] == 100
    assert await ledger.check(griot.app.database) == []
    keys = await read_values(griot.app.database, "ledger", "key")
    assert keys.count(f"purchase:{order.id}") == 1


async def test_without_providers_the_route_is_404(site: MakeSite) -> None:
    griot = await site()
    assert (await griot.request("POST", "/webhooks/payments/wave"))[0] == 404

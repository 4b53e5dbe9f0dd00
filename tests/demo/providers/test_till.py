"""The demo's till, driven by Griot's own client of Paystack: opened, paid on its page, told of."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from bot.billing.providers.paystack import Paystack as Client
from bot.contracts.channels import Webhook
from bot.contracts.payments import Order
from bot.demo.local_server import listen, origin_of, serve_routes
from bot.demo.providers.phone_screens import PhoneScreens
from bot.demo.providers.till import Till
from bot.demo.providers.webhook_sender import WebhookSender
from bot.settings import Settings
from tests.support.waiting import until

ORDER = Order(
    id="0123456789abcdef01234567",
    amount=500,
    currency="XOF",
    title="100 crédits <Griot>",
    phone="+2250123456789",
    language="fr",
    return_url="http://127.0.0.1:9/payments/done",
    cancel_url="http://127.0.0.1:9/payments/cancelled",
    callback_url="http://127.0.0.1:9/webhooks/payments/paystack",
)


@pytest.fixture
async def told() -> list[Webhook]:
    return []


@pytest.fixture
async def till(screens: PhoneScreens, told: list[Webhook]) -> AsyncIterator[tuple[Client, Till]]:
    async def receive(request: web.Request) -> web.Response:
        told.append(Webhook("POST", request.path, request.headers, await request.read()))
        return web.Response()

    routes = [web.post("/webhooks/payments/paystack", receive)]
    listener = listen()
    async with serve_routes(routes) as griot:
        posting = WebhookSender(griot, screens)
        paystack = Till(screens, posting, origin_of(listener))
        async with serve_routes(paystack.routes_with_pages(), listener) as origin:
            settings = Settings(paystack_secret_key=paystack.key, paystack_api_url=origin)
            yield Client(settings), paystack
        await posting.close()


async def test_a_tap_on_its_page_pays_and_griot_is_told(
    till: tuple[Client, Till], http: aiohttp.ClientSession, told: list[Webhook]
) -> None:
    client, _ = till
    page = await client.open(ORDER)
    assert (await client.look_up(ORDER.id, page.reference)).state == "waiting"
    async with http.get(page.url, headers={"Accept-Language": "en-GB,fr"}) as answer:
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        shown = await answer.text()
    assert "500\u00a0F\u00a0CFA" in shown
    assert "100 crédits &lt;Griot&gt;" in shown
    assert ">Pay</button>" in shown
    for _ in range(2):
        async with http.post(page.url, headers={"Accept-Language": "fr"}) as answer:
            assert "C’est payé" in await answer.text()

    async def heard() -> bool:
        return bool(told)

    await until(heard)
    [webhook] = told
    assert client.verify(webhook) == ORDER.id
    state = await client.look_up(ORDER.id, page.reference)
    assert (state.state, state.amount, state.currency) == ("paid", 500, "XOF")


async def test_nobody_asks_it_without_the_key(
    till: tuple[Client, Till], http: aiohttp.ClientSession
) -> None:
    client, _ = till
    page = await client.open(ORDER)
    origin = page.url.partition("/pay/")[0]
    async with http.get(f"{origin}/transaction/verify/{ORDER.id}") as answer:
        assert answer.status == 401
    async with http.post(f"{origin}/transaction/initialize", json={}) as answer:
        assert answer.status == 401
    async with http.get(f"{origin}/pay/none") as answer:
        assert answer.status == 404


async def test_what_paystack_would_refuse_is_refused(
    till: tuple[Client, Till], http: aiohttp.ClientSession
) -> None:
    client, standin = till
    origin = (await client.open(ORDER)).url.partition("/pay/")[0]
    wanted = {"email": "a@b.example", "amount": 50_000, "currency": "XOF", "reference": "r1"}
    wanted |= {"callback_url": "https://griot.example/", "channels": ["card"]}
    for wrong in ({"amount": 50_050}, {"channels": ["cash"]}, {"colour": "red"}, {}):
        async with http.post(
            f"{origin}/transaction/initialize",
            json=wanted | wrong,
            headers={"Authorization": f"Bearer {standin.key}"},
        ) as answer:
            assert answer.status == (400 if wrong else 200), wrong


async def test_an_unknown_reference_is_not_paid(till: tuple[Client, Till]) -> None:
    client, _ = till
    assert (await client.look_up("f" * 24, "")).state == "waiting"

"""Buying on a provider's page, over real sockets: `/buy`, the page, the callback, the credits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from bot.accounts import ledger
from bot.contracts.channels import Webhook
from bot.settings import Settings
from tests.standins.telegram import TelegramStandIn
from tests.support.fakes import FakeModel
from tests.support.payment_methods import TILLS, Till
from tests.support.queries import change_rows, read_row, read_rows
from tests.support.site import open_site
from tests.support.telegram_scene import CHAT, SECRET, Scene
from tests.support.waiting import until


@dataclass
class Shop:
    """Somebody on Telegram who buys at one provider."""

    scene: Scene
    name: str
    till: Till

    async def order(self) -> str:
        """The id of a purchase of 500 F, whose page is open."""
        count = len(self.scene.telegram.messages(CHAT))
        await self.scene.say(f"/buy 500 {self.name}")
        said = (await self.scene.told(count + 1))[count]
        assert ("https://" in said) == (self.name != "mtn_momo")
        [row] = await self.purchases()
        return row["id"]

    async def call(self, webhook: Webhook) -> int:
        status, _ = await self.scene.griot.request(
            webhook.method, webhook.path, data=webhook.body, headers=dict(webhook.headers)
        )
        return status

    async def purchases(self) -> list[dict[str, Any]]:
        return list(await read_rows(self.scene.griot.app.database, "purchase"))

    async def credits(self) -> int:
        """What is left, beyond the welcome credits."""
        database = self.scene.griot.app.database
        assert await ledger.check(database) == []
        row = await read_row(database, "account")
        return row["balance"] - 50

    async def thanked(self) -> int:
        """How often, once nothing is under way any more."""
        await until(self.scene.settled)
        said = [message.text for message in self.scene.telegram.messages(CHAT)]
        return sum(text.startswith("Merci\u202f! 100 crédits") for text in said)


@pytest.fixture(params=TILLS)
async def shop(
    request: pytest.FixtureRequest, make_settings: Callable[..., Settings]
) -> AsyncIterator[Shop]:
    make_desk, see = TILLS[request.param]
    async with TelegramStandIn() as telegram, make_desk() as desk:
        till = see(desk)
        settings = make_settings(
            telegram_bot_token=telegram.token,
            telegram_webhook_secret=SECRET,
            telegram_api_url=telegram.url,
            public_url="https://griot.example",
            rate_limit_per_minute=0,
            drain_seconds=0,
            **till.settings,
        )
        async with open_site(settings, FakeModel()) as griot:
            scene = Scene(telegram, griot)
            await scene.log_in()
            yield Shop(scene, till.way or request.param, till)
        assert desk.violations == []
        assert telegram.violations == []


async def test_from_the_page_to_the_credits_once(shop: Shop) -> None:
    order = await shop.order()
    assert await shop.call(shop.till.callback(order)) == 200  # unconfirmed: nobody has paid
    assert (await shop.credits(), await shop.thanked()) == (0, 0)

    shop.till.pay(order, 500)
    asked = len(shop.till.desk.calls)
    assert await shop.call(shop.till.forge(order)) == 403
    assert len(shop.till.desk.calls) == asked
    assert await shop.credits() == 0

    callback = shop.till.callback(order)
    assert await asyncio.gather(*(shop.call(callback) for _ in range(5))) == [200] * 5
    assert await shop.call(callback) == 200
    assert (await shop.credits(), await shop.thanked()) == (100, 1)
    [purchase] = await shop.purchases()
    assert (purchase["state"], purchase["ask_at"]) == ("paid", None)


async def test_another_amount_credits_nothing(shop: Shop) -> None:
    order = await shop.order()
    shop.till.pay(order, 495)
    assert await shop.call(shop.till.callback(order)) == 200
    assert (await shop.credits(), await shop.thanked()) == (0, 0)
    [purchase] = await shop.purchases()
    assert purchase["state"] == "failed"
    assert purchase["reason"].startswith("495 XOF paid")


async def test_a_callback_that_is_lost_loses_no_money(shop: Shop) -> None:
    order = await shop.order()
    shop.till.pay(order, 500)
    database = shop.scene.griot.app.database
    await change_rows(database, "purchase", {"ask_at": 0, "state": "expired"})

    async def credited() -> bool:
        return await shop.credits() == 100

    await until(credited)
    assert await shop.thanked() == 1
    assert await shop.call(shop.till.callback(order)) == 200
    assert await shop.credits() == 100


@pytest.mark.parametrize("shop", ["cinetpay", "cinetpay_v1"], indirect=True)
async def test_cinetpay_sees_that_we_are_there(shop: Shop) -> None:
    assert await shop.call(Webhook("GET", "/webhooks/payments/cinetpay", {}, b"")) == 200
    status, words = await shop.scene.griot.request("POST", "/payments/done", data={"token": "x"})
    assert status == 200
    assert words


@pytest.mark.parametrize("shop", ["cinetpay", "cinetpay_v1"], indirect=True)
async def test_who_lost_a_page_is_given_another(shop: Shop) -> None:
    shop.till.desk.reset_next(accept=True)
    shop.till.desk.reset_next()
    before = len(await shop.scene.told(1))
    await shop.scene.say("/buy 500 cinetpay")
    assert "ne répond pas" in (await shop.scene.told(before + 1))[before]
    shop.till.desk.mend()
    await shop.scene.say("/buy 500 cinetpay")
    assert "https://" in (await shop.scene.told(before + 2))[before + 1]
    assert {row["state"] for row in await shop.purchases()} == {"failed", "open"}

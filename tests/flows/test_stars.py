"""Buying with Telegram Stars, over real sockets: packs, invoice, checkout, credits, refund."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.accounts import ledger
from bot.billing.refunds import Refunds
from bot.contracts.models import ModelRequest
from bot.errors import PersonError
from bot.events import Emit
from bot.messages.transcript import ModelReply
from bot.settings import Settings
from tests.standins.telegram import TelegramStandIn
from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_row
from tests.support.site import open_site
from tests.support.telegram_scene import CHAT, SECRET, Scene
from tests.support.waiting import until


class Slow(FakeModel):
    """It begins to answer, and does not end."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        self.begun.set()
        await asyncio.sleep(60)
        return reply("late")


@pytest.fixture
def model() -> Slow:
    return Slow()


@pytest.fixture
async def scene(make_settings: Callable[..., Settings], model: Slow) -> AsyncIterator[Scene]:
    async with TelegramStandIn() as telegram:
        settings = make_settings(
            telegram_bot_token=telegram.token,
            telegram_webhook_secret=SECRET,
            telegram_api_url=telegram.url,
            public_url="https://griot.example",
            rate_limit_per_minute=0,
            drain_seconds=0,
        )
        async with open_site(settings, model) as griot:
            one = Scene(telegram, griot)
            await one.log_in()
            yield one
        assert telegram.violations == []


async def order(scene: Scene) -> dict[str, Any]:
    """The invoice for the first pack, by its button."""
    count = len(scene.telegram.messages(CHAT))
    await scene.say("/buy")
    await scene.told(count + 1)
    shown = scene.telegram.messages(CHAT)[-1]
    button = shown.buttons[0][0]
    assert button["text"] == "100 crédits\u00a0: 50 ⭐"
    tap = scene.telegram.callback_update(CHAT, button["callback_data"], message_id=shown.message_id)
    await scene.post(tap)
    await scene.told(count + 2)
    return scene.telegram.calls_of("sendInvoice")[-1].parameters


async def check_out(scene: Scene, payload: str, amount: int = 50) -> tuple[bool, str]:
    """What the checkout was answered."""
    await scene.post(scene.telegram.checkout_update(CHAT, payload, amount))
    [*_, checkout] = scene.telegram.checkouts.values()

    async def answered() -> bool:
        return checkout.ok is not None

    await until(answered)
    return bool(checkout.ok), checkout.error


async def balance(scene: Scene) -> int:
    database = scene.griot.app.database
    assert await ledger.check(database) == []
    row = await read_row(database, "account")
    return row["balance"]


async def test_from_the_packs_to_the_credits_and_back(scene: Scene) -> None:
    invoice = await order(scene)
    assert invoice["title"] == "100 crédits Griot"
    assert invoice["currency"] == "XTR"
    assert await check_out(scene, invoice["payload"]) == (True, "")
    before = len(await scene.told(1))
    paid = scene.telegram.payment_update(CHAT, invoice["payload"], 50, charge="stx1")
    assert await asyncio.gather(*(scene.post(paid) for _ in range(10))) == [200] * 10
    told = await scene.told(before + 1)
    assert told[before].startswith("Merci\u202f! 100 crédits ont été ajoutés.")
    assert await balance(scene) == 150

    again = scene.telegram.payment_update(CHAT, invoice["payload"], 50, charge="stx1")
    await scene.post(again)
    ok, error = await check_out(scene, invoice["payload"])
    assert (ok, error) == (
        False,
        "Cette facture n’est plus valable. Envoie /acheter pour en avoir une nouvelle.",
    )
    await until(scene.settled)
    assert await balance(scene) == 150
    assert len(await scene.told(1)) == before + 1

    app = scene.griot.app
    metrics, telegram = app.context.metrics, app.channels.telegram
    refunds = Refunds(app.database, app.purchases, metrics, telegram)
    assert await refunds.refund(invoice["payload"]) == 100
    assert scene.telegram.refunded == ["stx1"]
    assert await balance(scene) == 50
    with pytest.raises(PersonError, match="refunded before"):
        await refunds.refund(invoice["payload"])


async def test_a_checkout_is_answered_while_the_lane_is_busy(scene: Scene, model: Slow) -> None:
    invoice = await order(scene)
    await scene.say("a long question")
    await model.begun.wait()
    assert await check_out(scene, invoice["payload"]) == (True, "")
    before = len(await scene.told(1))
    await scene.post(scene.telegram.payment_update(CHAT, invoice["payload"], 50))
    assert (await scene.told(before + 1))[before].startswith("Merci")


async def test_a_checkout_of_another_amount_is_refused(scene: Scene) -> None:
    invoice = await order(scene)
    assert (await check_out(scene, invoice["payload"], 1))[0] is False
    assert (await check_out(scene, "pack:500"))[0] is False
    await scene.post(scene.telegram.payment_update(CHAT, invoice["payload"], 1))
    await until(scene.settled)
    assert await balance(scene) == 50

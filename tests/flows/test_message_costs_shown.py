"""What messages cost, from a provider's webhook to what the operator reads."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.settings import Settings
from tests.adapters.conformance.driver import AWA, PUBLIC
from tests.adapters.conformance.stage import MakeStage, SlowModel, Stage, staging
from tests.adapters.conformance.table import AFRICASTALKING, CLOUD, ORANGE, SMS, TELEGRAM, WHATSAPP
from tests.support import processes
from tests.support.fakes import FakeModel, reply
from tests.support.operator_pages import TOKEN, bearer, see
from tests.support.queries import read_rows

PHONE = AWA.lstrip("+")
PRICES = {"CI": {"service": 0.004, "utility": 0.0041}, "*": {"service": 0.9, "utility": 0.9}}
PAID = {"billable": True, "pricing_model": "PMP", "category": "service"}
COSTS: dict[str, Any] = {
    "whatsapp_prices": json.dumps(PRICES),
    "whatsapp_free_messages": 0,
    "sms_prices": '{"CI": 0.08, "*": 0.9}',
    "operator_token": TOKEN,
}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


def cloud(one: Stage) -> Any:
    driver: Any = one.driver
    return driver.whatsapp


async def show(one: Stage, folder: Path, turn: int = 0) -> Any:
    """What `griot turns show --json` prints of a turn, or of the newest."""
    number = turn or (await read_rows(one.database, "inbox"))[-1]["seq"]
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {**kept, "DATABASE_URL": one.griot.app.settings.database_url}
    arguments = ("turns", "show", str(number), "--json")
    ran = await asyncio.to_thread(processes.run, arguments, environment, folder)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


async def report(one: Stage, status: str, **fields: Any) -> None:
    """What Meta tells of the newest message to Awa."""
    whatsapp = cloud(one)
    item = whatsapp.status(PHONE, whatsapp.chat(PHONE)[-1].wamid, status)
    driver: Any = one.driver
    await one.take(driver.pack({**item, **fields}))


async def test_a_whatsapp_message_costs_what_its_status_says(
    stage: MakeStage, tmp_path: Path
) -> None:
    one = await stage(CLOUD, FakeModel(reply("Bonjour", usd=0.0012341)), **COSTS)
    await one.say("salut")
    await one.told(1)
    await one.settle()
    await report(one, "sent", pricing=PAID)
    shown = await show(one, tmp_path)
    assert shown["messages"] == 1
    assert shown["usd"] == {"model": 0.001234, "whatsapp": 0, "sms": 0}
    for status in ("read", "delivered", "read"):
        await report(one, status, pricing=PAID)
    assert (await show(one, tmp_path))["usd"]["whatsapp"] == 0.004
    _, metrics = await one.griot.request("GET", "/metrics", headers=bearer())
    label = '{category="service",channel="whatsapp"}'
    assert f"griot_messages_total{label} 1.0" in metrics
    assert f"griot_message_usd_total{label} 0.004" in metrics


@pytest.mark.parametrize(
    ("pricing", "usd"),
    [
        ({**PAID, "billable": False}, 0),
        ({**PAID, "category": "utility"}, 0.0041),
        (None, 0.004),
        (-0.004, 0.004),
        ({**PAID, "billable": -1}, 0.004),
        ({**PAID, "category": ["service"]}, 0.004),
        ({**PAID, "category": "general_purpose_ai"}, 0.0041),  # the dearest
    ],
)
async def test_a_price_that_cannot_be_read_is_looked_up(
    stage: MakeStage, tmp_path: Path, pricing: Any, usd: float
) -> None:
    one = await stage(CLOUD, FakeModel(reply("Bonjour")), **COSTS)
    await one.say("salut")
    await one.told(1)
    await one.settle()
    await report(one, "delivered", pricing=pricing)
    assert (await show(one, tmp_path))["usd"]["whatsapp"] == usd


async def test_a_status_of_a_message_never_sent_is_answered_and_costs_nothing(
    stage: MakeStage, tmp_path: Path
) -> None:
    one = await stage(CLOUD, FakeModel(reply("Bonjour")), **COSTS)
    await one.say("salut")
    await one.told(1)
    await one.settle()
    await report(one, "delivered", id="wamid.of-somebody-else", pricing=PAID)
    assert (await show(one, tmp_path))["usd"]["whatsapp"] == 0


async def test_a_delivery_in_doubt_that_arrived_is_paid_for(
    stage: MakeStage, tmp_path: Path
) -> None:
    one = await stage(CLOUD, FakeModel(reply("Bonjour")), **COSTS)
    one.driver.lose_answer(AWA)
    await one.say("salut")
    await one.told(1)
    await one.settle()
    assert await one.states() == ["unknown"]
    await report(one, "delivered", pricing=PAID)
    await report(one, "read", pricing=PAID)
    shown = await show(one, tmp_path)
    assert (shown["messages"], shown["usd"]["whatsapp"]) == (1, 0.004)
    assert await one.states() == ["sent"]


@pytest.mark.parametrize(
    ("name", "part", "free", "usd"),
    [(WHATSAPP, "whatsapp", 0, 0.009), (WHATSAPP, "whatsapp", 9, 0.005), (SMS, "sms", 0, 0.08)],
)
async def test_twilio_names_no_price(
    stage: MakeStage, tmp_path: Path, name: str, part: str, free: int, usd: float
) -> None:
    settings = COSTS | {"whatsapp_free_messages": free}
    one = await stage(name, FakeModel(reply("Bonjour")), **settings)
    await one.say("salut")
    await one.told(1)
    await one.settle()
    driver: Any = one.driver
    [message] = driver.twilio.chat(AWA, part)
    for status in ("sent", "delivered", "delivered"):
        await driver.twilio.report(message.sid, status)
    assert (await show(one, tmp_path))["usd"] == {"model": 0.001, "whatsapp": 0, "sms": 0} | {
        part: usd
    }


@pytest.mark.parametrize(
    ("name", "other", "part", "usd"),
    [
        (WHATSAPP, "twilio_sms_from", "whatsapp", 0.009),
        (SMS, "twilio_whatsapp_from", "sms", 0.08),
    ],
)
async def test_a_status_that_names_nobody_goes_by_the_delivery(
    stage: MakeStage, tmp_path: Path, name: str, other: str, part: str, usd: float
) -> None:
    settings = COSTS | {other: "+15005550009"}
    one = await stage(name, FakeModel(reply("Bonjour")), **settings)
    await one.say("salut")
    await one.told(1)
    await one.settle()
    driver: Any = one.driver
    [message] = driver.twilio.chat(AWA, part)
    form = [("MessageSid", message.sid), ("MessageStatus", "delivered")]
    answer = await driver.twilio.webhooks.post(f"{PUBLIC}/webhooks/twilio/status", form)
    assert answer.status == 204
    assert (await show(one, tmp_path))["usd"] == {"model": 0.001, "whatsapp": 0, "sms": 0} | {
        part: usd
    }


@pytest.mark.parametrize(
    ("name", "delivered"), [(ORANGE, "DeliveredToTerminal"), (AFRICASTALKING, "Success")]
)
async def test_sms_by_other_providers_is_paid_by_segment(
    stage: MakeStage, tmp_path: Path, name: str, delivered: str
) -> None:
    one = await stage(name, FakeModel(reply("mot " * 60)), **COSTS)
    await one.say("salut")
    await one.told(1)
    await one.settle()
    driver: Any = one.driver
    [message] = driver.gateway.chat(AWA)
    for _ in range(2):
        assert await driver.gateway.report(message, delivered) == 200
    assert (await show(one, tmp_path))["usd"]["sms"] == 0.16


async def test_messages_count_for_what_a_person_may_cost_in_a_day(stage: MakeStage) -> None:
    prices = json.dumps({"*": {"service": 0.06, "utility": 0.06}})
    settings = COSTS | {"whatsapp_prices": prices, "max_person_day_usd": 0.05}
    one = await stage(CLOUD, FakeModel(reply("Bonjour"), reply("Encore")), **settings)
    await one.say("salut")
    await one.told(1)
    await one.settle()
    await report(one, "delivered", pricing=PAID)
    await one.say("et encore ?")
    assert "Encore" not in (await one.told(2))[1]
    turn = (await read_rows(one.database, "turn"))[-1]
    assert turn["reason"] == "refused"


async def test_answers_without_a_model_count_for_the_day_as_well(stage: MakeStage) -> None:
    prices = json.dumps({"*": {"service": 0.06, "utility": 0.06}})
    settings = COSTS | {"whatsapp_prices": prices, "max_person_day_usd": 0.05}
    one = await stage(CLOUD, FakeModel(), **settings)
    await one.log_in()
    await one.say("/help")
    await one.told(1)
    await one.settle()
    await report(one, "delivered", pricing=PAID)
    for words in ("/balance", "/practice", "/help", "/progress"):
        await one.say(words)
    assert "pour une journée" in (await one.told(2))[1]
    await one.settle()
    assert len(one.driver.shown()) == 2


@pytest.mark.parametrize("name", [CLOUD, SMS])
async def test_commands_have_a_pace_where_messages_cost(stage: MakeStage, name: str) -> None:
    one = await stage(name, FakeModel(), rate_limit_per_minute=1, **COSTS)
    await one.log_in()
    for _ in range(24):
        await one.say("/balance")
    await one.settle()
    *answers, refusal = await one.told(21)
    assert len(answers) == 20
    assert "très vite" in refusal


async def test_stop_is_obeyed_in_silence_by_who_writes_too_fast(stage: MakeStage) -> None:
    model = SlowModel(reply("trop tard"))
    one = await stage(CLOUD, model, rate_limit_per_minute=1, **COSTS)
    await one.log_in()
    await one.say("salut")
    await model.begun.wait()
    for _ in range(20):
        await one.say("/balance")
    said = await one.told(20)
    await one.until(lambda: "très vite" in one.driver.shown()[-1])
    await one.say("/stop")
    await one.settle()
    assert one.driver.shown() == said
    assert await read_rows(one.database, "turn", reason="cancelled")


async def test_commands_have_no_pace_where_messages_are_free(stage: MakeStage) -> None:
    one = await stage(TELEGRAM, FakeModel(), rate_limit_per_minute=1, max_person_day_usd=0.01)
    await one.log_in()
    for _ in range(4):
        await one.say("/help")
    await one.told(4)


async def test_the_operator_reads_what_a_learner_costs_a_month(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("Bonjour", usd=0.02), reply("Oui", usd=0.01)), **COSTS)
    await one.say("salut")
    await one.told(1)
    await one.settle()
    await report(one, "delivered", pricing=PAID)
    await one.say("merci")
    await one.told(2)
    await one.settle()
    await report(one, "delivered", pricing={**PAID, "category": "utility"})
    french = bearer() | {"Accept-Language": "fr"}
    _, page, _ = await see(one.griot, "/money", **french)
    page = page.replace("\u202f", " ").replace("\u00a0", " ")
    assert "Coût par élève" in page
    cells = page.partition("Coût par élève")[2].partition("<tbody>")[2].partition("</tr>")[0]
    assert "<td>1</td><td>0,03 $</td><td>0,0081 $</td><td>0,00 $</td>" in cells
    assert "<td>0,0381 $</td>" in cells
    turn = (await read_rows(one.database, "inbox"))[-1]["seq"]
    _, page, _ = await see(one.griot, f"/turns/{turn}", **french)
    page = page.replace("\u00a0", " ")
    assert "dont messages" in page
    assert "0,0041 $" in page
    assert "0,0141 $" in page

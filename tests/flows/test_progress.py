"""`/progress` through the whole app: what a person's phone shows of it, on each channel."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.learning.results import Results
from bot.settings import Settings
from bot.standins.twilio_people import count_segments
from tests.adapters.conformance.driver import AWA
from tests.adapters.conformance.stage import MakeStage, Stage, staging
from tests.adapters.conformance.table import CLOUD, SMS, TELEGRAM, WHATSAPP
from tests.support.fakes import FakeModel, tool_context
from tests.support.queries import read_rows

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


async def learn(one: Stage, topic: str = "") -> None:
    """Awa, logged in, has answered twice."""
    await one.log_in()
    [row, *_] = await read_rows(one.database, "account")
    for key, correct in (("a", True), ("b", False)):
        context = tool_context(account=row["id"], key=key)
        book = Results(one.griot.app.database)
        await book.report("maths", correct=correct, topic=topic, context=context)


def picture_on(name: str, driver: Any) -> bytes:
    """The last picture that Awa's phone shows."""
    if name == TELEGRAM:
        return driver.telegram.messages(int(driver.address(AWA)))[-1].photo or b""
    if name == CLOUD:
        return driver.whatsapp.chat(AWA.lstrip("+"))[-1].media
    [media] = driver.twilio.chat(AWA)[-1].media.values()
    return media.content


@pytest.mark.parametrize("name", [TELEGRAM, WHATSAPP, CLOUD])
async def test_words_and_a_picture_arrive(stage: MakeStage, name: str) -> None:
    one = await stage(name, FakeModel())
    await learn(one)
    await one.say("/progress")
    messages = 2 if name == TELEGRAM else 1  # where each message costs, words are a caption
    words = (await one.told(messages))[0]
    assert "Maths\u00a0: 1 sur 2 (50\u00a0%)" in words
    assert picture_on(name, one.driver).startswith(PNG)
    await one.settle()
    assert len(one.driver.shown()) == messages
    assert await one.states() == ["sent"] * messages


async def test_on_whatsapp_a_button_costs_no_second_message(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel())
    await learn(one, "théorème de Pythagore")
    await one.say("/progress")
    words = (await one.told(1))[0]
    assert "Maths\u00a0: 1 sur 2 (50\u00a0%)" in words
    assert [title for title, _ in one.driver.options()] == ["S’exercer"]
    assert picture_on(CLOUD, one.driver).startswith(PNG)
    await one.settle()
    assert len(one.driver.shown()) == 1


async def test_by_twilio_the_command_stands_under_the_picture_in_place_of_a_button(
    stage: MakeStage,
) -> None:
    one = await stage(WHATSAPP, FakeModel())
    await learn(one, "théorème de Pythagore")
    await one.say("/progress")
    words = (await one.told(1))[0]
    assert "/exercice" in words
    assert picture_on(WHATSAPP, one.driver).startswith(PNG)
    await one.settle()
    assert len(one.driver.shown()) == 1


async def test_the_link_opens_the_page(stage: MakeStage) -> None:
    one = await stage(WHATSAPP, FakeModel())
    await learn(one)
    await one.say("progrès")
    words = (await one.told(1))[0]
    link = re.search(r"https?://[^/]+(/progress/[\w.-]+)", words)
    assert link is not None
    status, page = await one.griot.request("GET", link[1])
    assert status == 200
    assert "Awa, tes progrès" in page


async def test_by_sms_it_is_one_paid_segment(stage: MakeStage) -> None:
    one = await stage(SMS, FakeModel())
    await learn(one)
    await one.say("PROGRES")
    [words] = await one.told(1)
    assert "Maths 50 % (1 sur 2)" in words
    assert count_segments(words) == 1
    await one.settle()
    assert len(one.driver.shown()) == 1

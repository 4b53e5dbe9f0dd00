"""Reminders on WhatsApp through the whole app, by both providers, and by SMS beside it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from bot.contracts.services import NewTask
from bot.learning.tasks import Tasks
from bot.messages.incoming import Person
from bot.settings import Settings
from bot.standins.twilio import NUMBERS
from bot.standins.twilio_people import count_segments
from bot.typography import to_ordinary_signs
from tests.adapters.conformance.driver import AWA
from tests.adapters.conformance.stage import MakeStage, Stage, open_driver, staging
from tests.adapters.conformance.table import CLOUD, SMS, WHATSAPP
from tests.support.fakes import FakeModel, tool_context
from tests.support.queries import NOW, change_rows, read_row, read_rows
from tests.support.waiting import until

NO_TEMPLATE = {"twilio_template_sid": "", "whatsapp_template": ""}
BOTH = pytest.mark.parametrize("name", [WHATSAPP, CLOUD])
WORDS = "Rappel : Réviser les fractions"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


@dataclass
class Awa:
    """Who has written on WhatsApp, and has a phone for SMS."""

    stage: Stage
    twilio: Any

    async def has_to_do(self, title: str = "Réviser les fractions") -> int:
        """A task that is due now; its number."""
        row = await read_row(self.stage.database, "account", phone=AWA)
        person = Person("whatsapp", AWA, account=row["id"], language="fr")
        context = tool_context(person=person, account=row["id"], key=title)
        number = await Tasks(self.stage.griot.app.database).add(NewTask(title), context)
        await change_rows(
            self.stage.database,
            "task",
            {"due_at": NOW, "wanted_at": NOW, "remind_at": NOW},
            id=number,
        )
        return number

    async def is_told(self, number: int, told: str) -> Any:
        """Wait until this became of the reminder; the task."""

        async def read() -> Any:
            return await read_rows(self.stage.database, "task", id=number, reminder_state=told)

        await until(read)
        return (await read())[0]

    def by_whatsapp(self) -> list[str]:
        return [text for text in self.stage.driver.shown() if WORDS in to_ordinary_signs(text)]

    def by_sms(self) -> list[str]:
        return [message.body for message in self.twilio.chat(AWA, "sms")]

    def close_window(self) -> None:
        """As the provider sees it."""
        driver: Any = self.stage.driver
        driver.close_window()


@asynccontextmanager
async def meeting(stage: MakeStage, name: str, **values: object) -> AsyncGenerator[Awa]:
    """Awa, who has just written; with Twilio's WhatsApp the SMS go by the same account."""
    async with open_driver(SMS) as apart:
        told = {"twilio_sms_from": NUMBERS["sms"]} if name == WHATSAPP else apart.settings
        one = await stage(name, FakeModel(), **{**told, **values})
        sms: Any = one.driver if name == WHATSAPP else apart
        if name != WHATSAPP:
            await apart.reach(one.griot.url)
        await one.log_in()
        await one.say("/langue fr")
        await one.told(1)
        await one.settle()
        yield Awa(one, sms.twilio)
        assert apart.violations == []


@BOTH
async def test_within_the_window_it_comes_with_buttons_that_work(
    stage: MakeStage, name: str
) -> None:
    async with meeting(stage, name) as awa:
        number = await awa.has_to_do()
        assert (await awa.is_told(number, "sent"))["sent_id"]
        assert [text for text, _ in awa.stage.driver.options()] == [
            "Fait",
            "Dans 1 heure",
            "Demain",
        ]
        await awa.stage.choose("Demain")
        await awa.stage.heard("Reporté au")
        await awa.stage.choose("Fait")
        await awa.stage.heard("Fait : Réviser les fractions")
        task = await read_row(awa.stage.database, "task")
        assert (task["state"], task["generation"]) == ("done", 1)
        assert awa.by_sms() == []


@BOTH
async def test_outside_the_window_it_comes_by_sms_in_one_segment(
    stage: MakeStage, name: str
) -> None:
    async with meeting(stage, name, **NO_TEMPLATE) as awa:
        await awa.stage.go_silent()
        tries = awa.stage.driver.tries()
        await awa.is_told(await awa.has_to_do(), "sent")
        assert [count_segments(text) for text in awa.by_sms()] == [1]
        assert "fractions" in awa.by_sms()[0]
        assert awa.stage.driver.tries() == tries


@BOTH
async def test_outside_the_window_the_template_says_it_where_there_is_one(
    stage: MakeStage, name: str
) -> None:
    async with meeting(stage, name) as awa:
        await awa.stage.go_silent()
        await awa.is_told(await awa.has_to_do(), "sent")
        assert len(awa.by_whatsapp()) == 1
        assert awa.by_sms() == []


@BOTH
async def test_a_window_that_the_provider_finds_closed_sends_it_by_sms(
    stage: MakeStage, name: str
) -> None:
    async with meeting(stage, name, **NO_TEMPLATE) as awa:
        awa.close_window()
        task = await awa.is_told(await awa.has_to_do(), "sent")

        async def came() -> bool:
            return bool(awa.by_sms())

        await until(came)
        task = await awa.is_told(task["id"], "sent")
        assert task["channels_tried"] == "whatsapp sms"
        await awa.stage.say("/solde")
        await awa.stage.heard("crédits")
        assert awa.by_whatsapp() == []


@BOTH
async def test_who_blocked_us_there_is_told_by_sms(stage: MakeStage, name: str) -> None:
    async with meeting(stage, name) as awa:
        awa.stage.driver.block(AWA)
        number = await awa.has_to_do()

        async def came() -> bool:
            return bool(awa.by_sms())

        await until(came)
        assert (await awa.is_told(number, "sent"))["channels_tried"] == "whatsapp sms"
        assert len(awa.by_sms()) == 1
        assert awa.by_whatsapp() == []

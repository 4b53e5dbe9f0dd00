"""Griot as it is served, in this process, before a provider's stand-in."""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import aiohttp

from bot.contracts.models import Model, ModelRequest
from bot.contracts.storage import Database
from bot.events import Emit
from bot.messages.channels import CHANNELS
from bot.messages.incoming import Sender
from bot.messages.transcript import ModelReply
from bot.server import run_server
from bot.settings import Settings
from bot.typography import to_ordinary_signs
from tests.adapters.conformance.driver import AWA, BINTA, PUBLIC, Driver
from tests.adapters.conformance.sms_gateways import driving_africastalking, driving_orange
from tests.adapters.conformance.table import AFRICASTALKING, CLOUD, ORANGE, SMS, TELEGRAM, WHATSAPP
from tests.adapters.conformance.telegram import driving_telegram
from tests.adapters.conformance.twilio import driving_twilio
from tests.adapters.conformance.whatsapp_cloud import driving_whatsapp
from tests.support.fakes import FakeModel, Step, reply
from tests.support.ports import free_port
from tests.support.queries import Above, Not, Plus, change_rows, read_rows, read_values
from tests.support.site import Site
from tests.support.waiting import until
from tools import TOOLS

BAMAKO = "Bamako est sur le Niger."
QUESTION = "La capitale du Mali ?"


def quiz(*options: str, correct: int = 1) -> ModelReply:
    """The model asks this; the explanation is `BAMAKO`."""
    told = {
        "question": "La **capitale** du Mali ?",
        "options": options or ("Dakar", "Bamako", "Niamey"),
        "correct_index": correct,
        "explanation": BAMAKO,
    }
    return reply("", ("interactive_quiz", json.dumps(told)))


MakeStage = Callable[..., Awaitable["Stage"]]


class SlowModel(FakeModel):
    """Thinks about request `number` (from 0) until it is let go."""

    def __init__(self, *steps: Step, number: int = 0) -> None:
        super().__init__(*steps)
        self.begun = asyncio.Event()
        self.may_go_on = asyncio.Event()
        self._number = number

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        if len(self.requests) == self._number:
            self.begun.set()
            await self.may_go_on.wait()
        return await super().ask(request, emit)


@dataclass
class Stage:
    """People on one channel, and the Griot behind it."""

    driver: Driver
    griot: Site

    async def say(self, text: str, person: str = AWA) -> None:
        """The person writes, and the provider is told that all is well."""
        await self.take(self.driver.text(text, person))

    async def take(self, *parcels: Any) -> None:
        """Deliveries, one after another, that must be answered 2xx."""
        for parcel in parcels:
            status = await self.driver.post(parcel)
            assert status // 100 == 2, status

    async def told(self, count: int, person: str = AWA) -> list[str]:
        """What the person was shown, once it is at least `count` messages."""
        await self.until(lambda: len(self.driver.shown(person)) >= count)
        return self.driver.shown(person)

    async def heard(self, words: str, person: str = AWA) -> None:
        """Wait until the person was told so, be it in answer to a tap, whatever its typography."""
        wanted = to_ordinary_signs(words)
        await self.until(
            lambda: any(wanted in to_ordinary_signs(text) for text in self.words(person))
        )

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until it holds; fail if it never does."""

        async def holds() -> object:
            return condition()

        await until(holds)

    def words(self, person: str = AWA) -> list[str]:
        """Everything that the person was told."""
        return [*self.driver.shown(person), *self.driver.toasts()]

    async def settle(self) -> None:
        """Wait until nothing is due and nothing runs; what is kept for later stays."""
        await until(self._is_settled)

    async def settle_but_jobs(self) -> None:
        """The same, while a job goes on."""

        async def settled() -> bool:
            return not [lane for lane in await self._find_busy_lanes() if ":job:" not in lane]

        await until(settled)

    async def _is_settled(self) -> bool:
        return not await self._find_busy_lanes()

    async def _find_busy_lanes(self) -> list[str]:
        """Lanes that a worker has, or that are due within five seconds."""
        soon = time.time() + 5
        return [
            lane["id"]
            for lane in await read_rows(self.database, "lane")
            if lane["owner"] is not None or (lane["due_at"] or math.inf) < soon
        ]

    @property
    def database(self) -> Database:
        return self.griot.app.database

    async def states(self) -> list[str]:
        """Of all deliveries, oldest first."""
        return await read_values(self.database, "outbox", "state")

    async def log_in(self, *people: str) -> None:
        """They have an account, and were asked already how Griot is to speak with them."""
        app = self.griot.app
        for person in people or (AWA,):
            sender = Sender(self.driver.address(person), "Awa", "fr")
            log_in = partial(
                app.people.log_in, channel=self.driver.channel, sender=sender, phone=person
            )
            await app.database.write(log_in)
        await change_rows(self.database, "account", {"greeted": 3})

    @property
    def quiz_messages(self) -> int:
        """Messages that a word and the quiz after it take."""
        adapters = self.griot.app.context.adapters.values()
        ours = [each for each in adapters if each.channel == self.driver.channel]
        return 1 if ours[0].capabilities.joins else 2

    def lane(self, person: str = AWA) -> str:
        return f"{self.driver.channel}:{self.driver.address(person)}"

    async def ask_quiz(self) -> None:
        """Awa, logged in, is asked the quiz that the model has ready, after a word."""
        await self.log_in()
        await self.say("un quiz")
        await self.told(self.quiz_messages)
        await self.settle()

    async def choose(self, title: str) -> None:
        await self.take(self.driver.choose(title))

    async def go_silent(self) -> None:
        """As if Awa had last written 25 hours ago."""
        await change_rows(self.database, "lane", {"person_wrote_at": Plus(-90000)}, id=self.lane())

    async def put_off(self) -> None:
        """Wait until a delivery waits for its next attempt, and nothing runs."""

        async def waits() -> bool:
            return bool(
                await read_rows(
                    self.database, "outbox", state="pending", due_at=Above(time.time() + 1)
                )
            ) and not await read_rows(self.database, "lane", owner=Not(None))

        await until(waits)

    async def hurry(self) -> None:
        """What waits for its next attempt is due now."""
        await change_rows(self.database, "outbox", {"due_at": 0}, state="pending")
        await change_rows(self.database, "lane", {"due_at": 0}, owner=None, via=Not(""))


def graded(stage: Stage) -> int:
    """How often Awa was told the verdict."""
    return sum(BAMAKO in text for text in stage.driver.shown())


def words_in(texts: Sequence[str]) -> list[str]:
    """The numbered words of a long answer, in the order in which they were shown."""
    return re.findall(r"(?:gras|code)\d{4}", "".join(texts))


@asynccontextmanager
async def open_stage(
    driver: Driver, settings: Settings, model: Model, *, worker: bool = True
) -> AsyncGenerator[Stage]:
    """Griot served on a free port; without `worker` it takes deliveries and does nothing else."""
    ready = settings.model_copy(update={"port": free_port()})
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(
            run_server(ready, model=model, tools=TOOLS, worker_part=worker)
        )
        http = await stack.enter_async_context(aiohttp.ClientSession())
        site = Site(f"http://127.0.0.1:{ready.port}", app, http)
        await driver.reach(site.url)
        stage = Stage(driver, site)
        if CHANNELS[driver.channel].phone_is_identity:
            await stage.log_in(AWA, BINTA)
        yield stage


_OPEN_DRIVER: Mapping[str, Callable[[], AbstractAsyncContextManager[Driver]]] = {
    TELEGRAM: driving_telegram,
    CLOUD: driving_whatsapp,
    ORANGE: driving_orange,
    AFRICASTALKING: driving_africastalking,
    WHATSAPP: partial(driving_twilio, WHATSAPP),
    SMS: partial(driving_twilio, SMS),
}


@asynccontextmanager
async def open_driver(name: str) -> AsyncGenerator[Driver]:
    """The driver of this adapter, with its provider's stand-in."""
    async with _OPEN_DRIVER[name]() as driver:
        yield driver


@asynccontextmanager
async def staging(make_settings: Callable[..., Settings]) -> AsyncGenerator[MakeStage]:
    """Makes stages, by the adapter's name; at the end no provider may have been vexed."""
    async with AsyncExitStack() as stack:
        drivers: list[Driver] = []

        async def make(name: str, model: Model, **values: object) -> Stage:
            driver = await stack.enter_async_context(open_driver(name))
            drivers.append(driver)
            settings = make_settings(**shared_settings(driver) | values)
            return await stack.enter_async_context(open_stage(driver, settings, model))

        yield make
        for driver in drivers:
            assert driver.violations == []


def shared_settings(driver: Driver) -> dict[str, object]:
    return {"public_url": PUBLIC, "rate_limit_per_minute": 0, **driver.settings}

"""The composition root: every part is made here and handed what it needs.

The order is that of the layers, from the database up to the web.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.http import Http
from bot.accounts.people import People
from bot.agent.loop import Loop
from bot.agent.prices import facts_of
from bot.agent.scripted import ScriptedModel
from bot.agent.toolbox import Toolbox
from bot.contracts import Adapter, Database, Model, Services, Tool
from bot.errors import SettingsError
from bot.gateway.failures import Failures
from bot.gateway.inbox import Inbox
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.opening import Opening
from bot.gateway.outbox import Outbox
from bot.gateway.parts import Parts
from bot.gateway.posting import Posting
from bot.gateway.replies import Replies
from bot.gateway.runner import Crew, Runner
from bot.gateway.turn import Turns
from bot.gateway.worker import Worker
from bot.learning.quiz import Quizzes
from bot.library.files import Files
from bot.library.links import Links
from bot.library.memory import Memory
from bot.observe import Metrics
from bot.settings import Settings
from bot.storage.blobs import open_blobs
from bot.storage.database import open_database
from bot.storage.momentary import open_momentary
from tools import TOOLS

if TYPE_CHECKING:
    from adapters.telegram import Telegram


@dataclass(frozen=True, slots=True)
class House:
    """One process's parts, put together."""

    parts: Parts
    people: People
    files: Files
    links: Links
    inbox: Inbox
    telegram: Telegram | None

    @property
    def settings(self) -> Settings:
        return self.parts.settings

    @property
    def database(self) -> Database:
        return self.parts.database


@asynccontextmanager
async def open_house(settings: Settings, more: Sequence[Adapter] = ()) -> AsyncGenerator[House]:
    """The parts of a process that serves, with `more` adapters beside those the settings name.

    Raises:
        SettingsError: something is missing or wrong.
    """
    async with open_database(settings) as database:
        momentary = open_momentary(settings)
        blobs = open_blobs(settings)
        files = Files(database, blobs)
        telegram = _open_telegram(settings, files)
        adapters: list[Adapter] = [Http(), *more, *([telegram] if telegram else [])]
        links = Links(settings)
        parts = Parts(
            settings=settings,
            database=database,
            momentary=momentary,
            adapters={adapter.name: adapter for adapter in adapters},
            metrics=Metrics(),
            posting=Posting(links),
        )
        try:
            people = People(database, settings)
            yield House(parts, people, files, links, Inbox(database), telegram)
        finally:
            for adapter in adapters:
                await adapter.close()
            await momentary.close()


@asynccontextmanager
async def open_worker(
    house: House, *, model: Model | None = None, tools: Sequence[Tool[Any]] = TOOLS
) -> AsyncGenerator[Worker]:
    """A worker over the house's parts; `model` stands in for the one that the settings name."""
    settings, parts = house.settings, house.parts
    asked = model or _open_model(settings, house.files)
    services = Services(house.files, Memory(house.database), Quizzes(house.database))
    toolbox = Toolbox(tools, settings, services, parts.metrics)
    lanes = Lanes(house.database, settings.lease_seconds, parts.adapters)
    failures = Failures(parts)
    replies = Replies(parts, house.people, failures)
    opening = Opening(house.people, settings)
    crew = Crew(
        lanes=lanes,
        inbox=house.inbox,
        outbox=Outbox(house.database, lanes, parts.adapters, parts.metrics),
        turns=Turns(parts, opening, Loop(asked, toolbox), replies, failures),
        replies=replies,
    )

    def make_runner(claim: Claim) -> Runner:
        return Runner(claim, crew)

    worker = Worker(settings, house.database, lanes, house.inbox, make_runner, parts.metrics)
    worker.start()
    try:
        yield worker
    finally:
        await worker.stop()
        await asked.close()


def _open_telegram(settings: Settings, files: Files) -> Telegram | None:
    if not settings.telegram_bot_token:
        return None
    from adapters.telegram import Telegram  # slow to import

    return Telegram(settings, files.read)


def _open_model(settings: Settings, files: Files) -> Model:
    if settings.debug_mock_responses is not None:
        facts = facts_of(settings.model, settings.model_capabilities)
        return ScriptedModel(settings.debug_mock_responses, facts)
    from bot.agent.model import OpenAIModel  # slow to import

    return OpenAIModel(settings, read_file=files.read)


def with_secret(settings: Settings, *, required: bool) -> Settings:
    """The settings with a `SECRET_KEY`.

    Raises:
        SettingsError: it is not set, and `required`.
    """
    if settings.secret_key:
        return settings
    if required:
        raise SettingsError(
            "SECRET_KEY: it is not set; it signs links and hashes codes. Make one with: "
            "python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return settings.model_copy(update={"secret_key": secrets.token_urlsafe(32)})

"""The composition root: every part is made here and handed what it needs.

The order is that of the layers, from the database up to the web.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.accounts.people import People
from bot.agent.catalogue import Catalogue
from bot.agent.delegation import Advisors
from bot.agent.loop import Loop
from bot.agent.prices import facts_of
from bot.agent.remote.a2a import A2aAgents
from bot.agent.remote.mcp import McpServers
from bot.agent.scripted import ScriptedModel
from bot.agent.toolbox import Toolbox
from bot.agent.transcription import Transcriber
from bot.agent.window import Window
from bot.channels import Channels, open_channels
from bot.contracts import Adapter, Database, Model, Tool
from bot.errors import SettingsError
from bot.gateway.lanes import Lanes
from bot.gateway.parts import Parts
from bot.gateway.receiving.bursts import Bursts
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.replies.replies import Replies
from bot.gateway.runner import Crew, Runner
from bot.gateway.sending.outbox import Outbox
from bot.gateway.sending.pace import Pacer
from bot.gateway.sending.pictures import Pictures
from bot.gateway.sending.posting import Posting
from bot.gateway.turns.attachments import Attachments
from bot.gateway.turns.code_files import CodeFiles
from bot.gateway.turns.compaction import Compaction
from bot.gateway.turns.failures import Failures
from bot.gateway.turns.opening import Opening
from bot.gateway.turns.turn import Turns
from bot.gateway.worker import Worker
from bot.library.files import Files
from bot.library.formulas import Typesetter
from bot.library.links import Links
from bot.observe import Metrics
from bot.services import open_services
from bot.settings import Settings
from bot.storage.blobs import open_blobs
from bot.storage.database import open_database
from bot.storage.momentary import open_momentary
from tools import TOOLS


@dataclass(frozen=True, slots=True)
class House:
    """One process's parts, put together."""

    parts: Parts
    people: People
    files: Files
    links: Links
    inbox: Inbox
    channels: Channels

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
        channels = open_channels(settings, files, more)
        links, typesetter = Links(settings), Typesetter()
        parts = Parts(
            settings=settings,
            database=database,
            momentary=momentary,
            adapters={adapter.name: adapter for adapter in channels.adapters},
            metrics=Metrics(),
            posting=Posting(links),
            pictures=Pictures(files, typesetter),
            code_files=CodeFiles(files),
        )
        try:
            people = People(database, settings)
            inbox = Inbox(database, _bursts(settings, channels.adapters))
            yield House(parts, people, files, links, inbox, channels)
        finally:
            for adapter in channels.adapters:
                await adapter.close()
            await typesetter.close()
            await momentary.close()


@asynccontextmanager
async def open_worker(
    house: House, *, model: Model | None = None, tools: Sequence[Tool[Any]] = TOOLS
) -> AsyncGenerator[Worker]:
    """A worker over the house's parts; `model` stands in for the one that the settings name."""
    settings, parts = house.settings, house.parts
    asked = model or _open_model(settings, house.files)
    transcriber, window = Transcriber(settings), Window(settings)
    lanes = Lanes(house.database, settings.lease_seconds, parts.adapters)
    failures = Failures(parts)
    replies = Replies(parts, house.people, failures, house.inbox)
    async with _open_loop(house, asked, tools, window) as loop:
        turns = Turns(
            parts,
            Opening(house.people, settings),
            Attachments(house.files, transcriber),
            loop,
            window,
            Compaction(house.database, asked, window, settings, parts.metrics),
            replies,
            failures,
        )
        crew = Crew(lanes, house.inbox, _outbox(house, lanes), turns, replies)
        worker = Worker(
            settings,
            house.database,
            lanes,
            house.inbox,
            lambda claim: Runner(claim, crew),
            parts.metrics,
        )
        worker.start()
        try:
            yield worker
        finally:
            await worker.stop()
            await asked.close()
            await transcriber.close()


@asynccontextmanager
async def _open_loop(
    house: House, model: Model, tools: Sequence[Tool[Any]], window: Window
) -> AsyncGenerator[Loop]:
    """The loop with all tools: our own, those of MCP servers, advisors and agents elsewhere."""
    settings, metrics = house.settings, house.parts.metrics
    taken = {tool.name for tool in tools}
    servers = McpServers(settings.mcp_servers, taken=taken)
    agents = A2aAgents(settings.a2a_agents)
    async with open_services(
        settings, house.database, house.files, house.inbox, house.parts.adapters, model
    ) as services:
        advisors = Advisors(model, tools, (servers, agents), window, services, settings, metrics)
        catalogue = Catalogue(tools, (servers, agents, advisors), settings)
        servers.start()
        try:
            yield Loop(model, Toolbox(catalogue, settings, services, metrics), window, settings)
        finally:
            await servers.close()
            await agents.close()


def _outbox(house: House, lanes: Lanes) -> Outbox:
    parts = house.parts
    return Outbox(
        house.database,
        lanes,
        parts.adapters,
        parts.metrics,
        Pacer(parts.momentary),
        segment_usd=house.settings.sms_segment_usd,
        link=house.links.make,
    )


def _bursts(settings: Settings, adapters: Sequence[Adapter]) -> Bursts:
    return Bursts(
        settings.burst_seconds,
        settings.burst_long_seconds,
        settings.burst_most_seconds,
        watched=frozenset(a.name for a in adapters if a.capabilities.streams),
    )


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

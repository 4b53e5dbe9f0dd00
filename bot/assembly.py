"""The composition root: every part is made here and handed what it needs.

The order is that of the layers, from the database up to the web.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import Any

from bot.accounts.cashier import Cashier
from bot.accounts.codes import Codes
from bot.accounts.payments.providers import open_providers
from bot.accounts.people import People
from bot.accounts.shop import Shop
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
from bot.channels import Channels, open_channels, open_code_service
from bot.contracts import Adapter, CodeService, Model, PaymentProvider, Tool
from bot.gateway.copies import Copies
from bot.gateway.erasure import Erasure
from bot.gateway.joining import Joining
from bot.gateway.lanes import Lanes
from bot.gateway.parts import Parts
from bot.gateway.proving import Proving
from bot.gateway.receiving.bursts import Bursts
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.reconciling import Reconciling
from bot.gateway.replies.buying import Buying
from bot.gateway.replies.export import Export
from bot.gateway.replies.farewell import Farewell
from bot.gateway.replies.file_list import FileList
from bot.gateway.replies.progress import ProgressErrand
from bot.gateway.replies.replies import Replies
from bot.gateway.replies.response import Errand
from bot.gateway.replies.verified_logins import VerifiedLogins
from bot.gateway.runner import Crew, Isolation, Runner
from bot.gateway.sending.code_post import CodePost
from bot.gateway.sending.courier import Courier
from bot.gateway.sending.outbox import Hooks, Outbox
from bot.gateway.sending.pace import Pacer
from bot.gateway.sending.pictures import Pictures
from bot.gateway.sending.posting import Posting
from bot.gateway.sending.thanks import Thanks
from bot.gateway.sweeping import Sweeper
from bot.gateway.tallies import Tallying
from bot.gateway.turns.attachments import Attachments
from bot.gateway.turns.code_files import CodeFiles
from bot.gateway.turns.compaction import Compaction
from bot.gateway.turns.failures import Failures
from bot.gateway.turns.opening import Opening
from bot.gateway.turns.turn import Turns
from bot.gateway.worker import Worker
from bot.house import House
from bot.library.files import Files
from bot.library.formulas import Typesetter
from bot.library.links import Links
from bot.messages import Channel
from bot.observe import Metrics
from bot.rounds import stop_all
from bot.services import open_services
from bot.settings import Settings
from bot.storage.blobs import open_blobs
from bot.storage.database import open_database
from bot.storage.momentary import open_momentary
from tools import TOOLS


@asynccontextmanager
async def open_house(
    settings: Settings,
    more: Sequence[Adapter] = (),
    providers: Mapping[str, PaymentProvider] | None = None,
) -> AsyncGenerator[House]:
    """The parts of a process that serves, with `more` adapters beside those the settings name.

    Args:
        providers: of payments; they stand in for those that the settings name.

    Raises:
        SettingsError: something is missing or wrong.
    """
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings))
        momentary = open_momentary(settings)
        stack.push_async_callback(momentary.close)
        blobs = open_blobs(settings)
        files = Files(database, blobs)
        links, typesetter = Links(settings), Typesetter()
        stack.push_async_callback(typesetter.close)
        channels = open_channels(settings, files, more)
        for adapter in channels.adapters:
            stack.push_async_callback(adapter.close)
        service = open_code_service(settings)
        if service is not None:
            stack.push_async_callback(service.close)
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
        yield _furnish(parts, files, links, typesetter, channels, providers, service)


def _furnish(
    parts: Parts,
    files: Files,
    links: Links,
    typesetter: Typesetter,
    channels: Channels,
    providers: Mapping[str, PaymentProvider] | None,
    service: CodeService | None,
) -> House:
    """The house over parts that are open; nothing in it needs to be closed."""
    settings, database = parts.settings, parts.database
    people, codes = People(database, settings), Codes(settings)
    inbox = Inbox(
        database,
        _bursts(settings, channels.adapters),
        seal=codes.keep_typed,
        holds_code=codes.belongs_to,
    )
    courier = Courier(database, inbox, parts.adapters)
    paid_by = open_providers(settings) if providers is None else providers
    return House(
        parts,
        people,
        files,
        links,
        typesetter,
        inbox,
        channels,
        codes,
        courier,
        CodePost(codes, courier),
        Joining(people, courier),
        Cashier(database, settings, parts.metrics, paid_by, Thanks(inbox, people, courier).tell),
        Shop(database, settings, paid_by, _star_channels(channels.adapters)),
        Proving(database, codes, service) if service else None,
    )


@asynccontextmanager
async def open_worker(
    house: House, *, model: Model | None = None, tools: Sequence[Tool[Any]] = TOOLS
) -> AsyncGenerator[Worker]:
    """A worker over the house's parts; `model` stands in for the one that the settings name."""
    settings, parts = house.settings, house.parts
    window = Window(settings)
    lanes = Lanes(house.database, settings.lease_seconds, parts.adapters)
    failures = Failures(parts, house.background)
    replies = _replies(house, failures)
    async with AsyncExitStack() as stack:
        transcriber = Transcriber(settings)
        stack.push_async_callback(transcriber.close)
        asked = model or await _open_model(settings, house.files)
        stack.push_async_callback(asked.close)
        loop = await stack.enter_async_context(_open_loop(house, asked, tools, window))
        turns = Turns(
            parts,
            Opening(house.people, settings),
            Attachments(house.files, transcriber),
            loop,
            Compaction(house.database, asked, window, settings, parts.metrics),
            replies,
            failures,
            house.background,
        )
        isolation = Isolation()
        crew = Crew(lanes, house.inbox, _outbox(house, lanes), turns, replies, isolation)
        worker = Worker(
            settings,
            house.database,
            lanes,
            house.inbox,
            lambda claim: Runner(claim, crew),
            parts.metrics,
            isolation,
        )
        worker.start()
        stack.push_async_callback(worker.stop)
        database = house.database
        walkers = (Sweeper(database, house.files), Reconciling(house.cashier), Tallying(database))
        rounds = [walker.rounds for walker in walkers]
        for each in rounds:
            each.start()
        stack.push_async_callback(stop_all, rounds)
        yield worker


@asynccontextmanager
async def _open_loop(
    house: House, model: Model, tools: Sequence[Tool[Any]], window: Window
) -> AsyncGenerator[Loop]:
    """The loop with all tools: our own, those of MCP servers, advisors and agents elsewhere."""
    settings, metrics = house.settings, house.parts.metrics
    taken = {tool.name for tool in tools}
    servers = McpServers(settings.mcp_servers, taken=taken)
    agents = A2aAgents(settings.a2a_agents)
    async with open_services(house, model) as services:
        advisors = Advisors(model, tools, (servers, agents), window, services, settings, metrics)
        catalogue = Catalogue(tools, (servers, agents, advisors), settings)
        servers.start()
        try:
            yield Loop(model, Toolbox(catalogue, settings, services, metrics), window, settings)
        finally:
            await servers.close()
            await agents.close()


def _replies(house: House, failures: Failures) -> Replies:
    return Replies(
        house.parts,
        house.people,
        failures,
        house.inbox,
        house.logins,
        house.commands,
        house.background,
        _errands(house),
    )


def _errands(house: House) -> Mapping[str, Errand]:
    """The commands that need what no transaction can wait for."""
    database, files = house.database, house.files
    erasure = Erasure(database, files, house.settings)
    links = Links(house.settings, place="progress")
    buying = Buying(house.cashier, house.shop, house.ordering)
    return {
        **_code_errands(house),
        "buy": buying.buy,
        "paid": buying.receive,
        "delete": Farewell(database, erasure),
        "export": Export(Copies(database, files), files, house.parts.momentary),
        "files": FileList(files, house.links),
        "progress": ProgressErrand(house.parts, files, house.typesetter, links).run,
    }


def _code_errands(house: House) -> Mapping[str, Errand]:
    if house.proving is None:
        return {}
    logins = VerifiedLogins(house.database, house.codes, house.joining, house.proving)
    return {"login": logins.begin, "code": logins.prove}


def _outbox(house: House, lanes: Lanes) -> Outbox:
    parts = house.parts
    return Outbox(
        house.database,
        lanes,
        parts.adapters,
        parts.metrics,
        Pacer(parts.momentary),
        segment_usd=house.settings.sms_segment_usd,
        hooks=Hooks(
            link=house.links.make,
            fill_in=house.code_post.fill_in,
            when_refused=house.code_post.fall_back,
        ),
    )


def _bursts(settings: Settings, adapters: Sequence[Adapter]) -> Bursts:
    return Bursts(
        settings.burst_seconds,
        settings.burst_long_seconds,
        settings.burst_most_seconds,
        watched=frozenset(a.name for a in adapters if a.capabilities.streams),
    )


def _star_channels(adapters: Sequence[Adapter]) -> frozenset[Channel]:
    return frozenset(each.channel for each in adapters if each.capabilities.invoices)


async def _open_model(settings: Settings, files: Files) -> Model:
    if settings.debug_mock_responses is not None:
        facts = facts_of(settings.model, settings.model_capabilities)
        return ScriptedModel(settings.debug_mock_responses, facts)
    # Slow to import: meanwhile webhooks are answered.
    module = await asyncio.to_thread(import_module, "bot.agent.model")
    return module.OpenAIModel(settings, read_file=files.read)

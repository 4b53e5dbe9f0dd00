"""The composition root: make every part of a process and give it the parts that it needs.

The order is that of the layers, from the database up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from bot.accounts.approvals import Approvals
from bot.accounts.ledger import Bonuses
from bot.accounts.one_time_codes import OneTimeCodes
from bot.accounts.people import People
from bot.agent.context_window import ContextWindow
from bot.agent.delegation import A2aAgents, Advisors
from bot.agent.loop import Loop
from bot.agent.mcp_servers import McpServers
from bot.agent.model_facts import find_model_facts
from bot.agent.scripted_model import ScriptedModel
from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.toolbox import Toolbox
from bot.agent.transcription import Transcriber
from bot.billing.packs import Shop
from bot.billing.providers import open_providers
from bot.billing.purchase_service import OrderService, PurchaseService
from bot.billing.purchases import NEXT_CHECK
from bot.channel_registry import Channels, open_channels, open_code_service
from bot.contracts.channels import Adapter, CodeService
from bot.contracts.models import Model
from bot.contracts.payments import PaymentProvider
from bot.contracts.services import Services
from bot.contracts.storage import Transaction
from bot.contracts.tools import Tool
from bot.documents.typesetter import Typesetter
from bot.files.library import FileLibrary
from bot.files.links import Links
from bot.files.media import drop_metadata
from bot.files.store import FileStore
from bot.gateway.commands.account_data import DeleteCommand, ExportCommand, FilesCommand
from bot.gateway.commands.conversation import ConversationCommands
from bot.gateway.commands.credits import BuyCommand, PaymentSupport
from bot.gateway.commands.login import (
    CodeVerification,
    EmailCommand,
    LoginCommands,
    VerifiedLoginCommands,
)
from bot.gateway.commands.practice import LevelCommands, PracticeCommands
from bot.gateway.commands.preferences import greet_newcomer
from bot.gateway.commands.progress import ProgressCommand
from bot.gateway.commands.reply import SlowCommandHandler
from bot.gateway.commands.router import CommandRouter, map_commands
from bot.gateway.context import GatewayContext
from bot.gateway.deliveries import State
from bot.gateway.delivery.code_sender import CodeSender
from bot.gateway.delivery.compose import Composer
from bot.gateway.delivery.emails import EmailService, tell_of_bounce
from bot.gateway.delivery.fault_reports import FaultReports
from bot.gateway.delivery.message_costs import MessageCosts
from bot.gateway.delivery.notify import (
    Notifier,
    PaymentNotifier,
)
from bot.gateway.delivery.pacing import Pacer
from bot.gateway.delivery.receipts import Receipts
from bot.gateway.delivery.sender import DeliverySender, SenderHooks
from bot.gateway.inbound.bursts import Bursts
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.jobs import BackgroundJobs
from bot.gateway.lanes import Lanes
from bot.gateway.people.erasure import Erasure
from bot.gateway.people.export import DataExport
from bot.gateway.people.identity_resolution import IdentityResolver
from bot.gateway.people.linking import AccountLinking
from bot.gateway.runner import Isolation, Runner, RunnerParts
from bot.gateway.scheduler.background_events import BackgroundEvents
from bot.gateway.scheduler.cleanup import Cleanup
from bot.gateway.scheduler.hourly_stats import HourlyStatsTask
from bot.gateway.scheduler.message_retention import MessageRetention
from bot.gateway.scheduler.reminders import Reminders
from bot.gateway.scheduler.restriction_trials import RestrictionNotices, make_release_work
from bot.gateway.scheduler.review_nudges import Nudges
from bot.gateway.scheduler.scheduler import DueWork, Scheduler
from bot.gateway.sender_restrictions import try_all_now
from bot.gateway.short_links import ShortLinks
from bot.gateway.turns.admission import TurnAdmission
from bot.gateway.turns.compaction import Compaction
from bot.gateway.turns.model_message import Attachments, CodeFiles
from bot.gateway.turns.open import TurnOpener
from bot.gateway.turns.retry import TurnFailures
from bot.gateway.turns.run import TurnRunner
from bot.gateway.worker import Worker
from bot.isolated_worker.worker import IsolatedWorker, WarmWorker
from bot.learning.exercise_series import ExerciseSeries, PracticeSeries
from bot.learning.given_exercises import GivenExercises
from bot.learning.quiet_hours import QuietHours
from bot.learning.quiz import Quizzes
from bot.learning.remembered_facts import Memory
from bot.learning.results import Results
from bot.learning.skills.skill_map import use_curriculum
from bot.learning.tasks import Tasks
from bot.maths.checker import PROGRAM as ALGEBRA
from bot.maths.checker import MathsChecker
from bot.messages.channels import Channel
from bot.messages.outgoing import Body
from bot.observability import Metrics
from bot.render.formula_pictures import FormulaPictures
from bot.sandbox.sandbox import Sandbox
from bot.settings import Settings
from bot.storage.blobs import find_local_folder, open_blobs
from bot.storage.database import open_database, sqlite_path
from bot.storage.ephemeral import open_ephemeral_store
from tools import TOOLS

_SERVERS_SECONDS: Final = 2.0
"""Seconds for which the first turn waits for the servers of tools."""


class App:
    """All parts of one process, each made once. None of those made here needs to be closed.

    Args:
        providers: payment providers that replace those that the settings name.
        service: makes the codes for phone numbers; None: Griot does.
    """

    def __init__(
        self,
        context: GatewayContext,
        files: FileStore,
        links: Links,
        typesetter: Typesetter,
        channels: Channels,
        providers: Mapping[str, PaymentProvider] | None,
        service: CodeService | None,
    ) -> None:
        settings, database = context.settings, context.database
        self.settings, self.database = settings, database
        paid_by = open_providers(settings) if providers is None else providers
        self.shop = Shop(database, settings, paid_by, _list_star_channels(channels))
        self.context = context = replace(context, sells=self.shop.sells)
        self.files, self.links, self.typesetter = files, links, typesetter
        self.channels = channels
        self.draining = asyncio.Event()
        """Set while the process drains and takes no new requests."""
        self.port = 0
        """The port on which the process listens, once it does."""
        self.people, self.codes = People(database, settings), OneTimeCodes(settings)
        self.identities = IdentityResolver(self.people)
        self.inbox = _make_inbox(context, self.codes, self.identities)
        self.notifier = Notifier(
            database, self.inbox, context.adapters, context.routes, settings.operator_email
        )
        self.code_sender = CodeSender(self.codes, self.notifier)
        self.emails = EmailService(database, self.people, self.notifier, files)
        self.background_events = BackgroundEvents(database, self.inbox)
        self.background = BackgroundJobs(self.inbox, self.notifier)
        self.linking = AccountLinking(self.people, self.notifier)
        self.restriction_notices = RestrictionNotices(self.people, self.notifier, settings)
        self.receipts = Receipts(
            database,
            context.adapters,
            context.metrics,
            self.tell_of_refusal,
            self.restriction_notices.tell,
            MessageCosts(settings),
            self.links.make,
        )
        self.turn_opener = TurnOpener(self.people, self.emails, settings, context.sells)
        self.code_verification = (
            CodeVerification(database, self.codes, service) if service else None
        )
        tell = PaymentNotifier(self.inbox, self.people, self.notifier).tell
        self.purchases = PurchaseService(database, settings, context.metrics, paid_by, tell)
        self.orders = OrderService(self.purchases, self.shop)
        self._make_commands()

    def _make_commands(self) -> None:
        settings = self.settings
        self.quiet_hours = QuietHours.read(settings.quiet_hours)
        self.reports = FaultReports(self.database, self.notifier, settings)
        self.series = ExerciseSeries(settings.secret_key, settings.reviews_a_day)
        self.practice = PracticeCommands(settings.secret_key, self.series, self.quiet_hours)
        self.logins = LoginCommands(
            self.codes, self.code_sender.send, self.linking, self.identities.prove_number
        )
        mailboxes = EmailCommand(self.codes, self.notifier)
        conversation = ConversationCommands(
            self.background,
            TurnAdmission(self.people, settings, self.context.sells),
            self.context.composer.short_links,
        )
        self.commands = map_commands(
            self.logins,
            mailboxes,
            conversation,
            self.practice,
            LevelCommands(self.series),
            PaymentSupport(self.reports),
        )

    async def tell_of_refusal(self, tx: Transaction, lane: str, body: Body, state: State) -> None:
        """Tell people of a delivery that did not arrive, a code or an e-mail; a `WhenRefused`."""
        await self.code_sender.fall_back(tx, lane, body, state)
        await tell_of_bounce(tx, self.notifier, lane, body, state)


@asynccontextmanager
async def open_services(app: App, model: Model) -> AsyncGenerator[Services]:
    """Open the services that tools may use."""
    settings, database, files, notifier = app.settings, app.database, app.files, app.notifier
    isolated_worker = IsolatedWorker()
    library = FileLibrary(files, database, settings, isolated_worker=isolated_worker, model=model)
    tasks = Tasks(database)
    events = app.background_events
    checker = app.context.maths if settings.check_maths else MathsChecker()
    sandbox = Sandbox(events.note_start, events.tell_end, hidden=_list_hidden_folders(settings))
    async with AsyncExitStack() as stack:
        stack.push_async_callback(library.close)
        stack.push_async_callback(sandbox.close)
        yield Services(
            files=library,
            memory=Memory(database),
            quizzes=Quizzes(database, checker),
            exercises=GivenExercises(database, checker),
            practice=PracticeSeries(database, app.series),
            approvals=Approvals(database),
            isolated_worker=isolated_worker,
            notifier=notifier,
            results=Results(database),
            bonuses=Bonuses(database),
            tasks=tasks,
            shop=app.orders,
            sandbox=sandbox,
            mail=app.emails,
            reports=app.reports,
        )


def _list_hidden_folders(settings: Settings) -> list[Path]:
    """List our folders that no command in the sandbox may see."""
    hidden = [sqlite_path(settings).resolve().parent] if settings.is_sqlite else []
    if folder := find_local_folder(settings.blob_url):
        hidden.append(folder.resolve())
    return hidden


def _list_star_channels(channels: Channels) -> frozenset[Channel]:
    """Return the channels whose own currency pays, as Telegram's stars do."""
    return frozenset(each.channel for each in channels.adapters if each.capabilities.invoices)


@asynccontextmanager
async def open_app(
    settings: Settings,
    more: Sequence[Adapter] = (),
    providers: Mapping[str, PaymentProvider] | None = None,
) -> AsyncGenerator[App]:
    """Open the parts of a serving process, with `more` adapters besides those the settings name.

    Args:
        providers: payment providers that replace those that the settings name.

    Raises:
        SettingsError: a setting is missing or wrong.
    """
    use_curriculum(settings.curriculum)
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings))
        momentary = open_ephemeral_store(settings)
        stack.push_async_callback(momentary.close)
        blobs = open_blobs(settings)
        files = FileStore(database, blobs)
        links, typesetter = Links(settings), Typesetter()
        stack.push_async_callback(typesetter.close)
        channels = open_channels(settings, files.read, more)
        for adapter in channels.adapters:
            stack.push_async_callback(adapter.close)
        service = open_code_service(settings)
        if service is not None:
            stack.push_async_callback(service.close)
        algebra = WarmWorker(ALGEBRA)
        stack.push_async_callback(algebra.close)
        parts = GatewayContext(
            settings=settings,
            database=database,
            momentary=momentary,
            adapters={adapter.name: adapter for adapter in channels.adapters},
            metrics=Metrics(),
            composer=Composer(links, ShortLinks(settings)),
            pictures=FormulaPictures(files, typesetter),
            code_files=CodeFiles(files),
            maths=MathsChecker(algebra.ask, algebra.start_soon),
            routes=channels.outbound,
        )
        yield App(parts, files, links, typesetter, channels, providers, service)


def _make_inbox(parts: GatewayContext, codes: OneTimeCodes, identities: IdentityResolver) -> Inbox:
    settings, adapters = parts.settings, parts.adapters.values()
    bursts = Bursts(
        settings.burst_seconds,
        settings.burst_long_seconds,
        settings.burst_most_seconds,
        watched=frozenset(each.name for each in adapters if each.capabilities.streams),
    )
    return Inbox(
        parts.database,
        bursts,
        seal=codes.keep_typed,
        holds_code=codes.belongs_to,
        resolve_identity=identities.resolve,
        change_identity=identities.change,
        windows={each.name: each.capabilities.window for each in adapters},
    )


@asynccontextmanager
async def open_worker(
    app: App, *, model: Model | None = None, tools: Sequence[Tool[Any]] = TOOLS
) -> AsyncGenerator[Worker]:
    """Open a worker with the app's parts; `model` replaces the one that the settings name."""
    async with AsyncExitStack() as stack:
        transcriber = Transcriber(app.settings)
        stack.push_async_callback(transcriber.close)
        asked = model or await _open_model(app.settings, app.files)
        stack.push_async_callback(asked.close)
        window = ContextWindow(app.settings)
        loop = await stack.enter_async_context(_open_loop(app, asked, tools, window))
        compaction = Compaction(app.database, asked, window, app.settings, app.context.metrics)
        attachments = Attachments(app.files, transcriber, IsolatedWorker())
        worker = _make_worker(app, loop, attachments, compaction)
        await try_all_now(app.database)
        worker.start()
        stack.push_async_callback(worker.stop)
        scheduler = Scheduler(app.database, [worker.work, *_list_due_works(app)])
        scheduler.start()
        stack.push_async_callback(scheduler.stop)
        yield worker


def _make_worker(app: App, loop: Loop, attachments: Attachments, compaction: Compaction) -> Worker:
    parts, inbox, background = app.context, app.inbox, app.background
    lanes = Lanes(app.database, app.settings.lease_seconds, parts.adapters)
    failures, slow = TurnFailures(parts, app.people, background), _list_slow_commands(app)
    router = CommandRouter(
        parts, app.people, failures, inbox, app.logins, app.practice, app.commands, slow
    )
    turns = TurnRunner(
        parts,
        app.turn_opener,
        attachments,
        loop,
        compaction,
        failures,
        background,
        inbox,
        greet_newcomer,
    )
    isolation, deliveries = Isolation(), _make_delivery_sender(app, lanes)
    runner_parts = RunnerParts(lanes, inbox, deliveries, turns, router, isolation)
    return Worker(
        app.settings,
        app.database,
        lanes,
        inbox,
        lambda claim: Runner(claim, runner_parts),
        parts.metrics,
        isolation,
    )


def _list_due_works(app: App) -> list[DueWork]:
    """List the scheduled works, which run independently of the lanes."""
    database = app.database
    quiet = app.quiet_hours
    reminders = Reminders(database, app.notifier, app.context.metrics, quiet, app.emails)
    return [
        *reminders.works,
        *Nudges(
            database, app.notifier, app.context.metrics, quiet, app.settings.reviews_a_day
        ).works,
        DueWork("ask", app.purchases.ask_due, due=NEXT_CHECK),
        *app.background_events.works,
        *Cleanup(database, app.files).works,
        *MessageRetention(database, app.files, app.settings.message_retention_days).works,
        HourlyStatsTask(database).work,
        make_release_work(database),
        DueWork("receipts", app.receipts.settle_kept, pause=60.0),
    ]


@asynccontextmanager
async def _open_loop(
    app: App, model: Model, tools: Sequence[Tool[Any]], window: ContextWindow
) -> AsyncGenerator[Loop]:
    """Open the loop with all tools: our own, those of MCP servers, advisors and remote agents."""
    settings, metrics = app.settings, app.context.metrics
    servers = McpServers(settings.mcp_servers, taken={tool.name for tool in tools})
    agents = A2aAgents(settings.a2a_agents)
    async with open_services(app, model) as services:
        advisors = Advisors(model, tools, (servers, agents), window, services, settings, metrics)
        catalogue = ToolCatalogue(tools, (servers, agents, advisors), settings)
        servers.start()
        await servers.wait_until_tried(_SERVERS_SECONDS)
        try:
            yield Loop(model, Toolbox(catalogue, settings, services, metrics), window, settings)
        finally:
            await servers.close()
            await agents.close()


def _list_slow_commands(app: App) -> Mapping[str, SlowCommandHandler]:
    """Return the commands that wait for more than a transaction may wait for."""
    database, files = app.database, app.files
    erasure = Erasure(database, files, app.settings)
    links = Links(app.settings, place="progress")
    buying = BuyCommand(app.purchases, app.shop, app.orders)
    login_commands: Mapping[str, SlowCommandHandler] = {}
    if app.code_verification is not None:
        logins = VerifiedLoginCommands(app.database, app.codes, app.logins, app.code_verification)
        login_commands = {"login": logins.begin, "code": logins.prove}
    return {
        **login_commands,
        "buy": buying.buy,
        "paid": buying.receive,
        "delete": DeleteCommand(database, erasure),
        "export": ExportCommand(DataExport(database, files), files, app.context.momentary),
        "files": FilesCommand(files, app.links),
        "progress": ProgressCommand(app.context, files, app.typesetter, links).run,
    }


def _make_delivery_sender(app: App, lanes: Lanes) -> DeliverySender:
    parts = app.context
    return DeliverySender(
        app.database,
        lanes,
        parts.adapters,
        parts.metrics,
        Pacer(parts.momentary),
        receipts=app.receipts,
        hooks=SenderHooks(
            link=app.links.make,
            fill_in=app.code_sender.fill_in,
            when_refused=app.tell_of_refusal,
            when_held=app.restriction_notices.tell,
            routes=parts.routes,
        ),
    )


async def _open_model(settings: Settings, files: FileStore) -> Model:
    if settings.debug_mock_responses is not None:
        facts = find_model_facts(settings.model, settings.model_capabilities)
        return ScriptedModel(settings.debug_mock_responses, facts)
    # Slow to import, so in a thread: webhooks are answered meanwhile.
    module = await asyncio.to_thread(import_module, "bot.agent.model_endpoints")

    async def read_picture(file_id: str) -> bytes:
        return drop_metadata(await files.read(file_id))

    return module.OpenAIModel(settings, read_file=read_picture)

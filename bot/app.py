"""The composition root: make every part of a process and give it the parts that it needs.

The order is that of the layers, from the database up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

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
from bot.contracts.storage import Database, Transaction
from bot.contracts.tools import Tool
from bot.documents.typesetter import Typesetter
from bot.files.library import FileLibrary
from bot.files.links import Links
from bot.files.store import FileStore
from bot.gateway.commands.account_data import DeleteCommand, ExportCommand, FilesCommand
from bot.gateway.commands.general import GeneralCommands
from bot.gateway.commands.login import (
    CodeVerification,
    EmailCommand,
    LoginCommands,
    VerifiedLoginCommands,
)
from bot.gateway.commands.practice import PracticeCommands, PracticeSeries
from bot.gateway.commands.progress import ProgressCommand
from bot.gateway.commands.purchases import BuyCommand
from bot.gateway.commands.reply import SlowCommandHandler
from bot.gateway.commands.router import CommandRouter
from bot.gateway.context import GatewayContext
from bot.gateway.deliveries import State, WhenRefused
from bot.gateway.delivery.code_sender import CodeSender
from bot.gateway.delivery.compose import Composer
from bot.gateway.delivery.emails import BouncedEmailNotifier, EmailService
from bot.gateway.delivery.fault_reports import FaultReports
from bot.gateway.delivery.message_costs import MessageCosts
from bot.gateway.delivery.notify import (
    Notifier,
    PaymentNotifier,
)
from bot.gateway.delivery.receipts import Receipts
from bot.gateway.delivery.restriction_notices import RestrictionNotices
from bot.gateway.delivery.sender import DeliverySender, Pacer, SenderHooks
from bot.gateway.inbound.bursts import Bursts
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.jobs import BackgroundJobs
from bot.gateway.lanes import Lanes
from bot.gateway.people.erasure import Erasure
from bot.gateway.people.export import DataExport
from bot.gateway.people.identity_resolution import IdentityResolver
from bot.gateway.people.linking import AccountLinking
from bot.gateway.render.formula_pictures import FormulaPictures
from bot.gateway.runner import Isolation, Runner, RunnerParts
from bot.gateway.scheduler.hourly_stats import HourlyStatsTask
from bot.gateway.scheduler.periodic import BackgroundEvents, Cleanup
from bot.gateway.scheduler.reminders import Reminders
from bot.gateway.scheduler.restricted_senders import RestrictedSenders
from bot.gateway.scheduler.review_nudges import Nudges
from bot.gateway.scheduler.scheduler import DueWork, Scheduler
from bot.gateway.sender_restrictions import try_all_now
from bot.gateway.short_links import ShortLinks
from bot.gateway.turns.compaction import Compaction
from bot.gateway.turns.model_message import Attachments
from bot.gateway.turns.open import TurnOpener
from bot.gateway.turns.preview import CodeFiles
from bot.gateway.turns.retry import TurnFailures
from bot.gateway.turns.run import TurnRunner
from bot.gateway.worker import Worker
from bot.isolated_worker.worker import IsolatedWorker, WarmWorker
from bot.learning.given_exercises import GivenExercises
from bot.learning.key_checks.answer_keys import AnswerKeys
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
from bot.sandbox.sandbox import Sandbox
from bot.settings import Settings
from bot.storage.blobs import find_local_folder, open_blobs
from bot.storage.database import open_database, sqlite_path
from bot.storage.ephemeral import open_ephemeral_store
from tools import TOOLS


@dataclass(slots=True)
class App:
    """All parts of one process."""

    context: GatewayContext
    people: People
    files: FileStore
    links: Links
    typesetter: Typesetter
    inbox: Inbox
    channels: Channels
    codes: OneTimeCodes
    notifier: Notifier
    code_sender: CodeSender
    emails: EmailService
    background_events: BackgroundEvents
    linking: AccountLinking
    identities: IdentityResolver
    purchases: PurchaseService
    shop: Shop
    code_verification: CodeVerification | None
    """Set where a service makes the codes for phone numbers."""
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the process drains and takes no new requests."""

    port: int = 0
    """The port on which the process listens, once it does."""

    @property
    def logins(self) -> LoginCommands:
        return LoginCommands(
            self.codes, self.code_sender, self.linking, self.identities.prove_number
        )

    @property
    def background(self) -> BackgroundJobs:
        return BackgroundJobs(self.inbox, self.notifier)

    @property
    def restriction_notices(self) -> RestrictionNotices:
        return RestrictionNotices(self.people, self.notifier, self.settings)

    @property
    def commands(self) -> GeneralCommands:
        mailboxes, links = EmailCommand(self.codes, self.notifier), self.context.posting.short_links
        return GeneralCommands(self.logins, mailboxes, self.background, self.practice, links)

    @property
    def practice(self) -> PracticeCommands:
        settings = self.settings
        quiet = QuietHours.read(settings.quiet_hours)
        return PracticeCommands(settings.secret_key, settings.reviews_a_day, quiet)

    @property
    def turn_opener(self) -> TurnOpener:
        return TurnOpener(self.people, self.emails, self.settings)

    @property
    def orders(self) -> OrderService:
        return OrderService(self.purchases, self.shop)

    @property
    def settings(self) -> Settings:
        return self.context.settings

    @property
    def database(self) -> Database:
        return self.context.database


@asynccontextmanager
async def open_services(app: App, model: Model) -> AsyncGenerator[Services]:
    """Open the services that tools may use."""
    settings, database, files, notifier = app.settings, app.database, app.files, app.notifier
    isolated_worker = IsolatedWorker()
    library = FileLibrary(files, database, settings, isolated_worker=isolated_worker, model=model)
    tasks = Tasks(database)
    events = app.background_events
    keys = AnswerKeys(app.context.maths if settings.check_maths else MathsChecker())
    sandbox = Sandbox(events.note_start, events.tell_end, hidden=_list_hidden_folders(settings))
    async with AsyncExitStack() as stack:
        stack.push_async_callback(library.close)
        stack.push_async_callback(sandbox.close)
        yield Services(
            files=library,
            memory=Memory(database),
            quizzes=Quizzes(database, keys),
            exercises=GivenExercises(database, keys),
            practice=PracticeSeries(database, app.practice),
            approvals=Approvals(database),
            isolated_worker=isolated_worker,
            notifier=notifier,
            results=Results(database),
            bonuses=Bonuses(database),
            tasks=tasks,
            shop=app.orders,
            sandbox=sandbox,
            mail=app.emails,
            reports=FaultReports(database, notifier, settings),
        )


def _list_hidden_folders(settings: Settings) -> list[Path]:
    """List our folders that no command in the sandbox may see."""
    hidden = [sqlite_path(settings).resolve().parent] if settings.is_sqlite else []
    if folder := find_local_folder(settings.blob_url):
        hidden.append(folder.resolve())
    return hidden


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
        channels = open_channels(settings, files.read, momentary, more)
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
            posting=Composer(links, ShortLinks(settings)),
            pictures=FormulaPictures(files, typesetter),
            code_files=CodeFiles(files),
            maths=MathsChecker(algebra.ask, algebra.start_soon),
            routes=channels.outbound,
        )
        yield _build_app(parts, files, links, typesetter, channels, providers, service)


def _build_app(
    parts: GatewayContext,
    files: FileStore,
    links: Links,
    typesetter: Typesetter,
    channels: Channels,
    providers: Mapping[str, PaymentProvider] | None,
    service: CodeService | None,
) -> App:
    """Return the app made from open parts; none of its own parts needs to be closed."""
    settings, database, adapters = parts.settings, parts.database, channels.adapters
    people, codes = People(database, settings), OneTimeCodes(settings)
    star_channels: frozenset[Channel] = frozenset(
        each.channel for each in adapters if each.capabilities.invoices
    )
    identities = IdentityResolver(people)
    inbox = _make_inbox(parts, codes, identities)
    notifier = Notifier(database, inbox, parts.adapters, parts.routes, settings.operator_email)
    paid_by = open_providers(settings) if providers is None else providers
    return App(
        parts,
        people,
        files,
        links,
        typesetter,
        inbox,
        channels,
        codes,
        notifier,
        CodeSender(codes, notifier),
        EmailService(database, people, notifier, files),
        BackgroundEvents(database, inbox),
        AccountLinking(people, notifier),
        identities,
        PurchaseService(
            database,
            settings,
            parts.metrics,
            paid_by,
            PaymentNotifier(inbox, people, notifier).tell,
        ),
        Shop(database, settings, paid_by, star_channels),
        CodeVerification(database, codes, service) if service else None,
    )


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
        worker = _make_worker(app, loop, Attachments(app.files, transcriber), compaction)
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
    failures, commands = TurnFailures(parts, background), _list_slow_commands(app)
    router = CommandRouter(
        parts, app.people, failures, inbox, app.logins, app.commands, background, commands
    )
    turns = TurnRunner(
        parts, app.turn_opener, attachments, loop, compaction, router, failures, background
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
    quiet = QuietHours.read(app.settings.quiet_hours)
    reminders = Reminders(database, app.notifier, app.context.metrics, quiet, app.emails)
    return [
        *reminders.works,
        Nudges(database, app.notifier, app.context.metrics, quiet, app.settings.reviews_a_day).work,
        DueWork("ask", app.purchases.ask_due, due=NEXT_CHECK),
        *app.background_events.works,
        *Cleanup(database, app.files).works,
        HourlyStatsTask(database).work,
        RestrictedSenders(database).work,
        DueWork("receipts", make_receipts(app).settle_kept, pause=60.0),
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
        logins = VerifiedLoginCommands(
            app.database,
            app.codes,
            app.linking,
            app.identities.prove_number,
            app.code_verification,
        )
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
        receipts=make_receipts(app),
        hooks=SenderHooks(
            link=app.links.make,
            fill_in=app.code_sender.fill_in,
            when_refused=_make_refusal_hook(app),
            when_held=app.restriction_notices.tell,
            routes=parts.routes,
        ),
    )


def make_receipts(app: App) -> Receipts:
    """Return the part that applies the providers' reports on deliveries."""
    parts, hold = app.context, app.restriction_notices.tell
    hook, costs = _make_refusal_hook(app), MessageCosts.from_settings(app.settings)
    return Receipts(parts.database, parts.adapters, parts.metrics, hook, hold, costs)


def _make_refusal_hook(app: App) -> WhenRefused:
    """Return the hook called for deliveries that did not arrive: each part handles its own."""
    bounced = BouncedEmailNotifier(app.notifier)

    async def tell(tx: Transaction, lane: str, body: Body, state: State) -> None:
        await app.code_sender.fall_back(tx, lane, body, state)
        await bounced.tell(tx, lane, body, state)

    return tell


async def _open_model(settings: Settings, files: FileStore) -> Model:
    if settings.debug_mock_responses is not None:
        facts = find_model_facts(settings.model, settings.model_capabilities)
        return ScriptedModel(settings.debug_mock_responses, facts)
    # Slow to import, so in a thread: webhooks are answered meanwhile.
    module = await asyncio.to_thread(import_module, "bot.agent.model_endpoints")
    return module.OpenAIModel(settings, read_file=files.read)

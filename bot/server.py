"""Run the serving processes: web, worker, or both in one."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import structlog
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from bot.app import App, open_app, open_worker
from bot.asyncio_tasks import cancel_tasks
from bot.channel_registry import Receiver
from bot.checks.settings import list_weak_secrets, refuse_broken_settings
from bot.contracts.channels import Adapter
from bot.contracts.models import Model
from bot.contracts.payments import PaymentProvider
from bot.contracts.tools import Tool
from bot.errors import DeliveryError, SettingsError
from bot.files.links import Links
from bot.gateway.lanes import inherit_lanes
from bot.learning.quiet_hours import QuietHours
from bot.observability import start_tracing
from bot.settings import Settings
from bot.storage.database import hold_lanes
from bot.web.api_document import ApiDocument
from bot.web.app import Routes, make_app
from bot.web.chat import Chat
from bot.web.files import FileRoutes
from bot.web.health import Health
from bot.web.learning import ProgressRoutes, ReviewRoutes
from bot.web.learning_answers import ExerciseAnswers, QuizAnswers
from bot.web.login import Login, Me
from bot.web.openai_api import Completions
from bot.web.operator.overview_pages import OperatorPages
from bot.web.requests import IDLE_SECONDS
from bot.web.short_pages import ShortPages
from bot.web.site_pages import ChatPage
from bot.web.webhooks import PaymentWebhooks, Webhooks
from tools import TOOLS

_SHUTDOWN_SECONDS = 3.0
_REDIS_SECONDS = 2.0
log = structlog.get_logger()


async def serve(
    settings: Settings,
    *,
    web_part: bool,
    worker_part: bool,
    announce: Callable[[int], Coroutine[Any, Any, None]] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT, then drain.

    Args:
        announce: runs alongside, given the port, once the process takes requests.

    Raises:
        SettingsError: a setting is missing or wrong.
    """
    refuse_broken_settings(settings)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    end_tracing = start_tracing()
    try:
        async with (
            run_server(settings, web_part=web_part, worker_part=worker_part) as app,
            _run_tasks(announce(app.port) if announce else None),
        ):
            # Here, so that a process that refuses to start says one thing: why.
            for name in list_weak_secrets(settings):
                log.warning("secret_can_be_guessed", setting=name)
            await stop.wait()
            log.info("stopping")
            app.draining.set()
    finally:
        await asyncio.to_thread(end_tracing)  # sends the remaining spans


@asynccontextmanager
async def _run_tasks(work: Coroutine[Any, Any, None] | None) -> AsyncGenerator[None]:
    """Run `work`, if there is any, as long as the context is open."""
    tasks = [asyncio.create_task(work, name="announce")] if work else []
    try:
        yield
    finally:
        await cancel_tasks(tasks)


@asynccontextmanager
async def run_server(
    settings: Settings,
    *,
    web_part: bool = True,
    worker_part: bool = True,
    more: Sequence[Adapter] = (),
    pages: Iterable[Routes] = (),
    model: Model | None = None,
    tools: Sequence[Tool[Any]] = TOOLS,
    providers: Mapping[str, PaymentProvider] | None = None,
) -> AsyncGenerator[App]:
    """Serve while the context is open. Health and metrics are always served.

    Args:
        more: adapters besides those that the settings name.
        pages: more routes, which replace the page at `/`.
        model: replaces the one that the settings name.
        tools: our own tools.
        providers: payment providers that replace those that the settings name.
    """
    if not (web_part and worker_part) and settings.redis_url is None:
        raise SettingsError(
            "REDIS_URL: it is not set; web and worker apart need it to show turns live. "
            "Set it, or run both in one process with: griot serve"
        )
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app(settings, more, providers))
        if worker_part:
            await stack.enter_async_context(hold_lanes(settings))
            if settings.is_sqlite:  # the lock on the file proves that no other process runs lanes
                await inherit_lanes(app.database)
        routes = _make_routes(app, web_part)
        app.port = await stack.enter_async_context(_listen(app, routes, list(pages)))
        if web_part:
            await stack.enter_async_context(_receive_updates(app))
        if worker_part:  # last in, first out: streams stay open while turns drain
            await stack.enter_async_context(open_worker(app, model=model, tools=tools))
        _tune_garbage_collector()
        await _warn_without_redis(app)
        log.info("ready", web=web_part, worker=worker_part, port=app.port)
        yield app


async def _warn_without_redis(app: App) -> None:
    """Log if Redis, which everything can do without for a while, cannot be reached at the start."""
    try:
        async with asyncio.timeout(_REDIS_SECONDS):
            await app.context.momentary.ping()
    except OSError as error:
        reason = str(error) or "no answer"
        log.warning("redis_unreachable", setting="REDIS_URL", reason=reason)


def _tune_garbage_collector() -> None:
    """Keep the garbage collector from going through objects that never become garbage.

    Everything made so far stays; objects made by turns are short-lived, and reference counting
    frees nearly all of them. With the defaults, full collections stopped the event loop for tens of
    milliseconds under load.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _make_routes(app: App, web_part: bool) -> list[Routes]:
    health: list[Routes] = [Health(app.context, app.draining)]
    if not web_part:
        return health
    return [
        *health,
        _make_webhooks(app),
        ChatPage(app.settings),
        Chat(app.context, app.people, app.inbox, app.links, app.files),
        Completions(app.context, app.people, app.inbox, app.files),
        ApiDocument(app.settings),
        QuizAnswers(app.context, app.people),
        ExerciseAnswers(app.context, app.people, app.series),
        FileRoutes(app.files, app.links, app.people),
        Me(app.database, app.people),
        Login(
            app.context,
            app.people,
            app.codes,
            app.code_sender,
            app.linking,
            app.code_verification,
        ),
        ShortPages(
            app.context,
            app.people,
            app.series,
            app.context.composer.short_links,
            app.shop,
            app.orders,
        ),
        ReviewRoutes(app.database, app.people, QuietHours.read(app.settings.quiet_hours)),
        ProgressRoutes(app.database, app.people, Links(app.settings, place="progress")),
        PaymentWebhooks(app.purchases, app.context.metrics),
        OperatorPages(app.settings, app.database, app.context.momentary, app.people),
    ]


def _make_webhooks(app: App) -> Webhooks:
    parts = app.context
    return Webhooks(app.channels.routes, parts.database, app.inbox, app.receipts, parts.metrics)


@asynccontextmanager
async def _listen(
    app: App, routes: Sequence[Routes], pages: Sequence[Routes]
) -> AsyncGenerator[int]:
    """Serve while the context is open, which yields the port (chosen by the system for 0)."""
    site = make_app(
        [*routes, *pages],
        home=not pages,
        origins=app.settings.cors_origins,
        addresses=None if pages else partial(_find_addresses, app.settings),
    )
    logging.getLogger("aiohttp.server").addFilter(_summarise_malformed)
    runner = web.AppRunner(
        site,
        access_log=None,
        keepalive_timeout=IDLE_SECONDS,
        shutdown_timeout=_SHUTDOWN_SECONDS,
    )
    await runner.setup()
    listener = web.TCPSite(runner, app.settings.host, app.settings.port)
    try:
        await listener.start()
    except OSError as error:
        await runner.cleanup()
        is_address = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        where = f"{app.settings.host}:{app.settings.port}"
        raise SettingsError(
            f"{'HOST' if is_address else 'PORT'}: cannot listen on {where}: {error.strerror}"
        ) from error
    try:
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def _summarise_malformed(record: logging.LogRecord) -> bool:
    """Log a request that is no valid HTTP, such as scanners send, as one warning. aiohttp's own
    record, which this drops, is an error with a traceback and the client's address."""
    error = record.exc_info[1] if record.exc_info else None
    if not isinstance(error, HttpProcessingError):
        return True
    log.warning("request_malformed", error=type(error).__name__)
    return False


async def _find_addresses(settings: Settings) -> list[tuple[str, str]]:
    """Return the addresses at which people write to the bot, by channel; empty where the provider
    gives no answer."""
    from bot.checks.providers import find_contacts  # seldom needed, and slow to import

    return [(each.name, each.address) for each in await find_contacts(settings)]


@asynccontextmanager
async def _receive_updates(app: App) -> AsyncGenerator[None]:
    """Run the receivers, by which channels set up their webhooks or poll, while the context is
    open."""
    webhooks = _make_webhooks(app)
    tasks = [
        asyncio.create_task(_receive(via, receiver, webhooks), name=via)
        for via, receiver in app.channels.receivers.items()
    ]
    try:
        yield
    finally:
        await cancel_tasks(tasks)


async def _receive(via: str, receiver: Receiver, webhooks: Webhooks) -> None:
    """Run a receiver to its end; after an error, log it and run the receiver again."""
    pause = 1.0
    while True:
        try:
            await receiver(lambda items: webhooks.store_received(list(items)))
            return
        except (DeliveryError, SettingsError) as error:
            log.warning("channel_unavailable", via=via, reason=str(error))
        except Exception:
            log.exception("channel_failed", via=via)
        await asyncio.sleep(pause)
        pause = min(pause * 2, 60.0)

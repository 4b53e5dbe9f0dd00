"""Processes that serve: web, worker, or both in one."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import structlog
from aiohttp import web

from bot.assembly import House, open_house, open_worker
from bot.checks import refuse
from bot.contracts import Adapter, Model, PaymentProvider, Tool
from bot.errors import DeliveryError, SettingsError
from bot.gateway.lanes import inherit
from bot.gateway.sending.receipts import Receipts
from bot.library.links import Links
from bot.rounds import cancel
from bot.settings import Settings
from bot.storage.database import hold_lanes
from bot.tracing import start_tracing
from bot.web.app import Routes, make_app
from bot.web.chat import Chat
from bot.web.chat_page import ChatPage
from bot.web.completions.routes import Completions
from bot.web.files import FileRoutes
from bot.web.health import Health
from bot.web.login import Login
from bot.web.me import Me
from bot.web.openapi.routes import ApiDocument
from bot.web.operator.pages import OperatorPages
from bot.web.payments import Payments
from bot.web.progress import ProgressRoutes
from bot.web.quizzes import QuizAnswers
from bot.web.webhooks import Webhooks
from tools import TOOLS

_SHUTDOWN_SECONDS = 3.0
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
        announce: runs beside, given the port, once requests are taken.

    Raises:
        SettingsError: something is missing or wrong.
    """
    refuse(settings)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    end_tracing = start_tracing()
    try:
        async with (
            running(settings, web_part=web_part, worker_part=worker_part) as house,
            _beside(announce(house.port) if announce else None),
        ):
            await stop.wait()
            log.info("stopping")
            house.leaving.set()
    finally:
        await asyncio.to_thread(end_tracing)  # what is left is sent


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None] | None) -> AsyncGenerator[None]:
    """Run `work` as long as the context is open; None: nothing."""
    tasks = [asyncio.create_task(work, name="announce")] if work else []
    try:
        yield
    finally:
        await cancel(tasks)


@asynccontextmanager
async def running(
    settings: Settings,
    *,
    web_part: bool = True,
    worker_part: bool = True,
    more: Sequence[Adapter] = (),
    pages: Iterable[Routes] = (),
    model: Model | None = None,
    tools: Sequence[Tool[Any]] = TOOLS,
    providers: Mapping[str, PaymentProvider] | None = None,
) -> AsyncGenerator[House]:
    """A process that serves while the context is open. Health and metrics are always served.

    Args:
        more: adapters beside those that the settings name.
        pages: more routes; they take the place of the page at `/`.
        model: stands in for the one that the settings name.
        tools: what the toolbox holds.
        providers: of payments, likewise.
    """
    if not (web_part and worker_part) and settings.redis_url is None:
        raise SettingsError(
            "REDIS_URL: it is not set; web and worker apart need it to show turns live. "
            "Set it, or run both in one process with: griot serve"
        )
    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(open_house(settings, more, providers))
        if worker_part:
            await stack.enter_async_context(hold_lanes(settings))
            if settings.is_sqlite:  # by the kernel's word the file is ours alone
                await inherit(house.database)
        routes = _routes(house, web_part)
        house.port = await stack.enter_async_context(_listening(house, routes, list(pages)))
        if web_part and house.channels.telegram is not None:
            await stack.enter_async_context(_receiving(house))
        if worker_part:  # last in, first out: streams stay open while turns drain
            await stack.enter_async_context(open_worker(house, model=model, tools=tools))
        _calm_collector()
        log.info("ready", web=web_part, worker=worker_part, port=house.port)
        yield house


def _calm_collector() -> None:
    """Keep the garbage collector from going through what never becomes garbage.

    Everything made so far stays; what turns make is short-lived, and reference counting frees
    nearly all of it. With the defaults, full collections stopped the event loop for tens of
    milliseconds under load.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _routes(house: House, web_part: bool) -> list[Routes]:
    health: list[Routes] = [Health(house.parts, house.leaving)]
    if not web_part:
        return health
    return [
        *health,
        _webhooks(house),
        ChatPage(),
        Chat(house.parts, house.people, house.inbox, house.links, house.files),
        Completions(house.parts, house.people, house.inbox, house.files),
        ApiDocument(house.settings),
        QuizAnswers(house.parts, house.people),
        FileRoutes(house.files, house.links, house.people),
        Me(house.people),
        Login(
            house.parts,
            house.people,
            house.codes,
            house.code_post,
            house.joining,
            house.proving,
        ),
        ProgressRoutes(house.database, house.people, Links(house.settings, place="progress")),
        Payments(house.cashier, house.parts.metrics),
        OperatorPages(house.settings, house.database, house.parts.momentary, house.people),
    ]


def _webhooks(house: House) -> Webhooks:
    parts = house.parts
    receipts = Receipts(parts.database, parts.adapters, parts.metrics, house.code_post.fall_back)
    return Webhooks(house.channels.doors, house.inbox, receipts, parts.metrics)


@asynccontextmanager
async def _listening(
    house: House, routes: Sequence[Routes], pages: Sequence[Routes]
) -> AsyncGenerator[int]:
    """Serve; on which port, where any would do (0)."""
    app = make_app(
        [*routes, *pages],
        home=not pages,
        origins=house.settings.cors_origins,
        addresses=None if pages else partial(_find_addresses, house.settings),
    )
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
    await runner.setup()
    site = web.TCPSite(runner, house.settings.host, house.settings.port)
    try:
        await site.start()
    except OSError as error:
        await runner.cleanup()
        raise SettingsError(
            f"PORT: cannot listen on {house.settings.host}:{house.settings.port}: {error.strerror}"
        ) from error
    try:
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


async def _find_addresses(settings: Settings) -> list[tuple[str, str]]:
    """Where people write to the bot, by channel; empty where the provider gives no answer."""
    from bot.checks.providers import find_contacts  # seldom needed, and slow to import

    return [(each.name, each.address) for each in await find_contacts(settings)]


# Telegram ---------------------------------------------------------------------------------------


@asynccontextmanager
async def _receiving(house: House) -> AsyncGenerator[None]:
    """Receive from Telegram: by webhook where people can reach us, else by asking."""
    task = asyncio.create_task(_receive(house), name="telegram")
    try:
        yield
    finally:
        await cancel([task])


async def _receive(house: House) -> None:
    """Set up the webhook, or poll; whatever goes wrong is logged and tried again."""
    telegram = house.channels.telegram
    if telegram is None:
        return
    webhooks = _webhooks(house)
    pause = 1.0
    while True:
        try:
            await telegram.prepare()
            if house.settings.public_url:
                await telegram.set_webhook()
                return
            await telegram.poll(lambda items: webhooks.take(list(items)))
        except (DeliveryError, SettingsError) as error:
            log.warning("telegram_unavailable", reason=str(error))
        except Exception:
            log.exception("telegram_failed")
        await asyncio.sleep(pause)
        pause = min(pause * 2, 60.0)

"""`griot demo`: run the whole of Griot on this machine, with no key and no account.

The gateway is a process of its own, which may be killed at any moment. This process runs its
surroundings: providers, phones, the model, and the proxy in front of the gateway.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import webbrowser
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, Literal

import typer
from aiohttp import web

from bot import settings as environment
from bot.accounts.phone_numbers import country_of
from bot.demo import tutor
from bot.demo.fork_server import ForkServer
from bot.demo.local_server import (
    cancel_at_exit,
    find_free_port,
    listen,
    origin_of,
    serve_routes,
)
from bot.demo.phones_page import PhoneSet, PhonesPage, recount_forever
from bot.demo.providers.phone_screens import PhoneScreens
from bot.demo.providers.telegram import TelegramApi, TelegramPerson
from bot.demo.providers.till import Till
from bot.demo.providers.twilio import TwilioApi, TwilioPerson, find_person_number
from bot.demo.providers.webhook_sender import WebhookSender
from bot.demo.supervisor import GatewayFailed, Proxy, Supervisor, wait_for_first
from bot.errors import DatabaseInUse, SettingsError
from bot.gateway.delivery.message_costs import MessagePrices
from bot.observability import configure_logging
from bot.settings import Settings
from bot.storage.database import hold_lanes, open_database

FOLDER: Final = Path(".demo")
_PASSED_SETTINGS: Final = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "MODEL", "MODEL_CAPABILITIES",
    "TAVILY_API_KEY", "TAVILY_URL", "SEARXNG_URL", "JINA_URL", "JINA_API_KEY",
    "TRANSCRIBE_MODEL", "RATE_LIMIT_PER_MINUTE", "WELCOME_CREDITS",
)  # fmt: skip
"""Settings that the demo takes over; none of a channel, so that it never answers strangers."""
_SHORT_TIMES: Final = {"LEASE_SECONDS": "2", "DRAIN_SECONDS": "1"}
"""Makes lanes of a killed gateway free soon, and a gateway that is to end stop quickly."""
_PATIENCE: Final = {"RATE_LIMIT_PER_MINUTE": "0"}
"""No rate limit, so that visitors may be as quick as they like."""
_FEW_CREDITS: Final = {"WELCOME_CREDITS": "24"}
"""So few that they run low while a visitor tries the scripted tutor."""
_PACKS: Final = '[{"fcfa": 500, "credits": 100}, {"fcfa": 1000, "credits": 220}]'
"""Sold through `providers/till.py` alone: the demo's Telegram sells no Stars."""


async def run_demo(
    fork_server: ForkServer, port: int, *, open_browser: bool, keep: bool, pause: float
) -> None:
    """Serve the demo's page until SIGTERM or SIGINT.

    Args:
        fork_server: forks the gateways.
        port: port of the page; if it is taken or 0, a free one is used.
        open_browser: whether to open the page in a browser.
        keep: whether to keep the people and conversations of the last run.
        pause: seconds between two words of the scripted tutor.

    Raises:
        SettingsError: a setting that the demo takes over is wrong, or another demo runs here.
        GatewayFailed: the gateway does not start, or has ended by itself.
    """
    configure_logging("warning", json=False)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        values = _make_settings(await _prepare_folder(keep=keep))
        tables = asyncio.create_task(_make_tables(values["DATABASE_URL"]))
        await stack.enter_async_context(cancel_at_exit(tables))
        screens = PhoneScreens()
        if "OPENAI_API_KEY" not in values:
            values = _FEW_CREDITS | values | await _start_tutor(stack, screens, pause)
        gateway = Supervisor(fork_server, screens)
        url = await _start_everything(stack, screens, gateway, values, port)
        await tables
        await gateway.wait()
        typer.echo(f"Griot is ready: open {url} in a browser. Ctrl-C ends it.")
        if open_browser:
            await asyncio.to_thread(webbrowser.open, url)
        await wait_for_first(stop, gateway.gone)
        if not stop.is_set():
            raise GatewayFailed("the gateway has ended by itself")


async def _start_tutor(
    stack: AsyncExitStack, screens: PhoneScreens, pause: float
) -> dict[str, str]:
    """Start the scripted tutor; return the settings that make Griot ask it."""

    def report(way: Literal["in", "out", "here"], about: str) -> None:
        screens.log("model", way, "transcribe" if way == "here" else "chat/completions", about)

    return tutor.make_settings(await stack.enter_async_context(tutor.run_tutor(pause, report)))


async def _start_everything(
    stack: AsyncExitStack,
    screens: PhoneScreens,
    gateway: Supervisor,
    values: dict[str, str],
    port: int,
) -> str:
    """Start the gateway and everything around it, until the stack closes; return the page's URL.

    Raises:
        SettingsError: a setting that the demo takes over is wrong.
    """
    listener, api_listener = (stack.enter_context(listen(one)) for one in (port, 0))
    url, api_url = origin_of(listener), origin_of(api_listener)
    posting = WebhookSender(url, screens)
    stack.push_async_callback(posting.close)
    api = TelegramApi(screens)
    telegram = TelegramPerson(screens, posting, api)
    twilio = TwilioApi(screens, posting, find_person_number(), api_url)
    stack.push_async_callback(twilio.sender.close)
    person = TwilioPerson(screens, posting, twilio)
    till = Till(screens, posting, api_url)
    values |= _make_channel_settings(api, twilio, url, api_url)
    values |= {"PAYSTACK_SECRET_KEY": till.key, "PAYSTACK_API_URL": api_url, "PACKS": _PACKS}
    settings = environment.load(values)
    proxy = Proxy(f"http://127.0.0.1:{settings.port}", gateway)
    stack.push_async_callback(proxy.close)
    prices = MessagePrices(settings)
    twilio.segment_usd = prices.find_segment_price(country_of(person.number))
    providers = [*api.routes(), *twilio.routes(), *till.routes_with_pages()]
    await stack.enter_async_context(serve_routes(providers, api_listener))
    page = PhonesPage(PhoneSet(screens, telegram, person, gateway))
    everything_else = web.route("*", "/{path:.*}", proxy.forward)
    await stack.enter_async_context(serve_routes([*page.routes(), everything_else], listener))
    stack.callback(screens.close)
    await stack.enter_async_context(gateway.running(values))
    telegram.start()
    counting = asyncio.create_task(recount_forever(screens))
    await stack.enter_async_context(cancel_at_exit(counting))
    return url


async def _prepare_folder(*, keep: bool) -> Path:
    """Make the demo's folder, emptied unless it is to be kept. Raises `SettingsError`."""
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    try:
        async with hold_lanes(Settings(database_url=_database_url(FOLDER))):
            if not keep:
                shutil.rmtree(FOLDER)
    except DatabaseInUse:
        raise SettingsError(
            f"A demo runs in {FOLDER.absolute()} already: end it, or start this one elsewhere"
        ) from None
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    return FOLDER


async def _make_tables(url: str) -> None:
    """Make the tables while the fork server still imports its modules."""
    async with open_database(Settings(database_url=url)):
        pass


def _database_url(folder: Path) -> str:
    return f"sqlite:///{folder}/griot.db"


def _make_settings(folder: Path) -> dict[str, str]:
    borrowed = {name: value for name in _PASSED_SETTINGS if (value := os.environ.get(name))}
    return {
        **_PATIENCE,
        **borrowed,
        **_SHORT_TIMES,
        "DATABASE_URL": _database_url(folder),
        "BLOB_URL": f"file:{folder}/files",
        "SECRET_KEY": _read_secret(folder),
        "PORT": str(find_free_port()),
        "LOG_LEVEL": "warning",
    }


def _make_channel_settings(
    telegram: TelegramApi, twilio: TwilioApi, url: str, api_url: str
) -> dict[str, str]:
    return {
        "PUBLIC_URL": url,
        "TELEGRAM_API_URL": api_url,
        "TELEGRAM_BOT_TOKEN": telegram.token,
        "TELEGRAM_WEBHOOK_SECRET": secrets.token_hex(16),
        "TWILIO_API_URL": api_url,
        "TWILIO_ACCOUNT_SID": twilio.account_sid,
        "TWILIO_AUTH_TOKEN": twilio.auth_token,
        "TWILIO_SMS_FROM": twilio.numbers["sms"],
        "SMS_ONE_WAY": "",  # the phone on the page can answer
        "TWILIO_WHATSAPP_FROM": twilio.numbers["whatsapp"],
    }


def _read_secret(folder: Path) -> str:
    """Return the random secret, which is stored with the database, since its signatures must stay
    valid as long."""
    path = folder / "secret"
    if not path.exists():
        path.write_text(secrets.token_urlsafe(32))
    return path.read_text()

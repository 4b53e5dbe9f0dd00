"""`griot demo`: the whole of Griot on this machine, with no key and no account."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import socket
import webbrowser
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import phonenumbers
import typer

from bot import settings as environment
from bot.accounts.people import People
from bot.demo import tutor
from bot.demo.page import DemoPage, DemoSession
from bot.observe import configure_logging
from bot.serving import running
from bot.settings import Settings
from bot.storage.database import hold_lanes, open_database

FOLDER: Final = Path(".demo")
_BORROWED: Final = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "MODEL", "MODEL_CAPABILITIES",
    "TAVILY_API_KEY", "TAVILY_URL", "SEARXNG_URL", "JINA_URL", "JINA_API_KEY",
)  # fmt: skip
"""Settings that the demo takes over; never a channel's, so that it answers nobody outside."""


async def demo(port: int, *, open_browser: bool, keep: bool, pause: float) -> None:
    """Serve the demo's page until SIGTERM or SIGINT.

    Args:
        port: where; a free one is found if it is taken, or 0.
        open_browser: also show the page.
        keep: go on with the people and conversations of the last time.
        pause: seconds between two words of the scripted tutor.

    Raises:
        SettingsError: a setting that the demo takes over is wrong, or another demo runs here.
    """
    configure_logging("warning", json=False)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        values = _environment(_free_port(port), await _prepare_folder(keep=keep))
        scripted = "OPENAI_API_KEY" not in values
        if scripted:
            url = await stack.enter_async_context(tutor.teaching(pause))
            values |= {
                "OPENAI_BASE_URL": url,
                "MODEL": tutor.MODEL,
                "MODEL_CAPABILITIES": tutor.CAPABILITIES,
            }
        settings = environment.load(values)
        session = DemoSession(await _issue_token(settings), settings.model, scripted)
        await stack.enter_async_context(running(settings, pages=[DemoPage(session)]))
        typer.echo(f"Griot is ready: open {settings.base_url} in a browser. Ctrl-C ends it.")
        if open_browser:
            await asyncio.to_thread(webbrowser.open, settings.base_url)
        await stop.wait()


async def _prepare_folder(*, keep: bool) -> Path:
    """The demo's folder, emptied unless it is to be kept. Raises `DatabaseInUse`."""
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    if not keep:
        async with hold_lanes(Settings(database_url=_database(FOLDER))):
            shutil.rmtree(FOLDER)
        FOLDER.mkdir(mode=0o700)
    return FOLDER


def _database(folder: Path) -> str:
    return f"sqlite:///{folder}/griot.db"


def _environment(port: int, folder: Path) -> dict[str, str]:
    borrowed = {name: value for name in _BORROWED if (value := os.environ.get(name))}
    return borrowed | {
        "DATABASE_URL": _database(folder),
        "BLOB_URL": f"file:{folder}/files",
        "SECRET_KEY": _secret(folder),
        "PORT": str(port),
        "LOG_LEVEL": "warning",
    }


def _secret(folder: Path) -> str:
    """Random, and kept with the database: what it has signed lives as long as that."""
    path = folder / "secret"
    if not path.exists():
        path.write_text(secrets.token_urlsafe(32))
    return path.read_text()


def _free_port(wanted: int) -> int:
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    return wanted


async def _issue_token(settings: Settings) -> str:
    """A token for a person whose number is the numbering plan's own example."""
    example = phonenumbers.example_number_for_type("CI", phonenumbers.PhoneNumberType.MOBILE)
    if example is None:
        raise RuntimeError("phonenumbers has no example number for CI")
    phone = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
    async with open_database(settings) as database:
        return await People(database, settings).issue_token(phone)

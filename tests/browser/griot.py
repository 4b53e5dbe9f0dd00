"""A Griot in a thread of its own, with Twilio's stand-in, for tests that drive a browser."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from playwright.sync_api import Page, expect

from bot.app import App
from bot.contracts.models import Model
from bot.server import run_server
from bot.settings import Settings
from tests.standins.twilio import TwilioStandIn, running_twilio
from tests.support.ports import free_port
from tools import TOOLS

_CODE = re.compile(r"\b(\d{6})\b")
_PATIENCE = 20.0


@dataclass
class Griot:
    """Where it listens, and what happens around it."""

    url: str
    app: App
    twilio: TwilioStandIn
    portal: BlockingPortal

    def token(self, phone: str) -> str:
        """A bearer token of this person, as after a login."""
        return self.portal.call(self.app.people.issue_token, phone)

    def codes(self, phone: str, count: int = 1) -> list[str]:
        """The codes that the phone shows, once they are at least `count`."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            texts = [message.body for message in self.twilio.chat(phone)]
            found = [match[1] for text in texts if (match := _CODE.search(text))]
            if len(found) >= count:
                return found
            time.sleep(0.05)
        raise AssertionError(f"{phone} was sent no code")


@contextmanager
def griot(database: Path, model: Model, **values: Any) -> Generator[Griot]:
    """One that answers until the context ends; `database` is an SQLite file with tables."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(_open(database, model, values)) as (url, app, twilio),
    ):
        yield Griot(url, app, twilio, portal)


@asynccontextmanager
async def _open(
    database: Path, model: Model, values: dict[str, Any]
) -> AsyncGenerator[tuple[str, App, TwilioStandIn]]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    async with running_twilio(public_url=url, post_to=url) as twilio:
        usual = {
            "database_url": f"sqlite:///{database}",
            "blob_url": f"file:{database.parent}/files",
            "secret_key": "a secret for tests only",
            "burst_seconds": 0,
            "port": port,
            "public_url": url,
        }
        settings = Settings.model_validate(usual | twilio.settings | values)
        async with run_server(settings, model=model, tools=TOOLS) as app:
            yield url, app, twilio


def open_logged_in(page: Page, here: Griot, phone: str) -> Page:
    """Open the chat as the owner of a number, whose welcome credits are there."""
    page.goto(f"{here.url}/chat")
    page.evaluate("token => localStorage.setItem('griot.token', token)", here.token(phone))
    page.reload()
    expect(page.locator("#balance")).to_have_text("50")
    return page


def address_of(page: Page, name: str) -> str:
    """Return the address of a file of the open chat."""
    script = page.locator("script[src$='/chat.js']").get_attribute("src")
    assert script
    return script.replace("chat.js", name)


def ask(page: Page, text: str) -> None:
    """Send a message in the chat, and wait for the end of its answer."""
    page.get_by_label("Ton message").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".mine").last).to_have_text(text)
    expect(page.locator("#log")).not_to_have_attribute("aria-busy", "true")

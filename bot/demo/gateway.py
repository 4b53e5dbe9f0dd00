"""Run the demo's gateway: web and worker, in a process that may be killed at any moment.

It also serves the demo's session and the page that opens the chat with it, for this machine only.
"""

from __future__ import annotations

import asyncio
import os
import signal
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from aiohttp import web

from bot import settings as environment
from bot.accounts.people import People
from bot.cli.cli_runtime import run, warn
from bot.demo import tutor
from bot.demo.providers.twilio import find_person_number
from bot.errors import DatabaseErrors, GriotError, Refused
from bot.gateway.commands.preferences import ASKED_ALL
from bot.observability import configure_logging
from bot.server import run_server
from bot.settings import Settings
from bot.storage.accounts import set_greeted
from bot.storage.database import open_database
from bot.web.requests import json_response


def run_gateway(values: Mapping[str, str], orders: int, news: int) -> NoReturn:
    """Run the gateway in this process; the exit code is 0 if it was asked to end.

    Args:
        values: its settings, by their names in the environment.
        orders: a file descriptor; the gateway ends when it reaches its end.
        news: a file descriptor to which the gateway writes when it is up.
    """
    code = 1
    try:
        configure_logging("warning", json=False)
        with DatabaseErrors():
            run(_serve_until_stopped(environment.load(values), orders, news))
        code = 0
    except (GriotError, OSError) as error:
        warn(str(error))
    except BaseException:  # noqa: BLE001 (no code of the fork server may run on here)
        traceback.print_exc()
    finally:
        os._exit(code)


async def _serve_until_stopped(settings: Settings, orders: int, news: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def end() -> None:
        loop.remove_reader(orders)
        stop.set()

    loop.add_reader(orders, end)
    async with open_database(settings) as database:
        people = People(database, settings)
        token = await people.issue_token(find_person_number())
        account = (await people.find(find_person_number())).id
        # Mark the first questions as asked: the person is a pupil, and the page sets the language.
        await database.write(lambda tx: set_greeted(tx, account, ASKED_ALL))
    session = DemoSession(token, settings.model, settings.model == tutor.MODEL)
    async with run_server(settings, pages=[DemoPage(session)]):
        os.write(news, f"up {os.getpid()}\n".encode())
        await stop.wait()


_PAGE_POLICY: Final = "default-src 'self'; base-uri 'none'; frame-ancestors 'self'"
_PAGE: Final = """<!doctype html>
<html lang="fr"><title>Griot</title><script type="module" src="/demo/chat.js"></script></html>
"""
_SCRIPT: Final = """// The chat remembers who is here (visitor.js): the demo's person.
const { token } = await (await fetch("/demo/session")).json();
if (localStorage.getItem("griot.token") !== token) {
  const others = ["session", "phone", "conversations"];
  for (const name of others) localStorage.removeItem(`griot.${name}`);
  localStorage.setItem("griot.token", token);
}
location.replace("/chat");
"""
_LOCAL: Final = frozenset({"127.0.0.1", "localhost"})


@dataclass(frozen=True, slots=True)
class DemoSession:
    """The token that the page uses, and the model that answers."""

    token: str
    model: str
    scripted: bool


class DemoPage:
    """Routes: `/demo/chat`, its script, and `/demo/session`."""

    def __init__(self, session: DemoSession) -> None:
        self._session = session

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/demo/chat", self.page),
            web.get("/demo/chat.js", self.script),
            web.get("/demo/session", self.session),
        ]

    async def page(self, request: web.Request) -> web.Response:
        """Open the chat as the demo's person; 403 under a foreign name for this machine."""
        _check_local(request)
        headers = {"Content-Security-Policy": _PAGE_POLICY, "Cache-Control": "no-store"}
        return web.Response(text=_PAGE, content_type="text/html", headers=headers)

    async def script(self, request: web.Request) -> web.Response:
        _check_local(request)
        return web.Response(text=_SCRIPT, content_type="text/javascript")

    async def session(self, request: web.Request) -> web.Response:
        """Answer `{token, model, scripted}` to pages of this machine; 403 to those of other
        sites."""
        if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise Refused("The demo's session is for its own page.")
        _check_local(request)
        response = json_response(self._session)
        response.headers["Cache-Control"] = "no-store"
        return response


def _check_local(request: web.Request) -> None:
    """Raise `Refused` unless the host is this machine; a foreign name that points to it is refused
    too."""
    if request.url.host not in _LOCAL:
        raise Refused("The demo is for this machine only.")

"""The demo's session, and the way to the chat that uses it. All of it is for this machine only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from aiohttp import web

from bot.errors import Refused
from bot.web.requests import json_response

_POLICY: Final = "default-src 'self'; base-uri 'none'; frame-ancestors 'self'"
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
    """Whose token the page speaks with, and who answers."""

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
        """To the chat, as the demo's person; 403 under a name that was made to point here."""
        _check_local(request)
        headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-store"}
        return web.Response(text=_PAGE, content_type="text/html", headers=headers)

    async def script(self, request: web.Request) -> web.Response:
        _check_local(request)
        return web.Response(text=_SCRIPT, content_type="text/javascript")

    async def session(self, request: web.Request) -> web.Response:
        """`{token, model, scripted}`, for pages of this machine: 403 to those of other sites."""
        if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise Refused("The demo's session is for its own page.")
        _check_local(request)
        response = json_response(self._session)
        response.headers["Cache-Control"] = "no-store"
        return response


def _check_local(request: web.Request) -> None:
    """Raises `Refused` also for a stranger's name that has been made to point to this machine."""
    if request.url.host not in _LOCAL:
        raise Refused("The demo is for this machine only.")

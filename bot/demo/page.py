"""The demo's page, and the session that it may use. All of it is for this machine only."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import web

from bot.errors import NotFound, Refused
from bot.web.requests import json_response

_FOLDER: Final = Path(__file__).parent / "static"
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_LOCAL: Final = frozenset({"127.0.0.1", "localhost"})


@dataclass(frozen=True, slots=True)
class DemoSession:
    """What the page is told: whose token it speaks with, and who answers."""

    token: str
    model: str
    scripted: bool


class DemoPage:
    """Routes: `/`, what the page loads, and `/demo/session`."""

    def __init__(self, session: DemoSession) -> None:
        self._session = session
        self._files = {path.name: path.read_bytes() for path in _FOLDER.iterdir()}

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self.page),
            web.get("/demo/session", self.session),
            web.get("/demo/{name}", self.file),
        ]

    async def page(self, _: web.Request) -> web.Response:
        return self._serve("index.html")

    async def file(self, request: web.Request) -> web.Response:
        return self._serve(request.match_info["name"])

    async def session(self, request: web.Request) -> web.Response:
        """`{token, model, scripted}`, for the page itself: 403 to pages of other sites, also to
        those whose name has been made to point to this machine."""
        site = request.headers.get("Sec-Fetch-Site", "same-origin")
        if site != "same-origin" or request.url.host not in _LOCAL:
            raise Refused("The demo's session is for its own page.")
        response = json_response(self._session)
        response.headers["Cache-Control"] = "no-store"
        return response

    def _serve(self, name: str) -> web.Response:
        if name not in self._files:
            raise NotFound("There is no such page.")
        kind = mimetypes.guess_type(name)[0]
        return web.Response(
            body=self._files[name], content_type=kind, charset="utf-8", headers=_HEADERS
        )

"""`GET /chat`: the chat as a page, for guests and for whoever logs in there."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from bot.web.assets import Assets
from bot.web.layout import FOLDER

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' blob:; media-src blob:; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""The Content-Security-Policy of the page: its own files, and those that the person is sending."""
_HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class ChatPage:
    """Routes: `/chat`, and what it loads, by version."""

    def __init__(self) -> None:
        self._assets = Assets(FOLDER / "chat", {"style.css": (FOLDER / "colours.css").read_bytes()})

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/chat", self.page), web.get("/chat/{version}/{name}", self.file)]

    async def page(self, request: web.Request) -> web.Response:
        response = self._assets.respond(request, "index.html")
        response.headers.update(_HEADERS)
        return response

    async def file(self, request: web.Request) -> web.Response:
        wanted = request.match_info
        return self._assets.respond(request, wanted["name"], wanted["version"])

"""What browsers and search engines ask of every site: `/`, icons, robots.txt."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from bot.texts import say
from bot.web.layout import FOLDER
from bot.web.notices import Notice, show_notice, wants_page
from bot.web.requests import language_of

_KINDS: Final = {
    ".ico": "image/x-icon",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
_NAMES: Final = {"icon.svg": "favicon.svg"}
"""Addresses that are not the name of their file."""
_DAY: Final = "public, max-age=86400"
_HOUR: Final = "public, max-age=3600"
_PLAIN: Final = "This is Griot: a WhatsApp, Telegram and SMS gateway in front of one agent loop.\n"


class SitePages:
    """
    Args:
        home: `/` is served too.
    """

    def __init__(self, *, home: bool = True) -> None:
        self._home = home
        self._files = {
            f"/{_NAMES.get(path.name, path.name)}": (path.read_bytes(), _KINDS[path.suffix])
            for path in sorted((FOLDER / "site").iterdir())
        }

    def routes(self) -> list[web.RouteDef]:
        files = [web.get(path, self.file) for path in self._files]
        return [web.get("/", self.home), *files] if self._home else files

    async def home(self, request: web.Request) -> web.Response:
        """What this is: a page for browsers, a line for others."""
        if not wants_page(request):
            return web.Response(text=_PLAIN, headers={"Vary": "Accept, Accept-Language"})
        language = language_of(request)
        notice = Notice(
            language,
            say(language, "Learn and work by chatting"),
            say(
                language,
                "Griot answers questions, explains lessons step by step, sets exercises and "
                "writes documents. Send it a message, as to a friend.",
            ),
        )
        return await show_notice(request, notice, caching=_HOUR, listed=True)

    async def file(self, request: web.Request) -> web.Response:
        content, kind = self._files[request.path]
        response = web.Response(body=content, headers={"Cache-Control": _DAY})
        response.content_type = kind
        response.headers["X-Content-Type-Options"] = "nosniff"
        if kind == "image/svg+xml":
            response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response

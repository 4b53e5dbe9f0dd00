"""Files: signed downloads, and the list of one's own."""

from __future__ import annotations

from urllib.parse import quote

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.errors import NotFound
from bot.library.files import Files
from bot.library.links import LinkExpired, LinkInvalid, Links
from bot.texts import best_language, say
from bot.web.notices import Notice, show_notice, wants_page
from bot.web.requests import json_response, language_of, signed_in

_HOUR = 3600


class ShownFile(msgspec.Struct, frozen=True):
    id: str
    filename: str
    url: str
    """A signed link, which expires."""
    size: int
    created_at: float


class FileRoutes:
    def __init__(self, files: Files, links: Links, people: People) -> None:
        self._files = files
        self._links = links
        self._seconds = links.seconds
        self._people = people

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/files/{token}", self.download),
            web.get("/api/v1/files", self.listing),
        ]

    async def download(self, request: web.Request) -> web.Response:
        """The file of a signed link; 403 tampered, 410 expired, 404 gone."""
        try:
            return await self._send(request)
        except (LinkInvalid, LinkExpired, NotFound) as error:
            if not wants_page(request):
                raise
            return await show_notice(request, await self._explain(request, error))

    async def _send(self, request: web.Request) -> web.Response:
        file = await self._files.find(self._links.read(request.match_info["token"]))
        content = await self._files.read(file.id)
        return web.Response(
            body=content,
            headers={
                "Content-Type": _typed(file.mime_type),
                "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='')}",
                "X-Content-Type-Options": "nosniff",
                "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
                "Cache-Control": f"private, max-age={min(_HOUR, self._seconds)}",
            },
        )

    async def _explain(self, request: web.Request, error: Exception) -> Notice:
        language = language_of(request)
        if isinstance(error, LinkInvalid):
            return Notice(
                language,
                say(language, "This link is not complete"),
                say(
                    language,
                    "Perhaps a part of it was lost on the way. Open it again from your message, "
                    "or ask Griot for the file once more.",
                ),
                403,
            )
        if isinstance(error, LinkExpired):
            language = await self._language_of_owner(error.target) or language
            return Notice(
                language,
                say(language, "This link has expired"),
                say(language, "Ask Griot for the file once more: you get a new link."),
                410,
            )
        return Notice(
            language,
            say(language, "This file is no longer here"),
            say(language, "It was deleted. Ask Griot to make it again."),
            404,
        )

    async def _language_of_owner(self, file_id: str) -> str:
        """Empty where the file or its owner is gone, or a guest's."""
        try:
            file = await self._files.find(file_id)
            return best_language((await self._people.find(str(file.account))).language)
        except NotFound:
            return ""

    async def listing(self, request: web.Request) -> web.Response:
        """The caller's files, newest first: `{id, filename, url, size, created_at}`."""
        person = await signed_in(request, self._people)
        owner = person.account if person else None
        files = [] if owner is None else await self._files.listing(owner)
        return json_response(
            [
                ShownFile(file.id, file.name, self._links.make(file.id), file.size, file.created_at)
                for file in files
            ]
        )


def _typed(mime_type: str) -> str:
    return f"{mime_type}; charset=utf-8" if mime_type.startswith("text/") else mime_type

"""Files: signed downloads, and the list of one's own."""

from __future__ import annotations

from urllib.parse import quote

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.library.files import Files
from bot.library.links import Links
from bot.web.requests import json_response, signed_in

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

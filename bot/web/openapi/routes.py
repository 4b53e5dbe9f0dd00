"""Where the document is."""

from __future__ import annotations

from functools import cached_property

import msgspec
from aiohttp import web

from bot.settings import Settings
from bot.web.openapi.document import make_document
from bot.web.openapi.operations import OPERATIONS


class ApiDocument:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/v1/openapi.json", self.show)]

    async def show(self, _: web.Request) -> web.Response:
        return web.Response(body=self._document, content_type="application/json")

    @cached_property
    def _document(self) -> bytes:
        return msgspec.json.encode(make_document(OPERATIONS, self._settings.base_url))

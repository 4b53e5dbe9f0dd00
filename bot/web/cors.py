"""CORS: which other sites' pages may use the API (https://fetch.spec.whatwg.org/#cors-protocol)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from aiohttp import web

from bot.web.errors import Handler

_OPEN: Final = ("/api/v1/", "/v1/")
_METHODS: Final = "GET, POST, DELETE"
_MINUTES: Final = "600"
"""Seconds for which a browser need not ask again."""


class Cors:
    """
    Args:
        origins: such as `https://example.org`; `*` is any, which then is not known by its cookie.
    """

    def __init__(self, origins: Collection[str]) -> None:
        self._origins = frozenset(origins)

    def add_to(self, app: web.Application) -> None:
        if self._origins:
            app.middlewares.append(self._answer_preflight)
            app.on_response_prepare.append(self._mark)

    @web.middleware
    async def _answer_preflight(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        asked = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        if not (asked and self._allowed(request)):
            return await handler(request)
        headers = {"Access-Control-Allow-Methods": _METHODS, "Access-Control-Max-Age": _MINUTES}
        # OpenAI's client in a browser sends a dozen of its own.
        wanted = request.headers.get("Access-Control-Request-Headers")
        if wanted:
            headers["Access-Control-Allow-Headers"] = wanted
        return web.Response(status=204, headers=headers)

    async def _mark(self, request: web.Request, response: web.StreamResponse) -> None:
        if not request.path.startswith(_OPEN):
            return
        response.headers.add("Vary", "Origin")
        allowed = self._allowed(request)
        if allowed:
            response.headers["Access-Control-Allow-Origin"] = allowed
            response.headers["Access-Control-Expose-Headers"] = "Retry-After"
        if allowed not in {"", "*"}:  # the guest's cookie; never together with *
            response.headers["Access-Control-Allow-Credentials"] = "true"

    def _allowed(self, request: web.Request) -> str:
        """The origin that may read this answer; empty: none."""
        origin = request.headers.get("Origin", "")
        if not request.path.startswith(_OPEN) or not origin:
            return ""
        if origin in self._origins:
            return origin
        return "*" if "*" in self._origins else ""

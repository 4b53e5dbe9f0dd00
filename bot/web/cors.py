"""CORS: which other sites' pages may use the API (https://fetch.spec.whatwg.org/#cors-protocol)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from aiohttp import web

from bot.errors import Refused
from bot.web.errors import Handler

_OPEN: Final = ("/api/v1/", "/v1/")
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_ELSEWHERE: Final = frozenset({"cross-site", "same-site"})
"""Where a page is that is not ours (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header):
browsers say so by themselves over HTTPS and to localhost, and no page can have them say anything
else. `Origin` alone would not do: behind a proxy our own page's is not the `Host` that we see."""
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
        app.middlewares.append(self._refuse_others)
        if self._origins:
            app.middlewares.append(self._answer_preflight)
            app.on_response_prepare.append(self._mark)

    @web.middleware
    async def _refuse_others(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Another site's page may not read our answer; but it could have its visitors ask, as
        guests of ours, for what costs us. Raises `Refused`."""
        is_elsewhere = request.headers.get("Sec-Fetch-Site") in _ELSEWHERE
        if is_elsewhere and request.method not in _SAFE and self._is_closed_to(request):
            raise Refused(
                "Pages of other sites may not use this. CORS_ORIGINS names those that may."
            )
        return await handler(request)

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

    def _is_closed_to(self, request: web.Request) -> bool:
        return request.path.startswith(_OPEN) and not self._allowed(request)

    def _allowed(self, request: web.Request) -> str:
        """The origin that may read this answer; empty: none."""
        origin = request.headers.get("Origin", "")
        if not request.path.startswith(_OPEN) or not origin:
            return ""
        if origin in self._origins:
            return origin
        return "*" if "*" in self._origins else ""

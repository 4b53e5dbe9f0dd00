"""The web application: its routes, and what wraps every request: errors, invalid names, CORS.

CORS decides which sites' pages may use the API (https://fetch.spec.whatwg.org/#cors-protocol).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, Protocol, runtime_checkable

from aiohttp import web, web_response

from bot.contracts.storage import WAIT_LIMIT
from bot.errors import Refused
from bot.i18n import say
from bot.web.errors import Handler, explain_error
from bot.web.html_pages import (
    CONTACT_LINKS,
    ContactLinks,
    FindAddresses,
    NoticePage,
    show_notice,
    wants_page,
)
from bot.web.requests import LARGEST_BODY, accepts_gzip, is_name, language_of
from bot.web.site_pages import ChatPage, SitePages


class Routes(Protocol):
    def routes(self) -> Iterable[web.RouteDef]: ...


@runtime_checkable
class LongRunningRoutes(Protocol):
    """Routes with long-running work: streams, requests to providers."""

    async def shut_down(self, app: web.Application) -> None:
        """End the work properly, as the process stops serving."""
        ...


def make_app(
    parts: Iterable[Routes],
    *,
    home: bool = True,
    origins: Collection[str] = (),
    addresses: FindAddresses | None = None,
) -> web.Application:
    """Build the application with the routes of `parts`.

    Args:
        home: adds the page at `/`.
        origins: other sites whose pages may use the API.
        addresses: finds the addresses at which people write to the bot, for links on pages.
    """
    parts = [*parts, SitePages(home=home)]
    app = web.Application(
        client_max_size=LARGEST_BODY,
        middlewares=[
            compress_texts,
            show_errors_as_pages,
            explain_errors,
            limit_wait_for_database,
            refuse_encoded_bodies,
            refuse_invalid_names,
        ],
        handler_args={"auto_decompress": False},  # see `refuse_encoded_bodies`
    )
    ways = app[CONTACT_LINKS] = ContactLinks(
        has_chat=any(isinstance(part, ChatPage) for part in parts)
    )
    if addresses is not None:
        ways.find = addresses
    app.on_shutdown.append(ways.stop)
    app.on_response_prepare.append(_set_safe_headers)
    Cors(origins).add_to(app)
    for part in parts:
        app.add_routes(part.routes())
        if isinstance(part, LongRunningRoutes):
            app.on_shutdown.append(part.shut_down)
    return app


# aiohttp has no option for the `Server` header, and would name its version and Python's, also in
# answers to requests that it cannot parse, which no signal sees.
web_response.SERVER_SOFTWARE = "griot"  # pyright: ignore[reportPrivateImportUsage] (see above)


# Middlewares, the outermost first ----------------------------------------------------------------

_FOR_PROGRAMS: Final = ("/api/", "/v1/", "/webhooks/", "/healthz", "/readyz", "/metrics")
"""Paths for programs: their errors stay JSON, whatever the client says it accepts, and their
answers are not kept in caches."""


async def _set_safe_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Have browsers take every answer for what it says it is, and keep none of the API's, unless
    the route says otherwise."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if request.path.startswith(_FOR_PROGRAMS):
        response.headers.setdefault("Cache-Control", "no-store")


_PACKET: Final = 1200
"""Bytes that a network sends at once anyway."""


@web.middleware
async def compress_texts(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Compress pages and JSON for clients that accept gzip: a third of the bytes, on lines where
    each is paid for. Streams of events are never held back, and files mostly compressed already.

    Operator pages stay as they are: the size of a compressed page that shows what its address holds
    tells something about the form key in it (https://breachattack.com).
    """
    response = await handler(request)
    if request.path.startswith("/operator") or not _is_long_text(response):
        return response
    response.headers["Vary"] = ", ".join([*response.headers.getall("Vary", ()), "Accept-Encoding"])
    if accepts_gzip(request):
        response.enable_compression(web.ContentCoding.gzip)
    return response


def _is_long_text(response: web.StreamResponse) -> bool:
    """Return whether this is a page or JSON of more than a packet, not compressed yet."""
    return (
        isinstance(response, web.Response)
        and isinstance(response.body, bytes)
        and len(response.body) > _PACKET
        and response.content_type in {"text/html", "application/json"}
        and "Content-Encoding" not in response.headers
    )


@web.middleware
async def show_errors_as_pages(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Give a browser a page in place of an error in JSON."""
    response = await handler(request)
    if (
        response.status < 400
        or response.content_type != "application/json"
        or request.path.startswith(_FOR_PROGRAMS)
        or not wants_page(request)
    ):
        return response
    page = await show_notice(request, _describe_error(language_of(request), response.status))
    for name in ("Allow", "Retry-After"):
        if name in response.headers:
            page.headers[name] = response.headers[name]
    return page


def _describe_error(language: str, status: int) -> NoticePage:
    if status in {404, 405}:
        return NoticePage(
            language,
            say(language, "This page does not exist"),
            say(language, "Perhaps there is a mistake in the address. Write to Griot instead."),
            status,
        )
    if status >= 500 or status == 429:
        words = say(language, "Something went wrong on our side. Try again in a minute.")
    else:
        words = say(language, "This cannot be read. Go back and try again.")
    return NoticePage(language, say(language, "That did not work"), words, status)


@web.middleware
async def explain_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every known error into a clear answer; log any other and answer without details."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return explain_error(error, request)
    except Exception as error:  # noqa: BLE001 (logged and explained there)
        return explain_error(error, request)


_DATABASE_SECONDS: Final = 8.0


@web.middleware
async def limit_wait_for_database(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let the request fail, with 503, soon after the database is gone: its client would not wait as
    long as a worker does."""
    WAIT_LIMIT.set(_DATABASE_SECONDS)
    return await handler(request)


@web.middleware
async def refuse_encoded_bodies(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer 415 to a request whose body is compressed.

    A megabyte can unpack to a gigabyte, and aiohttp would unpack it before the sender is known, and
    even after the request was refused. No provider and no usual client compresses its requests.
    """
    codings = request.headers.getall("Content-Encoding", ())
    if any(coding.strip().lower() not in {"", "identity"} for coding in codings):
        raise web.HTTPUnsupportedMediaType(reason="Send the body without Content-Encoding.")
    return await handler(request)


@web.middleware
async def refuse_invalid_names(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer 404 for ids with a NUL or a lone surrogate, which PostgreSQL does not take."""
    if "id" in request.match_info and not is_name(request.match_info["id"]):
        raise web.HTTPNotFound
    return await handler(request)


_API_PATHS: Final = ("/api/v1/", "/v1/")
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OTHER_SITES: Final = frozenset({"cross-site", "same-site"})
"""Values of `Sec-Fetch-Site` for pages of other sites
(https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header). Browsers send it over HTTPS and to
localhost, and no page can change it. `Origin` alone would not do: behind a proxy, that of our own
page differs from the `Host` that we see."""
_METHODS: Final = "GET, POST, DELETE"
_PREFLIGHT_SECONDS: Final = "600"
"""Seconds for which a browser may reuse the answer to a preflight."""


class Cors:
    """Lets pages of other sites use the API, if `CORS_ORIGINS` names them.

    Args:
        origins: such as `https://example.org`; `*` is any, whose guests are not known by a cookie.
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
        """Refuse requests from pages of other sites: they could not read our answers, but could
        make their visitors send requests that cost us. Raises `Refused`."""
        is_api = request.path.startswith(_API_PATHS)
        is_elsewhere = request.headers.get("Sec-Fetch-Site") in _OTHER_SITES
        is_unsafe = is_elsewhere and request.method not in _SAFE_METHODS
        if is_unsafe and is_api and not self._allowed(request):
            raise Refused(
                "Pages of other sites may not use this. CORS_ORIGINS names those that may."
            )
        return await handler(request)

    @web.middleware
    async def _answer_preflight(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        asked = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        if not (asked and self._allowed(request)):
            return await handler(request)
        headers = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Max-Age": _PREFLIGHT_SECONDS,
        }
        # OpenAI's client in a browser sends a dozen special headers.
        wanted = request.headers.get("Access-Control-Request-Headers")
        if wanted:
            headers["Access-Control-Allow-Headers"] = wanted
        return web.Response(status=204, headers=headers)

    async def _mark(self, request: web.Request, response: web.StreamResponse) -> None:
        if not request.path.startswith(_API_PATHS):
            return
        response.headers.add("Vary", "Origin")
        allowed = self._allowed(request)
        if allowed:
            response.headers["Access-Control-Allow-Origin"] = allowed
            response.headers["Access-Control-Expose-Headers"] = "Retry-After"
        if allowed not in {"", "*"}:  # the guest's cookie; never together with *
            response.headers["Access-Control-Allow-Credentials"] = "true"

    def _allowed(self, request: web.Request) -> str:
        """Return the origin that may read this answer; empty: none."""
        origin = request.headers.get("Origin", "")
        if not request.path.startswith(_API_PATHS) or not origin:
            return ""
        if origin in self._origins:
            return origin
        return "*" if "*" in self._origins else ""

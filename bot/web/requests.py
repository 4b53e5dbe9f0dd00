"""What every route needs: who asks, a bounded JSON body, and errors in one shape."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import msgspec
import structlog
from aiohttp import web

from bot.accounts.approvals import AlreadyDecided
from bot.accounts.people import People
from bot.errors import BadRequest, Busy, NotFound, OutOfCredits, PersonError
from bot.messages import Person
from bot.settings import Settings

T = TypeVar("T")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
GUEST_COOKIE: Final = "griot_guest"
_NEW_GUEST: Final = web.RequestKey("new_guest", str)
_ODD: Final = "surrogateescape"
"""How aiohttp reads the bytes of a header that are not UTF-8."""
_YEAR: Final = 365 * 24 * 3600
log = structlog.get_logger()

_STATUS: dict[str, int] = {
    Busy.code: 409,
    NotFound.code: 404,
    OutOfCredits.code: 402,
    "allowance_used_up": 429,
    "too_fast": 429,
    "already_answered": 409,
    AlreadyDecided.code: 409,
    "expired": 410,
    "link_expired": 410,
    "link_invalid": 403,
    "not_yours": 403,
    "unauthorized": 401,
}


class Unauthorized(PersonError):
    code = "unauthorized"


def error_response(status: int, code: str, message: str) -> web.Response:
    """`{"error": {"code": "snake_case", "message": "…"}}`."""
    body = msgspec.json.encode({"error": {"code": code, "message": message}})
    return web.Response(status=status, body=body, content_type="application/json")


def json_response(value: object, status: int = 200) -> web.Response:
    return web.Response(
        status=status, body=msgspec.json.encode(value), content_type="application/json"
    )


@web.middleware
async def explain_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Every error that is meant becomes a clear answer; any other is logged and shows nothing."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return _explain(error, request)
    except Exception as error:  # noqa: BLE001 (logged and explained there)
        return _explain(error, request)


def _explain(error: Exception, request: web.Request) -> web.Response:
    match error:
        case BadRequest():
            return error_response(error.status, _code_of(error.status), str(error))
        case PersonError():
            return error_response(_STATUS.get(error.code, 400), error.code, str(error))
        case web.HTTPException():
            large = error.status == 413  # aiohttp's own words hold numbers that help nobody
            words = "The request is larger than 1 MiB." if large else error.reason
            return error_response(error.status, _code_of(error.status), words)
        case ConnectionResetError():
            return error_response(499, "reader_left", "Nobody is left to read this.")
        case ConnectionError():
            log.warning("request_unavailable", route=_route(request), reason=str(error))
            return error_response(503, "unavailable", "Griot is catching its breath. Try again.")
        case _:
            log.error("request_failed", route=_route(request), exc_info=error)
            return error_response(500, "internal", "Something went wrong on our side. Try again.")


def _route(request: web.Request) -> str:
    resource = request.match_info.route.resource
    return resource.canonical if resource else "unknown"


def _code_of(status: int) -> str:
    return {403: "forbidden", 404: "not_found", 405: "method_not_allowed", 413: "too_large"}.get(
        status, "bad_request"
    )


async def read_json(request: web.Request, kind: type[T]) -> T:
    """The body as `kind`. Raises `BadRequest` that says what is wrong."""
    try:
        return msgspec.json.decode(await request.read(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"The body is not as expected: {error}.") from None


async def signed_in(request: web.Request, people: People) -> Person | None:
    """The account of the bearer token; None when there is no token.

    Raises:
        Unauthorized: the token is unknown, expired or logged out.
    """
    header = request.headers.get("Authorization", "")
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    person = await people.bearer(token.strip()) if scheme.lower() == "bearer" else None
    if person is None:
        raise Unauthorized("The token is not valid. Log in again.")
    return person


async def caller(request: web.Request, people: People, settings: Settings) -> Person:
    """Who asks: the account of the bearer token, else a guest.

    A guest is known by the cookie that `greet` gave, so that a class behind one address is many
    guests. A browser without one gets it; any other client is known by its network.

    Raises:
        Unauthorized: the token is unknown, expired or logged out.
    """
    person = await signed_in(request, people)
    if person is not None:
        return person
    guest = _read_cookie(request.cookies.get(GUEST_COOKIE, ""), settings)
    if not guest and _is_browser(request):
        guest = request[_NEW_GUEST] = secrets.token_urlsafe(12)
    known_by = guest or _mac(settings, network(client_address(request, settings)))[:24]
    language = request.headers.get("Accept-Language", "").split(",")[0].partition(";")[0]
    return Person("http", f"guest:{known_by}", language=language)


def check_operator(request: web.Request, settings: Settings) -> None:
    """Let only operators pass, once there is an `OPERATOR_TOKEN` to tell them by.

    Raises:
        Unauthorized: it is not the request's bearer token.
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    given = token.strip() if scheme.lower() == "bearer" else ""
    if settings.operator_token and not _same(given, settings.operator_token):
        raise Unauthorized("Send OPERATOR_TOKEN as bearer token.")


def greet(request: web.Request, response: web.StreamResponse, settings: Settings) -> None:
    """Give a new guest the cookie to be known by; to be called before headers are sent."""
    guest = request.get(_NEW_GUEST)
    if guest is not None:
        response.set_cookie(
            GUEST_COOKIE,
            f"{guest}.{_mac(settings, f'guest:{guest}')}",
            max_age=_YEAR,
            httponly=True,
            secure=settings.base_url.startswith("https://"),
            samesite="Lax",
        )


def _is_browser(request: web.Request) -> bool:
    """Browsers name the origin of every POST, and keep cookies; other clients seldom do either."""
    return request.headers.get("Origin", "null") != "null"


def _read_cookie(cookie: str, settings: Settings) -> str:
    """The guest of a cookie that we signed, else nothing."""
    guest, _, signature = cookie.rpartition(".")
    expected = _mac(settings, f"guest:{guest}")
    return guest if _same(signature, expected) else ""


def _mac(settings: Settings, text: str) -> str:
    key = settings.secret_key.encode()
    return hmac.new(key, text.encode(errors=_ODD), hashlib.sha256).hexdigest()


def _same(given: str, expected: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(given.encode(errors=_ODD), expected.encode())


def client_address(request: web.Request, settings: Settings) -> str:
    """The client's address; what proxies say of it counts as far as each is to be trusted.

    Each proxy adds at the end of the list whom it was asked by, so the list is read backwards,
    up to the first address that is not a trusted proxy's own.
    """
    address = request.remote or ""
    said = ",".join(request.headers.getall(settings.client_address_header, ())).split(",")
    while said and _is_trusted(address, settings):
        before = said.pop().strip()
        if _parse(before) is None:
            break
        address = before
    return address


def network(address: str) -> str:
    """What limits hold for: an IPv4 address, or the /64 that one IPv6 client has to itself."""
    parsed = _parse(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((int(parsed), 64), strict=False))
    return str(parsed or address)


def _is_trusted(address: str, settings: Settings) -> bool:
    parsed = _parse(address)
    return parsed is not None and any(
        parsed.version == proxies.version and parsed in proxies
        for proxies in settings.trusted_proxies
    )


def _parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An IPv4 address written as IPv6 (`::ffff:10.0.0.1`) is an IPv4 address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed

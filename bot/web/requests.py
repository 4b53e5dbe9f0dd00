"""What every route needs: who asks, a bounded JSON body, and errors in one shape."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
import structlog
from aiohttp import web

from bot.accounts.people import People
from bot.errors import BadRequest, Busy, NotFound, OutOfCredits, PersonError
from bot.messages import Person

T = TypeVar("T")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
log = structlog.get_logger()

_STATUS: dict[str, int] = {
    Busy.code: 409,
    NotFound.code: 404,
    OutOfCredits.code: 402,
    "allowance_used_up": 429,
    "too_fast": 429,
    "already_answered": 409,
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


async def caller(request: web.Request, people: People, secret: str) -> Person:
    """Who asks: the account of the bearer token, or a guest known by their network address.

    Raises:
        Unauthorized: the token is unknown, expired or logged out.
    """
    header = request.headers.get("Authorization", "")
    if header:
        scheme, _, token = header.partition(" ")
        person = await people.bearer(token.strip()) if scheme.lower() == "bearer" else None
        if person is None:
            raise Unauthorized("The token is not valid. Log in again.")
        return person
    address = hashlib.sha256(f"{secret}:{client_address(request)}".encode()).hexdigest()[:24]
    language = request.headers.get("Accept-Language", "").split(",")[0].partition(";")[0]
    return Person("http", f"guest:{address}", language=language)


def client_address(request: web.Request) -> str:
    """The client's address: the nearest proxy's word is taken only from a private address."""
    remote = request.remote or ""
    forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    if forwarded and _is_private(remote) and _is_address(forwarded):
        return forwarded
    return remote


def _is_private(address: str) -> bool:
    return _is_address(address) and ipaddress.ip_address(address).is_private


def _is_address(address: str) -> bool:
    try:
        ipaddress.ip_address(address)
    except ValueError:
        return False
    return True

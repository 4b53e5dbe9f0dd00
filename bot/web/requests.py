"""Read the caller and a limited JSON body from a request, and answer as JSON."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import re
import secrets
from typing import Final, NamedTuple, TypeVar

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.errors import BadRequest, PersonError, TooLarge
from bot.i18n import best_language, languages
from bot.messages.channels import WEB
from bot.messages.incoming import Person
from bot.messages.value import explain_decode_error
from bot.net import NOT_JSON, is_public, is_same_secret
from bot.settings import Settings
from bot.web.errors import Unauthorized

T = TypeVar("T", bound=msgspec.Struct)
LARGEST_BODY: Final = 2**20
"""The most bytes of a body, on routes without a limit of their own."""
BODY_SECONDS: Final = 300.0
"""Time-out of a whole body: 16 MB at 55 kB a second."""
BODY_SILENCE: Final = 30.0
"""Time-out of the next bytes of a body. A slow connection goes on; one that is silent ends."""
IDLE_SECONDS: Final = 300.0
"""Time-out of a whole head of a request, the first one or the next one on its connection. Longer
than proxies keep idle connections (Caddy: 120 s), or they would use one that closes just then."""
GUEST_COOKIE: Final = "griot_guest"
_NEW_GUEST: Final = web.RequestKey("new_guest", str)
_ODD: Final = "surrogateescape"
"""The error handler by which aiohttp decodes bytes of a header that are not UTF-8."""
_QUALITY: Final = re.compile(r"q\s*=\s*([01](?:\.\d{0,3})?)")
_YEAR: Final = 365 * 24 * 3600


class Guest(NamedTuple):
    """A client without an account."""

    address: str
    has_cookie: bool
    """Otherwise all clients of the same network are one guest."""


def json_response(value: object, status: int = 200) -> web.Response:
    return web.Response(
        status=status, body=msgspec.json.encode(value), content_type="application/json"
    )


async def read_json(request: web.Request, kind: type[T]) -> T:
    """Read the body as `kind`, a struct: null in an optional field is as if it were left out.
    Raises as `read_body`, and `BadRequest` with the reason."""
    body = await read_body(request)
    try:
        given = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        fields = [each for each in msgspec.structs.fields(kind) if each.name in given]
        kept = {
            each.name: given[each.name]
            for each in fields
            if each.required or bytes(given[each.name]) != b"null"
        }
        return msgspec.json.decode(msgspec.json.encode(kept), type=kind)
    except NOT_JSON as error:
        raise BadRequest(f"The body is not as expected: {explain_decode_error(error)}.") from None


class BodyTimeout(BadRequest):
    """The body did not come to its end in time."""

    status = 408

    def __init__(self) -> None:
        super().__init__("The request did not come to its end in time.")


class TooManyBytes(PersonError):
    """This process is receiving too many bytes at once."""

    code = "unavailable"


class ReceivedBytes:
    """Counts the bytes that this process keeps of requests which are still arriving.

    Args:
        most: the most bytes of all of them.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = 0

    def add(self, size: int) -> bool:
        """Count more bytes, until they are removed; return whether they may be kept."""
        self._kept += size
        return self._kept <= self._most

    def remove(self, size: int) -> None:
        self._kept -= size


_SMALL_BODY: Final = 64 * 1024
"""Bytes of any body that are received however many there are: all of a webhook, and of nearly every
message."""
_LARGE_BODIES: Final = ReceivedBytes(128 * 2**20)
"""The bytes beyond, of all bodies. Otherwise a thousand slow connections, which need no key, would
fill a small machine."""


async def read_body(request: web.Request, most: int = LARGEST_BODY) -> bytes:
    """Read a body of at most `most` bytes.

    Raises:
        TooLarge: there are more bytes; raised as soon as that is known.
        TooManyBytes: the body is large, and so are many others that are arriving.
        BodyTimeout: nothing came for `BODY_SILENCE` seconds, or all took more than `BODY_SECONDS`.
    """
    size = f"{most // 2**20} MiB" if most >= 2**20 else f"{most // 2**10} KiB"
    words = f"The request is larger than {size}."
    if (request.content_length or 0) > most:
        raise TooLarge(words)
    chunks: list[bytes] = []
    read = counted = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while chunk := await _read_chunk(request):
                read += len(chunk)
                if read > most:
                    raise TooLarge(words)
                added, counted = max(0, read - _SMALL_BODY) - counted, max(0, read - _SMALL_BODY)
                if not _LARGE_BODIES.add(added):
                    raise TooManyBytes("Much is on its way here just now. Try again in a minute.")
                chunks.append(chunk)
    except TimeoutError:
        raise BodyTimeout from None
    finally:
        _LARGE_BODIES.remove(counted)
    return b"".join(chunks)


async def _read_chunk(request: web.Request) -> bytes:
    """Return the bytes that have come, or the next ones; empty at the end of the body."""
    async with asyncio.timeout(BODY_SILENCE):
        return await request.content.readany()


def is_name(text: str) -> bool:
    """Return whether a text may be looked up in the database: no NUL, no lone surrogate."""
    return "\0" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)


async def signed_in(request: web.Request, people: People) -> Person | None:
    """Return the account of the bearer token; None when there is no token.

    Raises:
        Unauthorized: the token is unknown, expired or logged out.
    """
    header = request.headers.get("Authorization", "")
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    is_bearer = scheme.lower() == "bearer" and token.isascii()
    person = await people.bearer(token.strip()) if is_bearer else None
    if person is None:
        raise Unauthorized("The token is not valid. Log in again.")
    return person


async def caller(request: web.Request, people: People, settings: Settings) -> Person:
    """Return the caller: the account of the bearer token, else a guest.

    A guest is known by a cookie, so that a class behind one address is many guests. The chat's page
    gives it, else the first answer does to a browser; any other client is known by its network.

    Raises:
        Unauthorized: the token is unknown, expired or logged out.
    """
    person = await signed_in(request, people)
    if person is not None:
        return person
    guest = known_guest(request, settings)
    if not guest.has_cookie and _is_browser(request):
        guest = _make_guest(request)
    return Person(WEB, guest.address, language=_first_language(request))


def _make_guest(request: web.Request) -> Guest:
    """Make a guest, whose cookie `greet` then gives."""
    name = request[_NEW_GUEST] = secrets.token_urlsafe(12)
    return Guest(f"guest:{name}", has_cookie=True)


def known_guest(request: web.Request, settings: Settings) -> Guest:
    """Return the guest that a client without a token is, by the cookie that we gave, else by its
    network."""
    guest, _, signature = request.cookies.get(GUEST_COOKIE, "").rpartition(".")
    name = guest if is_signed(settings, f"guest:{guest}", signature) else ""
    place = network(client_address(request, settings))
    return Guest(f"guest:{name or sign(settings, place)[:24]}", has_cookie=bool(name))


def language_of(request: web.Request) -> str:
    """Return the one of our languages that the browser prefers.

    For `de, en;q=0.8, fr;q=0.5` that is English, the best of those that we have.
    """
    wanted: list[tuple[float, str]] = []
    for part in request.headers.get("Accept-Language", "").split(",")[:20]:
        tag, _, weight = part.partition(";")
        quality = _QUALITY.fullmatch(weight.strip())
        name = tag.strip().replace("_", "-").partition("-")[0].lower()
        if name in languages() and (not weight or quality):
            wanted.append((float(quality[1]) if quality else 1.0, name))
    best = max(wanted, key=lambda each: each[0], default=(0.0, ""))
    return best[1] if best[0] > 0 else best_language("")


def accepts_gzip(request: web.Request) -> bool:
    """Return whether `Accept-Encoding` names gzip with a weight above 0 (RFC 9110, 12.5.3)."""
    for part in request.headers.get("Accept-Encoding", "").split(",")[:20]:
        coding, _, weight = part.partition(";")
        if coding.strip().lower() == "gzip":
            quality = _QUALITY.fullmatch(weight.strip())
            return quality is None or float(quality[1]) > 0
    return False


def _first_language(request: web.Request) -> str:
    tag = request.headers.get("Accept-Language", "").split(",")[0].partition(";")[0]
    return tag if tag.isascii() else ""


def check_operator(request: web.Request, settings: Settings) -> None:
    """Admit only operators: by `OPERATOR_TOKEN` if it is set, else from private networks.

    Raises:
        Unauthorized: `OPERATOR_TOKEN` is not the request's bearer token, or it is not set, and the
            client's address is public.
    """
    if not settings.operator_token:
        address = _parse(client_address(request, settings))
        if address is not None and is_public(str(address)):
            raise Unauthorized("Set OPERATOR_TOKEN, and send it as bearer token.")
        return
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    given = token.strip() if scheme.lower() == "bearer" else ""
    if not is_same_secret(given, settings.operator_token):
        raise Unauthorized("Send OPERATOR_TOKEN as bearer token.")


def greet(request: web.Request, response: web.StreamResponse, settings: Settings) -> None:
    """Give a new guest the cookie by which they are known; called before headers are sent."""
    guest = request.get(_NEW_GUEST)
    if guest is not None:
        response.set_cookie(
            GUEST_COOKIE,
            f"{guest}.{sign(settings, f'guest:{guest}')}",
            max_age=_YEAR,
            httponly=True,
            secure=settings.base_url.startswith("https://"),
            samesite="Lax",
        )


def welcome(request: web.Request, response: web.StreamResponse, settings: Settings) -> None:
    """Give whoever opens the chat the cookie of a guest, unless they have one.

    So the first message is theirs even if its answer is lost and they send it again: a browser
    repeats a POST by itself when the connection turns out to be closed.
    """
    if not known_guest(request, settings).has_cookie:
        _make_guest(request)
        greet(request, response, settings)


def _is_browser(request: web.Request) -> bool:
    """Return whether the client is a browser: it names the origin of every POST, and keeps
    cookies."""
    return request.headers.get("Origin", "null") != "null"


def sign(settings: Settings, text: str) -> str:
    """Return the signature of a text by `SECRET_KEY`, as hexadecimal digits; the text begins with
    its purpose."""
    return _mac(settings.secret_key, text)


def is_signed(settings: Settings, text: str, signature: str) -> bool:
    """Return whether `signature` signs this text, by any key that is still valid."""
    return any(is_same_secret(signature, _mac(key, text)) for key in settings.secret_keys)


def _mac(key: str, text: str) -> str:
    return hmac.new(key.encode(), text.encode(errors=_ODD), hashlib.sha256).hexdigest()


def client_address(request: web.Request, settings: Settings) -> str:
    """Return the client's address, which only trusted proxies may name.

    Each proxy adds the address of its client at the end of the list, so the list is read backwards,
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


def network(address: str, bits: int = 64) -> str:
    """Return the network that limits hold for: an IPv4 address, or the first bits of an IPv6
    client's: the /64 of one subscriber, the /48 that anybody can get."""
    parsed = _parse(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((int(parsed), bits), strict=False))
    return str(parsed or address)


def _is_trusted(address: str, settings: Settings) -> bool:
    parsed = _parse(address)
    return parsed is not None and any(
        parsed.version == proxies.version and parsed in proxies
        for proxies in settings.trusted_proxies
    )


def _parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse the address; an IPv4 address written as IPv6 (`::ffff:10.0.0.1`) counts as IPv4."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed

"""Control access to the operator pages: `OPERATOR_TOKEN`, as bearer or by logging in.

A login is a signed cookie without a secret. It is valid for half a day, and while the token is the
same. Wrong tokens are counted by network; after a few, the network may not try for a while.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import structlog
from aiohttp import web

from bot.contracts.storage import Clock, EphemeralStore
from bot.errors import BadRequest, PersonError
from bot.net import is_same_secret
from bot.settings import Settings
from bot.web.errors import Unauthorized
from bot.web.requests import client_address, network, read_body, sign

COOKIE: Final = "griot_operator"
PATH: Final = "/operator"
SESSION_SECONDS: Final = 12 * 3600
MOST_TRIES: Final = 8
"""Wrong tokens from one network within `LOCKOUT_SECONDS`, after which it must wait as long."""
LOCKOUT_SECONDS: Final = 900
_LONGEST_FORM: Final = 8 * 1024
log = structlog.get_logger()


class TooManyTries(PersonError):
    code = "too_fast"


class ForgedForm(PersonError):
    """The form comes from another page than ours, or from a login that is no longer valid."""

    code = "forged"


@dataclass(frozen=True, slots=True)
class OperatorSession:
    name: str
    """The session's name in the log."""
    form_key: str
    """The key that a form of this session has to send back; empty: it needs none."""


class OperatorAuth:
    def __init__(
        self, settings: Settings, momentary: EphemeralStore, clock: Clock = time.time
    ) -> None:
        self._settings = settings
        self._momentary = momentary
        self._clock = clock

    async def authenticate(self, request: web.Request) -> OperatorSession:
        """Return the session of the request.

        Raises:
            Unauthorized: it has neither the bearer token nor a valid cookie.
            TooManyTries: too many wrong tokens came from its network.
            ConnectionError: wrong tokens cannot be counted now.
        """
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            await self._check(request, token.strip())
            return OperatorSession("bearer", "")
        name = self._read_cookie(request.cookies.get(COOKIE, ""))
        if not name or await self._has_left(name):
            raise Unauthorized("Log in first.")
        return OperatorSession(name, sign(self._settings, f"operator form:{name}"))

    async def log_in(self, request: web.Request, response: web.Response, token: str) -> None:
        """Give the browser a login cookie.

        Raises: as `authenticate`.
        """
        await self._check(request, token)
        name, ends = secrets.token_hex(6), int(self._clock()) + SESSION_SECONDS
        response.set_cookie(
            COOKIE,
            f"{name}.{ends}.{self._sign(name, ends)}",
            max_age=SESSION_SECONDS,
            path=PATH,
            httponly=True,
            secure=self._settings.base_url.startswith("https://"),
            samesite="Strict",
        )
        log.info("operator_logged_in", operator=name, address=self._place(request))

    async def log_out(self, session: OperatorSession, response: web.Response) -> None:
        """End the session, so that its cookie and all copies are invalid."""
        await self._momentary.put(f"operator:left:{session.name}", b"1", SESSION_SECONDS)
        response.del_cookie(COOKIE, path=PATH)

    async def read_form(
        self, request: web.Request, session: OperatorSession | None
    ) -> Mapping[str, str]:
        """Return the fields of a form that our own page has sent.

        Args:
            session: None for the form that logs in.

        Raises:
            ForgedForm: the form comes from elsewhere.
            BadRequest: the body is no form, too large, or cut short.
        """
        body = await read_body(request, _LONGEST_FORM)
        try:
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=20))
        except ValueError:
            raise BadRequest("The form cannot be read.") from None
        if session and not session.form_key:  # a request with the token itself cannot be forged
            return fields
        given = fields.get("key", "")
        is_fresh = is_same_secret(given, session.form_key) if session else not given
        if not self._is_ours(request) or not is_fresh:
            raise ForgedForm("This form is out of date. Open the page again.")
        return fields

    def _is_ours(self, request: web.Request) -> bool:
        """Return whether a form comes from our own page, by the headers of the browser:
        https://www.w3.org/TR/fetch-metadata/"""
        if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            return False
        origin = request.headers.get("Origin")
        hosts = {request.host, urlsplit(self._settings.base_url).netloc}
        return origin is None or urlsplit(origin).netloc in hosts

    async def _check(self, request: web.Request, token: str) -> None:
        place = self._place(request)
        if await self._momentary.get(f"operator:shut:{place}"):
            raise TooManyTries("Too many wrong tokens came from here.")
        if is_same_secret(token, self._settings.operator_token):
            return
        if await self._momentary.count(f"operator:tries:{place}", LOCKOUT_SECONDS) >= MOST_TRIES:
            await self._momentary.put(f"operator:shut:{place}", b"1", LOCKOUT_SECONDS)
            log.warning("operator_shut_out", address=place)
        raise Unauthorized("Not the OPERATOR_TOKEN.")

    def _place(self, request: web.Request) -> str:
        return network(client_address(request, self._settings))

    async def _has_left(self, name: str) -> bool:
        """Return whether the session was ended; False if Redis is away, as operators need the pages
        then."""
        try:
            return await self._momentary.get(f"operator:left:{name}") is not None
        except ConnectionError:
            return False

    def _read_cookie(self, cookie: str) -> str:
        """Return the session's name in a cookie that we signed and that is still valid; else an
        empty text."""
        claim, _, signature = cookie.rpartition(".")
        name, _, ends = claim.partition(".")
        if not ends.isdecimal() or not is_same_secret(signature, self._sign(name, ends)):
            return ""
        return name if int(ends) > self._clock() else ""

    def _sign(self, name: str, ends: int | str) -> str:
        token = hashlib.sha256(self._settings.operator_token.encode()).hexdigest()
        return sign(self._settings, f"operator:{token}:{name}:{ends}")

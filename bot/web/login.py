"""Logging in over HTTP: a code to a phone, and the code back for a bearer token."""

from __future__ import annotations

import hashlib
import secrets

import msgspec
from aiohttp import web

from bot.accounts.codes import Asker, Codes
from bot.accounts.numbers import (
    InvalidNumber,
    calling_code_of,
    has_calling_code,
    normalise_digits,
    parse_mobile,
)
from bot.accounts.people import People, token_address
from bot.contracts import Transaction
from bot.errors import PersonError
from bot.gateway.joining import Joining
from bot.gateway.parts import Parts
from bot.gateway.proving import Proving
from bot.gateway.sending.code_post import CodePost
from bot.messages import Sender
from bot.texts import say
from bot.web.admission import Admission
from bot.web.requests import (
    client_address,
    json_response,
    known_guest,
    language_of,
    network,
    read_json,
)
from bot.web.sessions import adopt_sessions

_LONGEST = 64


class WrongCode(PersonError):
    """Wrong, expired, used, or of nobody: which of these is not told."""

    code = "wrong_code"


class NoWay(PersonError):
    """Codes cannot be sent from here."""

    code = "unavailable"


class OtpRequest(msgspec.Struct, frozen=True):
    phone: str
    country: str = ""
    """Two-letter code, for a number that is written as in its country."""


class CodeSent(msgspec.Struct, frozen=True):
    phone: str
    """In E.164."""


class VerifyRequest(msgspec.Struct, frozen=True):
    phone: str
    code: str
    sessions: list[str] = []
    """Conversations that the person had as a guest, and that are the account's from now on: at most
    20, and only those of this same guest."""


class Token(msgspec.Struct, frozen=True):
    token: str
    """A bearer token."""


class Login:
    def __init__(
        self,
        parts: Parts,
        people: People,
        codes: Codes,
        post: CodePost,
        joining: Joining,
        proving: Proving | None = None,
    ) -> None:
        self._settings = parts.settings
        self._database = parts.database
        self._admission = Admission(parts, people)
        self._people = people
        self._codes = codes
        self._post = post
        self._joining = joining
        self._proving = proving

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/v1/login/otp", self.send),
            web.post("/api/v1/login/verify", self.verify),
        ]

    async def send(self, request: web.Request) -> web.Response:
        """202 and `{phone}` in E.164 once a code is on its way; 400 malformed or a country that is
        not served, 429 too soon or too many."""
        asked = await read_json(request, OtpRequest)
        asker = self._asker(request)
        await self._admission.check_login(request, asker.language)
        number = _mobile(asked, asker.language)

        if self._proving is None:
            is_sent = await self._database.write(lambda tx: self._post_code(tx, number, asker))
            if not is_sent:
                raise NoWay(say(asker.language, "I cannot send codes here."))
        else:
            issued = await self._database.write(
                lambda tx: self._codes.issue(tx, number, calling_code_of(number), asker)
            )
            await self._proving.send(number, issued, asker.language)
        return json_response(CodeSent(number), 202)

    async def _post_code(self, tx: Transaction, number: str, asker: Asker) -> bool:
        issued = await self._codes.issue(tx, number, calling_code_of(number), asker)
        if await self._post.send(tx, number, issued, asker.language) is not None:
            return True
        await self._codes.withdraw(tx, issued.id)
        return False

    async def verify(self, request: web.Request) -> web.Response:
        """`{token}` for the right code; 400 alike whatever is wrong; 429 in a hurry. What is no
        code at all costs none of its tries."""
        given = await read_json(request, VerifyRequest)
        asker, target = self._asker(request), _number(given.phone)
        await self._admission.check_login(request, asker.language, target)
        typed = "".join(normalise_digits(given.code[:_LONGEST]).split())
        if not self._codes.is_one(typed):
            raise WrongCode(say(asker.language, "This code is wrong or too old."))
        sealed = self._codes.keep_typed(typed)
        token = secrets.token_urlsafe(32)
        checked = await self._ask_service(sealed, asker, target)
        proven: list[str] = []

        async def work(tx: Transaction) -> bool:
            if checked is None:
                number = await self._codes.redeem(tx, sealed, asker, target)
            else:
                number = checked
                await self._codes.use(tx, number, asker)
            if number:
                proven.append(number)
            if not proven:  # else by an earlier run of this work, whose commit was not seen
                return False
            sender = Sender(token_address(token), language=asker.language)
            person = await self._people.log_in(tx, "http", sender, proven[0])
            guest = known_guest(request, self._settings)
            await adopt_sessions(tx, guest, given.sessions, person.account or 0)
            await self._joining.tell_of_place(
                tx, person.account or 0, "http", sender.address, key=sender.address
            )
            return True

        if not await self._database.write(work):
            raise WrongCode(say(asker.language, "This code is wrong or too old."))
        return json_response(Token(token))

    async def _ask_service(self, sealed: str, asker: Asker, target: str) -> str | None:
        """What is proven by the word of the service; None where codes are our own."""
        if self._proving is None:
            return None
        tried = await self._database.write(lambda tx: self._codes.take_tries(tx, asker, target))
        return await self._proving.prove(tried, sealed, asker.language, target)

    def _asker(self, request: web.Request) -> Asker:
        """The network that asks, as a hash: whoever throws away a cookie is not someone new."""
        place = network(client_address(request, self._settings))
        key = f"{self._settings.secret_key}:{place}".encode()
        return Asker("http", hashlib.sha256(key).hexdigest()[:24], language_of(request))


def _mobile(asked: OtpRequest, language: str) -> str:
    """The number as E.164. Raises `InvalidNumber` in the asker's language."""
    phone = asked.phone.strip()[:_LONGEST]
    national = "" if has_calling_code(phone) else asked.country[:2].upper()
    try:
        return parse_mobile(phone, national or None)
    except InvalidNumber:
        words = say(
            language,
            "I cannot send a code to this number. Write a mobile number with its country code, "
            "like +225 07 01 02 03 04.",
        )
        raise InvalidNumber(words) from None


def _number(phone: str) -> str:
    """The number; what is none is like a number that nobody has asked a code for."""
    try:
        return parse_mobile(phone[:_LONGEST])
    except InvalidNumber:
        return "none"

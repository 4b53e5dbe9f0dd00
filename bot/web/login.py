"""Log in over HTTP: send a code to a phone, and exchange it for a token; show `/api/v1/me`."""

from __future__ import annotations

import hashlib
import secrets

import msgspec
from aiohttp import web

from bot.accounts import ledger
from bot.accounts.one_time_codes import Asker, NumberOptedOut, OneTimeCodes
from bot.accounts.people import People, token_address
from bot.accounts.phone_numbers import (
    InvalidNumber,
    calling_code_of,
    has_calling_code,
    normalise_digits,
    parse_mobile,
)
from bot.contracts.storage import Database, Transaction
from bot.errors import PersonError
from bot.gateway.commands.login import CodeVerification
from bot.gateway.context import GatewayContext
from bot.gateway.delivery.code_sender import CodeSender
from bot.gateway.people.linking import AccountLinking
from bot.i18n import say
from bot.messages.channels import WEB, Channel
from bot.messages.incoming import Sender
from bot.messages.value import Mode
from bot.web.errors import Unauthorized
from bot.web.rate_limits import RateLimits
from bot.web.requests import (
    client_address,
    json_response,
    known_guest,
    language_of,
    network,
    read_json,
    signed_in,
)
from bot.web.sessions import adopt_sessions

_LONGEST = 64


class WrongCode(PersonError):
    """The code is wrong, expired, used or unknown; the answer does not say which."""

    code = "wrong_code"


class NoWay(PersonError):
    """This server cannot send codes."""

    code = "unavailable"


class OtpRequest(msgspec.Struct, frozen=True):
    phone: str
    country: str = ""
    """Two-letter code of the country, for a number in its national form."""


class CodeSent(msgspec.Struct, frozen=True):
    phone: str
    """In E.164."""


class VerifyRequest(msgspec.Struct, frozen=True):
    phone: str
    code: str
    sessions: list[str] = []
    """Conversations that the person had as a guest, and that the account takes over: at most 20,
    and only those of this same guest."""


class Token(msgspec.Struct, frozen=True):
    token: str
    """A bearer token."""


class Login:
    def __init__(
        self,
        parts: GatewayContext,
        people: People,
        codes: OneTimeCodes,
        post: CodeSender,
        joining: AccountLinking,
        proving: CodeVerification | None = None,
    ) -> None:
        self._settings = parts.settings
        self._database = parts.database
        self._limits = RateLimits(parts, people)
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
        """Send a code. Answer 202 and `{phone}` in E.164; 400 malformed, a country that is not
        served or a number that opted out, 429 too soon or too many."""
        asked = await read_json(request, OtpRequest)
        asker = self._asker(request)
        await self._limits.check_login(request, asker.language)
        number = _mobile(asked, asker.language)

        if self._proving is None:
            refusal = await self._database.write(lambda tx: self._post_code(tx, number, asker))
            if refusal:
                raise refusal
        else:
            issued = await self._database.write(
                lambda tx: self._codes.issue(tx, number, calling_code_of(number), asker)
            )
            await self._proving.send(number, issued, asker.language)
        return json_response(CodeSent(number), 202)

    async def _post_code(self, tx: Transaction, number: str, asker: Asker) -> PersonError | None:
        """Send a code; return why none is sent, once what counts towards the limits is stored."""
        issued = await self._codes.issue(tx, number, calling_code_of(number), asker)
        try:
            if await self._post.send(tx, number, issued, asker.language) is not None:
                return None
        except NumberOptedOut as refusal:
            return refusal
        await self._codes.withdraw(tx, issued.id)
        return NoWay(say(asker.language, "I cannot send codes here."))

    async def verify(self, request: web.Request) -> web.Response:
        """Answer `{token}` for the right code; 400, the same for every error; 429 too fast. Input
        that cannot be a code costs no try."""
        given = await read_json(request, VerifyRequest)
        asker, target = self._asker(request), _number(given.phone)
        await self._limits.check_login(request, asker.language, target)
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
            if not proven:  # else by an earlier run of this work, whose commit was not confirmed
                return False
            sender = Sender(token_address(token), language=asker.language)
            person = await self._people.log_in(tx, WEB, sender, proven[0])
            guest = known_guest(request, self._settings)
            await adopt_sessions(tx, guest, given.sessions, person.account or 0)
            await self._joining.tell_of_place(
                tx, person.account or 0, WEB, sender.address, key=sender.address
            )
            return True

        if not await self._database.write(work):
            raise WrongCode(say(asker.language, "This code is wrong or too old."))
        return json_response(Token(token))

    async def _ask_service(self, sealed: str, asker: Asker, target: str) -> str | None:
        """Return the number that the verification service confirms; None where codes are our
        own."""
        if self._proving is None:
            return None
        tried = await self._database.write(lambda tx: self._codes.take_tries(tx, asker, target))
        return await self._proving.prove(tried, sealed, asker.language, target)

    def _asker(self, request: web.Request) -> Asker:
        """Identify the asker by a hash of the network, so that a deleted cookie changes nothing."""
        place = network(client_address(request, self._settings))
        key = f"{self._settings.secret_key}:{place}".encode()
        return Asker(WEB, hashlib.sha256(key).hexdigest()[:24], language_of(request))


def _mobile(asked: OtpRequest, language: str) -> str:
    """Return the number as E.164. Raises `InvalidNumber` in the asker's language."""
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
    """Return the number as E.164; for an invalid one a text for which no code exists."""
    try:
        return parse_mobile(phone[:_LONGEST])
    except InvalidNumber:
        return "none"


class ShownIdentity(msgspec.Struct, frozen=True, omit_defaults=True):
    channel: Channel
    address: str
    number: str = ""
    """The number in E.164, where the address is a user id and its number is known."""


class ShownPerson(msgspec.Struct, frozen=True):
    person_id: int
    name: str
    mode: Mode
    language: str
    grade: str
    balance: int
    """Credits, without those that are held."""
    held: int
    """Credits that are held for answers on their way; what these do not cost comes back."""
    phone: str | None
    """In E.164; null where it is not known."""
    identities: list[ShownIdentity]


class Me:
    def __init__(self, database: Database, people: People) -> None:
        self._database = database
        self._people = people

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/v1/me", self.me)]

    async def me(self, request: web.Request) -> web.Response:
        person = await signed_in(request, self._people)
        if person is None:
            raise Unauthorized("Send a bearer token to see whose it is.")
        account = await self._people.find(str(person.account))
        shown = [
            ShownIdentity(known.channel, known.address, known.number)
            for known in await self._people.list_addresses(account.id)
        ]
        held = await self._database.read(lambda tx: ledger.held_of(tx, account.id))
        return json_response(
            ShownPerson(
                account.id,
                account.name,
                account.mode,
                account.language,
                account.grade,
                account.balance,
                held,
                account.phone,
                shown,
            )
        )

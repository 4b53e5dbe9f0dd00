"""Act as Twilio's API for one account: messages, their media, content and typing.

One origin serves what Twilio has under several host names. Typing is a beta that no specification
describes: `messageId` and `channel`, by its documentation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypedDict, Unpack

import aiohttp
from aiohttp import web
from multidict import MultiMapping

from bot.standins.refusals import Handler
from bot.standins.twilio_contents import Contents
from bot.standins.twilio_errors import INVALID, NO_AUTH, NOT_FOUND, TOO_FAST, TwilioRefused
from bot.standins.twilio_people import Channel, Media, Message, Parameters, People
from bot.standins.twilio_sending import Listener, Sender
from bot.standins.twilio_webhooks import Webhooks

WEBHOOK_PATH: Final = "/webhooks/twilio"
NUMBERS: Final[dict[Channel, str]] = {"sms": "+15005550006", "whatsapp": "+14155238886"}
"""Twilio's own numbers, for tests and for the sandbox."""
SID: Final = "[A-Za-z0-9]+"
_FORM: Final = "application/x-www-form-urlencoded"


class Written(TypedDict, total=False):
    """What a person may send beside a text; all but media on WhatsApp only."""

    media: Sequence[tuple[bytes, str]]
    """Content and type."""
    button: tuple[str, str]
    """Payload and title of a button that was tapped."""
    list_reply: tuple[str, str]
    """Id and title of a row that was chosen."""
    location: tuple[float, float]
    """Latitude and longitude."""
    profile_name: str
    reply_to: str
    """The sid of a message of the client that is answered."""


def _accept_form(_: MultiMapping[str]) -> Sequence[str]:
    return []


def _accept_body(_: Any) -> None:
    pass


@dataclass(frozen=True)
class Specification:
    """Checks by Twilio's OpenAPI documents, which are not shipped. They raise `Refused`."""

    check_message: Callable[[MultiMapping[str]], Sequence[str]] = _accept_form
    """Checks a form of a message; returns what is odd, but accepted."""
    check_content: Callable[[Any], None] = _accept_body


class Twilio(Listener):
    """The API. Subclasses act on `note_typing`, and on the methods of `Listener`.

    Args:
        account: sid of the account.
        clock: gives seconds since 1970, and so decides whether a window is open.
        rate: messages that the account may create in a second; 0: any number.
    """

    def __init__(
        self,
        account: str,
        secret: str,
        webhooks: Webhooks,
        *,
        clock: Callable[[], float] = time.time,
        specification: Specification | None = None,
        rate: int = 0,
    ) -> None:
        checks = specification or Specification()
        self.url = ""
        """Origin of the API, once it is served."""
        self.account_sid, self.auth_token, self.numbers = account, secret, NUMBERS
        self.account_status = "active"
        self.sms_url = ""
        """Address of the webhook for messages to the number for SMS."""
        self.media_origin = ""
        """Origin of the store to which requests for media are redirected; empty: there is none."""
        self.webhooks = webhooks
        self.people = People(account, NUMBERS, clock)
        self.contents = Contents(account, lambda: self.url, checks.check_content)
        self.sender = Sender(
            self.people, self.contents, webhooks, NUMBERS, checks.check_message, self
        )
        self._rate, self._created = rate, list[float]()

    def routes(self) -> list[web.RouteDef]:
        account = "/2010-04-01/Accounts/{account}"
        messages = f"{account}/Messages"
        routes: list[tuple[str, str, Handler]] = [
            ("GET", f"{account}.json", self._fetch_account),
            ("GET", f"{account}/IncomingPhoneNumbers.json", self._list_numbers),
            ("POST", f"{messages}.json", self._create_message),
            ("GET", f"{messages}/{{sid:{SID}}}/Media/{{media:{SID}}}", self._fetch_media),
            ("POST", "/v1/Content", self._create_content),
            ("POST", "/v2/Indicators/Typing.json", self._show_typing),
        ]
        return [web.route(method, path, self.guard(handle)) for method, path, handle in routes]

    def guard(self, handle: Handler) -> Handler:
        """Check the credentials before a handler, and answer what is refused."""

        async def serve(request: web.Request) -> web.StreamResponse:
            try:
                self._check_credentials(request)
                return await self.handle(request, handle)
            except TwilioRefused as refused:
                self.record(refused, f"{request.method} {request.path}: ")
                return refused.respond()

        return serve

    async def handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Handle a request that came with the right credentials. Raises `Refused`."""
        return await handler(request)

    def _check_credentials(self, request: web.Request) -> None:
        given = request.headers.get("Authorization")
        if given is None:
            raise TwilioRefused(NO_AUTH, "there is none")
        if given != aiohttp.encode_basic_auth(self.account_sid, self.auth_token):
            raise TwilioRefused(NO_AUTH, "the account or its token is wrong")
        if request.match_info.get("account", self.account_sid) != self.account_sid:
            raise TwilioRefused(NOT_FOUND, "the address is another account's")

    def note_typing(self, message: Message) -> None:
        """Take note that the writer of a message sees "typing…"."""

    # What a person does

    def write(
        self, phone: str, text: str = "", *, whatsapp: bool = False, **more: Unpack[Written]
    ) -> Parameters:
        """Return the fields of a new message, not yet posted."""
        choice = more.get("button") or more.get("list_reply")
        body = choice[1] if choice else text
        channel: Channel = "whatsapp" if whatsapp else "sms"
        message = self.people.receive(phone, body, channel, more.get("media", ()))
        if not whatsapp:
            return self.people.describe_sms(message, self.url)
        name = more.get("profile_name", "Awa")
        added = [*_describe_more(more), *self._describe_reply(more.get("reply_to", ""))]
        kind = _kind_of(more)
        return self.people.describe_whatsapp(message, self.url, kind=kind, name=name, more=added)

    def _describe_reply(self, sid: str) -> Parameters:
        sender = f"whatsapp:{self.numbers['whatsapp']}"
        fields = [("OriginalRepliedMessageSender", sender), ("OriginalRepliedMessageSid", sid)]
        return fields if sid else []

    # Messages and their media

    async def _create_message(self, request: web.Request) -> web.Response:
        form = await read_form(request)
        if self._rate:
            now = time.monotonic()
            self._created = [at for at in self._created if now - at < 1]
            if len(self._created) >= self._rate:
                raise TwilioRefused(TOO_FAST, is_breach=False)
            self._created.append(now)
        message = await self.sender.send(form)
        return web.json_response(message.describe(self.account_sid, is_new=True), status=201)

    async def _fetch_media(self, request: web.Request) -> web.Response:
        media = self.find_media(request)
        if not self.media_origin:
            return media.respond()
        place = f"{request.match_info['sid']}/{request.match_info['media']}"
        return web.Response(status=307, headers={"Location": f"{self.media_origin}/{place}"})

    def find_media(self, request: web.Request) -> Media:
        """Return the media that an address names. Raises `Refused`."""
        return self.people.messages.find_media(
            request.match_info["sid"], request.match_info["media"]
        )

    # The account and its numbers

    async def _fetch_account(self, _: web.Request) -> web.Response:
        account = {"sid": self.account_sid, "status": self.account_status, "type": "Full"}
        return web.json_response(account | {"auth_token": self.auth_token})

    async def _list_numbers(self, request: web.Request) -> web.Response:
        """List the account's numbers; those of WhatsApp are not among them."""
        number = {
            "phone_number": self.numbers["sms"],
            "capabilities": {"voice": False, "sms": True, "mms": False},
            "sms_url": self.sms_url,
            "sms_application_sid": "",
        }
        wanted = request.query.get("PhoneNumber", number["phone_number"])
        found = [number] if wanted == number["phone_number"] else []
        page = {"page": 0, "page_size": 50, "start": 0, "end": 0, "uri": request.path}
        return web.json_response({"incoming_phone_numbers": found, **page})

    # Content and typing

    async def _create_content(self, request: web.Request) -> web.Response:
        try:
            body: Any = await request.json()
        except ValueError:
            raise TwilioRefused(INVALID, "the body is not JSON") from None
        return web.json_response(self.contents.create(body), status=201)

    async def _show_typing(self, request: web.Request) -> web.Response:
        form = await read_form(request)
        if form.get("channel") != "whatsapp" or set(form) != {"messageId", "channel"}:
            raise TwilioRefused(INVALID, "messageId, and channel=whatsapp, are what it takes")
        message = self.people.messages.find(form["messageId"])
        if message.direction != "inbound" or message.channel != "whatsapp":
            raise TwilioRefused(INVALID, "messageId is no message that a person wrote on WhatsApp")
        self.note_typing(message)
        return web.json_response({"success": True})


async def read_form(request: web.Request) -> MultiMapping[str]:
    """Read a form. Raises `Refused`."""
    if request.content_type != _FORM:
        raise TwilioRefused(INVALID, f"the body is {request.content_type}, not {_FORM}")
    return await request.post()  # pyright: ignore[reportReturnType] (it has no files)


def _kind_of(more: Written) -> str:
    if "button" in more or "list_reply" in more:
        return "interactive"
    if "location" in more:
        return "location"
    media = more.get("media")
    kind = media[0][1].partition("/")[0] if media else "text"
    return {"application": "document"}.get(kind, kind)


def _describe_more(more: Written) -> Parameters:
    fields: Parameters = []
    if button := more.get("button"):
        fields += [("ButtonPayload", button[0]), ("ButtonText", button[1])]
    if chosen := more.get("list_reply"):
        fields += [("ListId", chosen[0]), ("ListTitle", chosen[1])]
    if location := more.get("location"):
        fields += [("Latitude", str(location[0])), ("Longitude", str(location[1]))]
    return fields

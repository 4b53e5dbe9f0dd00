"""What the tests of the Twilio adapters share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from twilio.request_validator import RequestValidator

from adapters.twilio.adapter import TwilioWhatsapp
from adapters.twilio.client import ANSWER_SECONDS
from adapters.twilio.parse import TwilioWebhooks
from bot.contracts.channels import Webhook
from bot.demo.local_server import serve_routes
from bot.messages.incoming import Update
from bot.messages.outgoing import Body, Delivery
from bot.settings import Settings
from tests.standins.twilio import TwilioStandIn

AWA = "+2250701020304"
SMS_NUMBER = "+15005550006"
WHATSAPP_NUMBER = "+14155238886"
PUBLIC_URL = "https://griot.example"
AUTH_TOKEN = "a token, for tests"
SID = "SM" + "0" * 32
Fields = Sequence[tuple[str, str]]


def settings(**values: object) -> Settings:
    fields = {
        "twilio_account_sid": "AC1",
        "twilio_auth_token": AUTH_TOKEN,
        "twilio_sms_from": SMS_NUMBER,
        "twilio_whatsapp_from": WHATSAPP_NUMBER,
        "public_url": PUBLIC_URL,
    }
    return Settings.model_validate(fields | values)


def delivery(body: Body, conversation: str = AWA) -> Delivery:
    return Delivery(1, f"whatsapp:{conversation}", conversation, body)


def webhook(
    fields: Fields, path: str = "/webhooks/twilio", headers: Mapping[str, str] | None = None
) -> Webhook:
    """A form as Twilio posts it, not signed."""
    told = {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8", **(headers or {})}
    return Webhook("POST", path, CIMultiDict(told), urlencode(fields).encode())


def signed(
    fields: Fields, path: str = "/webhooks/twilio", public: str = PUBLIC_URL + "/webhooks/twilio"
) -> Webhook:
    """The same, signed over `public`."""
    signature = RequestValidator(AUTH_TOKEN).compute_signature(public, dict(fields))
    return webhook(fields, path, {"X-Twilio-Signature": signature})


@dataclass(frozen=True)
class Seen:
    """A request that came."""

    method: str
    path: str
    headers: CIMultiDictProxy[str]
    body: bytes


Act = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Origin:
    """A server that does what it is told; without a word it says that all is well."""

    url: str = ""
    seen: list[Seen] = field(default_factory=list[Seen])
    acts: list[Act] = field(default_factory=list[Act])
    """What becomes of the next requests, in order."""
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(
        self, status: int, body: str | bytes = "", headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer the next request so."""
        content = body.encode() if isinstance(body, str) else body

        async def act(_: web.Request) -> web.StreamResponse:
            return web.Response(status=status, body=content, headers=headers)

        self.acts.append(act)

    def stream(self, *chunks: bytes) -> None:
        """Answer the next request without saying beforehand how long the answer is."""

        async def act(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse()
            await response.prepare(request)
            for chunk in chunks:
                await response.write(chunk)
            return response

        self.acts.append(act)

    def promise(self, size: int) -> None:
        """Announce so many bytes to the next request, and never give them."""

        async def act(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse(headers={"Content-Length": str(size)})
            await response.prepare(request)
            await self.over.wait()
            return response

        self.acts.append(act)

    def hang(self) -> None:
        """Never answer the next request."""

        async def act(_: web.Request) -> web.StreamResponse:
            await self.over.wait()
            return web.Response()

        self.acts.append(act)

    def cut(self) -> None:
        """Take the next request, and close the connection."""

        async def act(request: web.Request) -> web.StreamResponse:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()

        self.acts.append(act)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.seen.append(Seen(request.method, request.raw_path, request.headers, body))
        if self.acts:
            return await self.acts.pop(0)(request)
        return web.json_response({"sid": SID}, status=201)


@asynccontextmanager
async def running() -> AsyncIterator[Origin]:
    origin = Origin()
    async with serve_routes([web.route("*", "/{path:.*}", origin.serve)]) as origin.url:
        try:
            yield origin
        finally:
            origin.over.set()


def open_whatsapp(
    twilio: TwilioStandIn, seconds: float = ANSWER_SECONDS, **values: object
) -> TwilioWhatsapp:
    told = twilio.settings | {"public_url": PUBLIC_URL} | values
    return TwilioWhatsapp(Settings.model_validate(told), seconds=seconds)


def open_webhooks(twilio: TwilioStandIn) -> TwilioWebhooks:
    told = twilio.settings | {"public_url": PUBLIC_URL}
    return TwilioWebhooks(Settings.model_validate(told))


def received(twilio: TwilioStandIn, **more: object) -> Update:
    """What the webhooks make of what a person writes."""
    fields = twilio.write(AWA, whatsapp=True, **more)  # type: ignore[arg-type]
    [item] = open_webhooks(twilio).parse(webhook(fields))
    assert isinstance(item, Update)
    return item

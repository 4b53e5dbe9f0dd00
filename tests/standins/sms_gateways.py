"""What stand-ins of providers share: a server, faults on demand, messages, webhooks; and SMS."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, TypeVar

import aiohttp
from aiohttp import web

from bot.standins.twilio_people import count_segments

MOST_SEGMENTS = 10


@dataclass(frozen=True)
class Sms:
    """A message that the provider has taken."""

    id: str
    to: str
    text: str
    sender: str

    @property
    def segments(self) -> int:
        return count_segments(self.text)


@dataclass
class Fault:
    """One thing that goes wrong with calls about a number (empty: any), `times` times."""

    act: Literal["throttle", "reset", "hang", "status"]
    number: str = ""
    times: int = 1
    accept: bool = False
    """Whether the call is carried out first: what a client cannot tell from a failure."""
    status: int = 500
    retry_after: int = 30


class ProviderStandIn:
    """A provider's API on a free port.

    Attributes:
        webhook: the address that was entered in the provider's console.
        violations: what the client should never have sent.
    """

    def __init__(self) -> None:
        self.url = ""
        self.webhook = ""
        self.violations: list[str] = []
        self.messages: list[Sms] = []
        self.attempts: list[str] = []
        """The number of each request to send, also of those that were refused."""
        self.faults: list[Fault] = []
        self._numbers = itertools.count(1)
        self._runner: web.AppRunner | None = None
        self._http: aiohttp.ClientSession | None = None
        self._closing = asyncio.Event()

    def list_routes(self) -> list[web.RouteDef]:
        raise NotImplementedError

    def chat(self, number: str) -> list[Sms]:
        """What the phone shows of us, oldest first."""
        return [each for each in self.messages if each.to == number]

    def tries(self, number: str) -> int:
        return self.attempts.count(number)

    async def start(self) -> None:
        app = web.Application()
        app.add_routes(self.list_routes())
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self._http = aiohttp.ClientSession()

    async def stop(self) -> None:
        self._closing.set()
        if self._http:
            await self._http.close()
        if self._runner:
            await self._runner.cleanup()

    async def post_webhook(
        self,
        *,
        url: str = "",
        json: object = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> int:
        """Post to the webhook, or to `url`; the status of the answer."""
        assert self._http is not None
        target = url or self.webhook
        async with self._http.post(target, json=json, data=form, headers=headers) as answer:
            return answer.status

    # What goes wrong

    def note_breach(self, words: str) -> None:
        self.violations.append(words)

    async def run_with_faults(
        self, request: web.Request, number: str, operate: Callable[[], web.Response]
    ) -> web.StreamResponse:
        """Answer a request to send something to a number, unless a fault is due."""
        self.attempts.append(number)
        fault = next((each for each in self.faults if each.number in {"", number}), None)
        if fault is None:
            return operate()
        fault.times -= 1
        if fault.times == 0:
            self.faults.remove(fault)
        answer = operate() if fault.accept else None
        if fault.act == "throttle":
            return web.Response(status=429, headers={"Retry-After": str(fault.retry_after)})
        if fault.act == "status":
            return web.Response(status=fault.status)
        if fault.act == "hang":
            await self._closing.wait()
            return answer or web.Response()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    def take(self, to: str, text: str, sender: str, prefix: str) -> Sms:
        """Take a message; the phone shows it."""
        message = Sms(f"{prefix}{next(self._numbers):06d}", to, text, sender)
        self.messages.append(message)
        return message


class SmsGatewayStandIn(ProviderStandIn):
    """A provider of SMS, which takes no endless text."""

    def take(self, to: str, text: str, sender: str, prefix: str) -> Sms:
        if not text.strip() or count_segments(text) > MOST_SEGMENTS:
            self.note_breach(f"a text of {len(text)} characters, {count_segments(text)} segments")
        return super().take(to, text, sender, prefix)


Kind = TypeVar("Kind", bound=ProviderStandIn)


@asynccontextmanager
async def running_gateway(stand_in: Kind) -> AsyncGenerator[Kind]:
    await stand_in.start()
    try:
        yield stand_in
    finally:
        await stand_in.stop()

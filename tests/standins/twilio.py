"""A Twilio to test against: the stand-in over a real socket, its webhooks, and what tests add.

Every request is checked by Twilio's own OpenAPI too; what breaks a rule is answered as Twilio would
answer and kept in `violations`. In a test:

    async with running_twilio(public_url="https://griot.example") as twilio:
        ... Griot with `twilio.settings` and PUBLIC_URL=https://griot.example, at http://127.0.0.1:N
        twilio.post_to = "http://127.0.0.1:N"
        await twilio.say("+2250701020304", "Bonjour", whatsapp=True)
        twilio.chat("+2250701020304")  # what that phone shows

Webhooks are signed over the public URL and posted to `post_to`; links and status callbacks that
begin with the public URL are asked for there too. Switches are on the parts: `sender` (late or
immediate refusals, reports), `people` (windows, opt-outs), `contents` (templates), `webhooks`.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Unpack
from xml.etree import ElementTree

from aiohttp import web

from bot.standins.refusals import Handler
from bot.standins.twilio import SID, WEBHOOK_PATH, Specification, Twilio, Written, read_form
from bot.standins.twilio_errors import NOT_FOUND, TwilioRefused, describe_error
from bot.standins.twilio_people import Channel, Message, Parameters, Status, keyword_of, phone_of
from bot.standins.twilio_webhooks import TOKEN_HEADER, Answer, Webhooks
from tests.standins.twilio_faults import Fault, Faults, Place
from tests.standins.twilio_schema import check_content, check_message
from tests.standins.twilio_verify import Verify

ACCOUNT = "AC00112233445566778899aabbccddeeff"
AUTH_TOKEN = "a token of the stand-in, for tests"


@dataclass(frozen=True)
class Call:
    """A request that came with the right credentials; `fields` of its form, the last of each."""

    method: str
    path: str
    fields: dict[str, str]


@dataclass(frozen=True)
class Attempt:
    """A POST of a webhook that was tried."""

    url: str
    token: str
    answer: Answer
    parameters: Sequence[tuple[str, str]] = field(repr=False)


class RecordedWebhooks(Webhooks):
    def __init__(self, secret: str, public_url: str, post_to: str) -> None:
        super().__init__(secret, public_url, post_to)
        self.attempts: list[Attempt] = []

    async def try_once(
        self, url: str, parameters: Sequence[tuple[str, str]], headers: dict[str, str]
    ) -> tuple[Answer, bool]:
        answer, may_retry = await super().try_once(url, parameters, headers)
        self.attempts.append(Attempt(url, headers[TOKEN_HEADER], answer, parameters))
        return answer, may_retry


class TwilioStandIn(Twilio, Faults):
    """See the module. Phones are in E.164."""

    webhooks: RecordedWebhooks

    def __init__(self, public_url: str, post_to: str, clock: Callable[[], float]) -> None:
        Faults.__init__(self)
        webhooks = RecordedWebhooks(AUTH_TOKEN, public_url.rstrip("/"), post_to)
        checks = Specification(check_message, check_content)
        Twilio.__init__(self, ACCOUNT, AUTH_TOKEN, webhooks, clock=clock, specification=checks)
        self.calls: list[Call] = []
        self.violations: list[str] = []
        """What the client should never have done."""
        self.refusals: list[int] = []
        """The code of each refusal, also of those that the client could not foresee."""
        self.typing: list[str] = []
        """The phones that were shown "typing…", in order."""
        self.verify = Verify(ACCOUNT, clock)
        self._runners: list[web.AppRunner] = []
        self._closing = False

    async def start(self, port: int) -> None:
        """Listen on `port` (0: a free one), and beside it for the content of media."""
        api, media = web.Application(client_max_size=2**20), web.Application()
        verify = f"/v2/Services/{{service:{SID}}}"
        api.add_routes(self.routes())
        api.router.add_post(f"{verify}/Verifications", self.guard(self._send_code))
        api.router.add_post(f"{verify}/VerificationCheck", self.guard(self._check_code))
        api.router.add_route("*", "/{path:.*}", self.guard(self._miss))
        media.router.add_get(f"/{{sid:{SID}}}/{{media:{SID}}}", self._give_media)
        for app, wanted in ((api, port), (media, 0)):
            runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
            self._runners.append(runner)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", wanted).start()
        self.url, self.media_origin = (
            f"http://127.0.0.1:{runner.addresses[0][1]}" for runner in self._runners
        )

    async def stop(self) -> None:
        self._closing = True
        self.release_all()
        await self.sender.close()
        for runner in self._runners:
            await runner.cleanup()

    # What is kept, and what goes wrong on demand

    def record(self, refused: TwilioRefused, where: str = "") -> None:
        self.refusals.append(refused.code)
        if refused.is_breach:
            self.violations.append(f"{where}{refused}")

    def note(self, oddity: str) -> None:
        self.violations.append(oddity)

    def note_typing(self, message: Message) -> None:
        self.typing.append(phone_of(message.sender))

    async def handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        fields = {name: str(value) for name, value in (await request.post()).items()}
        self.calls.append(Call(request.method, request.path, fields))
        if fault := self.take(_place_of(request.path), phone_of(fields.get("To", ""))):
            return await self._misbehave(fault, handler, request)
        return await handler(request)

    async def _misbehave(
        self, fault: Fault, handler: Handler, request: web.Request
    ) -> web.StreamResponse:
        answer = await handler(request) if fault.accept else None
        if fault.act == "hang":
            await fault.wait()
            if not self._closing:
                return answer or await handler(request)
        if fault.act == "answer":
            told = describe_error(fault.code, "on demand", fault.status)
            after = None if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
            return web.json_response(told, status=fault.status, headers=after)
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def _miss(self, _: web.Request) -> web.Response:
        raise TwilioRefused(NOT_FOUND, "not modelled")

    async def _give_media(self, request: web.Request) -> web.Response:
        """Behind the redirect: a store of files that refuses Twilio's credentials."""
        if "Authorization" in request.headers:
            self.note("the credentials were sent on to the store of media")
            return web.Response(status=400)
        try:
            return self.find_media(request).respond()
        except TwilioRefused as refused:
            return web.Response(status=refused.status)

    async def _send_code(self, request: web.Request) -> web.Response:
        told = self.verify.send(request.match_info["service"], dict(await read_form(request)))
        return web.json_response(told, status=201)

    async def _check_code(self, request: web.Request) -> web.Response:
        told = self.verify.check(request.match_info["service"], dict(await read_form(request)))
        return web.json_response(told, status=201)

    # What a test asks and arranges

    @property
    def settings(self) -> dict[str, str]:
        """Griot's settings, but for PUBLIC_URL. The people here answer SMS, wherever they are."""
        return {
            "sms_one_way": "",
            "twilio_account_sid": self.account_sid,
            "twilio_auth_token": self.auth_token,
            "twilio_sms_from": self.numbers["sms"],
            "twilio_whatsapp_from": f"whatsapp:{self.numbers['whatsapp']}",
            "twilio_api_url": self.url,
        }

    @property
    def post_to(self) -> str:
        """The origin that really answers for the public one."""
        return self.webhooks.post_to

    @post_to.setter
    def post_to(self, origin: str) -> None:
        self.webhooks.post_to = origin

    def chat(self, phone: str, channel: Channel | None = None) -> list[Message]:
        """What the phone shows of us, oldest first."""
        return self.people.messages.chat(phone, channel)

    async def say(
        self,
        phone: str,
        text: str = "",
        *,
        whatsapp: bool = False,
        extra: Sequence[tuple[str, str]] = (),
        **more: Unpack[Written],
    ) -> Answer:
        """Have a person write, and post it; `extra` parameters come last, and may repeat others."""
        told = self.write(phone, text, whatsapp=whatsapp, **more)
        return await self.deliver([*told, *extra])

    async def tap(self, phone: str, title: str) -> Answer:
        """Choose the newest option of this title that the phone shows; LookupError for none."""
        for message in reversed(self.chat(phone, "whatsapp")):
            for option in message.options:
                if option.title == title:
                    kind = "list_reply" if message.list_button else "button"
                    choice: Any = {kind: (option.payload, title)}
                    return await self.say(phone, whatsapp=True, reply_to=message.sid, **choice)
        raise LookupError(f"{phone} is not shown {title!r}")

    async def deliver(self, parameters: Parameters, *, signature: str | None = None) -> Answer:
        """Post an incoming message: once more, if it was posted before."""
        url = self.webhooks.public_url + WEBHOOK_PATH
        answer = await self.webhooks.post(url, parameters, signature=signature)
        if fault := find_fault(answer):
            self.note(fault)
        told = dict(parameters)
        if 200 <= answer.status < 300 and keyword_of(told["Body"]) == "STOP":
            self.people.note_opt_out(told["From"])
        return answer

    async def report(self, sid: str, status: Status, code: int | None = None) -> Answer:
        """Post a status callback of our message, in any order; `code` says why it failed."""
        return await self.sender.report(self.people.messages.find(sid), status, code)

    async def settled(self) -> None:
        """Wait until every report that follows a message by itself has been posted."""
        await self.sender.settled()


def _place_of(path: str) -> Place:
    places: dict[str, Place] = {
        "/Media": "media", "/Messages": "messages", "/Content": "content", "/Typing": "typing",
        "/Verification": "verify", "/Accounts/": "account",
    }  # fmt: skip
    return next((place for part, place in places.items() if part in path), "*")


def find_fault(answer: Answer) -> str:
    """Return what is wrong with an answer of 2xx: no TwiML, or TwiML that sends a message.

    The client is expected to send its messages by the API.
    """
    if not 200 <= answer.status < 300 or not answer.text.strip():
        return ""
    if answer.content_type not in {"text/xml", "application/xml"}:
        return f"the webhook answered {answer.content_type}, which is no TwiML"
    try:
        root = ElementTree.fromstring(answer.text)
    except ElementTree.ParseError as error:
        return f"the webhook answered TwiML that cannot be read: {error}"
    if root.tag != "Response" or len(root) or (root.text or "").strip():
        return "the webhook answered TwiML that says something"
    return ""


@asynccontextmanager
async def running_twilio(
    *,
    public_url: str = "",
    post_to: str = "",
    port: int = 0,
    clock: Callable[[], float] = time.time,
) -> AsyncGenerator[TwilioStandIn]:
    """`public_url` and `post_to` are origins; `clock` decides whether a window is open."""
    twilio = TwilioStandIn(public_url, post_to, clock)
    try:
        await twilio.start(port)
        yield twilio
    finally:
        await twilio.stop()

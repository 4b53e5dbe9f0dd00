"""The stand-in's server: the routes of Twilio's API, over a real socket.

One origin serves what Twilio has under several host names: messages, content, codes and typing.
Typing is a beta that no specification describes: `messageId` and `channel`, by its documentation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import web

from tests.standins.twilio_contents import Contents
from tests.standins.twilio_errors import INVALID, NO_AUTH, NOT_FOUND, Refused, told_error
from tests.standins.twilio_faults import Fault, Faults, Place
from tests.standins.twilio_messages import Channel, Media, page_of, phone_of
from tests.standins.twilio_people import People
from tests.standins.twilio_schema import FORM
from tests.standins.twilio_sending import Sender
from tests.standins.twilio_verify import Verify
from tests.standins.twilio_webhooks import Webhooks

ACCOUNT = "AC00112233445566778899aabbccddeeff"
AUTH_TOKEN = "a token of the stand-in, for tests"
NUMBERS: dict[Channel, str] = {"sms": "+15005550006", "whatsapp": "+14155238886"}
SID = "[A-Za-z0-9]+"
Operate = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Call:
    """A request that came with the right credentials; `fields` of its form, the last of each."""

    method: str
    path: str
    fields: dict[str, str]


class Server(Faults):
    """Takes requests. `clock` tells seconds since 1970, and decides whether a window is open."""

    def __init__(self, public_url: str, post_to: str, clock: Callable[[], float]) -> None:
        super().__init__()
        self.url = ""
        self.account_sid, self.auth_token, self.numbers = ACCOUNT, AUTH_TOKEN, NUMBERS
        self.calls: list[Call] = []
        self.violations: list[str] = []
        """What the client should never have done."""
        self.refusals: list[int] = []
        """The code of each refusal, also of those that the client could not foresee."""
        self.typing: list[str] = []
        """The phones that were shown "typing…", in order."""
        self.account_status = "active"
        self.sms_url = ""
        """Where messages to the number for SMS are told to."""
        self.media_origin = ""
        """Where media are redirected to; empty: they are given at once."""
        self.people = People(ACCOUNT, NUMBERS, clock)
        self.contents = Contents(ACCOUNT, lambda: self.url)
        self.verify = Verify(ACCOUNT, clock)
        self.webhooks = Webhooks(AUTH_TOKEN, public_url.rstrip("/"), post_to)
        self.sender = Sender(
            self.people, self.contents, self.webhooks, NUMBERS, self._record, self._note
        )
        self._runners: list[web.AppRunner] = []
        self._closing = False

    async def start(self, port: int) -> None:
        """Listen on `port` (0: a free one), and beside it for the content of media."""
        api, media = web.Application(client_max_size=2**20), web.Application()
        self._add_routes(api.router)
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

    def _add_routes(self, router: web.UrlDispatcher) -> None:
        messages = "/2010-04-01/Accounts/{account}/Messages"
        one = f"{messages}/{{sid:{SID}}}"
        content = f"/v1/Content/{{sid:{SID}}}"
        verify = f"/v2/Services/{{service:{SID}}}"
        account = "/2010-04-01/Accounts/{account}"
        routes: list[tuple[str, str, Place, Operate]] = [
            ("GET", f"{account}.json", "account", self._fetch_account),
            ("GET", f"{account}/IncomingPhoneNumbers.json", "account", self._list_numbers),
            ("POST", f"{messages}.json", "messages", self._create_message),
            ("GET", f"{messages}.json", "messages", self._list_messages),
            ("GET", f"{one}.json", "messages", self._fetch_message),
            ("GET", f"{one}/Media.json", "media", self._list_media),
            ("DELETE", f"{one}/Media/{{media:{SID}}}.json", "media", self._delete_media),
            ("GET", f"{one}/Media/{{media:{SID}}}", "media", self._fetch_media),
            ("POST", "/v1/Content", "content", self._create_content),
            ("GET", "/v1/Content", "content", self._list_contents),
            ("GET", content, "content", self._fetch_content),
            ("DELETE", content, "content", self._delete_content),
            ("POST", "/v2/Indicators/Typing.json", "typing", self._show_typing),
            ("POST", f"{verify}/Verifications", "verify", self._send_code),
            ("POST", f"{verify}/VerificationCheck", "verify", self._check_code),
            ("*", "/{path:.*}", "*", self._miss),
        ]
        for method, path, place, operate in routes:
            router.add_route(method, path, self._guard(place, operate))

    # What every request goes through

    def _guard(self, place: Place, operate: Operate) -> Operate:
        async def serve(request: web.Request) -> web.StreamResponse:
            try:
                self._check_credentials(request)
                fields = {name: str(value) for name, value in (await request.post()).items()}
                self.calls.append(Call(request.method, request.path, fields))
                if fault := self.take(place, phone_of(fields.get("To", ""))):
                    return await self._misbehave(fault, operate, request)
                return await operate(request)
            except Refused as refused:
                self._record(refused, f"{request.method} {request.path}: ")
                return web.json_response(refused.answer, status=refused.status)

        return serve

    def _check_credentials(self, request: web.Request) -> None:
        told = request.headers.get("Authorization")
        if told is None:
            raise Refused(NO_AUTH, "there is none")
        if told != aiohttp.encode_basic_auth(self.account_sid, self.auth_token):
            raise Refused(NO_AUTH, "the account or its token is wrong")
        if request.match_info.get("account", self.account_sid) != self.account_sid:
            raise Refused(NOT_FOUND, "the address is another account's")

    async def _misbehave(
        self, fault: Fault, operate: Operate, request: web.Request
    ) -> web.StreamResponse:
        answer = await operate(request) if fault.accept else None
        if fault.act == "hang":
            await fault.wait()
            if not self._closing:
                return answer or await operate(request)
        if fault.act == "answer":
            told = told_error(fault.code, "on demand", fault.status)
            after = None if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
            return web.json_response(told, status=fault.status, headers=after)
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    def _record(self, refused: Refused, where: str = "") -> None:
        self.refusals.append(refused.code)
        if refused.is_breach:
            self.violations.append(f"{where}{refused}")

    def _note(self, oddity: str) -> None:
        self.violations.append(oddity)

    async def _miss(self, _: web.Request) -> web.Response:
        raise Refused(NOT_FOUND, "not modelled")

    # Messages and their media

    async def _create_message(self, request: web.Request) -> web.Response:
        _check_form(request)
        message = await self.sender.send(await request.post())  # type: ignore[arg-type]
        return web.json_response(message.describe(self.account_sid, is_new=True), status=201)

    async def _list_messages(self, request: web.Request) -> web.Response:
        found = [
            each.describe(self.account_sid) for each in self.people.messages.select(request.query)
        ]
        return web.json_response(page_of(found, request.query, "messages", request.path))

    async def _fetch_message(self, request: web.Request) -> web.Response:
        message = self.people.messages.find(request.match_info["sid"])
        return web.json_response(message.describe(self.account_sid))

    async def _list_media(self, request: web.Request) -> web.Response:
        message = self.people.messages.find(request.match_info["sid"])
        found = message.describe_media(self.account_sid)
        return web.json_response(page_of(found, request.query, "media_list", request.path))

    async def _delete_media(self, request: web.Request) -> web.Response:
        self._find_media(request)
        message = self.people.messages.find(request.match_info["sid"])
        del message.media[request.match_info["media"]]
        return web.Response(status=204)

    async def _fetch_media(self, request: web.Request) -> web.Response:
        media = self._find_media(request)
        if not self.media_origin:
            return _response(media)
        place = f"{request.match_info['sid']}/{request.match_info['media']}"
        return web.Response(status=307, headers={"Location": f"{self.media_origin}/{place}"})

    async def _give_media(self, request: web.Request) -> web.Response:
        """Behind the redirect: a store of files that refuses Twilio's credentials."""
        if "Authorization" in request.headers:
            self._note("the credentials were sent on to the store of media")
            return web.Response(status=400)
        try:
            return _response(self._find_media(request))
        except Refused as refused:
            return web.Response(status=refused.status)

    def _find_media(self, request: web.Request) -> Media:
        return self.people.messages.find_media(
            request.match_info["sid"], request.match_info["media"]
        )

    # The account and its numbers

    async def _fetch_account(self, _: web.Request) -> web.Response:
        told = {"sid": self.account_sid, "status": self.account_status, "type": "Full"}
        return web.json_response(told | {"auth_token": self.auth_token})

    async def _list_numbers(self, request: web.Request) -> web.Response:
        """Those of WhatsApp are not among them."""
        number = {
            "phone_number": self.numbers["sms"],
            "capabilities": {"voice": False, "sms": True, "mms": False},
            "sms_url": self.sms_url,
            "sms_application_sid": "",
        }
        wanted = request.query.get("PhoneNumber", number["phone_number"])
        found = [number] if wanted == number["phone_number"] else []
        listed = page_of(found, request.query, "incoming_phone_numbers", request.path)
        return web.json_response(listed)

    # Content and typing

    async def _create_content(self, request: web.Request) -> web.Response:
        try:
            body: Any = await request.json()
        except ValueError:
            raise Refused(INVALID, "the body is not JSON") from None
        return web.json_response(self.contents.create(body), status=201)

    async def _list_contents(self, request: web.Request) -> web.Response:
        page = page_of(list(self.contents.held.values()), request.query, "contents", request.path)
        meta = {
            "page": page["page"],
            "page_size": page["page_size"],
            "first_page_url": f"{self.url}{page['first_page_uri']}",
            "previous_page_url": None,
            "next_page_url": page["next_page_uri"] and f"{self.url}{page['next_page_uri']}",
            "url": f"{self.url}{page['uri']}",
            "key": "contents",
        }
        return web.json_response({"contents": page["contents"], "meta": meta})

    async def _fetch_content(self, request: web.Request) -> web.Response:
        return web.json_response(self.contents.find(request.match_info["sid"]))

    async def _delete_content(self, request: web.Request) -> web.Response:
        self.contents.delete(request.match_info["sid"])
        return web.Response(status=204)

    # Codes

    async def _send_code(self, request: web.Request) -> web.Response:
        told = self.verify.send(request.match_info["service"], await _read_form(request))
        return web.json_response(told, status=201)

    async def _check_code(self, request: web.Request) -> web.Response:
        told = self.verify.check(request.match_info["service"], await _read_form(request))
        return web.json_response(told, status=201)

    async def _show_typing(self, request: web.Request) -> web.Response:
        _check_form(request)
        form = await request.post()
        if form.get("channel") != "whatsapp" or set(form) != {"messageId", "channel"}:
            raise Refused(INVALID, "messageId, and channel=whatsapp, are what it takes")
        message = self.people.messages.find(str(form["messageId"]))
        if message.direction != "inbound" or message.channel != "whatsapp":
            raise Refused(INVALID, "messageId is no message that a person wrote on WhatsApp")
        self.typing.append(phone_of(message.sender))
        return web.json_response({"success": True})


def _check_form(request: web.Request) -> None:
    if request.content_type != FORM:
        raise Refused(INVALID, f"the body is {request.content_type}, not {FORM}")


async def _read_form(request: web.Request) -> dict[str, str]:
    _check_form(request)
    return {name: str(value) for name, value in (await request.post()).items()}


def _response(media: Media) -> web.Response:
    return web.Response(body=media.content, headers={"Content-Type": media.mime_type})

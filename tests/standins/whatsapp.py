"""A WhatsApp Cloud API to test against, over a real socket; and Meta's side of the webhook.

    async with running_whatsapp(templates={"news:fr": "Bonjour, {{1}}"}) as whatsapp:
        ... WHATSAPP_API_URL=whatsapp.url and the others of `whatsapp.settings` ...
        await whatsapp.subscribe(f"{public_url}/webhooks/whatsapp")
        await whatsapp.deliver(whatsapp.text_message("22507000001", "Bonjour"))
        [shown] = whatsapp.chat("22507000001")
        assert whatsapp.violations == []

What a business may not send is refused as Meta refuses it and kept in `violations`: what breaks the
OpenAPI (that of v23.0, mended for v25.0) or a limit, a wrong token or address, a message outside
the window of 24 hours (131047), one too fast to one person (131056). What a test arranged
(`fail_next` …) is none.

The interface, by the OpenAPI and Meta's reference:

- `POST /v25.0/{phone number id}/messages`: a message, or `status: read` with a typing indicator
  that lives 25 s; answers the wamid, before anything is known of its fate. That comes as statuses
  sent, delivered, read, failed, in no promised order. 131047 is an error of the answer or a failed
  status (unsure): `window` chooses.
- `POST /v25.0/{phone number id}/media`: multipart with messaging_product, type, file; answers
  an id.
- `GET /v25.0/{media id}` answers an address that lives 5 minutes and needs the bearer again.
- A linked file is fetched by Meta after the answer: what goes wrong there is a failed status
  131053.
- The webhook: see `whatsapp_posting`. What is not answered 200 comes again, up to 7 days.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, cast

from aiohttp import web

from tests.standins.whatsapp_calls import Calls, Outcome, Rules
from tests.standins.whatsapp_errors import BAD_VALUE, INVALID, NO_TOKEN, NOT_FOUND, Refused
from tests.standins.whatsapp_faults import Call, Fault, Faults, Place
from tests.standins.whatsapp_posting import Webhook
from tests.standins.whatsapp_webhooks import NUMBER, NUMBER_ID, Status

VERSION = "v25.0"
TOKEN = "EAAJB_a_token_of_the_stand-in_for_tests"
APP_SECRET = "an app secret of the stand-in"
VERIFY_TOKEN = "a verify token of the stand-in"
MAX_UPLOAD = 101 * 2**20


class WhatsAppStandIn(Calls, Faults):
    """See the module; made by `running_whatsapp`."""

    def __init__(self, rules: Rules, *, pauses: Sequence[float]) -> None:
        Calls.__init__(self, rules, Webhook(APP_SECRET, VERIFY_TOKEN, pauses))
        Faults.__init__(self)
        self.calls: list[Call] = []
        """Every call that came with the right token."""
        self.quality = "GREEN"
        self._closing = asyncio.Event()

    @property
    def url(self) -> str:
        return f"{self.origin}/{VERSION}"

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a Griot that speaks with this."""
        return {
            "WHATSAPP_TOKEN": TOKEN,
            "WHATSAPP_PHONE_NUMBER_ID": NUMBER_ID,
            "WHATSAPP_APP_SECRET": APP_SECRET,
            "WHATSAPP_VERIFY_TOKEN": VERIFY_TOKEN,
            "WHATSAPP_API_URL": self.url,
        }

    async def tell_number(self, call: Call) -> Outcome:
        """The phone number, by its id; the proof of the app's secret is checked if it is given."""
        expected = hmac.new(APP_SECRET.encode(), TOKEN.encode(), hashlib.sha256).hexdigest()
        if call.content.get("appsecret_proof", expected) != expected:
            message = "Invalid appsecret_proof provided in the API argument"
            error = {"message": message, "type": "GraphMethodException", "code": INVALID}
            return web.json_response({"error": error}, status=400)
        told = {"id": NUMBER_ID, "display_phone_number": NUMBER, "verified_name": "Griot"}
        return told | {"quality_rating": self.quality}

    # The webhook

    async def subscribe(self, url: str) -> bool:
        """Verify the webhook, and post there from now on; False when it did not agree."""
        return await self.webhook.subscribe(url)

    # The server

    async def open(self, port: int) -> None:
        app = web.Application(client_max_size=MAX_UPLOAD)
        base = f"/{VERSION}"
        download = "/whatsapp_business/attachments/"
        app.router.add_post(f"{base}/{NUMBER_ID}/messages", self._serve("messages", self.send))
        app.router.add_post(f"{base}/{NUMBER_ID}/media", self._serve("media", self.upload))
        app.router.add_get(f"{base}/{NUMBER_ID}", self._serve("number", self.tell_number))
        app.router.add_get(f"{base}/{{media_id:[0-9]+}}", self._serve("lookup", self.look_up))
        app.router.add_get(download, self._serve("download", self.download))
        app.router.add_route("*", "/{path:.*}", self._serve_unknown)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.origin = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        await self.webhook.open()

    async def close(self) -> None:
        self._closing.set()
        await self.stop_telling()
        await self.webhook.close()
        await self._runner.cleanup()

    def _serve(
        self, place: Place, carry_out: Callable[[Call], Awaitable[Outcome]]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            try:
                _check_bearer(request)
                call = await _read_call(place, request)
                self.calls.append(call)
                if fault := self.take_fault(call):
                    return await self._misbehave(fault, call, request, carry_out)
                return _answer(await carry_out(call))
            except Refused as refused:
                self.violations.append(str(refused))
                return web.json_response(refused.answer, status=refused.status)

        return serve

    async def _serve_unknown(self, request: web.Request) -> web.Response:
        refused = Refused(NOT_FOUND, f"{request.method} {request.path}")
        self.violations.append(str(refused))
        return web.json_response(refused.answer, status=refused.status)

    async def _misbehave(
        self,
        fault: Fault,
        call: Call,
        request: web.Request,
        carry_out: Callable[[Call], Awaitable[Outcome]],
    ) -> web.StreamResponse:
        if fault.accept:
            await carry_out(call)
        if fault.act == "answer" and isinstance(fault.answer, str):
            return web.Response(text=fault.answer, status=fault.status, content_type="text/html")
        if fault.act == "answer":
            return web.json_response(fault.answer, status=fault.status)
        if fault.act == "hang":
            await self._closing.wait()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()


def _check_bearer(request: web.Request) -> None:
    if request.headers.get("Authorization") != f"Bearer {TOKEN}":
        raise Refused(NO_TOKEN)


def _answer(outcome: Outcome) -> web.StreamResponse:
    return web.json_response(outcome) if isinstance(outcome, dict) else outcome


async def _read_call(place: Place, request: web.Request) -> Call:
    if place == "lookup":
        return Call(place, request.match_info["media_id"])
    if place in {"download", "number"}:
        return Call(place, dict(request.query))
    if place == "media":
        return Call(place, await request.post())
    if request.content_type != "application/json":
        raise Refused(INVALID, "a message is application/json")
    try:
        body: Any = await request.json()
    except ValueError as error:
        raise Refused(BAD_VALUE, "the body is not JSON") from error
    fields = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    to: Any = fields.get("to") or fields.get("recipient")
    return Call(place, body, to.lstrip("+") if isinstance(to, str) else "")


@asynccontextmanager
async def running_whatsapp(
    *,
    port: int = 0,
    clock: Callable[[], float] = time.time,
    templates: dict[str, str] | None = None,
    window: Literal["refuse", "fail"] = "refuse",
    statuses: Sequence[Status] = (),
    pace: bool = True,
    pauses: Sequence[float] = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6),
) -> AsyncGenerator[WhatsAppStandIn]:
    """A stand-in that listens on 127.0.0.1.

    `templates` are wordings by `name:language`, with `{{1}}` …; `statuses` are told of each message
    that arrives; `pauses` are the seconds before each redelivery.
    """
    rules = Rules(clock, templates or {}, window, statuses, pace=pace)
    whatsapp = WhatsAppStandIn(rules, pauses=pauses)
    await whatsapp.open(port)
    try:
        yield whatsapp
    finally:
        await whatsapp.close()

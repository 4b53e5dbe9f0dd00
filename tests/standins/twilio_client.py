"""A client to ask the stand-in with, as raw as can be, and a place for its webhooks to go."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web
from multidict import MultiDict

from bot.demo.local_server import serve_routes
from tests.standins.twilio import TwilioStandIn
from tests.standins.twilio_schema import MESSAGES

AWA, KOFFI, JOHN = "+2250701020304", "+22997000001", "+14165550100"
PUBLIC = "https://griot.example"
CALLBACK = f"{PUBLIC}/webhooks/twilio/status"
MB = 2**20
JPEG, PDF = b"\xff\xd8" + b"x" * 98, b"%PDF-1.7"


@dataclass
class Griot:
    """Takes webhooks and gives files, as the client would."""

    url: str = ""
    webhooks: list[MultiDict[str]] = field(default_factory=list[Any])
    signatures: list[str] = field(default_factory=list[Any])
    answer: tuple[int, str, str] = (204, "", "text/plain")
    drops: int = 0
    files: dict[str, tuple[bytes, str]] = field(default_factory=dict[str, tuple[bytes, str]])
    fetched: list[dict[str, str]] = field(default_factory=list[Any])
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, request: web.Request) -> web.Response:
        parameters = [(name, str(value)) for name, value in (await request.post()).items()]
        self.webhooks.append(MultiDict(parameters))
        self.signatures.append(request.headers["X-Twilio-Signature"])
        if self.drops:
            self.drops -= 1
            assert request.transport is not None
            request.transport.abort()
        await self.may_answer.wait()
        status, text, kind = self.answer
        return web.Response(status=status, text=text, content_type=kind)

    async def give(self, request: web.Request) -> web.Response:
        self.fetched.append(dict(request.headers))
        content, kind = self.files[request.match_info["name"]]
        named = {"Content-Type": kind, "Content-Disposition": 'inline; filename="f.pdf"'}
        return web.Response(body=content, headers=named)


class Clock:
    """Turned by hand, in seconds since 1970."""

    now = 1_800_000_000.0  # 2027-01-15T08:00:00Z

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def running_griot() -> AsyncGenerator[Griot]:
    griot = Griot()
    griot.may_answer.set()
    routes = web.post("/webhooks/{path:.+}", griot.take), web.get("/files/{name}", griot.give)
    async with serve_routes(routes) as griot.url:
        yield griot
        griot.may_answer.set()


def credentials(twilio: TwilioStandIn) -> dict[str, str]:
    return {"Authorization": aiohttp.encode_basic_auth(twilio.account_sid, twilio.auth_token)}


async def ask(twilio: TwilioStandIn, method: str, path: str, **options: Any) -> tuple[int, Any]:
    """Status and answer."""
    headers, url = credentials(twilio), twilio.url + path.format(AccountSid=twilio.account_sid)
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.request(method, url, **options) as response,
    ):
        text = await response.text()
        return response.status, json.loads(text) if text else None


async def send(twilio: TwilioStandIn, to: str = AWA, **fields: Any) -> tuple[int, Any]:
    """Send on WhatsApp; a field that is None is left out, one that is a list is repeated."""
    usual = {"To": f"whatsapp:{to}", "From": f"whatsapp:{twilio.numbers['whatsapp']}"}
    form: list[tuple[str, str]] = []
    for name, value in {**usual, "StatusCallback": CALLBACK, **fields}.items():
        form += [(name, each) for each in (value if isinstance(value, list) else [value]) if each]
    return await ask(twilio, "POST", MESSAGES, data=aiohttp.FormData(form))


async def send_sms(twilio: TwilioStandIn, to: str = AWA, **fields: Any) -> tuple[int, Any]:
    """Send an SMS."""
    return await send(twilio, To=to, From=twilio.numbers["sms"], **fields)


def quick_reply(count: int = 1, *, body: str = "?", title: str = "", **more: str) -> dict[str, Any]:
    actions = [{"title": title or f"t{n}", "id": f"i{n}", **more} for n in range(count)]
    return {"twilio/quick-reply": {"body": body, "actions": actions}}


def list_picker(
    count: int = 1, *, body: str = "?", button: str = "Voir", **more: str
) -> dict[str, Any]:
    items = [{"item": f"t{n}", "id": f"i{n}", **more} for n in range(count)]
    return {"twilio/list-picker": {"body": body, "button": button, "items": items}}


async def create_content(twilio: TwilioStandIn, types: Any, **more: Any) -> tuple[int, Any]:
    body = {"language": "fr", "types": types, **more}
    return await ask(twilio, "POST", "/v1/Content", json=body)

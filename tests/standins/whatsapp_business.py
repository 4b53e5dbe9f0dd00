"""The business's side of a test: raw requests, message bodies, and an end for the webhook."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import io
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from bot.demo.local_server import serve_routes
from tests.standins.whatsapp import APP_SECRET, TOKEN, VERIFY_TOKEN, WhatsAppStandIn
from tests.standins.whatsapp_webhooks import NUMBER_ID

AWA = "22507000001"
PNG = b"\x89PNG\r\n"
TEXT = {"type": "text", "text": {"body": "Bonjour"}}
Body = dict[str, Any]


@asynccontextmanager
async def asking(
    whatsapp: WhatsAppStandIn,
    method: str,
    address: str,
    token: str = TOKEN,
    seconds: float = 20,
    **body: Any,
) -> AsyncGenerator[aiohttp.ClientResponse]:
    """Ask at an address below the API's; or in full, or absolute."""
    url = address if address.startswith("http") else f"{whatsapp.url}/{address}"
    if address.startswith("/"):
        url = whatsapp.origin + address
    headers = {"Authorization": f"Bearer {token}"}
    timeout = aiohttp.ClientTimeout(total=seconds)
    async with (
        aiohttp.ClientSession(headers=headers, timeout=timeout) as http,
        http.request(method, url, **body) as response,
    ):
        yield response


async def send(
    whatsapp: WhatsAppStandIn, body: Body, to: str = AWA, seconds: float = 20
) -> tuple[int, Any]:
    """Status and answer."""
    told = {"messaging_product": "whatsapp", **body}
    if "status" not in body:
        told = {"recipient_type": "individual", "to": to, **told}
    address = f"{NUMBER_ID}/messages"
    async with asking(whatsapp, "POST", address, seconds=seconds, json=told) as response:
        return response.status, await response.json()


async def upload(
    whatsapp: WhatsAppStandIn, content: bytes, mime_type: str, **form: str
) -> tuple[int, Any]:
    parts = aiohttp.FormData({"messaging_product": "whatsapp", "type": mime_type, **form})
    parts.add_field("file", io.BytesIO(content), filename="cours.x", content_type=mime_type)
    async with asking(whatsapp, "POST", f"{NUMBER_ID}/media", data=parts) as response:
        return response.status, await response.json()


def media(kind: str, **content: Any) -> Body:
    return {"type": kind, kind: content}


def interactive(**content: Any) -> Body:
    return {"type": "interactive", "interactive": {"body": {"text": "?"}, **content}}


def buttons(*options: tuple[str, str], **content: Any) -> Body:
    replies = [{"type": "reply", "reply": {"id": id_, "title": title}} for id_, title in options]
    return interactive(type="button", action={"buttons": replies}, **content)


def listing(*rows: Body, button: str = "Choisir", sections: int = 1, **section: str) -> Body:
    told = [{"rows": list(rows[part::sections]), **section} for part in range(sections)]
    return interactive(type="list", action={"button": button, "sections": told})


def row(number: int, **changes: str) -> Body:
    return {"id": str(number), "title": f"Option {number}", **changes}


def template(
    *texts: str, name: str = "news", language: str = "fr", parameter: str = "text"
) -> Body:
    body = {"type": "body", "parameters": [{"type": parameter, "text": text} for text in texts]}
    told = {"name": name, "language": {"code": language}, "components": [body]}
    return {"type": "template", "template": told}


@asynccontextmanager
async def serving(content: bytes, mime_type: str, status: int = 200) -> AsyncGenerator[str]:
    """The address of a file."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=content, content_type=mime_type, status=status)

    async with serve_routes([web.get("/file", answer)]) as url:
        yield f"{url}/file"


@dataclass
class Business:
    """The business's end of the webhook."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list[bytes])
    answers: list[int] = field(default_factory=list[int])
    """Statuses of the next answers, 200 after them."""
    forged: int = 0
    verify_token: str = VERIFY_TOKEN
    free: asyncio.Event = field(default_factory=asyncio.Event)
    """While it is not set, no POST is answered."""

    async def verify(self, request: web.Request) -> web.Response:
        asked = request.query
        known = (asked["hub.mode"], asked["hub.verify_token"]) == ("subscribe", self.verify_token)
        return web.Response(text=asked["hub.challenge"], status=200 if known else 403)

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        digest = hmac.new(APP_SECRET.encode(), body, hashlib.sha256).hexdigest()
        self.forged += request.headers["X-Hub-Signature-256"] != f"sha256={digest}"
        self.bodies.append(body)
        await self.free.wait()
        return web.Response(status=self.answers.pop(0) if self.answers else 200)

    @property
    def values(self) -> list[Body]:
        payloads = [json.loads(body) for body in self.bodies]
        entries = [entry for payload in payloads for entry in payload["entry"]]
        return [change["value"] for entry in entries for change in entry["changes"]]

    @property
    def statuses(self) -> list[Body]:
        return [status for value in self.values for status in value.get("statuses", [])]


@asynccontextmanager
async def running_business() -> AsyncGenerator[Business]:
    made = Business()
    async with serve_routes([web.get("/hook", made.verify), web.post("/hook", made.take)]) as url:
        made.url = f"{url}/hook"
        made.free.set()
        yield made

"""The page of three phones: what it loads, the stream that it shows, what is done on it.

All of it is for this machine and for the page itself only.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

import msgspec
from aiohttp import web

from bot.demo import samples
from bot.demo.curriculum import Language
from bot.demo.phones.pdf_pages import PROGRAM
from bot.demo.providers.screens import Screens
from bot.demo.providers.shown import Phone
from bot.demo.providers.telegram_person import TelegramPerson
from bot.demo.providers.twilio_person import TwilioPerson
from bot.demo.supervisor import Supervisor
from bot.errors import ToolFailed
from bot.library.workshop import Workshop

_FOLDER: Final = Path(__file__).parent / "static"
_POLICY: Final = (
    "default-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_FILE_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
_SHOWN: Final = frozenset({"image/png", "image/jpeg", "image/webp", "audio/ogg"})
_LOCAL: Final = frozenset({"127.0.0.1", "localhost"})
_COUNT_EVERY: Final = 5.0
_MAX_TEXT: Final = 4000


class Tap(msgspec.Struct, frozen=True):
    message: str
    payload: str


class Deed(msgspec.Struct, frozen=True):
    """What the person does on a phone: writes, taps, sends a photo (base64) or a sample, shares the
    contact."""

    text: str = ""
    photo: str = ""
    sample: samples.Kind | None = None
    """The demo's own photo or voice note, in `language`."""
    language: Language = "fr"
    tap: Tap | None = None
    contact: bool = False
    twice: bool = False
    """The provider delivers it twice, at the same moment."""
    late: bool = False
    """The provider delivers it some seconds late."""


@dataclass(frozen=True, slots=True)
class Phones:
    """Who is behind the page."""

    screens: Screens
    telegram: TelegramPerson
    twilio: TwilioPerson
    gateway: Supervisor


class PhonesPage:
    """Routes: `/` and everything under `/demo/phones/`."""

    def __init__(self, phones: Phones) -> None:
        self._phones = phones
        self._workshop = Workshop()
        self._pages: dict[str, asyncio.Task[list[bytes]]] = {}
        """Of PDF files, by their keys."""
        self._files = {path.name: path.read_bytes() for path in _FOLDER.iterdir()}

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self.page),
            web.get("/demo/phones/events", self.events),
            web.get("/demo/phones/files/{key}", self.held),
            web.get("/demo/phones/files/{key}/pages", self.count_pages),
            web.get(r"/demo/phones/files/{key}/pages/{number:[0-9]}", self.picture),
            web.get("/demo/phones/{name}", self.file),
            web.post("/demo/phones/kill", self.kill),
            web.post("/demo/phones/language", self.speak),
            web.post("/demo/phones/{phone}", self.act),
        ]

    async def page(self, _: web.Request) -> web.Response:
        return self._serve("index.html")

    async def file(self, request: web.Request) -> web.Response:
        return self._serve(request.match_info["name"])

    def _serve(self, name: str) -> web.Response:
        if name not in self._files:
            raise web.HTTPNotFound
        kind = mimetypes.guess_type(name)[0]
        return web.Response(
            body=self._files[name], content_type=kind, charset="utf-8", headers=_HEADERS
        )

    async def held(self, request: web.Request) -> web.Response:
        """A file that a phone holds: shown when it is a picture or plain text, else downloaded."""
        _check_own(request)
        kept = self._phones.screens.file(request.match_info["key"])
        if kept is None:
            raise web.HTTPNotFound
        held, content = kept
        plain = held.mime_type.startswith("text/") and held.mime_type != "text/html"
        shown = plain or held.mime_type in _SHOWN
        way = "inline" if shown and "download" not in request.query else "attachment"
        disposition = f"{way}; filename*=UTF-8''{quote(held.name, safe='')}"
        kind = "text/plain" if plain else held.mime_type or "application/octet-stream"
        headers = {**_FILE_HEADERS, "Content-Disposition": disposition, "Content-Type": kind}
        return web.Response(body=content, headers=headers)

    async def picture(self, request: web.Request) -> web.Response:
        """A page of a PDF that a phone holds, counted from 0, as a PNG; 404 behind the last one."""
        pages = await self._list_pages(request)
        number = int(request.match_info["number"])
        if number >= len(pages):
            raise web.HTTPNotFound
        return web.Response(body=pages[number], content_type="image/png", headers=_FILE_HEADERS)

    async def count_pages(self, request: web.Request) -> web.Response:
        """How many of its pages there are as pictures: at most `MOST_PAGES`."""
        return web.json_response(len(await self._list_pages(request)))

    async def _list_pages(self, request: web.Request) -> list[bytes]:
        """The first pages as PNGs. Raises `HTTPNotFound`: the phones hold no such PDF."""
        _check_own(request)
        key = request.match_info["key"]
        kept = self._phones.screens.file(key)
        if kept is None or kept[0].mime_type != "application/pdf":
            raise web.HTTPNotFound
        if key not in self._pages:
            self._pages[key] = asyncio.create_task(self._draw(kept[1]))
        return await asyncio.shield(self._pages[key])

    async def _draw(self, content: bytes) -> list[bytes]:
        """The first pages of a PDF; none if it cannot be read."""
        try:
            pages = await self._workshop.run(PROGRAM, content)
        except ToolFailed:
            return []
        return msgspec.msgpack.decode(pages, type=list[bytes])

    async def speak(self, request: web.Request) -> web.Response:
        """204: the person's Telegram is in this language now; 400 for one that we do not speak."""
        _check_own(request)
        try:
            language = msgspec.json.decode(await request.read(), type=Language)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return _refusal(400, "bad_request")
        self._phones.telegram.speak(language)
        return web.Response(status=204)

    async def events(self, request: web.Request) -> web.StreamResponse:
        """All that the phones show, then what changes, as server-sent events."""
        _check_own(request)
        headers = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        with self._phones.screens.watch() as (now, mailbox):
            hello = msgspec.json.encode({"number": self._phones.twilio.number})
            await response.write(b"event: hello\ndata: %s\n\n" % hello + b"".join(now))
            try:
                async for event in mailbox:
                    await response.write(event)
            except ConnectionResetError:
                pass
        return response

    async def kill(self, request: web.Request) -> web.Response:
        """204 when the gateway has been killed; 409 when it is not up."""
        _check_own(request)
        try:
            self._phones.gateway.kill()
        except ProcessLookupError:
            return _refusal(409, "not_up")
        return web.Response(status=204)

    async def act(self, request: web.Request) -> web.Response:
        """202: the provider has it. 400 for what is no `Deed`; 404 no such phone; 410 no button."""
        _check_own(request)
        try:
            deed = msgspec.json.decode(await request.read(), type=Deed)
            photo = base64.b64decode(deed.photo, validate=True)
            if deed.sample == "photo":
                photo = samples.load("photo", deed.language)
        except (msgspec.DecodeError, UnicodeDecodeError, binascii.Error):
            return _refusal(400, "bad_request")
        if len(deed.text) > _MAX_TEXT or not (
            deed.text.strip() or photo or deed.sample or deed.tap or deed.contact
        ):
            return _refusal(400, "bad_request")
        phone: Any = request.match_info["phone"]
        if phone not in {"telegram", "whatsapp", "sms"}:
            return _refusal(404, "not_found")
        if phone == "sms" and deed.sample:
            return _refusal(400, "bad_request")
        try:
            self._do(phone, deed, photo)
        except LookupError:
            return _refusal(410, "gone")
        return web.Response(status=202)

    def _do(self, phone: Phone, deed: Deed, photo: bytes) -> None:
        """Raises `LookupError`."""
        if phone == "telegram":
            self._do_on_telegram(deed, photo)
        elif deed.tap is not None and phone == "whatsapp":
            self._phones.twilio.tap(deed.tap.message, deed.tap.payload, twice=deed.twice)
        elif deed.sample == "voice" and phone == "whatsapp":
            voice = samples.load("voice", deed.language)
            self._phones.twilio.write(phone, "", voice, "audio/ogg", twice=deed.twice)
        else:
            self._phones.twilio.write(
                phone, deed.text, photo if phone == "whatsapp" else b"",
                twice=deed.twice, late=deed.late,
            )  # fmt: skip

    def _do_on_telegram(self, deed: Deed, photo: bytes) -> None:
        telegram = self._phones.telegram
        if deed.tap is not None:
            telegram.tap(deed.tap.message, deed.tap.payload, twice=deed.twice)
        elif deed.contact:
            telegram.share_contact(self._phones.twilio.number, twice=deed.twice)
        elif deed.sample == "voice":
            voice = samples.load("voice", deed.language)
            telegram.send_voice(voice, samples.VOICE_SECONDS, twice=deed.twice)
        elif photo:
            telegram.send_photo(photo, deed.text, twice=deed.twice)
        else:
            telegram.write(deed.text, twice=deed.twice, late=deed.late)


async def keep_counting(screens: Screens) -> None:
    """Notice messages that nobody answers. Runs until cancelled."""
    while True:
        await asyncio.sleep(_COUNT_EVERY)
        screens.recount()


def _check_own(request: web.Request) -> None:
    """Only the page itself: no other site, also under a name made to point to this machine."""
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    if site not in {"same-origin", "none"} or request.url.host not in _LOCAL:
        raise web.HTTPForbidden


def _refusal(status: Literal[400, 404, 409, 410], code: str) -> web.Response:
    body = msgspec.json.encode({"error": {"code": code, "message": code}})
    return web.Response(status=status, body=body, content_type="application/json")

"""Serve the page of three phones: its files, its stream of events, and the person's actions.

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

from bot.demo import tutor_script
from bot.demo.local_server import json_response
from bot.demo.providers.phone_screens import Phone, PhoneScreens
from bot.demo.providers.telegram import TelegramPerson
from bot.demo.providers.twilio import TwilioPerson
from bot.demo.supervisor import Supervisor
from bot.demo.tutor_script import Language
from bot.errors import ToolFailed
from bot.files.pdf_pages import PROGRAM, decode_pages
from bot.isolated_worker.worker import IsolatedWorker

_STATIC_FOLDER: Final = Path(__file__).parent / "phones" / "static"
_CHAT_FOLDER: Final = Path(__file__).parents[1] / "web" / "pages" / "chat"
"""Folder of the chat's modules, of which those that show formulas are used."""
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
_SHOWN_INLINE: Final = frozenset({"image/png", "image/jpeg", "image/webp", "audio/ogg"})
_LOCAL: Final = frozenset({"127.0.0.1", "localhost"})
_COUNT_EVERY: Final = 5.0
_MAX_TEXT: Final = 4000


class Tap(msgspec.Struct, frozen=True):
    message: str
    payload: str


class PhoneAction(msgspec.Struct, frozen=True):
    """An action of the person on a phone: a message, a tap, a photo (base64), a sample, the
    contact."""

    text: str = ""
    photo: str = ""
    sample: tutor_script.SampleKind | None = None
    """The demo's own photo or voice note, in `language`."""
    language: Language = "fr"
    tap: Tap | None = None
    contact: bool = False
    twice: bool = False
    """Whether the provider delivers it twice, at the same moment."""
    late: bool = False
    """Whether the provider delivers it some seconds late."""


@dataclass(frozen=True, slots=True)
class PhoneSet:
    """The three phones and the gateway behind the page."""

    screens: PhoneScreens
    telegram: TelegramPerson
    twilio: TwilioPerson
    gateway: Supervisor


class PhonesPage:
    """Routes: `/` and everything under `/demo/phones/`."""

    def __init__(self, phones: PhoneSet) -> None:
        self._phones = phones
        self._worker = IsolatedWorker()
        self._pages: dict[str, asyncio.Task[list[bytes]]] = {}
        """Pages of PDF files, by the files' keys."""
        formulas = [_CHAT_FOLDER / name for name in ("formula.js", "mathml.js", "notation.js")]
        files = [*_STATIC_FOLDER.iterdir(), *formulas]
        self._files = {path.name: path.read_bytes() for path in files}

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
        """Send a file that a phone holds: inline if it is a picture or plain text, else as a
        download."""
        _check_same_origin(request)
        kept = self._phones.screens.find_file(request.match_info["key"])
        if kept is None:
            raise web.HTTPNotFound
        held, content = kept
        plain = held.mime_type.startswith("text/") and held.mime_type != "text/html"
        shown = plain or held.mime_type in _SHOWN_INLINE
        way = "inline" if shown and "download" not in request.query else "attachment"
        disposition = f"{way}; filename*=UTF-8''{quote(held.name, safe='')}"
        kind = "text/plain" if plain else held.mime_type or "application/octet-stream"
        headers = {**_FILE_HEADERS, "Content-Disposition": disposition, "Content-Type": kind}
        return web.Response(body=content, headers=headers)

    async def picture(self, request: web.Request) -> web.Response:
        """Send a page of a PDF that a phone holds, counted from 0, as a PNG; 404 after the last
        one."""
        pages = await self._list_pages(request)
        number = int(request.match_info["number"])
        if number >= len(pages):
            raise web.HTTPNotFound
        return web.Response(body=pages[number], content_type="image/jpeg", headers=_FILE_HEADERS)

    async def count_pages(self, request: web.Request) -> web.Response:
        """Send the number of pages that are available as pictures: at most `MOST_PAGES`."""
        return web.json_response(len(await self._list_pages(request)))

    async def _list_pages(self, request: web.Request) -> list[bytes]:
        """Return the first pages as JPEGs. Raises `HTTPNotFound`: the phones hold no such PDF."""
        _check_same_origin(request)
        key = request.match_info["key"]
        kept = self._phones.screens.find_file(key)
        if kept is None or kept[0].mime_type != "application/pdf":
            raise web.HTTPNotFound
        if key not in self._pages:
            self._pages[key] = asyncio.create_task(self._draw(kept[1]))
        return await asyncio.shield(self._pages[key])

    async def _draw(self, content: bytes) -> list[bytes]:
        """Draw the first pages of a PDF; return none if it cannot be read."""
        try:
            pages = await self._worker.run(PROGRAM, content)
        except ToolFailed:
            return []
        return decode_pages(pages).pages

    async def speak(self, request: web.Request) -> web.Response:
        """Set the language of the person's Telegram: 204; 400 for one that we do not have."""
        _check_same_origin(request)
        try:
            language = msgspec.json.decode(await request.read(), type=Language)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return _refuse(400, "bad_request")
        self._phones.telegram.set_language(language)
        return web.Response(status=204)

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Send everything that the phones show, then the changes, as server-sent events."""
        _check_same_origin(request)
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
        """Kill the gateway: 204; 409 if it is not up."""
        _check_same_origin(request)
        try:
            self._phones.gateway.kill()
        except ProcessLookupError:
            return _refuse(409, "not_up")
        return web.Response(status=204)

    async def act(self, request: web.Request) -> web.Response:
        """Perform the person's action: 202; 400 if it is no `PhoneAction`, 404 if there is no such
        phone, 410 if there is no such button."""
        _check_same_origin(request)
        try:
            action = msgspec.json.decode(await request.read(), type=PhoneAction)
            photo = base64.b64decode(action.photo, validate=True)
            if action.sample == "photo":
                photo = tutor_script.load_sample("photo", action.language)
        except (msgspec.DecodeError, UnicodeDecodeError, binascii.Error):
            return _refuse(400, "bad_request")
        if len(action.text) > _MAX_TEXT or not (
            action.text.strip() or photo or action.sample or action.tap or action.contact
        ):
            return _refuse(400, "bad_request")
        phone: Any = request.match_info["phone"]
        if phone not in {"telegram", "whatsapp", "sms"}:
            return _refuse(404, "not_found")
        if phone == "sms" and action.sample:
            return _refuse(400, "bad_request")
        try:
            self._do(phone, action, photo)
        except LookupError:
            return _refuse(410, "gone")
        return web.Response(status=202)

    def _do(self, phone: Phone, action: PhoneAction, photo: bytes) -> None:
        """Pass the action to the provider. Raises `LookupError`: there is no such button."""
        if phone == "telegram":
            self._do_on_telegram(action, photo)
        elif action.tap is not None and phone == "whatsapp":
            self._phones.twilio.tap(action.tap.message, action.tap.payload, twice=action.twice)
        elif action.sample == "voice" and phone == "whatsapp":
            voice = tutor_script.load_sample("voice", action.language)
            self._phones.twilio.write(phone, "", voice, "audio/ogg", twice=action.twice)
        else:
            self._phones.twilio.write(
                phone, action.text, photo if phone == "whatsapp" else b"",
                twice=action.twice, late=action.late,
            )  # fmt: skip

    def _do_on_telegram(self, action: PhoneAction, photo: bytes) -> None:
        telegram = self._phones.telegram
        if action.tap is not None:
            telegram.tap(action.tap.message, action.tap.payload, twice=action.twice)
        elif action.contact:
            telegram.share_contact(self._phones.twilio.number, twice=action.twice)
        elif action.sample == "voice":
            voice = tutor_script.load_sample("voice", action.language)
            telegram.send_voice(voice, tutor_script.VOICE_SECONDS, twice=action.twice)
        elif photo:
            telegram.send_photo(photo, action.text, twice=action.twice)
        else:
            telegram.write(action.text, twice=action.twice, late=action.late)


async def recount_forever(screens: PhoneScreens) -> None:
    """Update the tally regularly, until cancelled: unanswered messages count as lost with time."""
    while True:
        await asyncio.sleep(_COUNT_EVERY)
        screens.recount()


def _check_same_origin(request: web.Request) -> None:
    """Allow the page itself only: no other site, not even under a name that points to this
    machine."""
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    if site not in {"same-origin", "none"} or request.url.host not in _LOCAL:
        raise web.HTTPForbidden


def _refuse(status: Literal[400, 404, 409, 410], code: str) -> web.Response:
    return json_response({"error": {"code": code, "message": code}}, status)

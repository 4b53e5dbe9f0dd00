"""Twilio's API for one account: its messages of WhatsApp and SMS, contents and typing.

Forms: https://www.twilio.com/docs/messaging/api/message-resource and .../content/content-api.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from aiohttp import ClientError, web
from aiohttp.helpers import encode_basic_auth

from bot.demo.providers.screens import Screens
from bot.demo.providers.shown import Bubble, Held, Phone, Tick
from bot.demo.providers.twilio_limits import (
    MAX_IMAGE,
    MAX_MEDIA,
    WHATSAPP,
    Refused,
    check_body,
    read_content,
)
from bot.demo.providers.twilio_person import SMS_NUMBER, WHATSAPP_NUMBER, TwilioPerson
from bot.gateway.render.gsm import segments

_STEP: Final = 0.35
"""Seconds between two reports on a message."""
_TYPING: Final = 25.0
Fields = Mapping[str, str]


class Twilio:
    """The provider.

    Args:
        person: whose phones these are.
        segment_usd: price of one SMS segment.
    """

    def __init__(self, screens: Screens, person: TwilioPerson, segment_usd: float) -> None:
        self._screens = screens
        self._person = person
        self._segment_usd = segment_usd
        self._contents: dict[str, dict[str, Any]] = {}

    def routes(self) -> list[web.RouteDef]:
        messages = "/2010-04-01/Accounts/{account}/Messages"
        return [
            web.post(f"{messages}.json", self.create_message),
            web.get(f"{messages}/{{sid}}/Media/{{media}}", self.give_media),
            web.post("/v1/Content", self.create_content),
            web.post("/v2/Indicators/Typing.json", self.show_typing),
        ]

    async def create_message(self, request: web.Request) -> web.Response:
        """201 with the message, queued; its reports follow."""
        fields = {name: str(value) for name, value in (await request.post()).items()}
        phone: Phone = "whatsapp" if fields.get("To", "").startswith(WHATSAPP) else "sms"
        try:
            self._check_credentials(request)
            self._check_addresses(fields, phone)
            bubble = self._compose(fields, phone)
        except Refused as refused:
            return self._refuse(phone, "Messages", refused)
        self._screens.log(phone, "out", "Messages", f"{len(bubble.text)} chars")
        media = fields.get("MediaUrl", "")
        self._person.posting.begin(self._send(bubble, media, fields.get("StatusCallback", "")))
        told = {"sid": bubble.id, "status": "queued", "to": fields["To"], "from": fields["From"]}
        return _json({**told, "num_segments": str(max(bubble.segments, 1))}, 201)

    def _compose(self, fields: Fields, phone: Phone) -> Bubble:
        """The message. Raises `Refused`."""
        sid = f"SM{secrets.token_hex(16)}"
        if content := fields.get("ContentSid"):
            if phone == "sms" or content not in self._contents:
                raise Refused(21655, content)
            text, rows, menu = read_content(self._contents[content])
            return Bubble(phone=phone, id=sid, text=text, rows=rows, menu=menu)
        body = fields.get("Body", "")
        check_body(body, fields.get("MediaUrl", ""), whatsapp=phone == "whatsapp")
        paid = segments(body).paid if phone == "sms" else 0
        price = paid * self._segment_usd
        return Bubble(phone=phone, id=sid, text=body, segments=paid, usd=price)

    async def _send(self, bubble: Bubble, media: str, callback: str) -> None:
        """Show it, and report on it as phones and carriers do."""
        if media:
            bubble.file = await self._fetch(media)
            if bubble.file is None:
                await self._person.report(bubble, "failed", callback, error=63019)
                return
        bubble.tick = "sent"
        self._screens.show(bubble)
        reports: tuple[Tick, ...] = ("sent", "delivered", "read")
        for tick in reports[: 3 if bubble.phone == "whatsapp" else 2]:
            bubble.tick = tick
            self._screens.show(bubble)
            await self._person.report(bubble, tick, callback)
            await asyncio.sleep(_STEP)

    async def _fetch(self, url: str) -> Held | None:
        """The file behind a MediaUrl; None where WhatsApp would not take it."""
        try:
            async with self._person.posting.session.get(url) as answer:
                content = await answer.content.read(MAX_MEDIA + 1)
                limit = MAX_IMAGE if answer.content_type.startswith("image/") else MAX_MEDIA
                if answer.status != 200 or len(content) > limit:
                    return None
                told = answer.content_disposition
                name = (told.filename if told else "") or url.rpartition("/")[2]
                key = secrets.token_hex(8)
                return self._screens.keep(key, name, content, answer.content_type)
        except (ClientError, TimeoutError, OSError):
            return None

    async def give_media(self, request: web.Request) -> web.Response:
        """What the person sent."""
        try:
            self._check_credentials(request)
        except Refused as refused:
            return self._refuse("whatsapp", "Media", refused)
        kept = self._screens.file(request.match_info["media"])
        if kept is None:
            return self._refuse("whatsapp", "Media", Refused(20404))
        self._screens.log("whatsapp", "out", "Media", kept[0].mime_type)
        return web.Response(body=kept[1], content_type=kept[0].mime_type)

    async def create_content(self, request: web.Request) -> web.Response:
        try:
            self._check_credentials(request)
            body = msgspec.json.decode(await request.read(), type=dict[str, Any])
            read_content(body)
        except (KeyError, ValueError):
            return self._refuse("whatsapp", "Content", Refused(20001))
        except Refused as refused:
            return self._refuse("whatsapp", "Content", refused)
        sid = f"HX{secrets.token_hex(16)}"
        self._contents[sid] = body
        self._screens.log("whatsapp", "out", "Content", next(iter(body["types"])))
        return _json({"sid": sid, **body}, 201)

    async def show_typing(self, request: web.Request) -> web.Response:
        """Typing, which also marks the message as read."""
        fields = await request.post()
        try:
            self._check_credentials(request)
            bubble = self._find_mine(str(fields.get("messageId", "")))
        except Refused as refused:
            return self._refuse("whatsapp", "Typing", refused)
        bubble.tick = "read"
        self._screens.show(bubble)
        self._screens.type("whatsapp", _TYPING)
        self._screens.log("whatsapp", "out", "Typing")
        return _json({"success": True})

    def _find_mine(self, sid: str) -> Bubble:
        bubble = self._screens.find("whatsapp", sid)
        if bubble is None or not bubble.mine:
            raise Refused(20001, "messageId")
        return bubble

    def _check_credentials(self, request: web.Request) -> None:
        expected = encode_basic_auth(self._person.account, self._person.secret)
        if request.headers.get("Authorization") != expected:
            raise Refused(20003)

    def _check_addresses(self, fields: Fields, phone: Phone) -> None:
        sender, to = fields.get("From", ""), fields.get("To", "")
        if to.removeprefix(WHATSAPP) != self._person.number:
            raise Refused(21211)
        if sender != (SMS_NUMBER if phone == "sms" else WHATSAPP + WHATSAPP_NUMBER):
            raise Refused(21606)
        if phone == "whatsapp" and not self._person.is_window_open:
            raise Refused(63016)
        if phone == "sms" and self._person.has_opted_out:
            raise Refused(21610)
        self._person.admit(phone)

    def _refuse(self, phone: Phone, name: str, refused: Refused) -> web.Response:
        self._screens.log(phone, "out", name, str(refused))
        return _json(refused.answer, refused.status)


def _json(value: object, status: int = 200) -> web.Response:
    body = msgspec.json.encode(value)
    return web.Response(status=status, body=body, content_type="application/json")

"""Connect Twilio's stand-in to two phones: they show what is accepted, and send what people do.

WhatsApp and SMS have the same person and the same number.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import Final, Literal, Unpack
from urllib.parse import urlencode

import phonenumbers
from aiohttp import web

from bot.demo.providers.phone_screens import Bubble, KeptFile, Option, PhoneScreens, Tick
from bot.demo.providers.webhook_sender import WebhookSender
from bot.standins.refusals import Handler
from bot.standins.twilio import WEBHOOK_PATH, Twilio, Written
from bot.standins.twilio_errors import BAD_TO, TwilioRefused
from bot.standins.twilio_people import (
    WHATSAPP,
    Channel,
    Message,
    Parameters,
    Status,
    keyword_of,
    phone_of,
)
from bot.standins.twilio_webhooks import Answer, Webhooks

_REPORT_PAUSE: Final = 0.35
"""Seconds between two reports on a message."""
_TYPING: Final = 25.0
_LATE: Final = 4.0
_A_SECOND: Final = 20
"""Messages that the account may create in a second."""
_TICKS: Final[dict[Status, Tick]] = {
    "sent": "sent", "delivered": "delivered", "read": "read", "failed": "failed",
}  # fmt: skip
_STOPPED: Final = "You have successfully been unsubscribed. Reply START to resubscribe."
_STARTED: Final = "You have successfully been re-subscribed. Reply STOP to unsubscribe."
MediaType = Literal["image/jpeg", "audio/ogg"]


class LoggedWebhooks(Webhooks):
    """Webhooks that the page's log shows."""

    def __init__(self, secret: str, sender: WebhookSender) -> None:
        super().__init__(secret, sender.public_url, sender.public_url)
        self._sender = sender

    async def try_once(
        self, url: str, parameters: Sequence[tuple[str, str]], headers: dict[str, str]
    ) -> tuple[Answer, bool]:
        fields = dict(parameters)
        report = fields.get("MessageStatus")
        about = f"status {report}" if report else f"{fields['MessageSid'][:6]}…"
        path, body = url.removeprefix(self.public_url), urlencode(parameters).encode()
        phone = _channel_of(fields["To"])
        status = await self._sender.post(phone, path, body, headers, about)
        return Answer(status), not status


class TwilioApi(Twilio):
    """The API, which shows what it accepts.

    Args:
        number: the person's number in E.164, the same on both phones.
        url: origin of the API.
    """

    def __init__(self, screens: PhoneScreens, sender: WebhookSender, number: str, url: str) -> None:
        secret = secrets.token_hex(16)
        webhooks = LoggedWebhooks(secret, sender)
        super().__init__(f"AC{secrets.token_hex(16)}", secret, webhooks, rate=_A_SECOND)
        self.url = url
        self.number = number
        self.segment_usd = 0.0
        """Price of one SMS segment."""
        self.people.advanced_opt_out = False
        self.sender.reports = ("sent", "delivered", "read")
        self.sender.report_pause = _REPORT_PAUSE
        self._screens = screens

    async def handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        to = str((await request.post()).get("To", WHATSAPP))
        found = (
            part for part in ("Media", "Messages", "Content", "Typing") if part in request.path
        )
        name = next(found, request.path)
        try:
            if name == "Messages":
                self._check_recipient(to)
            response = await handler(request)
        except TwilioRefused as refused:
            self._screens.log(_channel_of(to), "out", name, str(refused))
            raise
        if name == "Content":
            self._screens.log("whatsapp", "out", name, next(iter((await request.json())["types"])))
        elif name != "Messages":
            self._screens.log("whatsapp", "out", name, response.content_type * (name == "Media"))
        return response

    def _check_recipient(self, to: str) -> None:
        if phone_of(to) != self.number:
            raise TwilioRefused(BAD_TO, to)

    def record(self, refused: TwilioRefused, where: str = "") -> None:
        if not where:
            self._screens.log("whatsapp", "out", "Messages", str(refused))

    def note_message(self, message: Message) -> None:
        """Show a new message, or the tick of an earlier one."""
        bubble = self._screens.find(message.channel, message.sid)
        if bubble is None and message.is_shown:
            bubble = self._make_bubble(message)
            self._screens.log(message.channel, "out", "Messages", f"{len(message.body)} chars")
        if bubble is not None:
            bubble.tick = _TICKS[message.status]
            self._screens.show(bubble)

    def _make_bubble(self, message: Message) -> Bubble:
        options = [Option(each.title, each.payload, each.description) for each in message.options]
        segments = message.segments if message.channel == "sms" else 0
        bubble = Bubble(
            phone=message.channel,
            id=message.sid,
            text=message.body,
            rows=[[option] for option in options],
            menu=message.list_button,
            segments=segments,
            usd=segments * self.segment_usd,
        )
        for sid, media in message.media.items():
            name, kind = media.filename or sid, media.mime_type
            bubble.file = self._screens.keep_file(sid, name, media.content, kind)
        return bubble

    def note_typing(self, message: Message) -> None:
        """Show typing, which also marks the message as read."""
        bubble = self._screens.find("whatsapp", message.sid)
        if bubble is not None:
            bubble.tick = "read"
            self._screens.show(bubble)
        self._screens.type("whatsapp", _TYPING)


class TwilioPerson:
    """The person behind the phones of WhatsApp and SMS, and the delivery of their messages."""

    def __init__(self, screens: PhoneScreens, sender: WebhookSender, api: TwilioApi) -> None:
        self.number = api.number
        self._screens = screens
        self._sender = sender
        self._api = api

    def write(
        self, channel: Channel, text: str, media: bytes = b"", kind: MediaType = "image/jpeg",
        *, twice: bool = False, late: bool = False,
    ) -> None:  # fmt: skip
        """Send a message; `media` is a photo or a voice note, of type `kind`."""
        file, content = None, Written()
        if media:
            name = "photo.jpg" if kind == "image/jpeg" else "voice.ogg"
            file = self._screens.keep_file(secrets.token_hex(8), name, media, kind)
            content = Written(media=[(media, kind)])
        was_stopped = self._api.people.has_opted_out(self.number)
        self._send(channel, text, file, twice=twice, late=late, **content)
        if channel == "sms":
            self._answer_opt_out(text, was_stopped)

    def tap(self, message_id: str, payload: str, *, twice: bool = False) -> None:
        """Choose a button or a row on WhatsApp. Raises `LookupError`: there is no such option."""
        bubble = self._screens.find("whatsapp", message_id)
        options = [option for row in bubble.rows for option in row] if bubble else []
        title = next((each.label for each in options if each.payload == payload), None)
        if bubble is None or title is None:
            raise LookupError("no such option")
        choice = Written(reply_to=message_id)
        choice["list_reply" if bubble.menu else "button"] = (payload, title)
        self._send("whatsapp", title, twice=twice, **choice)

    def _send(
        self, channel: Channel, text: str, file: KeptFile | None = None,
        *, twice: bool = False, late: bool = False, **content: Unpack[Written],
    ) -> None:  # fmt: skip
        fields = self._api.write(self.number, text, whatsapp=channel == "whatsapp", **content)
        found = dict(fields)
        sid, segments = found["MessageSid"], int(found["NumSegments"]) * (channel == "sms")
        bubble = Bubble(phone=channel, id=sid, mine=True, text=text, file=file, segments=segments)
        self._screens.show(bubble)
        self._sender.run_in_background(self._deliver(bubble, fields, twice=twice, late=late))

    def _answer_opt_out(self, text: str, was_stopped: bool) -> None:
        """Answer STOP and START as the carrier does."""
        keyword = keyword_of(text)
        if keyword == "STOP" or (keyword == "START" and was_stopped):
            said = _STOPPED if keyword == "STOP" else _STARTED
            self._screens.show(Bubble(phone="sms", id=secrets.token_hex(8), text=said))

    async def _deliver(
        self, bubble: Bubble, fields: Parameters, *, twice: bool, late: bool
    ) -> None:
        if late:
            await asyncio.sleep(_LATE)
            self._screens.mark(bubble.phone, "late")
        webhooks = self._api.webhooks
        url = webhooks.public_url + WEBHOOK_PATH
        answers = await asyncio.gather(*(webhooks.post(url, fields) for _ in range(1 + twice)))
        if twice:
            self._screens.mark(bubble.phone, "twice")
        if bubble.tick != "read":
            taken = all(200 <= answer.status < 300 for answer in answers)
            bubble.tick = "delivered" if taken else "failed"
            self._screens.show(bubble)


def find_person_number() -> str:
    """Return the numbering plan's example number in E.164, which belongs to no person."""
    example = phonenumbers.example_number_for_type("CI", phonenumbers.PhoneNumberType.MOBILE)
    if example is None:
        raise RuntimeError("phonenumbers has no example number for CI")
    return phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)


def _channel_of(address: str) -> Channel:
    return "whatsapp" if address.startswith(WHATSAPP) else "sms"

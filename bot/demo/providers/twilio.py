"""Simulate Twilio for one account: WhatsApp and SMS, limits, the person behind the phones.

Forms: https://www.twilio.com/docs/messaging/api/message-resource and .../content/content-api.
Errors: https://www.twilio.com/docs/api/errors. Fields of webhooks:
https://www.twilio.com/docs/messaging/guides/webhook-request. Their signature, over the public URL
and the sorted fields: https://www.twilio.com/docs/usage/security.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal
from urllib.parse import urlencode

import msgspec
import phonenumbers
from aiohttp import ClientError, web
from aiohttp.helpers import encode_basic_auth

from bot.demo.local_server import json_response
from bot.demo.providers.phone_screens import Bubble, KeptFile, Option, Phone, PhoneScreens, Tick
from bot.demo.providers.webhook_sender import WebhookSender
from bot.gateway.render.sms import count_segments

_STEP: Final = 0.35
"""Seconds between two reports on a message."""
_TYPING: Final = 25.0
Fields = Mapping[str, str]


class Twilio:
    """Twilio's API.

    Args:
        person: the owner of the phones.
        segment_usd: price of one SMS segment.
    """

    def __init__(self, screens: PhoneScreens, person: TwilioPerson, segment_usd: float) -> None:
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
        """Create a message: 201, queued; its status reports follow."""
        fields = {name: str(value) for name, value in (await request.post()).items()}
        phone: Phone = "whatsapp" if fields.get("To", "").startswith(WHATSAPP_PREFIX) else "sms"
        try:
            self._check_credentials(request)
            self._check_addresses(fields, phone)
            bubble = self._compose(fields, phone)
        except TwilioRefused as refused:
            return self._refuse(phone, "Messages", refused)
        self._screens.log(phone, "out", "Messages", f"{len(bubble.text)} chars")
        media = fields.get("MediaUrl", "")
        self._person.sender.run_in_background(
            self._send(bubble, media, fields.get("StatusCallback", ""))
        )
        described = {
            "sid": bubble.id,
            "status": "queued",
            "to": fields["To"],
            "from": fields["From"],
        }
        return json_response({**described, "num_segments": str(max(bubble.segments, 1))}, 201)

    def _compose(self, fields: Fields, phone: Phone) -> Bubble:
        """Make the message. Raises `TwilioRefused`."""
        sid = f"SM{secrets.token_hex(16)}"
        if content := fields.get("ContentSid"):
            if phone == "sms" or content not in self._contents:
                raise TwilioRefused(21655, content)
            text, rows, menu = read_content(self._contents[content])
            return Bubble(phone=phone, id=sid, text=text, rows=rows, menu=menu)
        body = fields.get("Body", "")
        check_body(body, fields.get("MediaUrl", ""), whatsapp=phone == "whatsapp")
        paid = count_segments(body).paid if phone == "sms" else 0
        price = paid * self._segment_usd
        return Bubble(phone=phone, id=sid, text=body, segments=paid, usd=price)

    async def _send(self, bubble: Bubble, media: str, callback: str) -> None:
        """Show the message, and report on it as phones and carriers do."""
        if media:
            bubble.file = await self._fetch(media)
            if bubble.file is None:
                await self._person.report_status(bubble, "failed", callback, error=63019)
                return
        bubble.tick = "sent"
        self._screens.show(bubble)
        reports: tuple[Tick, ...] = ("sent", "delivered", "read")
        for tick in reports[: 3 if bubble.phone == "whatsapp" else 2]:
            bubble.tick = tick
            self._screens.show(bubble)
            await self._person.report_status(bubble, tick, callback)
            await asyncio.sleep(_STEP)

    async def _fetch(self, url: str) -> KeptFile | None:
        """Fetch the file of a MediaUrl; None if WhatsApp would not accept it."""
        try:
            async with self._person.sender.session.get(url) as answer:
                content = await answer.content.read(MAX_MEDIA + 1)
                limit = MAX_IMAGE if answer.content_type.startswith("image/") else MAX_MEDIA
                if answer.status != 200 or len(content) > limit:
                    return None
                disposition = answer.content_disposition
                name = (disposition.filename if disposition else "") or url.rpartition("/")[2]
                key = secrets.token_hex(8)
                return self._screens.keep_file(key, name, content, answer.content_type)
        except (ClientError, TimeoutError, OSError):
            return None

    async def give_media(self, request: web.Request) -> web.Response:
        """Send the media of one of the person's messages."""
        try:
            self._check_credentials(request)
        except TwilioRefused as refused:
            return self._refuse("whatsapp", "Media", refused)
        kept = self._screens.find_file(request.match_info["media"])
        if kept is None:
            return self._refuse("whatsapp", "Media", TwilioRefused(20404))
        self._screens.log("whatsapp", "out", "Media", kept[0].mime_type)
        return web.Response(body=kept[1], content_type=kept[0].mime_type)

    async def create_content(self, request: web.Request) -> web.Response:
        try:
            self._check_credentials(request)
            body = msgspec.json.decode(await request.read(), type=dict[str, Any])
            read_content(body)
        except (KeyError, ValueError):
            return self._refuse("whatsapp", "Content", TwilioRefused(20001))
        except TwilioRefused as refused:
            return self._refuse("whatsapp", "Content", refused)
        sid = f"HX{secrets.token_hex(16)}"
        self._contents[sid] = body
        self._screens.log("whatsapp", "out", "Content", next(iter(body["types"])))
        return json_response({"sid": sid, **body}, 201)

    async def show_typing(self, request: web.Request) -> web.Response:
        """Show typing, which also marks the message as read."""
        fields = await request.post()
        try:
            self._check_credentials(request)
            bubble = self._find_mine(str(fields.get("messageId", "")))
        except TwilioRefused as refused:
            return self._refuse("whatsapp", "Typing", refused)
        bubble.tick = "read"
        self._screens.show(bubble)
        self._screens.type("whatsapp", _TYPING)
        self._screens.log("whatsapp", "out", "Typing")
        return json_response({"success": True})

    def _find_mine(self, sid: str) -> Bubble:
        bubble = self._screens.find("whatsapp", sid)
        if bubble is None or not bubble.mine:
            raise TwilioRefused(20001, "messageId")
        return bubble

    def _check_credentials(self, request: web.Request) -> None:
        expected = encode_basic_auth(self._person.account, self._person.secret)
        if request.headers.get("Authorization") != expected:
            raise TwilioRefused(20003)

    def _check_addresses(self, fields: Fields, phone: Phone) -> None:
        sender, to = fields.get("From", ""), fields.get("To", "")
        if to.removeprefix(WHATSAPP_PREFIX) != self._person.number:
            raise TwilioRefused(21211)
        if sender != (SMS_NUMBER if phone == "sms" else WHATSAPP_PREFIX + WHATSAPP_NUMBER):
            raise TwilioRefused(21606)
        if phone == "whatsapp" and not self._person.is_window_open:
            raise TwilioRefused(63016)
        if phone == "sms" and self._person.has_opted_out:
            raise TwilioRefused(21610)
        self._person.count_message(phone)

    def _refuse(self, phone: Phone, name: str, refused: TwilioRefused) -> web.Response:
        self._screens.log(phone, "out", name, str(refused))
        return json_response(refused.answer, refused.status)


WHATSAPP_PREFIX: Final = "whatsapp:"
MAX_TEXT: Final = 1600
MAX_BODY: Final = 1024
MAX_MEDIA: Final = 16 * 2**20
MAX_IMAGE: Final = 5 * 2**20
STOP_WORDS: Final = frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"})
START_WORDS: Final = frozenset({"START", "YES", "UNSTOP"})
_ERRORS: Final[dict[int, tuple[int, str]]] = {
    20001: (400, "Invalid parameter"),
    20003: (401, "Authenticate"),
    20404: (404, "The requested resource was not found"),
    20429: (429, "Too Many Requests"),
    21211: (400, "Invalid 'To' Phone Number"),
    21606: (400, "The 'From' phone number provided is not yours to send from"),
    21610: (400, "Attempt to send to unsubscribed recipient"),
    21612: (400, "Message cannot be sent with the current combination of 'To' and 'From'"),
    21617: (400, "The concatenated message body exceeds the 1600 character limit"),
    21619: (400, "A text message body or media urls must be specified"),
    21655: (400, "The ContentSid parameter is invalid"),
    63013: (400, "The content does not keep the channel's rules"),
    63016: (400, "Failed to send freeform message: outside the allowed window"),
}


class TwilioRefused(Exception):
    """An error in the form of Twilio's answer."""

    def __init__(self, code: int, details: str = "") -> None:
        self.status, usual = _ERRORS[code]
        self.code = code
        message = f"{usual}: {details}" if details else usual
        super().__init__(f"{code} {message}")
        self.answer = {"code": code, "message": message, "status": self.status}


def check_body(body: str, media: str, *, whatsapp: bool) -> None:
    """Check a text or a file for the channel. Raises `TwilioRefused`."""
    if not body.strip() and not media:
        raise TwilioRefused(21619)
    if len(body.encode("utf-16-le")) // 2 > MAX_TEXT:
        raise TwilioRefused(21617)
    if media and not whatsapp:  # MMS is available in the United States and Canada only
        raise TwilioRefused(21612)


def read_content(body: Mapping[str, Any]) -> tuple[str, list[list[Option]], str]:
    """Return the text, the options, and the label that opens them as a list (empty for buttons), of
    a content resource.

    Raises:
        TwilioRefused: it exceeds a limit of quick replies or list pickers sent within the window.
    """
    [(kind, content)] = body["types"].items()
    text = str(content.get("body", ""))
    if not text.strip() or len(text) > MAX_BODY:
        raise TwilioRefused(63013, f"body has {len(text)} characters of {MAX_BODY}")
    if kind == "twilio/quick-reply":
        return text, [[option] for option in _read_replies(content["actions"])], ""
    if kind == "twilio/list-picker":
        _check_titles([content["button"]], 20)
        return text, [[option] for option in _read_items(content["items"])], content["button"]
    raise TwilioRefused(63013, f"{kind} is not known here")


def _read_replies(actions: Sequence[Mapping[str, str]]) -> list[Option]:
    options = [Option(each["title"], each.get("id", each["title"])) for each in actions]
    _check_options(options, most=3, title=20)
    return options


def _read_items(items: Sequence[Mapping[str, str]]) -> list[Option]:
    options = [Option(each["item"], each["id"], each.get("description", "")) for each in items]
    _check_options(options, most=10, title=24)
    if any(len(each.description) > 72 for each in options):
        raise TwilioRefused(63013, "a description has more than 72 characters")
    return options


def _check_options(options: Sequence[Option], *, most: int, title: int) -> None:
    if not 1 <= len(options) <= most:
        raise TwilioRefused(63013, f"{len(options)} options of {most}")
    _check_titles([option.label for option in options], title)
    ids = [option.payload for option in options]
    if len(set(ids)) < len(ids) or any(not 1 <= len(each) <= 200 for each in ids):
        raise TwilioRefused(63013, "an id is too long, or not the only one")


def _check_titles(titles: Sequence[str], most: int) -> None:
    if any(not title.strip() or len(title) > most for title in titles):
        raise TwilioRefused(63013, f"a title has not 1 to {most} characters")


SMS_NUMBER: Final = "+15005550006"
WHATSAPP_NUMBER: Final = "+14155238886"
"""Twilio's own numbers, for tests and for the sandbox."""
_WINDOW: Final = 24 * 3600.0
_LATE: Final = 4.0
_A_SECOND: Final = 20
"""Messages that the account may create in a second."""
Channel = Literal["whatsapp", "sms"]
MediaType = Literal["image/jpeg", "audio/ogg"]
FormFields = list[tuple[str, str]]


class TwilioPerson:
    """The person behind the phones of WhatsApp and SMS, and the webhooks about their actions.

    Args:
        number: the person's number in E.164, the same on both phones.
        api_url: the address of Twilio's API, for the addresses of media.
    """

    def __init__(
        self, screens: PhoneScreens, posting: WebhookSender, number: str, api_url: str
    ) -> None:
        self.account = f"AC{secrets.token_hex(16)}"
        self.secret = secrets.token_hex(16)
        self.number = number
        self.sender = posting
        self.has_opted_out = False
        self._screens = screens
        self._media = f"{api_url}/2010-04-01/Accounts/{self.account}/Messages"
        self._wrote = 0.0
        self._created: list[float] = []

    @property
    def is_window_open(self) -> bool:
        return time.time() - self._wrote < _WINDOW

    def count_message(self, channel: str) -> None:
        """Count a message to the person. Raises `TwilioRefused` (20429) for too many at once."""
        now = time.monotonic()
        self._created = [at for at in self._created if now - at < 1]
        if len(self._created) >= _A_SECOND:
            raise TwilioRefused(20429, channel)
        self._created.append(now)

    # What the person does

    def write(
        self, channel: Channel, text: str, media: bytes = b"", kind: MediaType = "image/jpeg",
        *, twice: bool = False, late: bool = False,
    ) -> None:  # fmt: skip
        """Send a message; `media` is a photo or a voice note, of type `kind`."""
        sid = f"{'MM' if media else 'SM'}{secrets.token_hex(16)}"
        held = self._keep(media, kind) if media else None
        paid = count_segments(text).paid if channel == "sms" else 0
        self._screens.show(
            Bubble(phone=channel, id=sid, mine=True, text=text, file=held, segments=paid)
        )
        fields = [*self._describe(channel, sid, text), ("NumMedia", str(int(bool(held))))]
        if held is not None:
            key = held.url.rpartition("/")[2]
            fields += [("MediaContentType0", held.mime_type)]
            fields += [("MediaUrl0", f"{self._media}/{sid}/Media/{key}")]
        if channel == "sms":
            self._obey_opt_out(text)
        self._tell(channel, sid, fields, twice=twice, late=late)

    def tap(self, message_id: str, payload: str, *, twice: bool = False) -> None:
        """Choose a button or a row on WhatsApp. Raises `LookupError`: there is no such option."""
        bubble = self._screens.find("whatsapp", message_id)
        options = [option for row in bubble.rows for option in row] if bubble else []
        title = next((each.label for each in options if each.payload == payload), None)
        if bubble is None or title is None:
            raise LookupError("no such option")
        sid = f"SM{secrets.token_hex(16)}"
        self._screens.show(Bubble(phone="whatsapp", id=sid, mine=True, text=title))
        names = ("ListId", "ListTitle") if bubble.menu else ("ButtonPayload", "ButtonText")
        fields = [*self._describe("whatsapp", sid, title), ("NumMedia", "0")]
        fields += [*zip(names, (payload, title), strict=True)]
        fields += [("OriginalRepliedMessageSid", message_id)]
        self._tell("whatsapp", sid, fields, twice=twice)

    def _keep(self, media: bytes, kind: MediaType) -> KeptFile:
        name = "photo.jpg" if kind == "image/jpeg" else "voice.ogg"
        return self._screens.keep_file(f"ME{secrets.token_hex(16)}", name, media, kind)

    def _obey_opt_out(self, text: str) -> None:
        """Act on STOP and START as the carrier does, with its answer."""
        word = text.strip().upper()
        if word in STOP_WORDS or (word in START_WORDS and self.has_opted_out):
            self.has_opted_out = word in STOP_WORDS
            said = (
                "You have successfully been unsubscribed. Reply START to resubscribe."
                if self.has_opted_out
                else "You have successfully been re-subscribed. Reply STOP to unsubscribe."
            )
            self._screens.show(Bubble(phone="sms", id=secrets.token_hex(8), text=said))

    def _describe(self, channel: Channel, sid: str, text: str) -> FormFields:
        whatsapp = channel == "whatsapp"
        mark = WHATSAPP_PREFIX if whatsapp else ""
        fields = [("MessageSid", sid), ("SmsMessageSid", sid), ("AccountSid", self.account)]
        fields += [("From", mark + self.number), ("Body", text), ("SmsStatus", "received")]
        fields += [("To", mark + (WHATSAPP_NUMBER if whatsapp else SMS_NUMBER))]
        if whatsapp:
            fields += [("ProfileName", "Awa"), ("WaId", self.number.removeprefix("+"))]
        return fields

    # Webhooks

    def _tell(
        self, channel: Channel, sid: str, fields: FormFields, *, twice: bool, late: bool = False
    ) -> None:
        if channel == "whatsapp":
            self._wrote = time.time()
        self.sender.run_in_background(self._deliver(channel, sid, fields, twice=twice, late=late))

    async def _deliver(
        self, channel: Channel, sid: str, fields: FormFields, *, twice: bool, late: bool
    ) -> None:
        if late:
            await asyncio.sleep(_LATE)
            self._screens.mark(channel, "late")
        path, about = "/webhooks/twilio", f"{sid[:6]}…"
        statuses = await asyncio.gather(
            *(self._post(channel, path, fields, about) for _ in range(1 + twice))
        )
        if 0 in statuses:  # Twilio tries once more if there was no answer
            statuses = [await self._post(channel, path, fields, about)]
        if twice:
            self._screens.mark(channel, "twice")
        taken = all(200 <= status < 300 for status in statuses)
        bubble = self._screens.find(channel, sid)
        if bubble is not None and bubble.tick != "read":
            bubble.tick = "delivered" if taken else "failed"
            self._screens.show(bubble)

    async def report_status(
        self, bubble: Bubble, tick: Tick, callback: str, error: int = 0
    ) -> None:
        """Report the state of one of Griot's messages to its callback, if it has one."""
        if not callback:
            return
        whatsapp = bubble.phone == "whatsapp"
        mark = WHATSAPP_PREFIX if whatsapp else ""
        fields = [("MessageSid", bubble.id), ("MessageStatus", tick), ("SmsStatus", tick)]
        fields += [("AccountSid", self.account), ("To", mark + self.number)]
        fields += [("From", mark + (WHATSAPP_NUMBER if whatsapp else SMS_NUMBER))]
        if error:
            fields += [("ErrorCode", str(error))]
        path = callback.removeprefix(self.sender.public_url)
        await self._post("whatsapp" if whatsapp else "sms", path, fields, f"status {tick}")

    async def _post(self, channel: Channel, path: str, fields: FormFields, about: str) -> int:
        headers = {
            "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8",
            "X-Twilio-Signature": self._sign(path, fields),
        }
        body = urlencode(fields).encode()
        return await self.sender.post(channel, path, body, headers, about)

    def _sign(self, path: str, fields: Sequence[tuple[str, str]]) -> str:
        signed = self.sender.public_url + path + "".join(map("".join, sorted(fields)))
        digest = hmac.new(self.secret.encode(), signed.encode(), hashlib.sha1).digest()
        return base64.b64encode(digest).decode()


def find_person_number() -> str:
    """Return the numbering plan's example number in E.164, which belongs to no person."""
    example = phonenumbers.example_number_for_type("CI", phonenumbers.PhoneNumberType.MOBILE)
    if example is None:
        raise RuntimeError("phonenumbers has no example number for CI")
    return phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)

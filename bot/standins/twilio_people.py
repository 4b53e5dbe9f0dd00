"""Model the people behind the phones: their messages in both directions, windows and opt-outs.

Parameters: Twilio's page on its request to the webhook of incoming messages, and requests that
people have published. Names of a choice from a list are unsure (ListId, ListTitle).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Literal

from aiohttp import web

from bot.standins.twilio_errors import ERRORS, NOT_FOUND, OPTED_OUT, WINDOW, TwilioRefused

Channel = Literal["sms", "whatsapp"]
Status = Literal[
    "queued",
    "accepted",
    "sending",
    "sent",
    "delivered",
    "read",
    "failed",
    "undelivered",
    "received",
]
WHATSAPP = "whatsapp:"


@dataclass(frozen=True)
class Media:
    content: bytes = field(repr=False)
    mime_type: str
    filename: str = ""

    def respond(self) -> web.Response:
        return web.Response(body=self.content, headers={"Content-Type": self.mime_type})


@dataclass(frozen=True)
class Option:
    """A button, or a row of a list."""

    payload: str
    title: str
    description: str = ""


def new_sid(prefix: str) -> str:
    return prefix + secrets.token_hex(16)


def phone_of(address: str) -> str:
    return address.removeprefix(WHATSAPP)


@dataclass
class Message:
    """A message; `sender` and `to` are addresses, with `whatsapp:` where it is WhatsApp."""

    sid: str
    sender: str
    to: str
    body: str
    created: float
    direction: Literal["inbound", "outbound-api"]
    kind: str = "text"
    """`text`, `media`, or the type of its content, such as `twilio/quick-reply`."""
    is_template: bool = False
    media: dict[str, Media] = field(default_factory=dict[str, Media])
    options: list[Option] = field(default_factory=list[Option])
    list_button: str = ""
    segments: int = 1
    status: Status = "sent"
    error_code: int | None = None
    status_callback: str = ""
    is_shown: bool = True
    """Whether the person has it on the phone."""

    @property
    def channel(self) -> Channel:
        return "whatsapp" if self.to.startswith(WHATSAPP) else "sms"

    def describe(self, account: str, *, is_new: bool = False) -> dict[str, Any]:
        """Return the Message resource; a new one is still queued."""
        uri = f"/2010-04-01/Accounts/{account}/Messages/{self.sid}"
        at = format_datetime(datetime.fromtimestamp(self.created, UTC))
        error = None if self.error_code is None else ERRORS.get(self.error_code, (0, "Failed"))[1]
        return {
            "account_sid": account,
            "api_version": "2010-04-01",
            "body": self.body,
            "date_created": at,
            "date_sent": None if is_new else at,
            "date_updated": at,
            "direction": self.direction,
            "error_code": None if is_new else self.error_code,
            "error_message": None if is_new else error,
            "from": self.sender,
            "messaging_service_sid": None,
            "num_media": str(len(self.media)),
            "num_segments": str(self.segments),
            "price": None,
            "price_unit": None,
            "sid": self.sid,
            "status": "queued" if is_new else self.status,
            "subresource_uris": {"media": f"{uri}/Media.json"},
            "to": self.to,
            "uri": f"{uri}.json",
        }


class Messages:
    """The messages that the account has sent and received."""

    def __init__(self) -> None:
        self.all: list[Message] = []
        """Oldest first."""

    def find(self, sid: str) -> Message:
        """Return a message. Raises `Refused`."""
        for message in self.all:
            if message.sid == sid:
                return message
        raise TwilioRefused(NOT_FOUND, sid)

    def find_media(self, message_sid: str, media_sid: str) -> Media:
        """Return a file. Raises `Refused`, also if it has expired."""
        media = self.find(message_sid).media.get(media_sid)
        if media is None:
            raise TwilioRefused(NOT_FOUND, media_sid, is_breach=False)
        return media

    def chat(self, phone: str, channel: Channel | None = None) -> list[Message]:
        """Return what the person was shown, oldest first."""
        return [
            each
            for each in self.all
            if each.direction == "outbound-api"
            and each.is_shown
            and phone_of(each.to) == phone
            and channel in {None, each.channel}
        ]


GSM7 = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
ESCAPED = frozenset("\f^{}\\[~]|€")


def is_gsm7(text: str) -> bool:
    return set(text) <= GSM7 | ESCAPED


def count_segments(text: str) -> int:
    """Return at least 1. An escaped character or a surrogate pair is never divided."""
    if is_gsm7(text):
        return _count((2 if each in ESCAPED else 1 for each in text), 160, 153)
    return _count((2 if ord(each) > 0xFFFF else 1 for each in text), 70, 67)


def _count(widths: Iterable[int], alone: int, joined: int) -> int:
    each_width = list(widths)
    if sum(each_width) <= alone:
        return 1
    segments, free = 1, joined
    for width in each_width:
        if width > free:
            segments, free = segments + 1, joined
        free -= width
    return segments


WINDOW_SECONDS = 24 * 3600
STOP_WORDS = {"STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"}
START_WORDS = {"START", "YES", "UNSTOP"}
HELP_WORDS = {"HELP", "INFO"}
Parameters = list[tuple[str, str]]


def keyword_of(body: str) -> Literal["", "STOP", "START", "HELP"]:
    """Return the keyword that Twilio reads in the text of an SMS."""
    word = body.strip().upper()
    if word in STOP_WORDS:
        return "STOP"
    if word in START_WORDS:
        return "START"
    return "HELP" if word in HELP_WORDS else ""


class People:
    """Makes the messages that people send. `clock` gives seconds since 1970."""

    def __init__(
        self, account: str, numbers: dict[Channel, str], clock: Callable[[], float]
    ) -> None:
        self.messages = Messages()
        self.clock = clock
        self.advanced_opt_out = True
        """Whether STOP, START and HELP on SMS come with `OptOutType`."""
        self.last_wrote: dict[str, float] = {}
        """Time when each person last wrote on WhatsApp; it opens their window for 24 hours."""
        self._opted_out: dict[str, bool] = {}
        self._account = account
        self._numbers = numbers

    def receive(
        self, phone: str, text: str, channel: Channel, media: Iterable[tuple[bytes, str]]
    ) -> Message:
        """Keep a person's message; it opens the window, and STOP and START have their effect."""
        held = {new_sid("ME"): Media(content, mime_type) for content, mime_type in media}
        mark = WHATSAPP if channel == "whatsapp" else ""
        message = Message(
            sid=new_sid("MM" if held else "SM"),
            sender=mark + phone,
            to=mark + self._numbers[channel],
            body=text,
            created=self.clock(),
            direction="inbound",
            media=held,
            segments=count_segments(text) if channel == "sms" else 1,
            status="received",
        )
        self.messages.all.append(message)
        if channel == "whatsapp":
            self.last_wrote[phone] = self.clock()
        elif keyword_of(text) == "STOP":
            self._opted_out[phone] = False
        elif keyword_of(text) == "START":
            self._opted_out.pop(phone, None)
        return message

    # Windows and opt-outs

    def close_window(self, phone: str) -> None:
        """Close the window, as after 24 hours of silence."""
        self.last_wrote.pop(phone, None)

    def check_window(self, phone: str) -> None:
        """Raise `Refused` where only a template may be sent."""
        wrote = self.last_wrote.get(phone)
        if wrote is None or self.clock() - wrote >= WINDOW_SECONDS:
            raise TwilioRefused(WINDOW, is_breach=False)

    def opt_out(self, phone: str) -> None:
        """Refuse SMS to this phone, without a notice."""
        self._opted_out[phone] = False

    def opt_in(self, phone: str) -> None:
        """Accept SMS again, without a notice."""
        self._opted_out.pop(phone, None)

    def has_opted_out(self, phone: str) -> bool:
        return phone in self._opted_out

    def note_opt_out(self, phone: str) -> None:
        """Note that the client knows of the opt-out, by a webhook or an error."""
        if phone in self._opted_out:
            self._opted_out[phone] = True

    def check_opt_out(self, phone: str) -> None:
        """Raise `Refused`: a breach from the second time on, or after a webhook about STOP."""
        if phone in self._opted_out:
            is_known = self._opted_out[phone]
            self.note_opt_out(phone)
            raise TwilioRefused(OPTED_OUT, is_breach=is_known)

    # The parameters of a webhook

    def describe_sms(self, message: Message, origin: str) -> Parameters:
        """Return the fields of an SMS; places that the carrier does not name are empty."""
        places = [f"{side}{part}" for side in ("From", "To") for part in ("City", "State", "Zip")]
        fields = [("ToCountry", "US"), ("FromCountry", ""), *((place, "") for place in places)]
        keyword = keyword_of(message.body)
        if keyword and self.advanced_opt_out:
            fields.append(("OptOutType", keyword))
        return [*fields, *self._describe(message, origin)]

    def describe_whatsapp(
        self,
        message: Message,
        origin: str,
        *,
        kind: str,
        name: str,
        more: Sequence[tuple[str, str]],
    ) -> Parameters:
        """Return the fields of a WhatsApp message; `more` are those of its kind."""
        number = message.sender.removeprefix(f"{WHATSAPP}+")
        context = {"ProfileName": name, "WaId": number, **dict(more)}
        metadata = {"type": "whatsapp", "data": {"context": context}}
        return [
            ("ProfileName", name),
            ("WaId", number),
            ("MessageType", kind),
            ("ReferralNumMedia", "0"),
            ("ChannelMetadata", json.dumps(metadata, ensure_ascii=False)),
            *more,
            *self._describe(message, origin),
        ]

    def _describe(self, message: Message, origin: str) -> Parameters:
        """Return the fields of every channel. The addresses of media have no `.json`."""
        fields = [
            ("SmsMessageSid", message.sid),
            ("NumMedia", str(len(message.media))),
            ("SmsSid", message.sid),
            ("SmsStatus", "received"),
            ("Body", message.body),
            ("To", message.to),
            ("NumSegments", str(message.segments)),
            ("MessageSid", message.sid),
            ("AccountSid", self._account),
            ("From", message.sender),
            ("ApiVersion", "2010-04-01"),
        ]
        base = f"{origin}/2010-04-01/Accounts/{self._account}/Messages/{message.sid}/Media"
        for number, (sid, media) in enumerate(message.media.items()):
            fields.append((f"MediaContentType{number}", media.mime_type))
            fields.append((f"MediaUrl{number}", f"{base}/{sid}"))
        return fields

"""Keep messages in both directions, and describe them as Twilio's API does."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Literal

from aiohttp import web

from bot.standins.twilio_errors import ERRORS, NOT_FOUND, TwilioRefused

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

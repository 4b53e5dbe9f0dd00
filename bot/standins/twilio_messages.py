"""Keep messages in both directions, and describe them as Twilio's API does."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal

from aiohttp import web

from bot.standins.twilio_errors import ERRORS, INVALID, NOT_FOUND, TwilioRefused

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
MAX_PAGE = 1000


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

    def describe_media(self, account: str) -> list[dict[str, Any]]:
        """Return the Media resources."""
        at = format_datetime(datetime.fromtimestamp(self.created, UTC))
        uri = f"/2010-04-01/Accounts/{account}/Messages/{self.sid}/Media"
        return [
            {
                "account_sid": account,
                "content_type": media.mime_type,
                "date_created": at,
                "date_updated": at,
                "parent_sid": self.sid,
                "sid": sid,
                "uri": f"{uri}/{sid}.json",
            }
            for sid, media in self.media.items()
        ]


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
        """Return a file. Raises `Refused`, also if it was deleted or has expired."""
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

    def select(self, query: Mapping[str, str]) -> list[Message]:
        """Return the messages that match a list's filters, newest first. Raises `Refused`."""
        known = {"To", "From", "DateSent", "DateSent<", "DateSent>", "PageSize", "Page"}
        if unknown := set(query) - known - {"PageToken"}:
            raise TwilioRefused(INVALID, f"{sorted(unknown)} are no filters")
        found: Iterable[Message] = reversed(self.all)
        if "To" in query:
            found = [each for each in found if each.to == query["To"]]
        if "From" in query:
            found = [each for each in found if each.sender == query["From"]]
        for name in {"DateSent", "DateSent<", "DateSent>"} & set(query):
            earliest, latest = _span(name, query[name])
            found = [each for each in found if earliest <= each.created < latest]
        return list(found)


def _span(name: str, text: str) -> tuple[float, float]:
    """Return the times that a filter allows: first (inclusive) and last (exclusive)."""
    start, end = _moment(text)
    if name == "DateSent":
        return start, end
    return (start, float("inf")) if name.endswith(">") else (float("-inf"), end)


def _moment(text: str) -> tuple[float, float]:
    """Return the begin and end of a date (a whole day, in GMT) or of a second."""
    try:
        if len(text) == len("2000-01-01"):
            day = date.fromisoformat(text)
            start = datetime(day.year, day.month, day.day, tzinfo=UTC)
            return start.timestamp(), (start + timedelta(days=1)).timestamp()
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise TwilioRefused(INVALID, f"{text!r} is no date") from None
    start = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return start.timestamp(), start.timestamp() + 1


def page_of(
    found: list[dict[str, Any]], query: Mapping[str, str], name: str, uri: str
) -> dict[str, Any]:
    """Return one page of a list of the 2010 API. Raises `Refused`."""
    try:
        size, number = int(query.get("PageSize", 50)), int(query.get("Page", 0))
    except ValueError:
        raise TwilioRefused(INVALID, "PageSize and Page are numbers") from None
    if not 1 <= size <= MAX_PAGE or number < 0:
        raise TwilioRefused(INVALID, f"PageSize is 1 to {MAX_PAGE}")
    start = number * size
    shown = found[start : start + size]
    link = f"{uri}?PageSize={size}&Page="
    return {
        name: shown,
        "end": max(start, start + len(shown) - 1),
        "first_page_uri": f"{link}0",
        "next_page_uri": f"{link}{number + 1}" if start + size < len(found) else None,
        "page": number,
        "page_size": size,
        "previous_page_uri": f"{link}{number - 1}" if number else None,
        "start": start,
        "uri": f"{link}{number}",
    }

"""Send the messages that a client creates: check, fill, show and report them.

The 1600 characters of a body are counted in UTF-16 units: how Twilio counts an emoji is unsure, and
this is the narrower reading.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import aiohttp
from multidict import MultiMapping
from yarl import URL

from bot.standins.twilio_contents import Contents
from bot.standins.twilio_errors import (
    BAD_CALLBACK,
    BAD_MEDIA_URL,
    BAD_TO,
    BAD_VARIABLES,
    BODY_LONG,
    CONTENT_RULES,
    EMPTY,
    INVALID,
    MEDIA_COUNT,
    MEDIA_KIND,
    MEDIA_LOST,
    MMS_KIND,
    MMS_SIZE,
    NO_CHANNEL,
    NO_FROM,
    NO_ROUTE,
    NO_TO,
    NOT_OURS,
    PAIR,
    TwilioRefused,
)
from bot.standins.twilio_people import (
    WHATSAPP,
    Channel,
    Media,
    Message,
    People,
    Status,
    count_segments,
    new_sid,
    phone_of,
)
from bot.standins.twilio_webhooks import Answer, Webhooks

MAX_BODY = 1600
MAX_CAPTION = 1024
MAX_MEDIA: dict[Channel, int] = {"whatsapp": 1, "sms": 10}
PHONE = re.compile(r"\+[1-9][0-9]{6,14}")
USER_ID = re.compile(r"[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}")
"""Identifies a person on WhatsApp who hides their number."""
ORDER = ("queued", "sending", "sent", "delivered", "read")
Fields = dict[str, Any]


class Listener:
    """Learns of what happens; subclasses act on it."""

    def record(self, refused: TwilioRefused, where: str = "") -> None:
        """Take note of a refusal; `where` is empty if it comes after the answer."""

    def note(self, oddity: str) -> None:
        """Take note of what is odd, but accepted."""

    def note_message(self, message: Message) -> None:
        """Take note of a message of the client: a new one, or one with another status."""


class Sender:
    """Sends messages.

    Args:
        validate: checks a form by the OpenAPI document; returns what is odd, but accepted.
        listener: learns of what happens.
    """

    def __init__(
        self,
        people: People,
        contents: Contents,
        webhooks: Webhooks,
        numbers: dict[Channel, str],
        validate: Callable[[MultiMapping[str]], Sequence[str]],
        listener: Listener,
    ) -> None:
        self.callback_path = "/webhooks/twilio/status"
        self.refuse_late = True
        """Whether a closed window or bad media is a failed status later, or 400 at once."""
        self.late_status: Literal["failed", "undelivered"] = "failed"
        self.reports: tuple[Status, ...] = ()
        """The statuses that follow each message by themselves, in this order."""
        self.report_pause = 0.0
        """Seconds after each of them."""
        self._people, self._contents, self._webhooks = people, contents, webhooks
        self._numbers, self._validate, self._listener = numbers, validate, listener
        self._tasks: set[asyncio.Task[None]] = set()

    async def send(self, form: MultiMapping[str]) -> Message:
        """Return the message, which may have failed already. Raises `Refused`."""
        if not form.get("To"):
            raise TwilioRefused(NO_TO)
        for oddity in self._validate(form):
            self._listener.note(oddity)
        fields = _read_form(form)
        check_addresses(fields, self._numbers)
        self._check_callback(fields.get("StatusCallback", ""))
        message = self._compose(fields)
        if message.channel == "sms":
            self._people.check_opt_out(phone_of(message.to))
        await self._finish(message, fields.get("MediaUrl", []))
        self._people.messages.all.append(message)
        self._listener.note_message(message)
        return message

    def _check_callback(self, callback: str) -> None:
        host = URL(callback).host or ""
        if callback and (not re.match("https?://.", callback) or not host or "_" in host):
            raise TwilioRefused(BAD_CALLBACK, callback)
        expected = self._webhooks.public_url + self.callback_path
        if self._webhooks.public_url and callback != expected:
            self._listener.note(f"StatusCallback is {callback!r}, not {expected!r}")

    def _compose(self, fields: Fields) -> Message:
        message = Message(
            sid=new_sid("MM" if fields.get("MediaUrl") else "SM"),
            sender=fields["From"],
            to=fields["To"],
            body=fields.get("Body", ""),
            created=self._people.clock(),
            direction="outbound-api",
            status_callback=fields.get("StatusCallback", ""),
        )
        if "ContentSid" in fields:
            self._fill(message, fields)
            return message
        check_text(fields, message.channel)
        if message.channel == "sms" and not fields.get("MediaUrl"):
            message.segments = count_segments(message.body)
        return message

    def _fill(self, message: Message, fields: Fields) -> None:
        if fields.get("Body") or fields.get("MediaUrl"):
            raise TwilioRefused(INVALID, "ContentSid goes without Body and MediaUrl")
        if message.channel == "sms":
            raise TwilioRefused(CONTENT_RULES, "content on SMS is not modelled")
        filled = self._contents.fill(fields["ContentSid"], fields.get("ContentVariables"))
        message.kind, message.body, message.options = filled.kind, filled.body, filled.options
        message.list_button, message.is_template = filled.list_button, filled.is_template

    async def _finish(self, message: Message, urls: Iterable[str]) -> None:
        """Do what Twilio does after it has answered, as a rule."""
        is_whatsapp = message.channel == "whatsapp"
        try:
            if is_whatsapp and not message.is_template:
                self._people.check_window(phone_of(message.to))
            for url in urls:
                media = await fetch_media(url, self._webhooks.reach(url), message.channel)
                message.media[new_sid("ME")] = media
                message.kind = "media"
                if is_whatsapp:
                    self._check_caption(message, media)
        except TwilioRefused as refused:
            if not self.refuse_late:
                raise
            self._listener.record(refused)
            message.is_shown = False
            self._follow(message, [self.late_status], refused.code)
        else:
            due: list[Status] = [one for one in self.reports if is_whatsapp or one != "read"]
            self._follow(message, due)

    def _check_caption(self, message: Message, media: Media) -> None:
        """Drop the caption of a document, as Twilio does (its guidance on WhatsApp media messages);
        take note of that, and of one that WhatsApp would cut."""
        if message.body and not media.mime_type.startswith("image/"):
            self._listener.note(f"Body beside a file of type {media.mime_type}: it is lost")
            message.body = ""
        if len(message.body) > MAX_CAPTION:
            self._listener.note(f"a caption has {len(message.body)} characters of {MAX_CAPTION}")

    def _follow(
        self, message: Message, statuses: Sequence[Status], code: int | None = None
    ) -> None:
        """Report the statuses, one after the other, in the background."""

        async def post() -> None:
            for status in statuses:
                await self.report(message, status, code)
                await asyncio.sleep(self.report_pause)

        if statuses:
            task = asyncio.create_task(post())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def report(self, message: Message, status: Status, code: int | None = None) -> Answer:
        """Report to the StatusCallback, if there is one. An older status undoes no newer one."""
        if status not in ORDER or message.status not in ORDER[ORDER.index(status) :]:
            message.status, message.error_code = status, code
            self._listener.note_message(message)
        if not message.status_callback:
            return Answer(0)
        fields = describe_status(message, status, code)
        return await self._webhooks.post(message.status_callback, fields)

    async def settled(self) -> None:
        """Wait until every report that follows by itself has been posted."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _read_form(form: MultiMapping[str]) -> Fields:
    """Return the last value of each field; all those of `MediaUrl`."""
    fields: Fields = {name: form.getall(name)[-1] for name in form}
    return fields | ({"MediaUrl": form.getall("MediaUrl")} if "MediaUrl" in form else {})


def check_addresses(fields: Fields, numbers: dict[Channel, str]) -> None:
    """Raise `Refused` for a recipient or a sender that cannot be."""
    sender, to = fields.get("From", ""), fields["To"]
    if "MessagingServiceSid" in fields:
        raise TwilioRefused(INVALID, "MessagingServiceSid is not modelled")
    if not sender:
        raise TwilioRefused(NO_FROM)
    if sender.startswith(WHATSAPP) != to.startswith(WHATSAPP):
        raise TwilioRefused(PAIR, f"{sender} {to}")
    is_user_id = to.startswith(WHATSAPP) and USER_ID.fullmatch(phone_of(to))
    if not is_user_id and not PHONE.fullmatch(phone_of(to)):
        raise TwilioRefused(BAD_TO, to)
    if to.startswith(WHATSAPP) and phone_of(sender) != numbers["whatsapp"]:
        raise TwilioRefused(NO_CHANNEL, sender)
    if not to.startswith(WHATSAPP) and sender != numbers["sms"]:
        raise TwilioRefused(NOT_OURS, sender)


def check_text(fields: Fields, channel: Channel) -> None:
    """Raise `Refused` for a body or a number of media that the channel does not take."""
    body, urls = fields.get("Body", ""), fields.get("MediaUrl", [])
    if "ContentVariables" in fields:
        raise TwilioRefused(BAD_VARIABLES, "there is no ContentSid")
    if not body.strip() and not urls:
        raise TwilioRefused(EMPTY)
    if len(body.encode("utf-16-le")) // 2 > MAX_BODY:
        raise TwilioRefused(BODY_LONG)
    if len(urls) > MAX_MEDIA[channel]:
        raise TwilioRefused(MEDIA_COUNT, f"{len(urls)} of {MAX_MEDIA[channel]}")
    if urls and channel == "sms" and not fields["To"].startswith("+1"):
        raise TwilioRefused(NO_ROUTE, "MMS goes to numbers of the United States and Canada")


def describe_status(message: Message, status: Status, code: int | None) -> list[tuple[str, str]]:
    """Return the fields of a status callback."""
    fields = [
        ("SmsSid", message.sid),
        ("SmsStatus", status),
        ("MessageStatus", status),
        ("To", message.to),
        ("MessageSid", message.sid),
        ("From", message.sender),
        ("ApiVersion", "2010-04-01"),
    ]
    if message.channel == "whatsapp":
        fields += [("ChannelPrefix", "whatsapp"), ("ChannelToAddress", phone_of(message.to))]
    if status in {"delivered", "read"} and message.channel == "whatsapp":
        fields.append(("EventType", status.upper()))
    if code is not None:
        fields.append(("ErrorCode", str(code)))
    return fields


MB = 2**20
FETCH_SECONDS = 5
MAX_WHATSAPP, MAX_WHATSAPP_IMAGE = 16 * MB, 5 * MB
MAX_MMS, MAX_MMS_OTHER = 5 * MB, 500 * 2**10
OFFICE = "application/vnd.openxmlformats-officedocument."
WHATSAPP_KINDS = {
    "image/jpeg",
    "image/jpg",
    "image/png",
    "audio/ogg",
    "audio/amr",
    "audio/3gpp",
    "audio/aac",
    "audio/mpeg",
    "application/pdf",
    "application/msword",
    f"{OFFICE}wordprocessingml.document",
    f"{OFFICE}presentationml.presentation",
    f"{OFFICE}spreadsheetml.sheet",
    "video/mp4",
    "text/vcard",
}
MMS_KINDS = {
    "image/jpeg",
    "image/jpg",
    "image/png",
    "image/gif",
    "audio/ogg",
    "audio/mpeg",
    "audio/amr",
    "video/mp4",
    "video/3gpp",
    "text/vcard",
    "text/csv",
    "text/rtf",
    "text/calendar",
    "application/pdf",
}
BEGINNINGS = {
    "image/jpeg": b"\xff\xd8",
    "image/jpg": b"\xff\xd8",
    "image/png": b"\x89PNG",
    "application/pdf": b"%PDF",
    f"{OFFICE}wordprocessingml.document": b"PK",
    f"{OFFICE}presentationml.presentation": b"PK",
    f"{OFFICE}spreadsheetml.sheet": b"PK",
}


async def fetch_media(url: str, reachable: str, channel: Channel) -> Media:
    """Return the file at `url`, fetched from `reachable`. Raises `Refused`."""
    if URL(url).scheme not in {"http", "https"} or not URL(url).host:
        raise TwilioRefused(BAD_MEDIA_URL, url)
    timeout = aiohttp.ClientTimeout(total=FETCH_SECONDS)
    address = URL(reachable, encoded=True)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as http, http.get(address) as response:
            content = await _read(response)
            named = response.content_disposition
            media = Media(content, response.content_type, (named and named.filename) or "")
            if response.status != 200:
                raise TwilioRefused(MEDIA_LOST, f"{url} answered {response.status}")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise TwilioRefused(MEDIA_LOST, f"{url}: {error!r}") from error
    check_media(media, channel)
    return media


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """Read the body, but no more than shows that it is too large."""
    content = bytearray()
    async for chunk in response.content.iter_chunked(MB):
        content += chunk
        if len(content) > MAX_WHATSAPP:
            break
    return bytes(content)


def check_media(media: Media, channel: Channel) -> None:
    """Raise `Refused` for a kind or a size that the channel does not take."""
    kinds = WHATSAPP_KINDS if channel == "whatsapp" else MMS_KINDS
    wrong_kind = MEDIA_KIND if channel == "whatsapp" else MMS_KIND
    if media.mime_type not in kinds:
        raise TwilioRefused(wrong_kind, f"{media.mime_type} is not sent on {channel}")
    if not media.content.startswith(BEGINNINGS.get(media.mime_type, b"")):
        raise TwilioRefused(wrong_kind, f"the content is not {media.mime_type}")
    limit = _limit(media.mime_type, channel)
    if not 0 < len(media.content) <= limit:
        code = MEDIA_KIND if channel == "whatsapp" else MMS_SIZE
        raise TwilioRefused(code, f"{len(media.content)} bytes of {limit}")


def _limit(mime_type: str, channel: Channel) -> int:
    is_image = mime_type.startswith("image/")
    if channel == "whatsapp":
        return MAX_WHATSAPP_IMAGE if is_image else MAX_WHATSAPP
    return MAX_MMS if is_image else MAX_MMS_OTHER

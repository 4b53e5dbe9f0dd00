"""A message that the client creates: checked, filled, shown to the person, and reported.

The 1600 characters of a body are counted in UTF-16 units: how Twilio counts an emoji is unsure, and
this is the narrower reading.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from typing import Any, Literal

from multidict import MultiMapping
from yarl import URL

from tests.standins.twilio_contents import Contents
from tests.standins.twilio_errors import (
    BAD_CALLBACK,
    BAD_TO,
    BAD_VARIABLES,
    BODY_LONG,
    CONTENT_RULES,
    EMPTY,
    INVALID,
    MEDIA_COUNT,
    NO_CHANNEL,
    NO_FROM,
    NO_ROUTE,
    NO_TO,
    NOT_OURS,
    PAIR,
    Refused,
)
from tests.standins.twilio_media import fetch_media
from tests.standins.twilio_messages import (
    WHATSAPP,
    Channel,
    Message,
    Status,
    new_sid,
    phone_of,
)
from tests.standins.twilio_people import People
from tests.standins.twilio_schema import read_message_form
from tests.standins.twilio_segments import count_segments
from tests.standins.twilio_webhooks import Answer, Webhooks

MAX_BODY = 1600
MAX_MEDIA: dict[Channel, int] = {"whatsapp": 1, "sms": 10}
PHONE = re.compile(r"\+[1-9][0-9]{6,14}")
USER_ID = re.compile(r"[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}")
"""Of somebody on WhatsApp who hides their number."""
ORDER = ("queued", "sending", "sent", "delivered", "read")
Fields = dict[str, Any]


class Sender:
    """Sends what `form` says. `record` takes a late refusal, `note` what is odd but taken."""

    def __init__(
        self,
        people: People,
        contents: Contents,
        webhooks: Webhooks,
        numbers: dict[Channel, str],
        record: Callable[[Refused], None],
        note: Callable[[str], None],
    ) -> None:
        self.callback_path = "/webhooks/twilio/status"
        self.refuse_late = True
        """A closed window or bad media: a failed status later (true), or 400 at once (false)."""
        self.late_status: Literal["failed", "undelivered"] = "failed"
        self.reports: tuple[Status, ...] = ()
        """The statuses that follow each message by themselves, in this order."""
        self._people, self._contents, self._webhooks = people, contents, webhooks
        self._numbers, self._record, self._note = numbers, record, note
        self._tasks: set[asyncio.Task[None]] = set()

    async def send(self, form: MultiMapping[str]) -> Message:
        """The message, which may have failed already. Raises `Refused`."""
        if not form.get("To"):
            raise Refused(NO_TO)
        read = read_message_form(form)
        for oddity in read.oddities:
            self._note(oddity)
        fields = read.fields
        check_addresses(fields, self._numbers)
        self._check_callback(fields.get("StatusCallback", ""))
        message = self._compose(fields)
        if message.channel == "sms":
            self._people.check_opt_out(phone_of(message.to))
        await self._finish(message, fields.get("MediaUrl", []))
        self._people.messages.all.append(message)
        return message

    def _check_callback(self, callback: str) -> None:
        host = URL(callback).host or ""
        if callback and (not re.match("https?://.", callback) or not host or "_" in host):
            raise Refused(BAD_CALLBACK, callback)
        expected = self._webhooks.public_url + self.callback_path
        if self._webhooks.public_url and callback != expected:
            self._note(f"StatusCallback is {callback!r}, not {expected!r}")

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
        if message.channel == "whatsapp" and message.body and fields.get("MediaUrl"):
            self._note("Body beside MediaUrl on WhatsApp: a caption may be lost")
        return message

    def _fill(self, message: Message, fields: Fields) -> None:
        if fields.get("Body") or fields.get("MediaUrl"):
            raise Refused(INVALID, "ContentSid goes without Body and MediaUrl")
        if message.channel == "sms":
            raise Refused(CONTENT_RULES, "content on SMS is not modelled")
        filled = self._contents.fill(fields["ContentSid"], fields.get("ContentVariables"))
        message.kind, message.body, message.options = filled.kind, filled.body, filled.options
        message.list_button, message.is_template = filled.list_button, filled.is_template

    async def _finish(self, message: Message, urls: Iterable[str]) -> None:
        """What Twilio finds out after it has answered, as a rule."""
        try:
            if message.channel == "whatsapp" and not message.is_template:
                self._people.check_window(phone_of(message.to))
            for url in urls:
                media = await fetch_media(url, self._webhooks.reach(url), message.channel)
                message.media[new_sid("ME")] = media
                message.kind = "media"
        except Refused as refused:
            if not self.refuse_late:
                raise
            self._record(refused)
            message.is_shown = False
            self._follow(self.report(message, self.late_status, refused.code))
        else:
            self._follow(*(self.report(message, status) for status in self.reports))

    def _follow(self, *reports: Any) -> None:
        async def tell() -> None:
            for report in reports:
                await report

        if reports:
            task = asyncio.create_task(tell())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def report(self, message: Message, status: Status, code: int | None = None) -> Answer:
        """Tell the message's StatusCallback, if it has one. An older status undoes no newer one."""
        if status not in ORDER or message.status not in ORDER[ORDER.index(status) :]:
            message.status, message.error_code = status, code
        if not message.status_callback:
            return Answer(0)
        told = describe_status(message, status, code)
        return await self._webhooks.post(message.status_callback, told)

    async def settled(self) -> None:
        """Wait until every report that follows by itself has been posted."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def check_addresses(fields: Fields, numbers: dict[Channel, str]) -> None:
    """Raise `Refused` for a recipient or a sender that cannot be."""
    sender, to = fields.get("From", ""), fields["To"]
    if "MessagingServiceSid" in fields:
        raise Refused(INVALID, "MessagingServiceSid is not modelled")
    if not sender:
        raise Refused(NO_FROM)
    if sender.startswith(WHATSAPP) != to.startswith(WHATSAPP):
        raise Refused(PAIR, f"{sender} {to}")
    is_user_id = to.startswith(WHATSAPP) and USER_ID.fullmatch(phone_of(to))
    if not is_user_id and not PHONE.fullmatch(phone_of(to)):
        raise Refused(BAD_TO, to)
    if to.startswith(WHATSAPP) and phone_of(sender) != numbers["whatsapp"]:
        raise Refused(NO_CHANNEL, sender)
    if not to.startswith(WHATSAPP) and sender != numbers["sms"]:
        raise Refused(NOT_OURS, sender)


def check_text(fields: Fields, channel: Channel) -> None:
    """Raise `Refused` for a body or a number of media that the channel does not take."""
    body, urls = fields.get("Body", ""), fields.get("MediaUrl", [])
    if "ContentVariables" in fields:
        raise Refused(BAD_VARIABLES, "there is no ContentSid")
    if not body.strip() and not urls:
        raise Refused(EMPTY)
    if len(body.encode("utf-16-le")) // 2 > MAX_BODY:
        raise Refused(BODY_LONG)
    if len(urls) > MAX_MEDIA[channel]:
        raise Refused(MEDIA_COUNT, f"{len(urls)} of {MAX_MEDIA[channel]}")
    if urls and channel == "sms" and not fields["To"].startswith("+1"):
        raise Refused(NO_ROUTE, "MMS goes to numbers of the United States and Canada")


def describe_status(message: Message, status: Status, code: int | None) -> list[tuple[str, str]]:
    """The parameters of a status callback."""
    told = [
        ("SmsSid", message.sid),
        ("SmsStatus", status),
        ("MessageStatus", status),
        ("To", message.to),
        ("MessageSid", message.sid),
        ("From", message.sender),
        ("ApiVersion", "2010-04-01"),
    ]
    if message.channel == "whatsapp":
        told += [("ChannelPrefix", "whatsapp"), ("ChannelToAddress", phone_of(message.to))]
    if status in {"delivered", "read"} and message.channel == "whatsapp":
        told.append(("EventType", status.upper()))
    if code is not None:
        told.append(("ErrorCode", str(code)))
    return told

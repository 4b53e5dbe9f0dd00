"""A Twilio to test against: its API over a real socket, its webhooks, and what each phone shows.

Every request is checked by Twilio's own OpenAPI and by the limits that it does not hold; what
breaks a rule is answered as Twilio would answer and kept in `violations`. In a test:

    async with running_twilio(public_url="https://griot.example") as twilio:
        ... Griot with `twilio.settings` and PUBLIC_URL=https://griot.example, at http://127.0.0.1:N
        twilio.post_to = "http://127.0.0.1:N"
        await twilio.say("+2250701020304", "Bonjour", whatsapp=True)
        twilio.chat("+2250701020304")  # what that phone shows

Webhooks are signed over the public URL and posted to `post_to`; links and status callbacks that
begin with the public URL are asked for there too. Switches are on the parts: `sender` (late or
immediate refusals, reports), `people` (windows, opt-outs), `contents` (templates), `webhooks`.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypedDict, Unpack

from tests.standins.twilio_messages import Channel, Message, Status
from tests.standins.twilio_people import Parameters, keyword_of
from tests.standins.twilio_server import Server
from tests.standins.twilio_webhooks import Answer, find_fault

WEBHOOK_PATH = "/webhooks/twilio"


class Written(TypedDict, total=False):
    """What may come beside the text; all but media on WhatsApp only."""

    media: Sequence[tuple[bytes, str]]
    """Content and type."""
    button: tuple[str, str]
    """Payload and title of the one that was tapped."""
    list_reply: tuple[str, str]
    """Id and title of the row that was chosen."""
    location: tuple[float, float]
    """Latitude and longitude."""
    profile_name: str
    reply_to: str
    """The sid of the message of ours that is answered."""


class TwilioStandIn(Server):
    """See the module. Phones are in E.164."""

    @property
    def settings(self) -> dict[str, str]:
        """Griot's settings, but for PUBLIC_URL. The people here answer SMS, wherever they are."""
        return {
            "sms_one_way": "",
            "twilio_account_sid": self.account_sid,
            "twilio_auth_token": self.auth_token,
            "twilio_sms_from": self.numbers["sms"],
            "twilio_whatsapp_from": f"whatsapp:{self.numbers['whatsapp']}",
            "twilio_api_url": self.url,
        }

    @property
    def post_to(self) -> str:
        """The origin that really answers for the public one."""
        return self.webhooks.post_to

    @post_to.setter
    def post_to(self, origin: str) -> None:
        self.webhooks.post_to = origin

    def chat(self, phone: str, channel: Channel | None = None) -> list[Message]:
        """What the phone shows of us, oldest first."""
        return self.people.messages.chat(phone, channel)

    async def say(
        self,
        phone: str,
        text: str = "",
        *,
        whatsapp: bool = False,
        extra: Sequence[tuple[str, str]] = (),
        **more: Unpack[Written],
    ) -> Answer:
        """Have a person write, and post it; `extra` parameters come last, and may repeat others."""
        told = self.write(phone, text, whatsapp=whatsapp, **more)
        return await self.deliver([*told, *extra])

    def write(
        self, phone: str, text: str = "", *, whatsapp: bool = False, **more: Unpack[Written]
    ) -> Parameters:
        """The parameters of a new message, not yet posted."""
        choice = more.get("button") or more.get("list_reply")
        body = choice[1] if choice else text
        channel: Channel = "whatsapp" if whatsapp else "sms"
        message = self.people.receive(phone, body, channel, more.get("media", ()))
        if not whatsapp:
            return self.people.describe_sms(message, self.url)
        name = more.get("profile_name", "Awa")
        told = [*_describe_more(more), *self._describe_reply(more.get("reply_to", ""))]
        kind = _kind_of(more)
        return self.people.describe_whatsapp(message, self.url, kind=kind, name=name, told=told)

    def _describe_reply(self, sid: str) -> Parameters:
        sender = f"whatsapp:{self.numbers['whatsapp']}"
        told = [("OriginalRepliedMessageSender", sender), ("OriginalRepliedMessageSid", sid)]
        return told if sid else []

    async def tap(self, phone: str, title: str) -> Answer:
        """Choose the newest option of this title that the phone shows; LookupError for none."""
        for message in reversed(self.chat(phone, "whatsapp")):
            for option in message.options:
                if option.title == title:
                    kind = "list_reply" if message.list_button else "button"
                    choice: Any = {kind: (option.payload, title)}
                    return await self.say(phone, whatsapp=True, reply_to=message.sid, **choice)
        raise LookupError(f"{phone} is not shown {title!r}")

    async def deliver(self, parameters: Parameters, *, signature: str | None = None) -> Answer:
        """Post an incoming message: once more, if it was posted before."""
        url = self.webhooks.public_url + WEBHOOK_PATH
        answer = await self.webhooks.post(url, parameters, signature=signature)
        if fault := find_fault(answer):
            self._note(fault)
        told = dict(parameters)
        if 200 <= answer.status < 300 and keyword_of(told["Body"]) == "STOP":
            self.people.tell_opt_out(told["From"])
        return answer

    async def report(self, sid: str, status: Status, code: int | None = None) -> Answer:
        """Post a status callback of our message, in any order; `code` says why it failed."""
        return await self.sender.report(self.people.messages.find(sid), status, code)

    async def settled(self) -> None:
        """Wait until every report that follows a message by itself has been posted."""
        await self.sender.settled()


def _kind_of(more: Written) -> str:
    if "button" in more or "list_reply" in more:
        return "interactive"
    if "location" in more:
        return "location"
    media = more.get("media")
    kind = media[0][1].partition("/")[0] if media else "text"
    return {"application": "document"}.get(kind, kind)


def _describe_more(more: Written) -> Parameters:
    told: Parameters = []
    if button := more.get("button"):
        told += [("ButtonPayload", button[0]), ("ButtonText", button[1])]
    if chosen := more.get("list_reply"):
        told += [("ListId", chosen[0]), ("ListTitle", chosen[1])]
    if location := more.get("location"):
        told += [("Latitude", str(location[0])), ("Longitude", str(location[1]))]
    return told


@asynccontextmanager
async def running_twilio(
    *,
    public_url: str = "",
    post_to: str = "",
    port: int = 0,
    clock: Callable[[], float] = time.time,
) -> AsyncGenerator[TwilioStandIn]:
    """`public_url` and `post_to` are origins; `clock` decides whether a window is open."""
    twilio = TwilioStandIn(public_url, post_to, clock)
    try:
        await twilio.start(port)
        yield twilio
    finally:
        await twilio.stop()

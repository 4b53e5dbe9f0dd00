"""WhatsApp and SMS by Twilio, driven through its stand-in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import aiohttp
from yarl import URL

from bot.messages.channels import Channel
from bot.standins.twilio import WEBHOOK_PATH
from bot.standins.twilio_errors import INVALID
from bot.standins.twilio_people import Message
from tests.adapters.conformance.driver import AWA, PNG, PUBLIC, Driver, Parcel, Status
from tests.standins.twilio import TwilioStandIn, running_twilio

UNREACHABLE, NOT_DELIVERABLE = 63003, 21620
ODD_QUERY = "?via=proxy%20one&a=%C3%A9+b&a=c"


class TwilioDriver(Driver):
    """See `Driver`. Both channels are by one account; this drives one of them."""

    def __init__(self, twilio: TwilioStandIn, http: aiohttp.ClientSession, name: str) -> None:
        self.name = name
        self.twilio = twilio
        self.is_whatsapp = name == "twilio_whatsapp"
        self.channel: Channel = "whatsapp" if self.is_whatsapp else "sms"
        self.page = 1600 if self.is_whatsapp else 612
        self.template = twilio.contents.approve("Du nouveau : {{1}}", variables={"1": "x"})
        self._http = http

    @property
    def settings(self) -> Mapping[str, object]:
        other = "twilio_sms_from" if self.is_whatsapp else "twilio_whatsapp_from"
        own = {key: value for key, value in self.twilio.settings.items() if key != other}
        return {**own, "twilio_template_sid": self.template}

    @property
    def violations(self) -> Sequence[str]:
        return self.twilio.violations

    async def reach(self, url: str) -> None:
        self.twilio.post_to = url

    def address(self, person: str) -> str:
        return person

    # What people send

    def text(self, text: str, person: str = AWA) -> Parcel:
        return self.twilio.write(person, text, whatsapp=self.is_whatsapp)

    def photos(self, count: int, person: str = AWA) -> list[Parcel]:
        """WhatsApp brings one photo a message, an MMS several."""
        write, media = self.twilio.write, [(PNG, "image/png")]
        if self.is_whatsapp:
            return [write(person, media=media, whatsapp=True) for _ in range(count)]
        return [write(person, media=media * count)]

    def document(self, content: bytes, filename: str, mime_type: str) -> Parcel:
        media = [(content, mime_type)]
        return self.twilio.write(AWA, filename, media=media, whatsapp=self.is_whatsapp)

    def voice(self, content: bytes) -> Parcel:
        media = [(content, "audio/ogg")]
        return self.twilio.write(AWA, media=media, whatsapp=self.is_whatsapp)

    def press(self, token: str, person: str = AWA, *, locate: bool = True) -> Parcel:
        asked = self._asked(AWA)
        reply_to = asked.sid if asked and locate else ""
        choice = (token, "?")
        if asked and asked.list_button:
            return self.twilio.write(person, whatsapp=True, list_reply=choice, reply_to=reply_to)
        return self.twilio.write(person, whatsapp=True, button=choice, reply_to=reply_to)

    def choose(self, title: str, person: str = AWA) -> Parcel:
        if self.is_whatsapp:
            return self.press(dict(self.options())[title], person)
        lines = [line for text in self.shown() for line in text.splitlines()]
        [mark] = [line.partition(")")[0] for line in lines if line.endswith(f") {title}")]
        return self.text(mark, person)

    def poison(self) -> Parcel:
        return [pair for pair in self.text("x") if pair[0] != "MessageSid"]

    def odd(self, text: str) -> list[Parcel]:
        extra = [
            ("NewField", "é=😀&+%"),
            ("NewField", "zwei"),
            ("NewField", "é=😀&+%"),
            ("Émoi", ""),
        ]
        return [[*self.text(text), *extra]]

    async def post(self, parcel: Parcel, headers: Mapping[str, str] | None = None) -> int:
        if headers is None:
            return (await self.twilio.deliver(parcel)).status
        signature = self.twilio.webhooks.sign(PUBLIC + WEBHOOK_PATH + ODD_QUERY, parcel)
        return await self._post(parcel, signature, headers, ODD_QUERY)

    async def forge(self, parcel: Parcel) -> list[int]:
        sign, here = self.twilio.webhooks.sign, self.twilio.post_to
        address = PUBLIC + WEBHOOK_PATH
        signatures = [
            "",
            sign(address, [])[:-1],
            sign(here + WEBHOOK_PATH, parcel),
            sign(f"http://griot.example{WEBHOOK_PATH}", parcel),
            sign(address, [*parcel, ("Body", "more")]),
        ]
        lying = {"X-Forwarded-Proto": "http", "X-Forwarded-Host": here.removeprefix("http://")}
        return [await self._post(parcel, signature, lying) for signature in signatures]

    async def _post(
        self, parcel: Parcel, signature: str, headers: Mapping[str, str], query: str = ""
    ) -> int:
        told = {"X-Twilio-Signature": signature, **headers}
        told["Content-Type"] = "application/x-www-form-urlencoded"
        url = URL(self.twilio.post_to + WEBHOOK_PATH + query, encoded=True)
        body = urlencode(parcel).encode()
        async with self._http.post(url, data=body, headers=told) as answer:
            return answer.status

    # What people see

    def shown(self, person: str = AWA) -> list[str]:
        return [message.body for message in self.twilio.chat(person, self._kind)]

    def toasts(self) -> list[str]:
        return []

    def options(self, person: str = AWA) -> list[tuple[str, str]]:
        asked = self._asked(person)
        return [(each.title, each.payload) for each in asked.options] if asked else []

    def _asked(self, person: str) -> Message | None:
        asked = [each for each in self.twilio.chat(person, self._kind) if each.options]
        return asked[-1] if asked else None

    def tries(self, person: str = AWA) -> int:
        """Contents are counted as tries too: only one person is asked anything in these tests."""
        to = f"whatsapp:{person}" if self.is_whatsapp else person
        return sum(
            call.method == "POST" and (call.fields.get("To") == to or "/Content" in call.path)
            for call in self.twilio.calls
        )

    @property
    def _kind(self) -> Any:
        return "whatsapp" if self.is_whatsapp else "sms"

    # The provider's bad days

    def throttle(self, person: str) -> None:
        self.twilio.limit_rate(phone=person, retry_after=30)

    def lose_answer(self, person: str) -> None:
        self.twilio.reset_next(accept=True, phone=person)

    def refuse_form(self) -> None:
        self.twilio.fail_next("content", accept=False, status=400, code=INVALID)

    def refuse_messages(self, person: str, times: int) -> None:
        told = {"accept": False, "status": 400, "code": NOT_DELIVERABLE}
        self.twilio.fail_next("messages", phone=person, times=times, **told)  # type: ignore[arg-type]

    def block(self, person: str) -> None:
        if self.is_whatsapp:
            told = {"accept": False, "status": 400, "code": UNREACHABLE}
            self.twilio.fail_next("messages", phone=person, **told)  # type: ignore[arg-type]
        else:
            self.twilio.people.opt_out(person)

    def come_back(self) -> Parcel:
        return self.text("me revoilà" if self.is_whatsapp else "START")

    def lose_media(self) -> None:
        for message in self.twilio.people.messages.all:
            message.media.clear()

    def close_window(self) -> None:
        self.twilio.people.close_window(AWA)

    async def report(self, status: Status) -> None:
        await self.twilio.report(self.twilio.chat(AWA)[-1].sid, status)


@asynccontextmanager
async def driving_twilio(name: str) -> AsyncGenerator[TwilioDriver]:
    async with running_twilio(public_url=PUBLIC) as twilio, aiohttp.ClientSession() as http:
        yield TwilioDriver(twilio, http, name)

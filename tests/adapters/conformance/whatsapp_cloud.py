"""WhatsApp by Meta's Cloud API, driven through its stand-in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

import aiohttp

from bot.messages.channels import Channel
from tests.adapters.conformance.driver import AWA, PNG, Driver, Parcel, Status
from tests.standins.whatsapp import APP_SECRET, WhatsAppStandIn, running_whatsapp
from tests.standins.whatsapp_errors import (
    ABSENT,
    BAD_VALUE,
    BROKEN,
    NOT_FOUND,
    PAIR_RATE,
    WINDOW,
    Refused,
)
from tests.standins.whatsapp_faults import Call, Fault
from tests.standins.whatsapp_phones import Shown
from tests.standins.whatsapp_posting import write

TEMPLATE = "news:fr"


class FormFault(Fault):
    """Meets messages with buttons or a list only."""

    def meets(self, call: Call) -> bool:
        return super().meets(call) and call.content.get("type") == "interactive"


class WhatsAppDriver(Driver):
    """See `Driver`. A parcel is the bytes of a POST."""

    name = "whatsapp_cloud"
    channel: Channel = "whatsapp"
    page = 4096

    def __init__(self, whatsapp: WhatsAppStandIn, http: aiohttp.ClientSession) -> None:
        self.whatsapp = whatsapp
        self._http = http

    @property
    def settings(self) -> Mapping[str, object]:
        own = {name.lower(): value for name, value in self.whatsapp.settings.items()}
        return {**own, "whatsapp_template": TEMPLATE}

    @property
    def violations(self) -> Sequence[str]:
        return self.whatsapp.violations

    async def reach(self, url: str) -> None:
        assert await self.whatsapp.subscribe(f"{url}/webhooks/whatsapp")

    def address(self, person: str) -> str:
        return person

    # What people send

    def text(self, text: str, person: str = AWA) -> Parcel:
        return self.pack(self.whatsapp.text_message(_digits(person), text))

    def photos(self, count: int, person: str = AWA) -> list[Parcel]:
        items = [self.whatsapp.image_message(_digits(person), PNG) for _ in range(count)]
        return [self.pack(item) for item in items]

    def document(self, content: bytes, filename: str, mime_type: str) -> Parcel:
        item = self.whatsapp.document_message(_digits(AWA), content, filename, mime_type)
        return self.pack(item)

    def voice(self, content: bytes) -> Parcel:
        return self.pack(self.whatsapp.voice_message(_digits(AWA), content))

    def press(self, token: str, person: str = AWA, *, locate: bool = True) -> Parcel:
        asked = self._asked(AWA)
        wamid, kind = (asked.wamid, asked.kind) if asked else ("wamid.of-old", "button")
        reply = self.whatsapp.list_reply if kind == "list" else self.whatsapp.button_reply
        item = reply(_digits(person), wamid, token, "?")
        if not locate:
            del item["context"]
        return self.pack(item)

    def choose(self, title: str, person: str = AWA) -> Parcel:
        return self.press(dict(self.options())[title], person)

    def poison(self) -> Parcel:
        item = self.whatsapp.text_message(_digits(AWA), "x")
        return self.pack(item | {"text": ["no", "text"], "from": 5})

    def mix(self, text: str) -> Parcel:
        awa = _digits(AWA)
        return self.pack(
            self.whatsapp.text_message(awa, text),
            self.whatsapp.text_message(awa, "x") | {"text": ["no", "text"], "from": 5},
            self.whatsapp.status(awa, self.whatsapp.chat(awa)[0].wamid, "read"),
            {"from": awa, "id": "wamid.new", "timestamp": "1", "type": "hologram", "hologram": {}},
        )

    def odd(self, text: str) -> list[Parcel]:
        items = [
            self.whatsapp.text_message(_digits(AWA), text, a_new_field=[{"x": None}])
            for _ in range(2)
        ]
        payloads = [self.whatsapp.payload([[[item]]]) for item in items]
        return [write(payloads[0], "escaped"), write(payloads[1], "raw")]

    def pack(self, *items: object) -> bytes:
        """One POST that holds these items, a change each."""
        return write(self.whatsapp.payload([[[item] for item in items]]))  # type: ignore[list-item]

    async def post(self, parcel: Parcel, headers: Mapping[str, str] | None = None) -> int:
        if headers is None:
            return await self.whatsapp.webhook.post(parcel)
        told = {"X-Hub-Signature-256": self.whatsapp.webhook.sign(parcel), **headers}
        return await self._post(parcel, told)

    async def forge(self, parcel: Parcel) -> list[int]:
        sign = self.whatsapp.webhook.sign
        signatures = ["", sign(parcel)[:-1], sign(parcel + b" "), sign(b""), f"sha256={APP_SECRET}"]
        return [await self._post(parcel, {"X-Hub-Signature-256": each}) for each in signatures]

    async def _post(self, body: bytes, headers: Mapping[str, str]) -> int:
        told = {"Content-Type": "application/json", **headers}
        async with self._http.post(self.whatsapp.webhook.url, data=body, headers=told) as answer:
            return answer.status

    # What people see

    def shown(self, person: str = AWA) -> list[str]:
        return [each.text or each.caption for each in self.whatsapp.chat(_digits(person))]

    def toasts(self) -> list[str]:
        return []

    def options(self, person: str = AWA) -> list[tuple[str, str]]:
        asked = self._asked(person)
        return [(each.title, each.id) for each in asked.options] if asked else []

    def _asked(self, person: str) -> Shown | None:
        asked = [each for each in self.whatsapp.chat(_digits(person)) if each.options]
        return asked[-1] if asked else None

    def tries(self, person: str = AWA) -> int:
        return sum(
            call.place == "messages" and call.phone == _digits(person)
            for call in self.whatsapp.calls
        )

    # The provider's bad days

    def throttle(self, person: str) -> None:
        self.whatsapp.fail_next(PAIR_RATE, phone=_digits(person))

    def lose_answer(self, person: str) -> None:
        self.whatsapp.reset_next(accept=True, phone=_digits(person))

    def refuse_form(self) -> None:
        refused = Refused(BAD_VALUE)
        told = (refused.status, refused.answer)
        self.whatsapp.add_fault(FormFault("messages", "", 1, "answer", False, *told))

    def refuse_messages(self, person: str, times: int) -> None:
        self.whatsapp.fail_next(BAD_VALUE, phone=_digits(person), times=times)

    def block(self, person: str) -> None:
        self.whatsapp.fail_next(ABSENT, phone=_digits(person))

    def come_back(self) -> Parcel:
        return self.text("me revoilà")

    def lose_media(self) -> None:
        self.whatsapp.fail_next(NOT_FOUND, place="lookup", times=99)

    def close_window(self) -> None:
        self.whatsapp.fail_next(WINDOW, phone=_digits(AWA))

    async def report(self, status: Status) -> None:
        wamid = self.whatsapp.chat(_digits(AWA))[-1].wamid
        await self.post(self.pack(self.whatsapp.status(_digits(AWA), wamid, status, code=BROKEN)))


def _digits(person: str) -> str:
    return person.lstrip("+")


@asynccontextmanager
async def driving_whatsapp() -> AsyncGenerator[WhatsAppDriver]:
    templates = {TEMPLATE: "Du nouveau : {{1}}"}
    async with (
        running_whatsapp(templates=templates) as whatsapp,
        aiohttp.ClientSession() as http,
    ):
        yield WhatsAppDriver(whatsapp, http)

"""The Cloud API's calls: what each does to phones and media, and what is told of it afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from aiohttp import web

from tests.standins.whatsapp_errors import ABSENT, MEDIA, WINDOW, Refused
from tests.standins.whatsapp_faults import Call
from tests.standins.whatsapp_limits import check_fit, check_limits, phone_of
from tests.standins.whatsapp_media import Held, fetch_link, read_upload
from tests.standins.whatsapp_phones import Phones, picture
from tests.standins.whatsapp_posting import Form, Webhook, write
from tests.standins.whatsapp_schema import check_message
from tests.standins.whatsapp_webhooks import Item, Status

Outcome = dict[str, Any] | web.StreamResponse


@dataclass(frozen=True)
class Rules:
    """See `running_whatsapp`."""

    clock: Callable[[], float]
    templates: dict[str, str]
    window: Literal["refuse", "fail"]
    statuses: Sequence[Status]
    pace: bool


class Calls(Phones):
    """A call raises `Refused` where Meta would refuse it."""

    def __init__(self, rules: Rules, webhook: Webhook) -> None:
        super().__init__(rules.clock, rules.templates)
        self.webhook = webhook
        self.violations: list[str] = []
        """`code details` of each."""
        self.statuses = rules.statuses
        """What is told of each message that arrives, in this order."""
        self.early_statuses = False
        """Whether that is told before the message's own call is answered."""
        self.origin = ""
        """Scheme, host and port that this is reached by."""
        self._rules = rules
        self._telling: set[asyncio.Task[None]] = set()

    async def deliver(self, *items: Item, form: Form = "escaped") -> int:
        """Post items, a change each, at once; the status of the first answer."""
        return await self.deliver_batch([[[item] for item in items]], form=form)

    async def deliver_batch(
        self, entries: Iterable[Iterable[Sequence[Item]]], *, form: Form = "escaped"
    ) -> int:
        """Post entries of changes of items at once; the status of the first answer."""
        return await self.webhook.deliver(write(self.payload(entries), form))

    async def settled(self) -> None:
        """Wait until all statuses are told and nothing is to be redelivered."""
        while self._telling:
            await asyncio.wait(self._telling)
        await self.webhook.settled()

    async def _tell(self, phone: str, wamid: str, statuses: Sequence[Status], code: int) -> None:
        if self.webhook.url:
            for status in statuses:
                await self.deliver(self.status(phone, wamid, status, code=code))

    async def stop_telling(self) -> None:
        """Drop the statuses that are not told yet."""
        for task in self._telling:
            task.cancel()
        await asyncio.gather(*self._telling, return_exceptions=True)

    async def send(self, call: Call) -> Outcome:
        body = call.content
        check_message(body)
        if "status" in body:
            self._mark_read(body)
            return {"success": True}
        check_limits(body)
        phone = phone_of(body)
        self._check_reaction(phone, body)
        text = self._wording(body)
        held, code = await self._fetch_media(body)
        code = self._fate(phone, body) or code
        if self._rules.pace:
            self._keep_pace(phone)
        wamid = self.new_wamid(phone, outgoing=True)
        if not code:
            self._show(phone, body, picture(wamid, body, held, text, self.clock()))
        await self._follow_up(phone, wamid, code)
        name = "wa_id" if "to" in body else "user_id"
        contact = {"input": body.get("to") or phone, name: phone}
        return {
            "messaging_product": "whatsapp",
            "contacts": [contact],
            "messages": [{"id": wamid}],
        }

    def _fate(self, phone: str, body: dict[str, Any]) -> int:
        """The code with which a well-formed message fails later, or 0."""
        if phone in self.absent:
            return ABSENT
        if body["type"] == "template" or self.window_is_open(phone):
            return 0
        if self._rules.window == "refuse":
            raise Refused(WINDOW)
        self.violations.append(str(Refused(WINDOW)))
        return WINDOW

    async def _fetch_media(self, body: dict[str, Any]) -> tuple[Held | None, int]:
        """The media of a message, and the code with which it fails later, or 0."""
        kind: str = body["type"]
        content: dict[str, Any] = body[kind]
        if kind == "interactive" and content.get("header", {}).get("type", "text") != "text":
            kind = content["header"]["type"]
            content = content["header"][kind]
        if "id" in content and "link" not in content:
            held = self.media.find(content["id"])
            check_fit(kind, held.mime_type)
            return held, 0
        if "link" not in content:
            return None, 0
        try:
            held = await fetch_link(content["link"])
            check_fit(kind, held.mime_type)
        except Refused as refused:
            self.violations.append(str(Refused(MEDIA, refused.details)))
            return None, MEDIA
        return held, 0

    async def _follow_up(self, phone: str, wamid: str, code: int) -> None:
        statuses: Sequence[Status] = ("failed",) if code else self.statuses
        task = asyncio.create_task(self._tell(phone, wamid, statuses, code))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
        if self.early_statuses:
            await task

    async def upload(self, call: Call) -> Outcome:
        return {"id": self.media.upload(read_upload(call.content))}

    async def look_up(self, call: Call) -> Outcome:
        return self.media.describe(call.content, self.origin)

    async def download(self, call: Call) -> Outcome:
        held = self.media.open_link(call.content.get("mid", ""), call.content.get("hash", ""))
        if held is None:
            return web.Response(status=404, text="URL expired or signature mismatch")
        return web.Response(body=held.content, headers={"Content-Type": held.mime_type})

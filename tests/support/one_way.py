"""A learner whose phone cannot answer our SMS, and the pages that its links lead to."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.contracts.channels import Adapter
from bot.settings import Settings
from tests.standins.twilio import TwilioStandIn, running_twilio
from tests.support.fakes import FakeModel
from tests.support.site import Site, open_site
from tests.support.waiting import until

AWA = "+2250701020304"
PUBLIC = "https://griot.example"
_LINK = re.compile(rf"{PUBLIC}(/(?:q|m|stop)/\S+)")
Answer = tuple[int, str]


@dataclass
class Learner:
    """A phone in Ivory Coast, and Griot behind Twilio."""

    griot: Site
    twilio: TwilioStandIn
    number: str = AWA

    def texts(self) -> list[str]:
        """What the phone shows, oldest first."""
        return [each.body for each in self.twilio.chat(self.number, "sms")]

    async def ask(self, words: str) -> str:
        """Write an SMS, and wait for the next one from Griot."""
        before = len(self.texts())
        await self.twilio.say(self.number, words)
        return await self.next_text(before)

    async def next_text(self, before: int) -> str:
        async def has_come() -> bool:
            return len(self.texts()) > before

        await until(has_come)
        return self.texts()[before]

    async def get(self, path: str) -> Answer:
        return await self.griot.request("GET", path, headers={"Accept": "text/html"})

    async def post(self, path: str, **fields: str) -> Answer:
        headers = {"Accept": "text/html"}
        return await self.griot.request("POST", path, data=fields, headers=headers)


def find_link(text: str, route: str) -> str:
    """The path of the one link of this route in an SMS, or a form's on a page."""
    found = [*_LINK.findall(text), *re.findall(r'(?:action|href)="(/[^"]+)"', text)]
    matching = list(dict.fromkeys(each for each in found if each.startswith(f"/{route}/")))
    assert len(matching) == 1, text
    return matching[0]


@asynccontextmanager
async def open_learner(
    settings: Callable[..., Settings],
    model: FakeModel,
    *,
    number: str = AWA,
    more: tuple[Adapter, ...] = (),
    **values: Any,
) -> AsyncGenerator[Learner]:
    async with running_twilio(public_url=PUBLIC) as twilio:
        given = {
            **twilio.settings,
            "sms_one_way": "CI,GM",
            "public_url": PUBLIC,
            "rate_limit_per_minute": 0,
            "burst_seconds": 0,
        }
        async with open_site(settings(**(given | values)), model, more=more) as griot:
            twilio.post_to = griot.url
            yield Learner(griot, twilio, number)
        assert twilio.violations == []

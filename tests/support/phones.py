"""People with phones: Telegram, WhatsApp and SMS, and one Griot that all of them write to."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from bot.contracts.channels import Capabilities
from bot.contracts.storage import Database
from bot.contracts.tools import Tool
from bot.messages.incoming import Said, Update, UpdateContent
from bot.messages.outgoing import TemplateBody, TextBody
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.queries import read_rows
from tests.support.waiting import until

AWA, BINTA, CELESTE = "+2250701020304", "+2250701020305", "+2250701020306"
CODE = re.compile(r"\b(\d{6})\b")
WHATSAPP = Capabilities(max_text=4096, max_buttons=3, window=86_400.0, receipts=True)
SMS = Capabilities(max_text=1600)


@dataclass
class Phones:
    """People on Telegram, WhatsApp and SMS, and one Griot."""

    app: TestApp
    whatsapp: FakeChannel
    sms: FakeChannel

    async def say(
        self, text: str | UpdateContent, channel: str = "telegram", who: str = "1"
    ) -> None:
        """Someone writes, and everything that follows is done."""
        await self.app.app.inbox.store([self.update(text, channel, who)])
        await until(self.app.settled)

    def update(self, text: str | UpdateContent, channel: str, who: str) -> Update:
        content = Said(text) if isinstance(text, str) else text
        via = {"telegram": "fake", "whatsapp": "wa", "sms": "sms"}[channel]
        return msgspec.structs.replace(update(content, chat=who), channel=channel, via=via)

    def told(self, channel: str = "telegram", who: str = "1") -> list[str]:
        shown = {"telegram": self.app.channel, "whatsapp": self.whatsapp, "sms": self.sms}
        return [
            delivery.body.text
            for delivery in shown[channel].delivered
            if delivery.conversation == who and isinstance(delivery.body, TextBody | TemplateBody)
        ]

    def code(self, channel: str = "whatsapp", who: str = AWA) -> str:
        found = [match[1] for text in self.told(channel, who) if (match := CODE.search(text))]
        return found[-1] if found else ""

    @property
    def database(self) -> Database:
        return self.app.database

    async def account_of(self, channel: str, who: str) -> int | None:
        rows = await read_rows(self.database, "identity", channel=channel, address=who)
        return rows[0]["account"] if rows else None


MakePhones = Callable[..., Awaitable[Phones]]


def phones_of(app: MakeApp) -> MakePhones:
    """Makes them, in a app of these settings, with these answers or models."""

    async def make(
        *answers: str | FakeModel,
        whatsapp: Capabilities = WHATSAPP,
        tools: Sequence[Tool[Any]] = (),
        **values: object,
    ) -> Phones:
        wa, sms = FakeChannel("wa", "whatsapp", whatsapp), FakeChannel("sms", "sms", SMS)
        opened = await app(FakeChannel(), wa, sms, **values)
        replies = [reply(answer) for answer in answers if isinstance(answer, str)]
        models = [answer for answer in answers if isinstance(answer, FakeModel)]
        await opened.start(models[0] if models else FakeModel(*replies), [*tools])
        return Phones(opened, wa, sms)

    return make

"""A street of five people, each on another channel, before one real process of Griot.

All that they, the providers and the process say to each other goes over wires that keep it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from bot.typography import to_ordinary_signs
from tests.adapters.conformance.telegram import HEADER, SECRET
from tests.standins.telegram import TelegramStandIn
from tests.standins.twilio import TwilioStandIn, running_twilio
from tests.standins.whatsapp import VERSION, WhatsAppStandIn, running_whatsapp
from tests.standins.wiretap import Wiretap
from tests.support import processes
from tests.support.cluster import GRIOT, Node
from tests.support.waiting import until

CHAT = 1001
TELEGRAM, WHATSAPP, SMS, CLOUD, WEB = (f"+22507010203{n:02d}" for n in range(4, 9))
LANES = (f"telegram:{CHAT}", f"whatsapp:{WHATSAPP}", f"sms:{SMS}", f"whatsapp:{CLOUD}", "http:web")
SECONDS = 60.0
"""On a machine that does a lot else."""


@dataclass
class Street:
    """Five people, each on another channel."""

    wire: Wiretap
    url: str
    telegram: TelegramStandIn
    twilio: TwilioStandIn
    cloud: WhatsAppStandIn
    http: aiohttp.ClientSession
    node: Node
    settings: Mapping[str, str]
    """The process's environment."""
    streamed: list[str] = field(default_factory=list[str])
    token: str = ""

    async def request(self, method: str, path: str, **options: Any) -> str:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= options.pop("headers", {})
        async with self.http.request(method, self.url + path, headers=headers, **options) as answer:
            assert answer.status // 100 == 2, (path, answer.status, await answer.text())
            return (await answer.read()).decode(errors="replace")

    async def log_in(self) -> None:
        await self.post(self.telegram.contact_update(CHAT, TELEGRAM, owner=CHAT))
        await self.request("POST", "/api/v1/login/otp", json={"phone": WEB})
        await self.until(lambda: self.twilio.chat(WEB))
        code = re.findall(r"\b\d{6}\b", self.twilio.chat(WEB)[-1].body)[0]
        given = {"phone": WEB, "code": code}
        self.token = json.loads(await self.request("POST", "/api/v1/login/verify", json=given))[
            "token"
        ]

    async def say(self, words: str) -> None:
        """All five say it."""
        await self.post(self.telegram.text_update(CHAT, words))
        assert (await self.twilio.say(WHATSAPP, words, whatsapp=True)).status == 204
        assert (await self.twilio.say(SMS, words)).status == 204
        await self.cloud.deliver(self.cloud.text_message(CLOUD.lstrip("+"), words))
        told = {"message": words, "session_id": "web"}
        self.streamed.append(await self.request("POST", "/api/v1/chat", json=told))

    async def post(self, update: dict[str, Any]) -> None:
        headers = {HEADER: SECRET}
        await self.request("POST", "/webhooks/telegram", json=update, headers=headers)

    def chats(self) -> list[str]:
        """All that each of them was told, but for the one on the web."""
        return [
            "\n".join(each.text for each in self.telegram.messages(CHAT)),
            "\n".join(each.body for each in self.twilio.chat(WHATSAPP)),
            "\n".join(each.body for each in self.twilio.chat(SMS)),
            "\n".join(each.text or each.caption for each in self.cloud.chat(CLOUD.lstrip("+"))),
        ]

    async def told(self, words: str, times: int = 1) -> None:
        """Wait until each but the one on the web, whose answers come at once, was told this,
        whatever its typography."""
        wanted = to_ordinary_signs(words)
        try:
            await self.until(
                lambda: all(to_ordinary_signs(each).count(wanted) >= times for each in self.chats())
            )
        except TimeoutError:
            raise AssertionError(f"{words!r} was not told to all: {self.chats()}") from None

    async def until(self, condition: Callable[[], object]) -> None:
        async def holds() -> object:
            return condition()

        await until(holds, SECONDS)


@asynccontextmanager
async def open_street(
    model: str, database_url: str, folder: Path, **more: str
) -> AsyncGenerator[Street]:
    async with (
        Wiretap() as wire,
        TelegramStandIn() as telegram,
        running_twilio() as twilio,
        running_whatsapp() as cloud,
        aiohttp.ClientSession() as http,
    ):
        template = twilio.contents.approve("Du nouveau : {{1}}", variables={"1": "x"})
        addresses = {
            "TELEGRAM_API_URL": await wire.lay("telegram", telegram.url),
            "TWILIO_API_URL": await wire.lay("twilio", twilio.url),
            "WHATSAPP_API_URL": await wire.lay("cloud", cloud.origin) + f"/{VERSION}",
        }
        settings = {
            **{name.upper(): value for name, value in twilio.settings.items()},
            **cloud.settings,
            **addresses,
            "PATH": os.environ["PATH"],
            "DATABASE_URL": database_url,
            "BLOB_URL": f"file:{folder}/files",
            "SECRET_KEY": "a secret for tests only",
            "TELEGRAM_BOT_TOKEN": telegram.token,
            "TELEGRAM_WEBHOOK_SECRET": SECRET,
            "TWILIO_TEMPLATE_SID": template,
            "OPENAI_BASE_URL": model,
            "RATE_LIMIT_PER_MINUTE": "0",
            "BURST_SECONDS": "0",
            "LOG_LEVEL": "debug",
            **more,
        }
        node = Node(GRIOT, "serve", settings, folder / "log")
        try:
            await node.ready()
            url = await wire.lay("griot", node.url)
            twilio.webhooks.public_url, twilio.post_to = node.url, url
            assert await cloud.subscribe(f"{url}/webhooks/whatsapp")
            yield Street(wire, url, telegram, twilio, cloud, http, node, settings)
        finally:
            node.kill()
        assert [*telegram.violations, *twilio.violations, *cloud.violations] == []


async def run_command(street: Street, *words: str) -> str:
    """What an operator's command says."""
    folder = Path(street.settings["BLOB_URL"].removeprefix("file:")).parent
    done = await asyncio.to_thread(processes.run, words, street.settings, folder)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr

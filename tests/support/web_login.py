"""A browser's client that logs in with codes, and the phones that get them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from bot.messages.outgoing import TextBody
from tests.support.fakes import FakeChannel
from tests.support.phones import WHATSAPP
from tests.support.site import Site
from tests.support.waiting import until

AWA, BINTA = "+2250701020304", "+2250701020305"

CODE = re.compile(r"\b(\d{6})\b")


class WebLogin:
    """A browser's client, and two phones."""

    def __init__(self, site: Site, *phones: FakeChannel) -> None:
        self.site = site
        self.phones = phones

    async def ask(self, phone: Any = AWA, **headers: str) -> tuple[int, Any]:
        return await self.site.request(
            "POST", "/api/v1/login/otp", json={"phone": phone}, headers=headers
        )

    async def give(self, code: Any, phone: Any = AWA) -> tuple[int, Any]:
        return await self.site.request(
            "POST", "/api/v1/login/verify", json={"phone": phone, "code": code}
        )

    async def code(self) -> str:
        await until(self._has_arrived)
        return self._codes()[-1]

    async def _has_arrived(self) -> bool:
        return bool(self._codes())

    def _codes(self) -> list[str]:
        bodies = [one.body for phone in self.phones for one in phone.delivered]
        texts = [body.text for body in bodies if isinstance(body, TextBody)]
        return [match[1] for text in texts if (match := CODE.search(text))]


MakeWebLogin = Callable[..., Awaitable[WebLogin]]


def make_whatsapp() -> FakeChannel:
    return FakeChannel("wa", "whatsapp", WHATSAPP)

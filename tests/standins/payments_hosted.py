"""What the stand-ins of hosted checkouts share: one key, and whatever can go wrong."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Literal, Self, TypeVar

from aiohttp import web
from multidict import CIMultiDict

from bot.contracts.channels import Webhook
from bot.standins.refusals import Refused
from tests.standins.payments_desk import Call, Desk, Fault

Wrong = Literal["garbage", "array", "huge", "redirect", "broken", "busy", "hang", "reset", "lost"]
FAULTS: Mapping[Wrong, Fault] = {
    "garbage": Fault("answer", status=200, body=b"<html>it works!</html>"),
    "array": Fault("answer", status=200, body=b"[]"),
    "huge": Fault("answer", status=200, body=b'{"status": "' + b"x" * 300_000 + b'"}'),
    "redirect": Fault("answer", status=302),
    "broken": Fault("answer", status=500, body=b"oops"),
    "busy": Fault("answer", status=429, body=b'{"message": "slow down"}'),
    "hang": Fault("hang"),
    "reset": Fault("reset"),
    "lost": Fault("reset", accept=True),
}
"""`lost`: carried out, but the connection is cut before the answer."""
FORM = "application/x-www-form-urlencoded"


class Hosted(Desk):
    """One provider, whose clients name a key."""

    key = "sk_test_of_the_stand_in"

    def misbehave(self, *wrongs: Wrong) -> None:
        """One for each of the next calls."""
        self.fail_next(*(FAULTS[wrong] for wrong in wrongs))

    def add_routes(self, router: web.UrlDispatcher) -> None:
        raise NotImplementedError

    def unauthorised(self, given: str) -> Refused:
        """Some repeat the key that was given."""
        raise NotImplementedError

    def admit(self, call: Call) -> None:
        given = call.headers.get("Authorization", "").removeprefix("Bearer ")
        if given != self.key:
            raise self.unauthorised(given)

    async def __aenter__(self) -> Self:
        self.add_routes(self.app.router)
        return await super().__aenter__()


Provider = TypeVar("Provider", bound=Desk)


@asynccontextmanager
async def serve(provider: Provider) -> AsyncGenerator[Provider]:
    """Until the end; then no rule may have been broken."""
    async with provider:
        yield provider
    assert not provider.violations


def post(path: str, event: object, headers: Mapping[str, str] | None = None) -> Webhook:
    """A provider's request to us; `event` is bytes, or becomes JSON."""
    body = event if isinstance(event, bytes) else json.dumps(event, ensure_ascii=False).encode()
    return Webhook("POST", path, CIMultiDict(headers or {}), body)


def is_link(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://"))

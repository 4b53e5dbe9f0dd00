"""A whole Griot in this process, on a free port, and a client that speaks to it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from bot.app import App
from bot.contracts.channels import Adapter
from bot.contracts.models import Model
from bot.contracts.payments import PaymentProvider
from bot.server import run_server
from bot.settings import Settings
from tests.support.ports import free_port
from tools import TOOLS

Events = list[tuple[str, dict[str, Any]]]


@dataclass
class Site:
    """Where it listens, and how to ask it."""

    url: str
    app: App
    session: aiohttp.ClientSession
    headers: dict[str, str] = field(default_factory=dict[str, str])

    async def request(self, method: str, path: str, **options: Any) -> tuple[int, Any]:
        """Status and JSON (or text) of one request."""
        headers = self.headers | options.pop("headers", {})
        async with self.session.request(
            method, self.url + path, headers=headers, **options
        ) as answer:
            text = await answer.text()
            is_json = answer.content_type == "application/json"
            return answer.status, json.loads(text) if is_json else text

    async def chat(self, message: str, **fields: Any) -> Events:
        """All events of one chat turn, in order."""
        body = {"message": message} | fields
        async with self.session.post(
            f"{self.url}/api/v1/chat", json=body, headers=self.headers
        ) as answer:
            assert answer.status == 200, await answer.text()
            assert answer.content_type == "text/event-stream"
            return parse_sse(await answer.text())

    async def log_in(self, phone: str = "+2250701020304") -> None:
        """From now on the client carries the token of this person."""
        self.headers["Authorization"] = f"Bearer {await self.app.people.issue_token(phone)}"


def parse_sse(text: str) -> Events:
    """Server-sent events as (name, data); comments are left out."""
    events: Events = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            events.append((lines["event"], json.loads(lines["data"])))
    return events


@asynccontextmanager
async def open_site(
    settings: Settings,
    model: Model | None = None,
    providers: Mapping[str, PaymentProvider] | None = None,
    more: Sequence[Adapter] = (),
) -> AsyncGenerator[Site]:
    port = free_port()
    ready = settings.model_copy(update={"port": port})
    async with (
        run_server(ready, model=model, tools=TOOLS, providers=providers, more=more) as app,
        aiohttp.ClientSession() as session,
    ):
        yield Site(f"http://127.0.0.1:{port}", app, session)


async def greet_as_guest(griot: Site, message: str, session: str | None = None) -> str:
    """The cookie of a new guest, who has said this in a browser."""
    body = {"message": message, "session_id": session}
    async with griot.session.post(
        f"{griot.url}/api/v1/chat", json=body, headers={"Origin": griot.url}
    ) as answer:
        assert "event: end" in await answer.text()
        return answer.headers["Set-Cookie"].partition(";")[0]


async def chat_over_http(
    url: str, token: str, body: dict[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{url}/api/v1/chat", json=body) as answer,
    ):
        assert answer.status == 200, await answer.text()
        return parse_sse(await answer.text())


MakeSite = Callable[..., Awaitable[Site]]


@asynccontextmanager
async def serve_sites(make_settings: Callable[..., Settings]) -> AsyncGenerator[MakeSite]:
    """`await make(model, **settings)` is a Griot that listens until the context ends."""
    async with AsyncExitStack() as stack:

        async def make(
            model: Model | None = None,
            *,
            providers: Mapping[str, PaymentProvider] | None = None,
            more: Sequence[Adapter] = (),
            **values: object,
        ) -> Site:
            settings = make_settings(**{"rate_limit_per_minute": 0} | values)
            return await stack.enter_async_context(open_site(settings, model, providers, more))

        yield make

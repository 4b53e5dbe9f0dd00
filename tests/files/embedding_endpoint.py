"""An embeddings endpoint on a real socket: texts with the same words mean the same."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bot.demo.local_server import serve_routes
from bot.settings import Settings

Play = Callable[[web.Request], Awaitable[web.StreamResponse]]
TOPICS = {"animal": ("chien", "chat", "vache"), "ciel": ("étoile", "lune", "soleil")}
"""Words of one topic mean the same."""


@dataclass
class FakeEmbeddings:
    """Play n answers request n, the last one all that follow."""

    plays: tuple[Play, ...]
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        return await self.plays[min(len(self.bodies), len(self.plays)) - 1](request)

    @property
    def texts(self) -> list[str]:
        return [text for body in self.bodies for text in body["input"]]


def vector(text: str, size: int) -> list[float]:
    numbers = [0.01] * size
    for word in text.lower().replace(".", " ").split():
        topic = next((name for name, words in TOPICS.items() if word in words), word)
        numbers[zlib.crc32(topic.encode()) % size] += 1.0
    return numbers


async def embed(request: web.Request) -> web.StreamResponse:
    """As the specification asks, out of order."""
    body = await request.json()
    size = body.get("dimensions", 1_536)
    data = [
        {"object": "embedding", "index": index, "embedding": vector(text, size)}
        for index, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 10 * len(data), "total_tokens": 10 * len(data)}
    return web.json_response({"object": "list", "data": data[::-1], "usage": usage})


async def refuse_dimensions(request: web.Request) -> web.StreamResponse:
    """As endpoints do whose models know one length."""
    if "dimensions" in await request.json():
        return web.json_response({"error": {"message": "no such parameter"}}, status=400)
    return await embed(request)


async def hang(_: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError


def status(code: int, text: str = "no") -> Play:
    async def play(_: web.Request) -> web.StreamResponse:
        return web.Response(status=code, text=text)

    return play


@asynccontextmanager
async def embeddings(*plays: Play) -> AsyncIterator[FakeEmbeddings]:
    fake = FakeEmbeddings(plays or (embed,))
    async with serve_routes([web.post("/v1/embeddings", fake.answer)]) as origin:
        fake.url = f"{origin}/v1"
        yield fake


def settings_for(fake: FakeEmbeddings, **more: object) -> Settings:
    values = {
        "openai_base_url": fake.url,
        "openai_api_key": "sk-secret",
        "embed_model": "text-embedding-3-small",
    }
    return Settings.model_validate(values | more)

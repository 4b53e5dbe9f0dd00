"""An OpenAI-compatible endpoint on a real socket, playing what the test gives it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bot.demo.local_server import serve_routes

Play = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class FakeEndpoint:
    """Play n answers request n, the last one all that follow."""

    plays: tuple[Play, ...]
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    peers: set[object] = field(default_factory=set)
    """One for each connection."""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(json.loads(await request.read()))
        self.headers.append(dict(request.headers))
        assert request.transport is not None
        self.peers.add(request.transport.get_extra_info("peername"))
        return await self.plays[min(len(self.bodies), len(self.plays)) - 1](request)


@asynccontextmanager
async def endpoint(*plays: Play) -> AsyncIterator[FakeEndpoint]:
    fake = FakeEndpoint(plays)
    async with serve_routes([web.post("/v1/chat/completions", fake.answer)]) as origin:
        fake.url = f"{origin}/v1"
        yield fake


def stream(
    *pieces: bytes, pause: float = 0.0, hang: float = 0.0, cut: bool = False, end: bool = True
) -> Play:
    """A 200 event stream.

    Args:
        pause: seconds after each piece.
        hang: seconds at the end.
        cut: drop the connection then.
        end: False leaves it open.
    """

    async def play(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(pause)
        await asyncio.sleep(hang)
        if cut:
            assert request.transport is not None
            request.transport.abort()
        elif end:
            await response.write_eof()
        return response

    return play


def status(code: int, message: str = "no", **headers: str) -> Play:
    """An error as OpenAI writes it; header names with underscores for dashes."""

    async def play(_: web.Request) -> web.StreamResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response({"error": {"message": message}}, status=code, headers=sent)

    return play


async def drop(request: web.Request) -> web.StreamResponse:
    """Plays a connection that is dropped without an answer."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


def until_closed(*pieces: bytes) -> Play:
    """A 200 event stream of unsaid length: it ends where the connection is closed."""

    async def play(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        request.transport.write(b"".join(pieces))
        request.transport.close()
        return web.Response()

    return play


def plain(text: str, content_type: str = "application/json") -> Play:
    """A 200 answer that is no event stream."""

    async def play(_: web.Request) -> web.StreamResponse:
        return web.Response(text=text, content_type=content_type)

    return play


DONE = b"data: [DONE]\n\n"


def event(chunk: object) -> bytes:
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


def delta(finish_reason: str | None = None, **fields: object) -> bytes:
    """A chunk with this delta for choice 0."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish_reason}
    return event({"model": "from-the-wire", "choices": [choice]})


def text(*pieces: str) -> bytes:
    """A whole plain answer."""
    return b"".join(delta(content=piece) for piece in pieces) + delta("stop") + DONE


def call_delta(**fields: Any) -> dict[str, Any]:
    """One entry of `tool_calls`; name and arguments go where the form has them."""
    function = {key: fields.pop(key) for key in ("name", "arguments") if key in fields}
    return {**fields, "function": function}

"""Requests reach the wire as the base class would have sent them."""

from __future__ import annotations

import httpx2
import openai
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.agent.model_endpoints import Connections

HEADERS = [("Authorization", "Bearer key"), ("Content-Type", "application/json")]
URL = "https://llm.example/v1/chat/completions?api-version=1"


async def test_a_request_has_its_url_headers_and_body() -> None:
    connections, plain = Connections(stall=60.0), openai.DefaultAioHttpClient(timeout=60.0)
    async with connections, plain:
        ours = connections.build_request("POST", URL, headers=HEADERS, content=b"{}")
        theirs = plain.build_request("POST", URL, headers=HEADERS, content=b"{}")
    assert (ours.method, ours.url, ours.content) == (theirs.method, theirs.url, b"{}")
    unset = {"accept", "accept-encoding", "connection", "user-agent"}  # the SDK names its own
    unset |= {"host", "content-length"}  # aiohttp adds them
    expected = {name: value for name, value in theirs.headers.items() if name not in unset}
    assert dict(ours.headers) == expected


async def test_a_body_is_sent_whole_and_let_go_when_the_answer_begins() -> None:
    seen: list[tuple[bytes, str]] = []

    async def receive(request: web.Request) -> web.Response:
        seen.append((await request.read(), request.headers["Content-Length"]))
        return web.Response(text="yes")

    app = web.Application()
    app.router.add_post("/", receive)
    async with TestServer(app) as server, Connections(stall=5.0) as connections:
        url, body = str(server.make_url("/")), b"x" * 100_000
        request = connections.build_request("POST", url, headers=HEADERS, content=body)
        response = await connections.send(request, stream=True)
        assert request.content == b""
        assert await response.aread() == b"yes"
    assert seen == [(body, "100000")]


async def test_time_outs_are_those_of_the_client() -> None:
    async with Connections(stall=5.0) as connections:
        request = connections.build_request("POST", URL, headers=HEADERS, timeout=600)
    assert request.extensions["timeout"] == httpx2.Timeout(5.0).as_dict()

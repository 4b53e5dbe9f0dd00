"""What a server that misbehaves over HTTP may cost: its own calls."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from bot.agent.mcp_servers import McpServers, Timeouts
from bot.contracts.tools import Tool
from bot.demo.local_server import serve_routes
from bot.errors import ToolFailed
from bot.settings import McpServer

NO_CONTEXT: Any = None
Play = Callable[[web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]
GREETING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "hostile", "version": "1"},
}
EVENTS = {"Content-Type": "text/event-stream"}
NEWS = b'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'


def result(message: dict[str, Any], value: object) -> web.Response:
    return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": value})


def says(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


class Server:
    """A correct server of one tool, `echo`, but for how it answers calls and GET requests."""

    def __init__(self, call: Play, listen: Play | None = None) -> None:
        self._plays = {"tools/call": call}
        self._listen = listen
        self.requests: list[tuple[str, str]] = []
        """Method and the JSON-RPC method."""
        self.transports: list[asyncio.Transport | None] = []
        self.headers: list[Mapping[str, str]] = []
        self.session = "session-1"
        self._greeted = False

    async def answer(self, request: web.Request) -> web.StreamResponse:
        message = json.loads(await request.read() or b"{}")
        self.requests.append((request.method, message.get("method", "")))
        self.headers.append(request.headers)
        self.transports.append(request.transport)
        if request.method != "POST":
            return await self._answer_listener(request)
        if message["method"] == "initialize":
            greeting = result(message, GREETING)
            greeting.headers["Mcp-Session-Id"] = self.session
            return greeting
        if message["method"] == "notifications/initialized":
            await asyncio.sleep(0.05)
            self._greeted = True
        if "id" not in message:
            return web.Response(status=202)
        assert self._greeted
        if request.headers.get("Mcp-Session-Id") != self.session:
            return web.Response(status=404)
        if message["method"] == "tools/list":
            tools = [{"name": "echo", "inputSchema": {"type": "object"}}]
            return result(message, {"tools": tools})
        return await self._plays["tools/call"](request, message)

    async def _answer_listener(self, request: web.Request) -> web.StreamResponse:
        if request.method == "GET" and request.headers.get("Mcp-Session-Id") != self.session:
            return web.Response(status=404)
        if request.method == "GET" and self._listen:
            return await self._listen(request, {})
        return web.Response(status=405 if request.method == "GET" else 200)


@asynccontextmanager
async def connected(
    server: Server, path: str = "/mcp", **times: float
) -> AsyncIterator[McpServers]:
    routes = (
        web.route("*", "/mcp", server.answer),
        web.route("*", "/moved", redirect("/mcp")),
        web.route("*", "/away", redirect("http://localhost:{port}/mcp")),
    )
    async with serve_routes(routes) as origin:
        source = McpServers(
            {"it": McpServer(url=f"{origin}{path}", headers={"X-Key": "key"})},
            times=Timeouts(**({"first_pause": 0.05, "between_listings": 0.05} | times)),
        )
        source.start()
        try:
            yield source
        finally:
            await source.close()


def redirect(target: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(request: web.Request) -> web.Response:
        location = target.format(port=request.url.port)
        return web.Response(status=307, headers={"Location": location})

    return answer


async def tool_of(source: McpServers) -> Tool[Any]:
    async with asyncio.timeout(20):
        while not source.tools:
            await asyncio.sleep(0.01)
    return source.tools[0]


async def call(source: McpServers, **arguments: object) -> str:
    tool = await tool_of(source)
    return await tool.function(tool.arguments.model_validate(arguments), NO_CONTEXT)


async def echo(_: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    return result(message, says(json.dumps(message["params"]["arguments"])))


async def hang(_: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    if message["params"]["arguments"]:
        return await echo(_, message)
    await asyncio.sleep(60)
    return web.Response()


async def drip(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    """An event stream that never gives the answer."""
    if message.get("params", {}).get("arguments"):
        return await echo(request, message)
    response = web.StreamResponse(headers=EVENTS)
    await response.prepare(request)
    while True:
        await response.write(NEWS * 100)


async def large_body(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    return result(message, says("x" * 3_000_000))


async def large_event(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    response = web.StreamResponse(headers=EVENTS)
    await response.prepare(request)
    event = {"jsonrpc": "2.0", "id": message["id"], "result": says("x" * 3_000_000)}
    await response.write(f"data: {json.dumps(event)}\n\n".encode())
    return response


async def zipped(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    body = gzip.compress((await echo(request, message)).body)  # type: ignore[attr-defined]
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    return web.Response(body=body, headers=headers)


async def broken_off(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def error_page(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    return web.Response(status=500, text="<h1>secret internals</h1>", content_type="text/html")


async def refusal(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    error = {"code": -32602, "message": "secret internals"}
    body = {"jsonrpc": "2.0", "id": message["id"], "error": error}
    return web.json_response(body, status=400)


async def accepted(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    return web.Response(status=202)


async def other_answer(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
    return result({"id": message["id"] + 1}, says("not yours"))


@pytest.mark.parametrize(
    ("play", "words"),
    [
        (large_body, "too large"),
        (large_event, "too large"),
        (zipped, "cannot be reached now"),
        (broken_off, "cannot be reached now"),
        (error_page, "answered with an error"),
        (refusal, "did not accept these arguments"),
        (accepted, "answered with an error"),
    ],
)
async def test_an_answer_that_cannot_be_used_fails_its_call_at_once(play: Play, words: str) -> None:
    async with connected(Server(play)) as source:
        with pytest.raises(ToolFailed, match=words) as failure:
            await call(source)
        assert "secret" not in str(failure.value)


async def test_an_answer_to_another_request_is_none() -> None:
    async with connected(Server(other_answer), call_seconds=0.5) as source:
        with pytest.raises(ToolFailed, match=r"longer than 0\.5 s"):
            await call(source)


@pytest.mark.parametrize("play", [hang, drip])
async def test_a_call_that_is_never_answered_has_its_time_out(play: Play) -> None:
    server = Server(play)
    async with connected(server, call_seconds=0.5) as source:
        await tool_of(source)
        hung = asyncio.create_task(call(source))
        await until(server, ("POST", "tools/call"))
        assert '"n": 1' in await call(source, n=1)
        with pytest.raises(ToolFailed, match=r"longer than 0\.5 s"):
            await hung
        await until(server, ("POST", "notifications/cancelled"))
        hanging = server.transports[server.requests.index(("POST", "tools/call"))]
        assert hanging is not None
        async with asyncio.timeout(10):
            while not hanging.is_closing():
                await asyncio.sleep(0.01)


async def until(server: Server, request: tuple[str, str]) -> None:
    async with asyncio.timeout(10):
        while request not in server.requests:
            await asyncio.sleep(0.01)


async def test_a_stream_of_news_without_end_holds_up_neither_calls_nor_the_loop() -> None:
    async with connected(Server(echo, listen=drip)) as source:
        began = time.monotonic()
        for n in range(50):
            assert f'"n": {n}' in await call(source, n=n)
        assert time.monotonic() - began < 5


async def test_each_request_bears_what_the_server_asked_for() -> None:
    server = Server(echo)
    async with connected(server) as source:
        await call(source, n=1)
    assert all(headers["X-Key"] == "key" for headers in server.headers)
    assert server.requests[:2] == [("POST", "initialize"), ("POST", "notifications/initialized")]
    for headers in server.headers[1:]:
        assert headers["Mcp-Session-Id"] == "session-1"
        assert headers["MCP-Protocol-Version"] == "2025-06-18"


async def test_a_session_is_ended_on_leaving() -> None:
    server = Server(echo)
    async with connected(server) as source:
        await tool_of(source)
    assert server.requests[-1] == ("DELETE", "")


async def test_a_session_that_the_server_forgot_is_begun_anew() -> None:
    server = Server(echo)
    async with connected(server) as source:
        await tool_of(source)
        server.session = "session-2"
        with pytest.raises(ToolFailed, match="cannot be reached now"):
            await call(source, n=1)
        await until_gone(source)
        assert '"n": 2' in await call(source, n=2)


async def test_a_server_that_was_restarted_is_connected_to_before_the_next_call() -> None:
    stopping = asyncio.Event()

    async def listen(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers=EVENTS)
        await response.prepare(request)
        await stopping.wait()
        return response

    server = Server(echo, listen)
    async with connected(server) as source:
        await tool_of(source)
        await until(server, ("GET", ""))
        server.session = "session-2"
        stopping.set()
        await until_gone(source)
        assert '"n": 1' in await call(source, n=1)


async def until_gone(source: McpServers) -> None:
    async with asyncio.timeout(10):
        while source.tools:
            await asyncio.sleep(0)


async def test_a_redirect_within_the_host_is_followed() -> None:
    async with connected(Server(echo), path="/moved") as source:
        assert '"n": 1' in await call(source, n=1)


async def test_a_redirect_to_another_host_is_not_followed() -> None:
    server = Server(echo)
    async with connected(server, path="/away") as source:
        await asyncio.sleep(1)
        assert source.tools == ()
    assert server.requests == []

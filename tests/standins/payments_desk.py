"""What the stand-ins of payment providers share: a server, calls that are kept, calls that fail.

    async with WaveStandIn() as wave:
        ... WAVE_API_URL=wave.url and the others of `wave.settings` ...
        wave.hang_next()

What a provider would refuse is refused as it refuses it, and kept in `violations`. What a test
arranged (`answer_next` …) is none.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from aiohttp import web

from bot.standins.refusals import Handler, Refused


@dataclass
class Call:
    method: str
    path: str
    """As it was sent, with its query."""
    headers: Mapping[str, str]
    """Whatever their case."""
    body: bytes
    content: Any
    """The body's JSON; None when there is none."""
    fields: Mapping[str, Any]
    """Of its form, its JSON, or its query."""


@dataclass
class Fault:
    act: Literal["answer", "hang", "reset"]
    accept: bool = False
    """Whether the call is carried out all the same."""
    status: int = 0
    body: bytes = b""


class Desk:
    """Subclasses give `settings`, and add their routes with `serve`."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.violations: list[str] = []
        self.url = ""
        self.app = web.Application(client_max_size=2**20)
        self._faults: deque[Fault] = deque()
        self._closing = asyncio.Event()

    def serve(
        self, method: str, path: str, carry_out: Callable[[web.Request, Call], Awaitable[Any]]
    ) -> None:
        """Answer `method path` by what `carry_out` returns: `(status, answer)`."""

        async def operate(request: web.Request) -> web.StreamResponse:
            status, answer = await carry_out(request, self.calls[-1])
            if answer is None:
                return web.Response(status=status)
            return web.json_response(answer, status=status)

        self.app.router.add_route(method, path, self.guard(operate))

    def count(self, method: str, path: str) -> int:
        return sum((call.method, call.path.split("?")[0]) == (method, path) for call in self.calls)

    # What a test has the provider do wrong, to the next call

    def answer_next(self, status: int, body: bytes, *, accept: bool = False) -> None:
        self.fail_next(Fault("answer", accept, status, body))

    def reply(self, answer: object, status: int = 200) -> None:
        """To the next call, whatever it asks."""
        self.answer_next(status, json.dumps(answer).encode())

    def hang_next(self, *, accept: bool = False) -> None:
        self.fail_next(Fault("hang", accept))

    def reset_next(self, *, accept: bool = False) -> None:
        self.fail_next(Fault("reset", accept))

    def fail_next(self, *faults: Fault) -> None:
        """One for each of the next calls."""
        self._faults.extend(faults)

    def mend(self) -> None:
        """What was arranged and has not happened, does not happen."""
        self._faults.clear()

    # The server

    def guard(self, operate: Handler) -> Handler:
        """What every call goes through."""

        async def serve(request: web.Request) -> web.StreamResponse:
            call = await _read(request)
            self.calls.append(call)
            fault = self._faults.popleft() if self._faults else None
            if fault is not None and not fault.accept:
                return await self._misbehave(fault, request)
            try:
                self.admit(call)
                answer = await operate(request)
            except Refused as refused:
                if refused.is_breach:
                    self.violations.append(f"{request.method} {request.path}: {refused}")
                answer = refused.respond()
            return answer if fault is None else await self._misbehave(fault, request)

        return serve

    def admit(self, call: Call) -> None:
        """Who may ask at all. Raises `Refused`."""

    async def _misbehave(self, fault: Fault, request: web.Request) -> web.Response:
        if fault.act == "answer":
            headers = {"Location": f"{self.url}/elsewhere"} if fault.status == 302 else {}
            headers["Content-Type"] = "application/json"
            return web.Response(status=fault.status, body=fault.body, headers=headers)
        if fault.act == "hang":
            await self._closing.wait()
        if request.transport is not None:
            request.transport.abort()
        return web.Response()

    async def _wonder(self, request: web.Request) -> web.Response:
        self.violations.append(f"a redirect was followed, or {request.path} is no address of mine")
        return web.Response(status=404)

    async def __aenter__(self) -> Self:
        self.app.router.add_route("*", "/{path:.*}", self._wonder)
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *error: object) -> None:
        self._closing.set()
        await self._runner.cleanup()


async def _read(request: web.Request) -> Call:
    body = await request.read()
    is_json = bool(body) and request.content_type == "application/json"
    content: Any = await request.json() if is_json else None
    fields: Mapping[str, Any] = dict(request.query)
    if request.method == "POST":
        fields = content if isinstance(content, dict) else dict(await request.post())
    return Call(request.method, request.raw_path, request.headers, body, content, fields)

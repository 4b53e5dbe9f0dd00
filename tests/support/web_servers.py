"""Real servers on 127.0.0.1 for tools to talk to, and a name server that is none."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.test_utils import TestServer

Respond = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Website:
    """A running server, and the requests it saw."""

    url: str
    port: int
    requests: list[web.Request] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def allow(self, address: str, port: int) -> bool:
        """A policy for `Door` that lets it come here and nowhere else."""
        return (address, port) == ("127.0.0.1", self.port)


@asynccontextmanager
async def serve(respond: Respond) -> AsyncIterator[Website]:
    """A server on an ephemeral port that answers every request by `respond`."""

    async def record(request: web.Request) -> web.StreamResponse:
        site.requests.append(request)
        site.bodies.append(await request.read())
        return await respond(request)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", record)
    server = TestServer(application, host="127.0.0.1")
    await server.start_server()
    site = Website(url=f"http://127.0.0.1:{server.port}", port=server.port or 0)
    try:
        yield site
    finally:
        await server.close()


class Names(AbstractResolver):
    """A name server that gives its answers one after another; the last one stays."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not answer:
            raise OSError("no such name")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in answer
        ]

    async def close(self) -> None:
        pass

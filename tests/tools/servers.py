"""Real servers on 127.0.0.1 for tools to talk to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
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

"""Serve routes on this machine, and find free ports."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

import msgspec
from aiohttp import web

_LARGEST = 64 * 2**20
_BELOW_OUTGOING = range(20_000, 32_000)
"""Linux and others hand out ports from 32,768 or 49,152 on."""


@asynccontextmanager
async def serve_routes(routes: Iterable[web.RouteDef], port: int = 0) -> AsyncGenerator[str]:
    """Serve the routes on this machine while the context is open; yields the origin."""
    app = web.Application(client_max_size=_LARGEST)
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def find_free_port(wanted: int = 0) -> int:
    """Return `wanted`, or another free port. Its server may come later, and be killed: so it is
    none of those that the system gives to outgoing connections meanwhile."""
    others = random.sample(_BELOW_OUTGOING, 100)
    return next((port for port in (wanted, *others) if port and _is_free(port)), wanted)


def _is_free(port: int) -> bool:
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return True
    return False


def json_response(value: object, status: int = 200) -> web.Response:
    """Answer with the value as JSON."""
    body = msgspec.json.encode(value)
    return web.Response(status=status, body=body, content_type="application/json")


@asynccontextmanager
async def cancel_at_exit(work: asyncio.Task[None]) -> AsyncGenerator[None]:
    """Cancel the task when the context closes."""
    try:
        yield
    finally:
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work

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

_HOST = "127.0.0.1"
_LARGEST = 64 * 2**20
_BELOW_OUTGOING = range(7_000, 9_900)
"""Ports below those that systems assign to outgoing connections, from 16,000, 32,768 or 49,152 on.
Browsers refuse some below 7,000, and 10,080 (https://fetch.spec.whatwg.org/#port-blocking)."""


@asynccontextmanager
async def serve_routes(
    routes: Iterable[web.RouteDef], listener: socket.socket | None = None
) -> AsyncGenerator[str]:
    """Serve the routes on this machine while the context is open; yield the origin.

    Args:
        listener: a socket from `listen`, closed in the end; None: any port.
    """
    app = web.Application(client_max_size=_LARGEST)
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.SockSite(runner, listener or listen()).start()
        yield f"http://{_HOST}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def listen(wanted: int = 0) -> socket.socket:
    """Listen on `wanted`, or on another port if that is taken; the socket reserves the port."""
    if wanted:
        with contextlib.suppress(OSError):
            return socket.create_server((_HOST, wanted))
    return socket.create_server((_HOST, 0))


def origin_of(listener: socket.socket) -> str:
    """Return the URL of a socket from `listen`."""
    return f"http://{_HOST}:{listener.getsockname()[1]}"


def find_free_port() -> int:
    """Return a free port for a server that starts later or is killed. It is none that the system
    could assign to an outgoing connection meanwhile."""
    ports = random.sample(_BELOW_OUTGOING, 100)
    return next(port for port in ports if _is_free(port))


def _is_free(port: int) -> bool:
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((_HOST, port))
        return True
    return False


def json_response(value: object, status: int = 200) -> web.Response:
    """Return a response with the value as JSON."""
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

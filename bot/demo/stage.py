"""What stands around the demo's gateway: the providers on one port, the page on another."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

from aiohttp import web

_LARGEST = 64 * 2**20


@asynccontextmanager
async def listening(routes: Iterable[web.RouteDef], port: int = 0) -> AsyncGenerator[str]:
    """Serve them on this machine while the context is open; the origin."""
    app = web.Application(client_max_size=_LARGEST)
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def free_port(wanted: int = 0) -> int:
    """`wanted`, or another one where that is taken."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    return wanted


@asynccontextmanager
async def going_on(work: asyncio.Task[None]) -> AsyncGenerator[None]:
    """The task is cancelled when the context closes."""
    try:
        yield
    finally:
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work

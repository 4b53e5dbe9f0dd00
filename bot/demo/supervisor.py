"""Supervise the demo's gateway, a process that is killed and comes back, and proxy requests to it.

The proxy passes requests on, and holds them while the gateway is being started, as a load balancer
does. A request is sent again only if it certainly was not received.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import msgspec
from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    web,
)
from multidict import CIMultiDict, CIMultiDictProxy

from bot.demo.fork_server import ForkServer
from bot.demo.local_server import json_response
from bot.demo.providers.phone_screens import GatewayState, PhoneScreens
from bot.errors import GriotError

_END_SECONDS: Final = 5.0


class GatewayFailed(GriotError):
    """The gateway did not start, or has ended, and has printed the reason."""


class Supervisor:
    """Starts, watches and kills the gateway.

    Args:
        fork_server: forks the gateways; it is reaped at the end.
        screens: show the gateway's state.
    """

    def __init__(self, fork_server: ForkServer, screens: PhoneScreens) -> None:
        self.up = asyncio.Event()
        self.gone = asyncio.Event()
        """Set when no gateway will come up any more."""
        self._fork_server = fork_server
        self._screens = screens
        self._pid = 0
        self._killed_at = 0.0

    @asynccontextmanager
    async def running(self, values: Mapping[str, str]) -> AsyncGenerator[None]:
        """Run a gateway with these settings while the context is open; it is soon `up`."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        news = os.fdopen(self._fork_server.news, "rb", buffering=0)
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), news
        )
        task = asyncio.create_task(self._listen(reader), name="gateway")
        try:
            os.write(self._fork_server.orders, msgspec.json.encode(values) + b"\n")
            yield
        finally:
            os.close(self._fork_server.orders)
            # The gateway ends with its orders; after a few seconds it is killed.
            await asyncio.wait([task], timeout=_END_SECONDS)
            if not task.done():
                for pid in filter(None, (self._fork_server.pid, self._pid)):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            await asyncio.to_thread(os.waitpid, self._fork_server.pid, 0)
            await task
            transport.close()

    async def wait(self) -> None:
        """Wait until the gateway is up. Raises `GatewayFailed`."""
        await wait_for_first(self.up, self.gone)
        if self.gone.is_set():
            raise GatewayFailed("the gateway did not start")

    def kill(self) -> None:
        """Kill it as the kernel does when memory runs out: it cannot react or write anything more.

        Raises:
            ProcessLookupError: it is not up.
        """
        if not self.up.is_set():
            raise ProcessLookupError("the gateway is not up")
        self.up.clear()
        os.kill(self._pid, signal.SIGKILL)

    async def _listen(self, news: asyncio.StreamReader) -> None:
        loop = asyncio.get_running_loop()
        while line := await news.readline():
            state, pid = line.split()
            if state == b"up":
                self._pid = int(pid)
                took = round((loop.time() - self._killed_at) * 1000) if self._killed_at else 0
                self._show_state(GatewayState(state="up", pid=self._pid, ms=took))
                self.up.set()
            else:
                self._killed_at = loop.time()
                self.up.clear()
                self._show_state(GatewayState(state="killed", pid=int(pid)))
        self.up.clear()
        self.gone.set()

    def _show_state(self, state: GatewayState) -> None:
        self._screens.set_gateway_state(state)
        about = f"pid {state.pid}" + (f" · {state.ms} ms" if state.ms else "")
        self._screens.log("gateway", "here", state.state, about)


async def wait_for_first(*events: asyncio.Event) -> None:
    """Wait for one of the events."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()


_HOLD_SECONDS: Final = 14.0
"""Seconds that a request is held; Twilio hangs up after 15."""
_PAUSE: Final = 0.1
_HOP_HEADERS: Final = frozenset({
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
    "upgrade", "content-length",
})  # fmt: skip
"""Headers of one connection only (RFC 9110, 7.6.1), and the length, which is set anew."""


class Proxy:
    """Passes all requests on to the gateway.

    Args:
        origin: the origin where the gateway listens.
    """

    def __init__(self, origin: str, gateway: Supervisor) -> None:
        self._origin = origin
        self._gateway = gateway
        self._session: ClientSession | None = None

    async def forward(self, request: web.Request) -> web.StreamResponse:
        """Answer with the gateway's response as it arrives; 503 if there is none."""
        body = await request.read()
        headers = _copy_headers(request.headers)
        headers["X-Forwarded-For"] = request.remote or ""
        try:
            async with asyncio.timeout(_HOLD_SECONDS):
                answer = await self._ask(request, body, headers)
        except (ClientError, TimeoutError, OSError):
            words = {"code": "unavailable", "message": "The gateway is being started."}
            return json_response({"error": words}, 503)
        async with answer:
            response = web.StreamResponse(
                status=answer.status, headers=_copy_headers(answer.headers)
            )
            # Either side may end in the middle: the reader leaves, or the gateway is killed.
            with contextlib.suppress(ClientError, OSError):
                await response.prepare(request)
                async for chunk in answer.content.iter_any():
                    await response.write(chunk)
                await response.write_eof()
            return response

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _ask(
        self, request: web.Request, body: bytes, headers: Mapping[str, str]
    ) -> ClientResponse:
        while True:
            await self._gateway.up.wait()
            try:
                return await self._opened().request(
                    request.method,
                    self._origin + request.raw_path,
                    data=body or None,
                    headers=headers,
                    allow_redirects=False,
                )
            except ClientConnectorError:
                await asyncio.sleep(_PAUSE)

    def _opened(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(
                cookie_jar=DummyCookieJar(),
                auto_decompress=False,
                skip_auto_headers=["Accept-Encoding"],
                timeout=ClientTimeout(total=None, sock_connect=5.0),
            )
        return self._session


def _copy_headers(headers: CIMultiDictProxy[str]) -> CIMultiDict[str]:
    kept = headers.copy()
    for name in _HOP_HEADERS:
        kept.popall(name, None)
    return kept

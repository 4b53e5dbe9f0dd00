"""A wire that is listened to: all that goes to a provider, and all that Griot answers, is kept.

async with Wiretap() as wire:
    url = await wire.lay("telegram", telegram.url)  # use this one in place of the provider's
    ...
    wire.heard  # every request and its answer, as they were
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web
from yarl import URL

_OF_ONE_HOP = frozenset(
    {"connection", "keep-alive", "transfer-encoding", "accept-encoding", "host", "content-length"}
)
_LONGEST = 64 * 2**20


@dataclass
class Exchange:
    """One request and its answer, the bytes of bodies as they were."""

    wire: str
    request: str
    """Method, path and headers."""
    sent: bytes
    answer: str = ""
    """Status and headers."""
    received: bytearray = field(default_factory=bytearray)

    @property
    def text(self) -> str:
        """All of it; of a zip, what is in it."""
        bodies = (_read(bytes(body)) for body in (self.sent, self.received))
        return "\n".join([self.wire, self.request, self.answer, *bodies])


class Wiretap:
    """See the module."""

    def __init__(self) -> None:
        self.heard: list[Exchange] = []
        self._runners: list[web.AppRunner] = []

    async def __aenter__(self) -> Wiretap:
        timeout = aiohttp.ClientTimeout(total=None)
        self._http = aiohttp.ClientSession(timeout=timeout, auto_decompress=False)
        return self

    async def __aexit__(self, *_: object) -> None:
        for runner in self._runners:
            await runner.cleanup()
        await self._http.close()

    async def lay(self, wire: str, target: str) -> str:
        """An origin that stands for `target` from now on."""

        async def pass_on(request: web.Request) -> web.StreamResponse:
            return await self._pass_on(wire, target, request)

        app = web.Application(client_max_size=_LONGEST)
        app.router.add_route("*", "/{path:.*}", pass_on)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        self._runners.append(runner)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    async def _pass_on(self, wire: str, target: str, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        kept = {n: v for n, v in request.headers.items() if n.lower() not in _OF_ONE_HOP}
        kept["Accept-Encoding"] = "identity"  # what is heard is read as text
        exchange = Exchange(wire, f"{request.method} {request.raw_path} {kept}", body)
        self.heard.append(exchange)
        url = URL(target + request.raw_path, encoded=True)
        async with self._http.request(
            request.method, url, data=body, headers=kept, allow_redirects=False
        ) as answer:
            told = {n: v for n, v in answer.headers.items() if n.lower() not in _OF_ONE_HOP}
            exchange.answer = f"{answer.status} {told}"
            response = web.StreamResponse(status=answer.status, headers=told)
            await response.prepare(request)
            async for piece in answer.content.iter_any():
                exchange.received += piece
                await response.write(piece)
            await response.write_eof()
            return response


def _read(body: bytes) -> str:
    """Bytes as text; in place of a zip, what is in it."""
    start = body.find(b"PK\x03\x04")
    if start < 0:
        return body.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        held = [archive.read(name).decode(errors="replace") for name in archive.namelist()]
    return "\n".join([body[:start].decode(errors="replace"), *held])

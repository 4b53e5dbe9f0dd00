"""The door in front of the gateway: it hands requests on, and holds them while it is being started.

As a load balancer does. Only a request that has surely not been taken is sent again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Final

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

from bot.demo.supervisor import Supervisor

_PATIENCE: Final = 14.0
"""Seconds that a request is held; Twilio hangs up after 15."""
_PAUSE: Final = 0.1
_HOP: Final = frozenset({
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
    "upgrade", "content-length",
})  # fmt: skip
"""Headers of one connection only (RFC 9110, 7.6.1), and the length, which is set anew."""


class Proxy:
    """Hands on everything.

    Args:
        origin: where the gateway listens.
    """

    def __init__(self, origin: str, gateway: Supervisor) -> None:
        self._origin = origin
        self._gateway = gateway
        self._session: ClientSession | None = None

    async def forward(self, request: web.Request) -> web.StreamResponse:
        """The gateway's answer as it comes; 503 when there is none to be had."""
        body = await request.read()
        headers = _kept(request.headers)
        headers["X-Forwarded-For"] = request.remote or ""
        try:
            async with asyncio.timeout(_PATIENCE):
                answer = await self._ask(request, body, headers)
        except (ClientError, TimeoutError, OSError):
            return _unavailable()
        async with answer:
            return await _hand_on(request, answer)

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
                timeout=ClientTimeout(total=None, sock_connect=5.0),
            )
        return self._session


async def _hand_on(request: web.Request, answer: ClientResponse) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, headers=_kept(answer.headers))
    # Either side may go away in the middle: the reader leaves, the gateway is killed.
    with contextlib.suppress(ClientError, OSError):
        await response.prepare(request)
        async for chunk in answer.content.iter_any():
            await response.write(chunk)
        await response.write_eof()
    return response


def _kept(headers: CIMultiDictProxy[str]) -> CIMultiDict[str]:
    kept = headers.copy()
    for name in _HOP:
        kept.popall(name, None)
    return kept


def _unavailable() -> web.Response:
    body = '{"error": {"code": "unavailable", "message": "The gateway is being started."}}'
    return web.Response(status=503, text=body, content_type="application/json")

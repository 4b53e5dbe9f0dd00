"""The bounded way to a remote agent: its own host only, so many bytes, nothing compressed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import httpx
import structlog

from bot.errors import ToolFailed
from bot.settings import RemoteAgent

MAX_BYTES = 2 * 1024 * 1024
"""Bytes of all bodies that one exchange may bring."""
MAX_VALUES = 100_000
"""Values (objects, lists and their items) in them: each costs 2 µs of the event loop to read."""
_LEAST_CHARGE = 256
"""Bytes that any piece of a body counts for: a byte at a time, 2 MB would be 20 s of work."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104 (compared only)
_TIMES = httpx.Timeout(None, connect=10, write=30)
"""Reading is left to whoever asks: an agent may think for long before it says a word."""
_log = structlog.get_logger()


@asynccontextmanager
async def open_client(
    pool: httpx.AsyncBaseTransport, agent: RemoteAgent
) -> AsyncGenerator[httpx.AsyncClient]:
    """A client for one exchange with one agent; its requests raise `ToolFailed` for what an agent
    may not do, and httpx's errors for the rest. No response outlives it."""
    transport = _Bounded(pool, agent)
    headers = {"Accept-Encoding": "identity", "User-Agent": "Griot"}
    if agent.token:
        headers["Authorization"] = f"Bearer {agent.token}"
    async with httpx.AsyncClient(
        transport=transport, headers=headers, timeout=_TIMES, trust_env=False, max_redirects=3
    ) as client:
        yield client


class _Bounded(httpx.AsyncBaseTransport):
    """A pool's connections, as one exchange with one agent may use them."""

    def __init__(self, pool: httpx.AsyncBaseTransport, agent: RemoteAgent) -> None:
        self._pool = pool
        self._name = agent.name
        self._home = httpx.URL(agent.url)
        self._bytes_left = MAX_BYTES
        self._values_left = MAX_VALUES
        self._responses: list[httpx.Response] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._check_target(request.url)
        response = await self._pool.handle_async_request(request)
        self._responses.append(response)
        self._check_status(request, response)
        self._check_form(response)
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_Body(self, response),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Let go of the connections. The pool stays: it is everybody's."""
        for response in self._responses:
            await response.aclose()

    def count(self, chunk: bytes) -> None:
        """Raises `ToolFailed`: it is too much."""
        self._bytes_left -= max(len(chunk), _LEAST_CHARGE)
        self._values_left -= chunk.count(b",") + chunk.count(b"{") + chunk.count(b"[")
        if self._bytes_left < 0 or self._values_left < 0:
            raise ToolFailed(
                f"The agent {self._name} sends more than can be taken. Ask it for less."
            )

    def _check_target(self, url: httpx.URL) -> None:
        """The operator named a host: its card or a redirect must not lead the token, or us, to
        another one, nor out of encryption."""
        is_home = _machine(url) == _machine(self._home)
        if is_home and (url.scheme == "https" or self._home.scheme == "http"):
            return
        _log.warning("a2a_target_refused", agent=self._name, host=url.host, scheme=url.scheme)
        raise ToolFailed(
            f"The agent {self._name} leads to another place than its own, where Griot does not "
            "follow. Do without it, and say so."
        )

    def _check_status(self, request: httpx.Request, response: httpx.Response) -> None:
        status = response.status_code
        if status < 300 or (status < 400 and request.method == "GET"):
            return
        _log.warning("a2a_status", agent=self._name, status=status)
        raise ToolFailed(f"The agent {self._name} {_explain(status)}")

    def _check_form(self, response: httpx.Response) -> None:
        mime_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        packed = response.headers.get("Content-Encoding", "identity").strip().lower()
        is_known = mime_type in {"", "application/json", "text/event-stream"}
        if response.status_code >= 300 or (
            packed == "identity" and (is_known or mime_type.endswith("+json"))
        ):
            return
        _log.warning("a2a_form", agent=self._name)
        raise ToolFailed(
            f"What answers in place of the agent {self._name} is no agent. Do without it."
        )


class _Body(httpx.AsyncByteStream):
    """A response's body, counted as it comes."""

    def __init__(self, transport: _Bounded, response: httpx.Response) -> None:
        self._transport = transport
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._response.aiter_raw():
            self._transport.count(chunk)
            yield chunk

    async def aclose(self) -> None:
        await self._response.aclose()


def _machine(url: httpx.URL) -> str:
    return "localhost" if url.host in _LOOPBACK else url.host


def _explain(status: int) -> str:
    if status in {401, 403}:
        return "does not let Griot in: its operator has to set the right token. Do without it."
    if status in {408, 429, 503}:
        return "is too busy now. Try again later, or another way."
    if status < 500:
        return f"does not take the request (status {status}). Do without it."
    return f"is broken at the moment (status {status}). Try again later, or another way."

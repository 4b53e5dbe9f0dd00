"""Ask public search engines with a library that reads their pages. Runs as an isolated worker,
because that library blocks, starts threads, and parses untrusted pages."""

from __future__ import annotations

import re
import select
import socket
import socketserver
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Self

import msgspec
from ddgs.ddgs import DDGS
from ddgs.exceptions import DDGSException

from bot.errors import ToolFailed
from bot.files.web_worker_messages import WebQuery, WebResult
from bot.net import is_public

_TURNS: Final = ("duckduckgo,brave", "mojeek,startpage")
"""The engines of a turn are asked together; the next turn is asked if they find nothing."""
_TURNS_STRICT: Final = ("brave,mojeek", "startpage,duckduckgo")
"""Engines that can leave out results unfit for children come first."""
_REGIONS: Final = {"fr": "fr-fr", "en": "us-en"}
_MAX_RESULTS: Final = 10
"""Results asked for: more than are shown, because some have no address."""
_SECONDS: Final = 4
_NOTHING: Final = "No results found."
"""The library's message when engines answered but found nothing."""


def serve(request: bytes) -> bytes:
    query = msgspec.msgpack.decode(request, type=WebQuery)
    with Tunnel() as tunnel:
        return msgspec.msgpack.encode(search(query, tunnel))


def search(
    query: WebQuery, tunnel: Tunnel, authorities: str | None = None, seconds: int = _SECONDS
) -> list[WebResult]:
    """Ask the engines, which are reached through `tunnel` only.

    Args:
        authorities: a file of certificates to trust instead of the public ones.
        seconds: time limit for each engine; two are asked at a time.

    Raises:
        ToolFailed: none could be reached.
    """
    reached = False
    for engines in _TURNS_STRICT if query.strict else _TURNS:
        try:
            library = DDGS(tunnel.url, seconds, verify=authorities or True)
            results = library.text(
                query.words,
                region=_REGIONS.get(query.language, "us-en"),
                safesearch="on" if query.strict else "moderate",
                max_results=_MAX_RESULTS,
                backend=engines,
            )
            return [_read_result(result) for result in results]
        except DDGSException as error:
            reached = reached or str(error) == _NOTHING
    if reached:
        return []
    raise ToolFailed("The search engines could not be reached.")


def _read_result(result: dict[str, Any]) -> WebResult:
    title, url, content = (str(result.get(key) or "") for key in ("title", "href", "body"))
    return WebResult(title[:1_000], url[:1_000], content[:4_000])


Target = tuple[str, int]
Policy = Callable[[str, int], bool]
"""Decides whether a connection to an IP address and port is allowed."""
Resolve = Callable[[str, int], list[Target]]
"""Returns the addresses and ports of a name."""
_CONNECT: Final = re.compile(rb"CONNECT \[?([\w.:-]{1,253})\]?:(\d{1,5}) HTTP/1\.[01]\r\n")
_MAX_HEADERS: Final = 50
_CHUNK: Final = 65_536


def is_secure_website(address: str, port: int) -> bool:
    return port == 443 and is_public(address)


def resolve_host(host: str, port: int) -> list[Target]:
    """Return the addresses of a host, each with `port`. Raises `OSError`: there is no such name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [(str(address), port) for *_, (address, *_) in found]


class Tunnel(socketserver.ThreadingTCPServer):
    """A proxy on this machine, open inside `with`, that supports only the method CONNECT.

    Args:
        allows: decides about targets; by default only port 443 of public addresses.
        most: bytes that all connections may carry together before they end.
        seconds: time limit to connect, and for silence.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(
        self,
        allows: Policy = is_secure_website,
        find: Resolve = resolve_host,
        most: int = 8 * 1024 * 1024,
        seconds: float = 5.0,
    ) -> None:
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        self._allows = allows
        self._find = find
        self._left = most
        self._seconds = seconds
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def finish_request(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 (its name)
        """Serve one client; runs in a thread of its own."""
        near: socket.socket = request
        near.settimeout(self._seconds)
        with suppress(OSError):
            # Only the head of the request is read here; the bytes after it are for the target.
            with near.makefile("rb", buffering=0) as lines:
                asked = _CONNECT.fullmatch(lines.readline(1_024))
                for _ in range(_MAX_HEADERS):
                    if lines.readline(8_192) in {b"\r\n", b""}:
                        break
            place = (asked[1].decode(), int(asked[2])) if asked else None
            far = self._connect(*place) if place else None
            if not far:
                near.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                return
            with far:
                near.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                self._carry(near, far)

    def _connect(self, host: str, port: int) -> socket.socket | None:
        """Connect to the first address of the name that is allowed; None if there is none."""
        with suppress(OSError, UnicodeError):
            for place in self._find(host, port):
                if self._allows(*place):
                    return socket.create_connection(place, self._seconds)
        return None

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        other = {near: far, far: near}
        while ready := select.select([near, far], [], [], self._seconds)[0]:
            for side in ready:
                chunk = side.recv(_CHUNK)
                if not chunk or not self._may_carry(len(chunk)):
                    return
                other[side].sendall(chunk)

    def _may_carry(self, size: int) -> bool:
        with self._lock:
            self._left -= size
            return self._left >= 0

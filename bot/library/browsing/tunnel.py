"""A way out for a library that opens its own connections: it is given this proxy, and gets no
further than the public internet, whatever name, redirect or answer leads it astray."""

from __future__ import annotations

import re
import select
import socket
import socketserver
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Self

from bot.addresses import is_public

Place = tuple[str, int]
Policy = Callable[[str, int], bool]
"""Whether an IP address and port may be connected to."""
Find = Callable[[str, int], list[Place]]
"""The addresses and ports of a name."""
_CONNECT: Final = re.compile(rb"CONNECT \[?([\w.:-]{1,253})\]?:(\d{1,5}) HTTP/1\.[01]\r\n")
_MAX_HEADERS: Final = 50
_CHUNK: Final = 65_536


def is_secure_website(address: str, port: int) -> bool:
    return port == 443 and is_public(address)


def find_places(host: str, port: int) -> list[Place]:
    """Raises `OSError`: there is no such name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [(str(address), port) for *_, (address, *_) in found]


class Tunnel(socketserver.ThreadingTCPServer):
    """A proxy on this machine, open inside `with`, that knows the method CONNECT only.

    Args:
        allows: by default only port 443 of public addresses.
        most: bytes that all connections may carry together; then they end.
        seconds: to connect, and of silence.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(
        self,
        allows: Policy = is_secure_website,
        find: Find = find_places,
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
        """Serve one caller; runs in a thread of its own."""
        near: socket.socket = request
        near.settimeout(self._seconds)
        with suppress(OSError):
            place = _read_head(near)
            far = self._connect(*place) if place else None
            if not far:
                near.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                return
            with far:
                near.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                self._carry(near, far)

    def _connect(self, host: str, port: int) -> socket.socket | None:
        """A connection to an address that may be connected to, if the name has one."""
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


def _read_head(near: socket.socket) -> Place | None:
    """Whither a request asks to be connected. Nothing is read beyond it: that is for the far
    side."""
    with near.makefile("rb", buffering=0) as lines:
        asked = _CONNECT.fullmatch(lines.readline(1_024))
        for _ in range(_MAX_HEADERS):
            if lines.readline(8_192) in {b"\r\n", b""}:
                break
    return (asked[1].decode(), int(asked[2])) if asked else None

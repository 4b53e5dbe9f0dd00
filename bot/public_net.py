"""Connections to where strangers lead us.

An address is judged at the socket, after every trick with names, redirects and resolvers is over.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from aiohttp import TCPConnector
from aiohttp.abc import AbstractResolver

Policy = Callable[[str, int], bool]
"""Whether an IP address and port may be connected to."""


class _Closed(OSError):
    """Raised inside aiohttp's connect, which takes an OSError for a failed address. Its words are
    the same for every address, so that several of them stay one error."""

    def __init__(self, address: str, port: int) -> None:
        super().__init__("not a public address")
        self.target = (address, port)


def open_guarded(allows: Policy, resolver: AbstractResolver | None = None) -> TCPConnector:
    """A connector that opens a socket only to what `allows` allows; see `was_closed`.

    Args:
        resolver: finds the addresses of names; by default the system's name servers.
    """

    def open_socket(info: tuple[Any, Any, int, str, tuple[Any, ...]]) -> socket.socket:
        family, kind, protocol, _, (address, port, *_) = info
        if not allows(address, port):
            raise _Closed(address, port)
        return socket.socket(family, kind, protocol)

    return TCPConnector(resolver=resolver, socket_factory=open_socket)


def was_closed(error: BaseException) -> bool:
    """Whether `error` of a request says that a connector of `open_guarded` refused the address."""
    return isinstance(getattr(error, "os_error", None), _Closed)


def closed_target(error: BaseException) -> tuple[str, int] | None:
    """The IP address and port that were refused, where `was_closed`."""
    closed = getattr(error, "os_error", None)
    return closed.target if isinstance(closed, _Closed) else None

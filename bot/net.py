"""Classify network addresses, refuse connections to private ones, read limited bodies and JSON,
and compare secrets."""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, cast

import msgspec
from aiohttp import ClientResponse, TCPConnector
from aiohttp.abc import AbstractResolver

from bot.errors import TooLarge

_PRIVATE_V4: Final = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",  # this host
            "10.0.0.0/8",
            "100.64.0.0/10",  # carrier-grade NAT, and a cloud's metadata
            "127.0.0.0/8",
            "168.63.129.16/32",  # public on paper: Azure's host, seen from its machines
            "169.254.0.0/16",  # link-local, and most clouds' metadata
            "172.16.0.0/12",
            "192.0.0.0/24",  # protocol assignments, and a cloud's metadata
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # AMT
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
_PUBLIC_V6: Final = ipaddress.IPv6Network("2000::/3")
"""All global unicast. Addresses outside of it are not: mapped and compatible IPv4, NAT64, unique
local, link-local, site-local, multicast."""
_PRIVATE_V6: Final = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: an IPv4 address in disguise
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)
"""Sources: IANA's special-purpose address registries (RFC 6890). `is_global` is not used, as its
tables depend on the version of Python."""
_PRIVATE_SUFFIXES: Final = (
    ".corp", ".home", ".home.arpa", ".internal", ".intranet", ".lan", ".local", ".localdomain",
    ".localhost", ".private",
)  # fmt: skip
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*", re.IGNORECASE)
WEB_PORTS: Final = frozenset({80, 443, 8080, 8443})


def is_public(address: str) -> bool:
    """Return whether an IP address (as the kernel writes it, zone allowed) is globally routed
    unicast."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv4Address):
        return not any(ip in network for network in _PRIVATE_V4)
    return ip in _PUBLIC_V6 and not any(ip in network for network in _PRIVATE_V6)


def is_public_website(address: str, port: int) -> bool:
    """Return whether we may connect to this address and port for a stranger."""
    return port in WEB_PORTS and is_public(address)


def read_literal(host: str) -> str | None:
    """Return the IP address that `host` writes, in any form that resolvers take (`0x7f.1`); None:
    it is none."""
    host = host.rstrip(".")
    with suppress(ValueError):
        return str(ipaddress.ip_address(host))
    with suppress(OSError, ValueError):  # ValueError: a NUL in it
        return socket.inet_ntoa(socket.inet_aton(host))
    return None


def ends_in_a_number(host: str) -> bool:
    """Return whether `host` can only be meant as an IPv4 address, as in
    https://url.spec.whatwg.org/. If `read_literal` cannot read it, it is invalid, though a more
    lenient parser might find an address in it."""
    return _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]) is not None


def is_private_name(host: str) -> bool:
    """Return whether a host name (not an IP address) is meant for a local network, whatever it
    resolves to."""
    name = host.rstrip(".").lower()
    return "." not in name or name.endswith(_PRIVATE_SUFFIXES)


Policy = Callable[[str, int], bool]
"""A function that returns whether an IP address and port may be connected to."""


class _AddressRefused(OSError):
    """Raised inside aiohttp's connect, which takes an OSError for a failed address. Its message is
    the same for every address, so that aiohttp raises one error for several of them."""

    def __init__(self, address: str, port: int) -> None:
        super().__init__("not a public address")
        self.target = (address, port)


def make_guarded_connector(
    allows: Policy, resolver: AbstractResolver | None = None
) -> TCPConnector:
    """Make a connector that connects only to addresses that `allows` accepts; see `was_refused`.

    Args:
        resolver: finds the addresses of names; by default the system's name servers.
    """

    def open_socket(info: tuple[Any, Any, int, str, tuple[Any, ...]]) -> socket.socket:
        family, kind, protocol, _, (address, port, *_) = info
        if not allows(address, port):
            raise _AddressRefused(address, port)
        return socket.socket(family, kind, protocol)

    return TCPConnector(resolver=resolver, socket_factory=open_socket)


def was_refused(error: BaseException) -> bool:
    """Return whether a request failed because its guarded connector refused the address."""
    return isinstance(getattr(error, "os_error", None), _AddressRefused)


def get_refused_target(error: BaseException) -> tuple[str, int] | None:
    """Return the IP address and port that were refused; None unless `was_refused`."""
    closed = getattr(error, "os_error", None)
    return closed.target if isinstance(closed, _AddressRefused) else None


_CHUNK = 2**16


async def read_within(response: ClientResponse, limit: int) -> bytes:
    """Return the body, decompressed. Raises `TooLarge` as soon as it exceeds `limit` bytes, or its
    `Content-Length` does."""
    if (response.content_length or 0) > limit:
        raise TooLarge(f"more than {limit} bytes")
    content = await read_beginning(response, limit + 1)
    if len(content) > limit:
        raise TooLarge(f"more than {limit} bytes")
    return content


async def read_beginning(response: ClientResponse, size: int) -> bytes:
    """Return at most `size` bytes of the body, decompressed; an unread rest closes the
    connection."""
    content = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        content += chunk
        if len(content) >= size:
            break
    return bytes(memoryview(content)[:size])


NOT_JSON: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are no JSON, or not of the wanted type."""


def decode_json(content: bytes) -> Any:
    """Decode JSON; return None for anything else."""
    try:
        return msgspec.json.decode(content)
    except NOT_JSON:
        return None


def get_fields(value: object) -> Mapping[str, Any]:
    """Return a decoded JSON object as it is; an empty one for everything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def is_same_secret(given: str, expected: str) -> bool:
    """Return whether a secret is the expected one, compared in constant time; False where none is
    expected. What was given may hold bytes that are no text, as surrogates."""
    return bool(expected) and hmac.compare_digest(
        given.encode(errors="surrogatepass"), expected.encode()
    )

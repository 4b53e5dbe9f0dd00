"""The tunnel leads to the public internet, and to nothing else."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from bot.files.web_search_worker import Tunnel, is_secure_website, resolve_host

OPEN = b"HTTP/1.1 200 OK\r\n\r\n"
SHUT = b"HTTP/1.1 403 Forbidden\r\n"


@pytest.fixture
def far() -> Iterator[socket.socket]:
    """Somebody on this machine who should not be called."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def has_been_called(listener: socket.socket) -> bool:
    return bool(select.select([listener], [], [], 0)[0])


def ask(tunnel: Tunnel, head: bytes) -> bytes:
    """What the tunnel says first."""
    with socket.create_connection(tunnel.server_address[:2], 30) as near:
        near.sendall(head)
        return near.recv(1_024)


def connect(host: str, port: int) -> bytes:
    return f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def echo(listener: socket.socket) -> None:
    with suppress(OSError), listener.accept()[0] as caller:
        while chunk := caller.recv(65_536):
            caller.sendall(chunk)


def tunnel_to(far: socket.socket, most: int = 1_000) -> Tunnel:
    place = far.getsockname()
    return Tunnel(lambda *there: there == place, lambda host, port: [place], most, 30.0)


def read_all(near: socket.socket) -> bytes:
    taken = b""
    with suppress(ConnectionError):
        while chunk := near.recv(65_536):
            taken += chunk
    return taken


def test_what_is_said_arrives_on_both_sides(far: socket.socket) -> None:
    threading.Thread(target=echo, args=(far,), daemon=True).start()
    with tunnel_to(far) as tunnel, socket.create_connection(tunnel.server_address[:2], 30) as near:
        near.sendall(connect("engine.example", 443))
        assert near.recv(len(OPEN)) == OPEN
        near.sendall(b"hello")
        assert near.recv(100) == b"hello"


def test_it_ends_when_too_much_goes_through(far: socket.socket) -> None:
    threading.Thread(target=echo, args=(far,), daemon=True).start()
    with (
        tunnel_to(far, 1_000) as tunnel,
        socket.create_connection(tunnel.server_address[:2], 30) as near,
    ):
        near.sendall(connect("engine.example", 443))
        assert near.recv(len(OPEN)) == OPEN
        with suppress(ConnectionError):
            near.sendall(b"x" * 600)
        assert len(read_all(near)) < 600


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "0.0.0.0", "127.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]",
        "[::]", "0x7f.1",
    ],
)  # fmt: skip
def test_no_spelling_of_this_machine_leads_there(host: str, far: socket.socket) -> None:
    def on_any_port(address: str, port: int) -> bool:
        return is_secure_website(address, 443)

    with Tunnel(on_any_port) as tunnel:
        assert ask(tunnel, connect(host, far.getsockname()[1])).startswith(SHUT)
    assert not has_been_called(far)


def test_a_name_leads_only_to_those_of_its_addresses_that_are_public(far: socket.socket) -> None:
    seen: list[str] = []

    def never(address: str, port: int) -> bool:
        seen.append(address)
        return is_secure_website(address, port)

    places = [far.getsockname(), ("10.0.0.1", 443), ("169.254.169.254", 443), ("1.1.1.1", 80)]
    with Tunnel(never, lambda host, port: places) as tunnel:
        assert ask(tunnel, connect("innocent.example", 443)).startswith(SHUT)
    assert seen == ["127.0.0.1", "10.0.0.1", "169.254.169.254", "1.1.1.1"]
    assert not has_been_called(far)


def test_a_name_that_is_unknown_leads_nowhere() -> None:
    def unknown(host: str, port: int) -> list[tuple[str, int]]:
        raise socket.gaierror("no such name")

    with Tunnel(find=unknown) as tunnel:
        assert ask(tunnel, connect("unknown.example", 443)).startswith(SHUT)


@pytest.mark.parametrize(
    "head",
    [
        b"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n",
        b"CONNECT a@127.0.0.1:443 HTTP/1.1\r\n\r\n",
        b"CONNECT 127.0.0.1:443\r\n\r\n",
        b"CONNECT \xff\xfe:443 HTTP/1.1\r\n\r\n",
        b"CONNECT engine.example:99999999 HTTP/1.1\r\n\r\n",
        b"CONNECT " + b"a" * 2_000 + b":443 HTTP/1.1\r\n\r\n",
        b"\r\n\r\n",
    ],
    ids=ascii,
)
def test_it_knows_no_other_request(head: bytes, far: socket.socket) -> None:
    with tunnel_to(far) as tunnel:
        assert ask(tunnel, head).startswith(SHUT)
    assert not has_been_called(far)


def test_only_encrypted_websites_are_open_to_it() -> None:
    assert is_secure_website("1.1.1.1", 443)
    assert not is_secure_website("1.1.1.1", 80)
    assert not is_secure_website("127.0.0.1", 443)


def test_the_addresses_of_a_name_are_the_systems() -> None:
    assert ("127.0.0.1", 443) in resolve_host("127.0.0.1", 443)

"""Ports of the demo: free, and still so when their server comes."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from bot.demo.local_server import find_free_port


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as one:
        yield one


def test_the_port_that_is_wanted_is_taken_if_it_is_free() -> None:
    wanted = find_free_port()
    assert find_free_port(wanted) == wanted


def test_a_port_that_is_taken_is_another_ones(listener: socket.socket) -> None:
    taken = listener.getsockname()[1]
    assert find_free_port(taken) not in {0, taken}


def test_no_outgoing_connection_can_have_it() -> None:
    assert all(1024 < find_free_port() < 32_768 for _ in range(20))

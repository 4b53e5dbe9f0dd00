"""Ports of the demo: free, and still so when their server comes."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from bot.demo.local_server import find_free_port, listen
from tests.support.ports import free_port


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as one:
        yield one


def test_the_port_that_is_wanted_is_taken_if_it_is_free() -> None:
    wanted = free_port()
    with listen(wanted) as one:
        assert one.getsockname()[1] == wanted


def test_another_port_is_found_where_the_wanted_one_is_taken(listener: socket.socket) -> None:
    taken = listener.getsockname()[1]
    with listen(taken) as one:
        assert one.getsockname()[1] not in {0, taken}


def test_no_outgoing_connection_can_have_the_port_of_a_later_server() -> None:
    assert all(1024 < find_free_port() < 16_000 for _ in range(20))

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest

from bot.storage import postgres
from bot.storage.postgres import Connections, entering


@dataclass(eq=False)
class FakeConnection:
    number: int
    ended: bool = False

    def is_closed(self) -> bool:
        return self.ended

    def terminate(self) -> None:
        self.ended = True


@dataclass
class Server:
    opened: list[FakeConnection] = field(default_factory=list)
    refuses: bool = False

    async def connect(self) -> FakeConnection:
        await asyncio.sleep(0)
        if self.refuses:
            raise ConnectionRefusedError
        self.opened.append(FakeConnection(len(self.opened)))
        return self.opened[-1]


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def connections(server: Server) -> Connections:
    return Connections(server.connect, most=3)


async def use(connections: Connections, count: int = 1) -> list[int]:
    """The numbers of as many as are used at once."""
    async with AsyncExitStack() as stack:
        taken = [await stack.enter_async_context(connections.borrow()) for _ in range(count)]
        return [connection.number for connection in taken]


async def test_one_is_used_again(connections: Connections, server: Server) -> None:
    assert [await use(connections) for _ in range(3)] == [[0], [0], [0]]
    assert await use(connections, 2) == [0, 1]
    assert len(server.opened) == 2


async def test_there_are_never_more_than_that(connections: Connections, server: Server) -> None:
    async with asyncio.timeout(5):
        await asyncio.gather(*(use(connections) for _ in range(50)))
    assert len(server.opened) <= 3


async def test_what_was_lost_is_not_used_again(connections: Connections) -> None:
    async with connections.borrow() as connection:
        connection.terminate()
    assert await use(connections) == [1]


async def test_what_is_lost_while_nobody_uses_it_is_not_used_again(
    connections: Connections, server: Server
) -> None:
    assert await use(connections, 2) == [0, 1]
    server.opened[0].terminate()
    server.opened[1].terminate()
    assert await use(connections) == [2]


async def test_what_nobody_takes_for_long_is_ended(
    connections: Connections, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_IDLE_SECONDS", 0.02)
    await use(connections, 3)
    async with asyncio.timeout(5), connections.borrow() as used:
        while not all(connection.ended for connection in server.opened if connection is not used):
            await asyncio.sleep(0.01)
        assert not used.ended
    async with asyncio.timeout(5):
        while not used.ended:
            await asyncio.sleep(0.01)


async def test_room_is_given_back_where_none_could_be_opened(
    connections: Connections, server: Server
) -> None:
    server.refuses = True
    for _ in range(5):
        with pytest.raises(ConnectionRefusedError):
            await use(connections)
    server.refuses = False
    assert await use(connections, 3) == [0, 1, 2]


async def test_whoever_waits_for_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_CONNECT_SECONDS", 0.01)
    room = asyncio.Semaphore(1)
    async with entering(room):
        with pytest.raises(TimeoutError):
            async with entering(room):
                raise AssertionError("there was room")
    async with entering(room):
        pass


async def test_closing_waits_for_those_in_use_and_ends_all(
    connections: Connections, server: Server
) -> None:
    used, go_on = asyncio.Event(), asyncio.Event()

    async def work() -> bool:
        async with connections.borrow() as connection:
            used.set()
            await go_on.wait()
            return connection.ended

    await use(connections, 2)
    working = asyncio.create_task(work())
    await used.wait()
    closing = asyncio.create_task(connections.close())
    await asyncio.sleep(0.02)
    assert not closing.done()
    go_on.set()
    await closing
    assert not await working
    assert [connection.ended for connection in server.opened] == [True, True]


async def test_closing_ends_those_that_are_used_for_long(
    connections: Connections, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_CLOSING_SECONDS", 0.01)
    async with connections.borrow():
        await connections.close()
        assert server.opened[0].ended


async def test_closing_that_is_broken_off_ends_them_all_the_same(
    connections: Connections, server: Server
) -> None:
    async with connections.borrow():
        closing = asyncio.create_task(connections.close())
        await asyncio.sleep(0.02)
        closing.cancel()
        await asyncio.wait((closing,))
        assert server.opened[0].ended


async def test_once_closed_there_are_no_others(connections: Connections, server: Server) -> None:
    await use(connections)
    await connections.close()
    with pytest.raises(RuntimeError, match="closed"):
        await use(connections)
    assert [connection.ended for connection in server.opened] == [True]


async def test_what_is_opened_while_they_are_closed_is_ended(
    connections: Connections, server: Server
) -> None:
    late = asyncio.create_task(use(connections))
    await asyncio.sleep(0)
    await connections.close()
    with pytest.raises(RuntimeError, match="closed"):
        await late
    assert [connection.ended for connection in server.opened] == [True]

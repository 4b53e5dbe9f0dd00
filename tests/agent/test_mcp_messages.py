from __future__ import annotations

import json
import time
import tracemalloc
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

from bot.agent.mcp_messages import (
    MAX_MESSAGE,
    TOO_LARGE,
    UNREADABLE,
    IncomingMessages,
    LineReader,
    OversizedMessage,
    ReadThrottle,
)


class Desk:
    """An inbox and what came through it."""

    def __init__(self, *awaited: int) -> None:
        sender, self._receiver = anyio.create_memory_object_stream[SessionMessage | Exception](999)
        self._sender = sender
        self.inbox = IncomingMessages(sender)
        for request in awaited:
            self.inbox.expect(request)

    async def passed(self, *messages: bytes | OversizedMessage) -> list[Any]:
        for message in messages:
            await self.inbox.take(message)
        count = self._receiver.statistics().current_buffer_used
        found = [self._receiver.receive_nowait() for _ in range(count)]
        self._sender.close()
        self._receiver.close()
        return [item.message for item in found if isinstance(item, SessionMessage)]


def answer(request: object, **fields: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request} | (fields or {"result": {}})).encode()


async def test_an_awaited_answer_is_passed_on_once() -> None:
    assert await Desk(1).passed(answer(1, result={"a": [1]}), answer(1)) == [
        JSONRPCResponse(jsonrpc="2.0", id=1, result={"a": [1]})
    ]


async def test_an_id_that_comes_back_as_text_is_known() -> None:
    assert len(await Desk(12).passed(answer("12"))) == 1


@pytest.mark.parametrize("request_id", [2, "x", None, "", "٣", "9" * 5_000, -1])
async def test_an_answer_that_nobody_awaits_is_dropped(request_id: object) -> None:
    assert await Desk(3).passed(answer(request_id)) == []


async def test_an_answer_that_is_no_longer_awaited_is_dropped() -> None:
    desk = Desk(1)
    desk.inbox.forget(1)
    assert await desk.passed(answer(1)) == []


@pytest.mark.parametrize(
    "fields",
    [{"result": [1]}, {"result": None}, {"result": "x"}, {"error": "x"}, {"error": {"code": "x"}}],
)
async def test_an_answer_of_the_wrong_form_is_an_error(fields: dict[str, object]) -> None:
    (error,) = await Desk(1).passed(answer(1, **fields))
    assert isinstance(error, JSONRPCError)
    assert (error.id, error.error.code) == (1, UNREADABLE)


@pytest.mark.parametrize("value", [[], {}, [[]]])
async def test_an_answer_of_too_many_values_is_not_decoded(value: object) -> None:
    (error,) = await Desk(1).passed(answer(1, result={"a": [value] * 25_000}))
    assert (error.id, error.error.code) == (1, TOO_LARGE)
    assert isinstance(
        (await Desk(1).passed(answer(1, result={"a": [value] * 9_000})))[0].result, dict
    )


async def test_an_error_is_passed_on_with_its_code_and_the_beginning_of_its_words() -> None:
    (error,) = await Desk(1).passed(answer(1, error={"code": -3, "message": "w" * 9_000}))
    assert error.error.code == -3
    assert len(error.error.message) == 2_000


@pytest.mark.parametrize(
    "message",
    [
        OversizedMessage(b'{"jsonrpc":"2.0","id":7,"result":{"a":"', b'xxxx"}}'),
        OversizedMessage(b'{"result":{"a":"', b'xxxx"},"jsonrpc":"2.0","id":7}'),
        OversizedMessage(b'{ "id" : "7" , "result', b""),
    ],
)
async def test_an_answer_that_is_too_large_fails_its_request(message: OversizedMessage) -> None:
    (error,) = await Desk(7).passed(message)
    assert (error.id, error.error.code) == (7, TOO_LARGE)


async def test_a_message_that_is_too_large_fails_nothing_that_was_not_asked() -> None:
    assert await Desk(7).passed(OversizedMessage(b'{"id":70,"', b'x,"id":8}')) == []


async def test_of_the_notifications_only_a_changed_list_is_heard() -> None:
    desk = Desk()
    changed = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
    await desk.inbox.take(b'{"method":"notifications/progress"}')
    assert not desk.inbox.changed.is_set()
    assert await desk.passed(changed) == []
    assert desk.inbox.changed.is_set()


async def test_requests_of_a_server_are_rationed() -> None:
    passed = await Desk().passed(*[b'{"id":"a","method":"ping"}'] * 50)
    assert passed[0] == JSONRPCRequest(jsonrpc="2.0", id="a", method="ping")
    assert 10 <= len(passed) < 15


async def test_nothing_is_raised_once_nobody_reads() -> None:
    desk = Desk(1)
    await desk.passed()
    await desk.inbox.take(answer(1))
    desk.inbox.end()
    assert desk.inbox.ended
    assert desk.inbox.changed.is_set()


@given(
    st.binary() | st.recursive(st.text(), st.lists).map(lambda value: json.dumps(value).encode())
)
async def test_whatever_comes_nothing_is_raised(message: bytes) -> None:
    assert await Desk(0).passed(message) == []


# Lines ------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line)), st.integers(1, 50))
def test_lines_do_not_depend_on_how_the_bytes_are_cut(lines: list[bytes], size: int) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    found = LineReader()
    got = [
        line for at in range(0, len(stream), size) for line in found.feed(stream[at : at + size])
    ]
    assert got == [line for line in lines if line]


@pytest.mark.parametrize("length", [MAX_MESSAGE, MAX_MESSAGE + 1, 3 * MAX_MESSAGE])
def test_a_line_above_the_limit_leaves_its_ends_only(length: int) -> None:
    stream = b"head" + b"x" * (length - 8) + b"tail\nnext\n"
    found = LineReader()
    line, following = [
        line
        for at in range(0, len(stream), 16_384)
        for line in found.feed(stream[at : at + 16_384])
    ]
    assert following == b"next"
    if length == MAX_MESSAGE:
        assert line == stream[:length]
    else:
        assert isinstance(line, OversizedMessage)
        assert line.head.startswith(b"head")
        assert line.tail.endswith(b"tail")
        assert len(line.head + line.tail) <= 1_000


def test_a_line_without_end_takes_bounded_memory() -> None:
    lines = LineReader()
    tracemalloc.start()
    for _ in range(1_000):
        lines.feed(b"x" * 16_384)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * MAX_MESSAGE


def test_a_long_line_in_small_pieces_takes_linear_time() -> None:
    def read(pieces: int) -> float:
        lines = LineReader()
        began = time.thread_time()
        for _ in range(pieces):
            lines.feed(b"x" * 10)
        return time.thread_time() - began

    read(10_000)
    assert read(100_000) < 40 * read(10_000)


async def test_reading_keeps_below_a_quarter_of_the_time() -> None:
    pace, began = ReadThrottle(), time.monotonic()
    for _ in range(10):
        await pace.rest(time.monotonic() - 0.006, 0)
    assert time.monotonic() - began >= 10 * 3 * 0.006

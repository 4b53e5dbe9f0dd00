"""Pieces of any size in, payloads out."""

from __future__ import annotations

import pytest

from bot.agent.openai_protocol.sse import MAX_EVENT, MAX_STREAM, BadStream, EventStream
from tests.support.memory import measure_bytes


def read(*pieces: bytes) -> list[bytes]:
    events = EventStream()
    payloads = [payload for piece in pieces for payload in events.feed(piece)]
    return [*payloads, *events.close()]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_every_line_ending_is_understood_wherever_the_pieces_are_cut(end: bytes, size: int) -> None:
    whole = (
        b"data: one\n\n: comment\n\nevent: x\ndata: two,\ndata: too\nid: 3\n\n\n\ndata:three\n\n"
    )
    whole = whole.replace(b"\n", end)
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert read(*pieces) == [b"one", b"two,\ntoo", b"three"]


def test_the_lines_of_one_event_are_joined() -> None:
    assert read(b'data: {"a":\ndata: 1}\n\n') == [b'{"a":\n1}']


def test_comments_keep_alives_and_empty_data_are_nothing() -> None:
    assert read(b": OPENROUTER PROCESSING\n\n\n\ndata:\n\ndata: \n\nevent: ping\n\n") == []


def test_a_last_event_without_a_blank_line_is_read_at_the_end() -> None:
    assert read(b"data: one\n\ndata: two") == [b"one", b"two"]


def test_a_payload_is_given_as_soon_as_its_event_is_over() -> None:
    events = EventStream()
    assert list(events.feed(b"data: one\n")) == []
    assert list(events.feed(b"\ndata: tw")) == [b"one"]


def test_a_body_that_is_no_event_stream_has_no_payloads() -> None:
    assert read(b'{\n  "object": "chat.completion",\n\n  "choices": []\n}') == []


HUGE = b"data: " + b"x" * MAX_EVENT + b"\n\n"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [65_535, 65_536, MAX_EVENT + 7, MAX_EVENT + 9, len(HUGE) + 40])
def test_an_event_of_over_a_mebibyte_is_left_out_and_the_others_are_read(
    end: bytes, size: int
) -> None:
    whole = (b"data: one\n\n" + HUGE + b"data: two\n\n" + HUGE + HUGE + b"data: three\n\n").replace(
        b"\n", end
    )
    events = EventStream()
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    payloads = [payload for piece in pieces for payload in events.feed(piece)]
    assert [*payloads, *events.close()] == [b"one", b"two", b"three"]
    assert events.dropped == 3


def test_the_end_of_an_event_that_is_too_large_may_come_in_two_pieces() -> None:
    pieces = (HUGE[:-1], b"\n", b"data: two\n", b"\ndata: ", b"three\n\n")
    assert read(*pieces) == [b"two", b"three"]


def test_an_event_that_is_too_large_is_not_kept_while_it_comes() -> None:
    events = EventStream()
    empty = measure_bytes(events)
    for _ in range(5 * MAX_EVENT // 65_536):
        assert events.feed(b"x" * 65_536) == []
        assert measure_bytes(events) <= 1.2 * MAX_EVENT + empty


def test_an_event_that_is_too_large_and_has_no_end_is_left_out_at_the_end() -> None:
    events = EventStream()
    events.feed(b"data: one\n\n" + HUGE[:-2])
    assert events.close() == []
    assert events.dropped == 1


def test_an_event_of_a_mebibyte_is_read() -> None:
    event = HUGE[:6] + HUGE[12:]
    for size in (len(event), 65_536):
        pieces = [event[at : at + size] for at in range(0, len(event), size)]
        assert [len(payload) for payload in read(*pieces)] == [MAX_EVENT - 6]


def test_an_endless_stream_is_refused() -> None:
    piece = b": " + b"x" * 700_000 + b"\n\n"
    with pytest.raises(BadStream, match="stream"):
        read(*[piece] * (MAX_STREAM // len(piece) + 1))

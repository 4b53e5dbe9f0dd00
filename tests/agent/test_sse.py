"""Pieces of any size in, payloads out."""

from __future__ import annotations

import pytest

from bot.agent.sse import MAX_EVENT, MAX_STREAM, BadStream, EventStream


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


def test_an_event_of_over_a_mebibyte_is_refused_before_it_ends() -> None:
    with pytest.raises(BadStream, match="event"):
        read(*[b"x" * 65_536] * (MAX_EVENT // 65_536 + 1))


def test_an_event_of_over_a_mebibyte_is_refused_when_it_comes_whole() -> None:
    with pytest.raises(BadStream, match="event"):
        read(b"data: " + b"x" * MAX_EVENT + b"\n\n")


def test_an_endless_stream_is_refused() -> None:
    piece = b": keep-alive\n\n" * 50_000
    with pytest.raises(BadStream, match="stream"):
        read(*[piece] * (MAX_STREAM // len(piece) + 1))

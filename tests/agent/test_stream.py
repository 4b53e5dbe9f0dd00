"""One answer from the payloads of its stream."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.agent.sse import BadStream, EventStream
from bot.agent.stream import Answer
from bot.events import Content, Event, Thinking, ToolProgress
from bot.messages import AssistantMessage, ToolCall
from tests.agent.endpoint import DONE, call_delta, delta, event


class Read:
    """The answer of a stream and what it emitted."""

    def __init__(self, *pieces: bytes, watched: frozenset[str] = frozenset()) -> None:
        self.events: list[Event] = []
        self.answer = Answer(self.events.append, watched)
        source = EventStream()
        for piece in pieces:
            for payload in source.feed(piece):
                self.answer.take(payload)
        for payload in source.close():
            self.answer.take(payload)
        self.answer.close()

    @property
    def message(self) -> AssistantMessage:
        return self.answer.message("here")

    @property
    def thought(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Thinking))

    @property
    def said(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Content))


def choice(**fields: object) -> bytes:
    return event({"choices": [fields]})


def test_content_is_emitted_as_it_comes() -> None:
    read = Read(delta(role="assistant", content=""), delta(content="Bon"), delta(content="jour"))
    assert read.events == [Content("Bon"), Content("jour")]
    assert read.message == AssistantMessage("Bonjour", endpoint="here")


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": []},
        {"choices": None},
        {},
        {"choices": [], "usage": None, "x_new": {"a": [1, None]}},
        {"choices": [{"index": 0, "delta": None}]},
        {"choices": [{"index": 0, "delta": {"content": None, "tool_calls": None, "role": None}}]},
        {
            "choices": [
                {"index": 1, "delta": {"content": "another choice"}, "finish_reason": "stop"}
            ]
        },
        {"choices": [{"index": 0, "delta": {"content": []}}], "error": None},
    ],
)
def test_a_chunk_that_says_nothing_shows_nothing(chunk: dict[str, Any]) -> None:
    read = Read(event(chunk))
    assert read.events == []
    assert not read.answer.shown
    assert not read.answer.is_final


def test_usage_is_read_from_a_chunk_without_choices_numbers_as_floats() -> None:
    usage = {
        "prompt_tokens": 12.0,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 8, "x": 1},
        "cost": 0.25,
        "total_time": 0.1,
    }
    reported = Read(delta("stop", content="a"), event({"choices": [], "usage": usage})).answer.usage
    assert reported is not None
    assert (reported.prompt_tokens, reported.completion_tokens, reported.cost) == (12, 3, 0.25)
    assert reported.prompt_tokens_details is not None
    assert reported.prompt_tokens_details.cached_tokens == 8


def test_a_message_in_place_of_a_delta_is_read() -> None:
    read = Read(choice(index=0, message={"content": "whole"}, finish_reason="stop"))
    assert (read.said, read.answer.finish_reason) == ("whole", "stop")


def test_a_choice_without_index_is_the_first() -> None:
    assert (
        Read(choice(delta={"content": "a"}), choice(index=None, delta={"content": "b"})).said
        == "ab"
    )


def test_content_parts_are_sorted_into_text_and_thinking() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    read = Read(
        delta(content=[thinking]),
        delta(content=[{"type": "thinking", "thinking": " yes"}, {"type": "text", "text": "4"}]),
    )
    assert (read.thought, read.said) == ("hm yes", "4")


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm"},
        {"reasoning": "hm", "reasoning_content": "hm"},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}]},
        {"reasoning": None, "reasoning_content": "", "content": "<think>hm</think>"},
    ],
)
def test_reasoning_is_thinking_once_and_never_content(fields: dict[str, Any]) -> None:
    read = Read(delta(**fields), delta(content="four"))
    assert (read.thought, read.said) == ("hm", "four")
    assert read.message.text == "four"


def test_only_reasoning_content_is_kept_to_be_echoed() -> None:
    assert Read(delta(reasoning_content="hm", reasoning="hm")).message.reasoning == "hm"
    assert Read(delta(reasoning="hm")).message.reasoning == ""
    assert Read(delta(content="<think>hm</think>")).message.reasoning == ""


def test_encrypted_reasoning_shows_nothing() -> None:
    read = Read(delta(reasoning_details=[{"type": "reasoning.encrypted", "data": "AAAA"}]))
    assert read.events == []


def test_a_think_tag_split_over_chunks_never_shows() -> None:
    read = Read(
        *(delta(content=piece) for piece in ("<th", "ink>h", "m</thi", "nk>\n", "\nfour <b"))
    )
    assert (read.thought, read.said) == ("hm", "four <b")


def test_what_only_looks_like_a_tag_is_shown_in_the_end() -> None:
    assert Read(delta(content="<thin"), DONE).said == "<thin"


def test_arguments_of_watched_tools_are_emitted_under_the_final_id() -> None:
    read = Read(
        delta(tool_calls=[call_delta(index=0, id=None, name="generate_md", arguments='{"a"')]),
        delta(tool_calls=[call_delta(index=0, arguments=":1}")]),
        delta(tool_calls=[call_delta(index=1, id="c2", name="look", arguments="{}")]),
        watched=frozenset({"generate_md"}),
    )
    made_up = read.message.tool_calls[0].id
    assert read.events == [
        ToolProgress(made_up, "generate_md", delta='{"a"'),
        ToolProgress(made_up, "generate_md", delta=":1}"),
    ]
    assert read.message.tool_calls[1] == ToolCall("c2", "look")


def test_a_call_that_has_begun_counts_as_shown() -> None:
    assert Read(delta(tool_calls=[call_delta(index=0, id="c", name="look")])).answer.shown


@pytest.mark.parametrize(
    ("last", "whole"),
    [
        (b"", False),
        (DONE, True),
        (delta("stop"), True),
        (delta("length"), True),
        (delta(tool_calls=[call_delta(id="c", name="look", arguments='{"a":1}')]), True),
        (delta(tool_calls=[call_delta(id="c", name="look", arguments='{"a":')]), False),
    ],
)
def test_an_answer_is_whole_when_it_says_so_or_its_calls_are(last: bytes, *, whole: bool) -> None:
    assert Read(delta(content="a"), last).answer.is_whole is whole


def test_nothing_counts_after_done() -> None:
    read = Read(delta(content="a"), DONE, delta(content="b"), b"data: junk\n\n")
    assert read.said == "a"


@pytest.mark.parametrize(
    "error", [{"message": "overloaded", "code": 502}, "overloaded", {"message": "overloaded"}]
)
def test_an_error_inside_the_stream_is_raised_with_its_message(error: object) -> None:
    with pytest.raises(BadStream, match="overloaded"):
        Read(delta(content="a"), event({"error": error, "choices": []}))


@pytest.mark.parametrize(
    "payload",
    [
        b"data: <html>\n\n",
        b"data: [1]\n\n",
        b'data: {"choices": 3}\n\n',
        b'data: {"model": "\xff"}\n\n',
    ],
)
def test_what_is_no_chunk_is_refused(payload: bytes) -> None:
    with pytest.raises(BadStream, match="cannot be read"):
        Read(payload)


QUIRKY = b"".join(
    [
        b": keep-alive\r\n\r\n",
        delta(role="assistant", content="<thi"),
        delta(content="nk>où ça ? 🤔</think>\n\nÀ Ouaga"),
        delta(content="dougou 🇧🇫").replace(b"\n", b"\r\n"),
        delta(tool_calls=[call_delta(id="c1", name="look", arguments='{"é": "')]),
        delta(tool_calls=[call_delta(arguments='ù"}')]).replace(b"\n", b"\r"),
        b'data: {"choices": [],\ndata: "usage": {"prompt_tokens": 1, "completion_tokens": 2}}\n\n',
        delta("tool_calls") + DONE,
    ]
)


@given(st.sets(st.integers(1, len(QUIRKY) - 1), max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_split_of_a_stream_into_pieces_gives_the_same_reply(cuts: set[int]) -> None:
    bounds = [0, *sorted(cuts), len(QUIRKY)]
    read = Read(*(QUIRKY[a:b] for a, b in pairwise(bounds)))
    assert read.thought == "où ça ? 🤔"
    assert read.message == AssistantMessage(
        "À Ouagadougou 🇧🇫",
        (ToolCall("c1", "look", json.dumps({"é": "ù"}, ensure_ascii=False)),),
        "",
        "here",
    )
    assert read.answer.usage is not None
    assert read.answer.finish_reason == "tool_calls"

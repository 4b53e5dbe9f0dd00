"""One answer from the payloads of its stream."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.openai_protocol.answer import MAX_ANSWER, StreamedAnswer
from bot.agent.openai_protocol.sse import BadStream, EventStream
from bot.agent.tool_calls.tool_call_parser import ToolCallParser
from bot.events import Content, Event, Thinking, ToolProgress
from bot.messages.transcript import AssistantMessage, ToolCall
from tests.support.model_endpoint import DONE, call_delta, delta, event


class Read:
    """The answer of a stream and what it emitted."""

    def __init__(
        self, *pieces: bytes, watched: frozenset[str] = frozenset(), in_order: bool = False
    ) -> None:
        self.events: list[Event] = []
        self.answer = StreamedAnswer(self.events.append, ToolCallParser((), native=True), watched)
        source = EventStream()
        for piece in pieces:
            self.answer.take(source.feed(piece))
        self.answer.take(source.close())
        if in_order:
            self.answer.stop()
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


@pytest.mark.parametrize(
    "usage",
    ['{"prompt_tokens": NaN}', '{"completion_tokens": 1e999}', '{"cost": Infinity}', '"12"'],
)
def test_a_bill_that_makes_no_sense_is_none_and_costs_no_answer(usage: str) -> None:
    bill = f'data: {{"choices": [], "usage": {usage}}}\n\n'.encode()
    read = Read(delta("stop", content="a"), bill)
    assert (read.answer.text, read.answer.usage) == ("a", None)


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


def test_an_error_in_a_chunk_of_another_shape_is_an_error_all_the_same() -> None:
    with pytest.raises(BadStream, match="overloaded"):
        Read(delta(content="a"), event({"error": {"message": "overloaded"}, "choices": 3}))


GARBAGE = {
    "a page": b"<html>",
    "half an object": b'{"choices": [{"delta": {"content": "x',
    "a list": b"[1]",
    "a text": b'"x"',
    "nothing": b"null",
    "another shape": b'{"choices": 3}',
    "a shape wrong deep inside": b'{"choices": [{"delta": {"tool_calls": [{"index": "x"}]}}]}',
    "bytes": b"\xff\xfe\x00",
    "a deep hole": b'{"x": ' + b"[" * 100_000,
    "a deep hole with an end": b'{"error": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "a long number": b'{"model": "\\ud83d", "x": ' + b"9" * 10_000 + b"}",
}


@pytest.mark.parametrize("garbage", GARBAGE)
def test_what_is_no_chunk_is_skipped_and_counted(garbage: str) -> None:
    line = b"data: " + GARBAGE[garbage] + b"\n\n"
    read = Read(delta(content="Bon"), line, delta(content="jour"), line, delta("stop"))
    assert (read.said, read.answer.finish_reason, read.answer.skipped) == ("Bonjour", "stop", 2)


def test_garbage_alone_is_no_answer() -> None:
    read = Read(b"data: <oops>\n\n" * 3, in_order=True)
    assert not read.answer.shown
    assert not read.answer.is_whole


def raw_delta(field: bytes, text: bytes) -> bytes:
    """A chunk whose text is spelt so, escapes and all."""
    return b'data: {"choices":[{"index":0,"delta":{"%s":"%s"}}]}\n\n' % (field, text)


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([rb"a\ud83d", rb"\ude00b"], "a😀b"),
        ([rb"a\ud83d", rb"", rb"\ude00b"], "a😀b"),
        ([rb"a\ud83d", rb"b", rb"c"], "a\ufffdbc"),
        ([rb"\ude00a"], "\ufffda"),
        ([rb"a\ud83d b"], "a\ufffd b"),
        ([rb"a\ud83d"], "a\ufffd"),
        ([rb"a\ud83d\ude00"], "a😀"),
        ([b"a\xffb", b"c"], "a\ufffdbc"),
        ([b"a\xed\xa0\xbdb"], "a\ufffd\ufffd\ufffdb"),
        (["où".encode("latin-1"), "ça".encode()], "o\ufffdça"),
        ([b"a\x01b\tc"], "a\x01b\tc"),
    ],
)
def test_text_that_is_cut_or_garbled_within_a_character_goes_on(
    pieces: list[bytes], said: str
) -> None:
    read = Read(*(raw_delta(b"content", piece) for piece in pieces), delta("stop"))
    assert read.message.text == read.said == said
    assert (read.answer.skipped, read.answer.finish_reason) == (0, "stop")


def test_a_half_at_the_end_is_said_once() -> None:
    read = Read(raw_delta(b"content", rb"a\ud83d"), in_order=True)
    assert read.said == "a\ufffd"


def test_thinking_and_usage_survive_half_a_character() -> None:
    read = Read(
        raw_delta(b"reasoning_content", rb"h\ud83d"),
        raw_delta(b"reasoning_content", rb"\ude00m"),
        rb'data: {"model":"\ud83d","choices":[],"usage":{"prompt_tokens":5}}' + b"\n\n",
    )
    assert (read.thought, read.message.reasoning) == ("h😀m", "h😀m")
    assert read.answer.usage is not None
    assert read.answer.usage.prompt_tokens == 5
    assert read.answer.model == "\ufffd"


@pytest.mark.parametrize(
    "arguments",
    [
        rb'"{\"a\": \"\ud83d\"}"',  # half a character in the chunk's own JSON
        rb'"{\"a\": \"\\ud83d\"}"',  # and in the JSON of the arguments
        rb'{"a": "\ud83d"}',
    ],
)
def test_half_a_character_in_arguments_does_not_spoil_the_call(arguments: bytes) -> None:
    call = b'{"index":0,"id":"c","function":{"name":"look","arguments":%s}}' % arguments
    read = Read(b'data: {"choices":[{"delta":{"tool_calls":[%s]}}]}\n\n' % call)
    assert read.answer.is_whole
    assert json.loads(read.message.tool_calls[0].arguments) == {"a": "\ufffd"}


def test_halves_of_a_character_in_fragments_of_arguments_are_joined() -> None:
    fragment = b'data: {"choices":[{"delta":{"tool_calls":[%s]}}]}\n\n'
    read = Read(
        fragment
        % rb'{"index":0,"id":"c","function":{"name":"look","arguments":"{\"a\": \"\ud83d"}}',
        fragment % rb'{"index":0,"function":{"arguments":"\ude00\"}"}}',
    )
    assert json.loads(read.message.tool_calls[0].arguments) == {"a": "😀"}


@pytest.mark.parametrize(
    "fields",
    [
        {"refusal": "I cannot."},
        {"content": None, "refusal": "I cannot."},
        {"content": [{"type": "refusal", "refusal": "I cannot."}]},
    ],
)
def test_a_refusal_is_what_the_assistant_says(fields: dict[str, Any]) -> None:
    read = Read(delta(role="assistant", content="", refusal=None), delta(**fields), delta("stop"))
    assert read.events == [Content("I cannot.")]
    assert read.message.text == "I cannot."


@pytest.mark.parametrize(
    "text", ["\u200b", "\u2060\ufeff", " \n\u00a0", "\u3164\u200b", "\u200b\ufe0f"]
)
def test_text_of_which_nothing_can_be_seen_is_none(text: str) -> None:
    read = Read(delta(content=text), delta("stop"))
    assert (read.events, read.message.text, read.answer.shown) == ([], "", False)
    seen = Read(delta(content=text), delta(content="Bon"), delta(content=text))
    assert seen.events == [Content(f"{text}Bon"), Content(text)]
    assert seen.message.text == f"{text}Bon{text}"


LOOK = {"index": 0, "id": "c", "name": "look"}


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        ([delta(content="Bon")], True),
        ([delta(refusal="No.")], True),
        ([delta(content="<thin")], True),
        ([], False),
        ([delta(reasoning="hm")], False),
        ([delta(content="<think>hm")], False),
        ([delta(content="Bon"), delta(tool_calls=[call_delta(**LOOK)])], True),
        ([delta(content="Bon"), delta(tool_calls=[call_delta(**LOOK, arguments="{}")])], True),
        ([delta(content="Bon"), delta(tool_calls=[call_delta(**LOOK, arguments='{"a')])], False),
        ([delta(tool_calls=[call_delta(**LOOK)])], False),
        ([delta(tool_calls=[call_delta(**LOOK, arguments='{"a')])], False),
    ],
)
def test_what_a_server_ended_in_order_is_whole_if_it_says_something_and_no_call_is_cut(
    pieces: list[bytes], *, whole: bool
) -> None:
    assert not Read(*pieces).answer.is_final
    read = Read(*pieces, in_order=True)
    assert read.answer.is_whole is whole


@pytest.mark.parametrize(
    "make",
    [
        lambda text: delta(content=text),
        lambda text: delta(reasoning=text),
        lambda text: delta(tool_calls=[call_delta(**LOOK, arguments=text)]),
    ],
)
def test_an_answer_without_end_is_cut_off(make: Any) -> None:
    source = StreamedAnswer(lambda _: None, ToolCallParser((), native=True))
    half = make("x" * (MAX_ANSWER // 2)).removeprefix(b"data: ")
    source.take([half])
    source.take([half])
    with pytest.raises(BadStream, match="longer than"):
        source.take([make("x").removeprefix(b"data: ")])


def test_text_that_was_shown_before_its_closing_tag_is_told_to_be_a_thought() -> None:
    read = Read(delta(content="secret "), delta(content="pensee</think>"), delta(content="reponse"))
    whole = Read(delta(content="secret pensee</think>reponse"))
    thought = Thinking("secret pensee", replaces_content=True)
    assert read.events == [Content("secret "), Content("pensee"), thought, Content("reponse")]
    assert whole.events == [Content("secret pensee"), thought, Content("reponse")]
    assert read.message.text == whole.message.text == "reponse"


def test_a_thought_whose_text_was_not_shown_replaces_none() -> None:
    read = Read(delta(content="</think>reponse"), delta(content=" et fin"))
    assert read.events == [Content("reponse"), Content(" et fin")]


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

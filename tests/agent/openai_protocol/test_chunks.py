"""Tool calls in all the forms that endpoints send, and characters that came in halves."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.openai_protocol.chunks import (
    LONGEST_NAME,
    MOST_CALLS,
    MOST_HELD,
    CallDelta,
    StreamedCalls,
    SurrogateJoiner,
    is_json_object,
    replace_lone_surrogates,
)
from bot.agent.openai_protocol.sse import BadStream
from bot.messages.transcript import ToolCall
from tests.support.model_endpoint import call_delta

Chunk = list[dict[str, Any]]


def grow(*chunks: Chunk) -> StreamedCalls:
    calls = StreamedCalls()
    for chunk in chunks:
        deltas = msgspec.convert(chunk, list[CallDelta])
        for position, delta in enumerate(deltas):
            calls.take(delta, position if len(deltas) > 1 else None)
    return calls


def assemble(*chunks: Chunk) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in grow(*chunks).finish()]


ONE = [("c1", "look", '{"a": 1}')]
TWO = [("c1", "look", '{"a": 1}'), ("c2", "find", '{"b": 2}')]

FORMS: dict[str, tuple[list[Chunk], list[tuple[str, str, str]]]] = {
    "as OpenAI sends it": (
        [
            [call_delta(index=0, id="c1", name="look", arguments="")],
            [call_delta(index=0, arguments='{"a"')],
            [call_delta(index=0, arguments=": 1}")],
            [call_delta(index=1, id="c2", name="find", arguments="")],
            [call_delta(index=1, arguments='{"b": 2}')],
        ],
        TWO,
    ),
    "fragments of two calls interleaved": (
        [
            [call_delta(index=0, id="c1", name="look"), call_delta(index=1, id="c2", name="find")],
            [call_delta(index=1, arguments='{"b"'), call_delta(index=0, arguments='{"a"')],
            [call_delta(index=0, arguments=": 1}"), call_delta(index=1, arguments=": 2}")],
        ],
        TWO,
    ),
    "whole in the first chunk": (
        [[call_delta(index=0, id="c1", name="look", arguments='{"a": 1}')]],
        ONE,
    ),
    "without index, with ids": (
        [
            [call_delta(id="c1", name="look", arguments='{"a": 1}')],
            [call_delta(id="c2", name="find", arguments='{"b"')],
            [call_delta(arguments=": 2}")],
        ],
        TWO,
    ),
    "without index, two in one chunk": (
        [[call_delta(id="c1", name="look"), call_delta(id="c2", name="find")]],
        [("c1", "look", "{}"), ("c2", "find", "{}")],
    ),
    "an index reused with a new id": (
        [
            [call_delta(index=0, id="c1", name="look", arguments='{"a": 1}')],
            [call_delta(index=0, id="c2", name="find", arguments='{"b": 2}')],
        ],
        TWO,
    ),
    "an index reused with a new id, in fragments": (
        [
            [call_delta(index=0, id="c1", name="look", arguments='{"a": 1}')],
            [call_delta(index=0, id="c2", name="find")],
            [call_delta(index=0, arguments='{"b": 2}')],
        ],
        TWO,
    ),
    "an id made anew for each fragment": (
        [
            [call_delta(index=0, id="c1", name="look", arguments='{"a"')],
            [call_delta(index=0, id="x9", arguments=": 1}")],
        ],
        ONE,
    ),
    "the id repeated": (
        [
            [call_delta(index=0, id="c1", name="look", arguments='{"a"')],
            [call_delta(index=0, id="c1", arguments=": 1}")],
        ],
        ONE,
    ),
    "the id late": (
        [
            [call_delta(index=0, id=None, name="look", arguments='{"a"')],
            [call_delta(index=0, id="c1", arguments=": 1}")],
        ],
        ONE,
    ),
    "the name sent twice": (
        [
            [call_delta(index=0, id="c1", name="look", arguments='{"a"')],
            [call_delta(index=0, name="look", arguments=": 1}")],
            [call_delta(index=0, name="look", arguments="")],
        ],
        ONE,
    ),
    "the name in pieces": (
        [
            [call_delta(index=0, id="c1", name="lo")],
            [call_delta(index=0, name="ok", arguments='{"a": 1}')],
        ],
        ONE,
    ),
    "the name cumulative": (
        [
            [call_delta(index=0, id="c1", name="lo")],
            [call_delta(index=0, name="look", arguments='{"a": 1}')],
        ],
        ONE,
    ),
    "the name empty in what follows": (
        [
            [call_delta(index=0, id="c1", name="look", arguments="")],
            [call_delta(index=0, name="", arguments='{"a": 1}')],
        ],
        ONE,
    ),
    "arguments null": (
        [[call_delta(index=0, id="c1", name="look", arguments=None)]],
        [("c1", "look", "{}")],
    ),
    "arguments the word null": (
        [[call_delta(index=0, id="c1", name="look", arguments="null")]],
        [("c1", "look", "{}")],
    ),
    "no arguments": ([[call_delta(index=0, id="c1", name="look")]], [("c1", "look", "{}")]),
    "arguments as an object": (
        [[call_delta(index=0, id="c1", name="look", arguments={"a": 1})]],
        [("c1", "look", '{"a":1}')],
    ),
    "arguments that are no JSON": (
        [[call_delta(index=0, id="c1", name="look", arguments="{oh")]],
        [("c1", "look", "{oh")],
    ),
    "no function at all": ([[{"index": 0, "id": "c1", "function": None}]], [("c1", "", "{}")]),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_call_is_read(form: str) -> None:
    chunks, expected = FORMS[form]
    assert assemble(*chunks) == expected


def test_calls_without_ids_get_different_ones() -> None:
    first, second = assemble(
        [call_delta(id=None, name="look", arguments='{"a": 1}')],
        [call_delta(id=None, name="look", arguments='{"a": 2}')],
    )
    assert first[0].startswith("call_")
    assert first[0] != second[0]
    assert (first[2], second[2]) == ('{"a": 1}', '{"a": 2}')


def test_several_calls_of_one_chunk_are_told_apart_by_their_places() -> None:
    first, second = assemble(
        [call_delta(name="look"), call_delta(name="find")],
        [call_delta(arguments='{"a": 1}'), call_delta(arguments='{"b": 2}')],
    )
    assert first[1:] == ("look", '{"a": 1}')
    assert second[1:] == ("find", '{"b": 2}')


def test_an_id_used_for_two_calls_stays_with_the_first() -> None:
    first, second = assemble(
        [call_delta(index=0, id="same", name="look")], [call_delta(index=1, id="same", name="find")]
    )
    assert first[0] == "same"
    assert second[0].startswith("call_")


def test_calls_are_whole_when_the_arguments_of_each_are() -> None:
    assert not grow().are_whole
    assert not grow([call_delta(index=0, id="c1", name="look", arguments='{"a": {}')]).are_whole
    assert not grow([call_delta(index=0, id="c1", name="look")]).are_whole
    assert grow([call_delta(index=0, id="c1", name="look", arguments='{"a": {}}')]).are_whole


def test_only_a_json_object_is_one() -> None:
    assert is_json_object('{"a": 1}')
    assert not any(map(is_json_object, ["", "[]", "null", '"a"', "{", "\ud800"]))


def test_the_order_is_that_in_which_calls_began() -> None:
    calls = grow(
        [call_delta(index=5, id="b", name="look")], [call_delta(index=0, id="a", name="find")]
    )
    assert calls.finish() == (ToolCall("b", "look"), ToolCall("a", "find"))


def test_calls_without_end_are_refused() -> None:
    one = [call_delta(id=f"c{n}", name="look") for n in range(MOST_CALLS)]
    assert len(grow(*([each] for each in one)).finish()) == MOST_CALLS
    with pytest.raises(BadStream, match="calls"):
        grow(*([each] for each in one), [call_delta(id="more", name="look")])


def test_a_name_without_end_is_not_kept() -> None:
    calls = grow(*([call_delta(index=0, id="c1", name="xy"[n % 2])] for n in range(5000)))
    assert len(calls.finish()[0].name) == LONGEST_NAME


def test_half_a_character_in_the_arguments_is_replaced() -> None:
    calls = grow([call_delta(index=0, id="c1", name="look", arguments=r'{"a": "\ud83d"}')])
    assert calls.are_whole
    assert calls.finish()[0].arguments == r'{"a": "\ufffd"}'


def said(text: str) -> Any:
    return {"choices": [{"delta": {"content": text}}]}


def test_halves_in_one_text_are_joined() -> None:
    assert SurrogateJoiner().join({"a": ["x\ud83d\ude00"]}) == {"a": ["x😀"]}


def test_halves_in_two_chunks_are_joined() -> None:
    halves = SurrogateJoiner()
    assert halves.join(said("a\ud83d")) == said("a")
    assert halves.held
    assert halves.join(said("\ude00b")) == said("😀b")
    assert not halves.held


def test_an_empty_text_between_halves_does_not_part_them() -> None:
    halves = SurrogateJoiner()
    halves.join(said("\ud83d"))
    assert halves.join(said("")) == said("")
    assert halves.join(said("\ude00")) == said("😀")


@pytest.mark.parametrize("text", ["\ude00b", "\ud83d b", "\ude00\ud83d!", "\udcff"])
def test_a_half_that_stays_alone_is_replaced(text: str) -> None:
    expected = "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in text)
    assert SurrogateJoiner().join(said(text)) == said(expected)


def test_a_half_whose_other_half_does_not_follow_is_replaced_where_it_stood() -> None:
    halves = SurrogateJoiner()
    halves.join(said("\ud83d"))
    assert halves.join(said("b")) == said("\ufffdb")


def test_halves_of_different_fields_are_not_joined() -> None:
    halves = SurrogateJoiner()
    first = halves.join({"reasoning": "\ud83d", "content": "é"})
    second = halves.join({"reasoning": "\ude00", "content": "\ude00"})
    assert (first, second) == (
        {"reasoning": "", "content": "é"},
        {"reasoning": "😀", "content": "\ufffd"},
    )


@pytest.mark.parametrize(
    ("node", "end"),
    [
        (said("a\ud83d"), "\ufffd"),
        ({"delta": {"refusal": "a\ud83d"}}, "\ufffd"),
        ({"delta": {"content": [{"text": "a\ud83d"}]}}, "\ufffd"),
        ({"delta": {"content": [{"thinking": [{"text": "a\ud83d"}]}]}}, ""),
        ({"delta": {"reasoning": "a\ud83d"}}, ""),
        (said("a"), ""),
    ],
)
def test_a_half_at_the_end_of_what_was_said_is_replaced_once(node: Any, end: str) -> None:
    halves = SurrogateJoiner()
    halves.join(node)
    assert (halves.close(), halves.close()) == (end, "")


@pytest.mark.parametrize("node", [{"model": "m\ud83d"}, {"arguments": {"text": "m\ud83d"}}])
def test_a_text_that_does_not_go_on_is_not_waited_for(node: Any) -> None:
    halves = SurrogateJoiner()
    assert "m\\ufffd" in json.dumps(halves.join(node))
    assert not halves.held


def test_names_of_fields_are_made_whole_too() -> None:
    assert SurrogateJoiner().join({"arguments": {"\ud83d": 1}}) == {"arguments": {"\ufffd": 1}}


def test_only_so_many_halves_are_kept() -> None:
    halves = SurrogateJoiner()
    joined = halves.join([{"text": "\ud83d"}] * 1000)
    assert len(halves.held) == MOST_HELD
    assert sum(each["text"] == "\ufffd" for each in joined) == 1000 - MOST_HELD


@given(st.text("ab\ud83d\ude00é😀", max_size=20), st.integers(0, 20))
def test_however_a_text_is_cut_it_comes_out_whole(text: str, cut: int) -> None:
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    halves = SurrogateJoiner()
    units = text.encode("utf-16-le", "surrogatepass")
    pieces = [
        part.decode("utf-16-le", "surrogatepass") for part in (units[: 2 * cut], units[2 * cut :])
    ]
    joined = "".join(halves.join({"content": piece})["content"] for piece in pieces)
    assert joined + halves.close() == whole


@pytest.mark.parametrize(
    ("arguments", "mended"),
    [
        (r'{"a": "\ud83d"}', r'{"a": "\ufffd"}'),
        (r'{"a": "\uDE00\uD83Dx"}', r'{"a": "\ufffd\ufffdx"}'),
        (r'{"a": "\ud83d\uDE00"}', r'{"a": "\ud83d\uDE00"}'),
        (r'{"a": "\ud83d\ud83d\ude00"}', r'{"a": "\ufffd\ud83d\ude00"}'),
        (r'{"a": "\\ud83d"}', r'{"a": "\\ud83d"}'),
        (r'{"a": "\\\ud83d"}', r'{"a": "\\\ufffd"}'),
        (r'{"a": "\u00e9 😀"}', r'{"a": "\u00e9 😀"}'),
    ],
)
def test_escapes_of_halves_are_replaced_in_json(arguments: str, mended: str) -> None:
    assert replace_lone_surrogates(arguments) == mended

"""Fragments of tool calls, in all the forms that endpoints send."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bot.agent.openai_protocol.call_fragments import (
    LONGEST_NAME,
    MOST_CALLS,
    StreamedCalls,
    is_json_object,
)
from bot.agent.openai_protocol.chunks import CallDelta
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

"""Characters that came in halves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.openai_protocol.chunks import MOST_HELD, SurrogateJoiner, replace_lone_surrogates


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

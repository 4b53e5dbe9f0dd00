"""What is read as JSON though it is none, and what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.tool_calls.lenient_json import (
    DEEPEST,
    Unreadable,
    read_members,
    read_value,
    read_values,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_json_is_read_as_what_it_is(value: object) -> None:
    text = json.dumps(value)
    assert read_value(text) == (value, len(text))


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_what_python_prints_is_read_too(value: dict[str, object]) -> None:
    text = f"{value!r} "
    if "'" not in json.dumps(value):
        assert read_value(text)[0] == value


@given(st.text())
def test_whatever_it_is_nothing_else_is_raised(text: str) -> None:
    read_values(text)
    read_values("{" + text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'b'}", {"a": "b"}),
        ("{'a': 'l'eau, d'ici'}", {"a": "l'eau, d'ici"}),
        ('{"a": 1, "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ("{a: True, b: None, c: false}", {"a": True, "b": None, "c": False}),
        ('{a => "b", "c" = -1.5e3}', {"a": "b", "c": -1500.0}),
        ('{--query "x" --limit 3}', {"query": "x", "limit": 3}),
        ("{“a”: “b”}", {"a": "b"}),
        ("{a: ‘b’}", {"a": "b"}),
        ('{a: "x\ny"}', {"a": "x\ny"}),
        ('{a: """x "y" z"""}', {"a": 'x "y" z'}),
        ("{a: `x`}", {"a": "x"}),
        ('{a: "\\u00e9\\ud83d\\ude00\\n\\q"}', {"a": "é😀\nq"}),
        ('{a: "\\ud83d"}', {"a": "\ufffd"}),
        ("{a: rouge}", {"a": "rouge"}),
        ("{a: .5, b: +3}", {"a": 0.5, "b": 3}),
        ("{}", {}),
    ],
)
def test_what_is_meant_is_read(text: str, value: object) -> None:
    assert read_value(text) == (value, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": "b"',
        '{"a": "b}',
        "{'a': 'b}",
        "{a b}",
        "{a: deux mots}",
        "{1: 2}",
        '{"a": }',
        "[1, 2",
        "{a: “b}",
        '{"a": ' + "9" * 5_000 + "}",
        "{a:" * (DEEPEST + 1) + "1" + "}" * (DEEPEST + 1),
        "[" * 100_000,
    ],
)
def test_what_is_broken_is_not_guessed(text: str) -> None:
    with pytest.raises(Unreadable):
        read_value(text)


def test_all_values_are_found_up_to_a_broken_one() -> None:
    assert read_values('x {"a": 1}, y [2] {b') == ([{"a": 1}, [2]], "{b")


def test_arguments_of_a_python_call_are_read_and_not_run() -> None:
    text = "(query='l'eau', page=2)) "
    assert read_members(text, 0) == ({"query": "l'eau", "page": 2}, len(text) - 2)
    assert read_members('({"query": "x"})', 0) == ({"query": "x"}, 16)
    for broken in ("('x')", "(query=open('x'))", "(a=1", "({'a': 1}, 2)"):
        with pytest.raises(Unreadable):
            read_members(broken, 0)

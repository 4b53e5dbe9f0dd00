from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.mcp_tools import fit_name, read_tools
from bot.contracts.tools import TOOL_NAME

OBJECT = {"type": "object"}
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def listed(**fields: object) -> dict[str, object]:
    return {"name": "tool", "inputSchema": OBJECT} | fields


@pytest.mark.parametrize(
    ("hints", "effect"),
    [
        (None, "once"),
        ({}, "once"),
        ({"readOnlyHint": True}, "read"),
        ({"readOnlyHint": True, "idempotentHint": True}, "read"),
        ({"idempotentHint": True}, "repeatable"),
        ({"readOnlyHint": False, "idempotentHint": False}, "once"),
    ],
)
def test_the_effect_follows_the_hints(hints: object, effect: str) -> None:
    (tool,) = read_tools("a", [listed(annotations=hints)])
    assert tool.effect == effect


def test_a_long_description_is_cut() -> None:
    (tool,) = read_tools("a", [listed(description="d" * 5_000)])
    assert tool.description == "d" * 1_000


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {},
        [],
        None,
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"a": "string"}},
        {"type": "object", "description": "x" * 16_384},
    ],
)
def test_a_schema_that_no_endpoint_takes_leaves_out_its_tool_only(schema: object) -> None:
    tools = read_tools("a", [listed(name="bad", inputSchema=schema), listed()])
    assert [tool.name for tool in tools] == ["tool"]


def test_a_name_that_is_listed_twice_is_taken_once() -> None:
    tools = read_tools("a", [listed(), listed(description="other")])
    assert [tool.description for tool in tools] == [""]


def test_at_most_128_tools_are_taken() -> None:
    assert len(read_tools("a", [listed(name=f"t{n}") for n in range(1_000)])) == 128


@given(st.lists(JSON | st.fixed_dictionaries({"name": JSON, "inputSchema": JSON})))
def test_any_list_can_be_read(entries: list[object]) -> None:
    read_tools("a", entries)


@given(st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), max_size=30))
def test_every_name_fits_and_is_unlike_the_others(pairs: list[tuple[str, str]]) -> None:
    taken: set[str] = set()
    for server, tool in pairs:
        name = fit_name(server, tool, taken)
        assert TOOL_NAME.fullmatch(name)
        assert name not in taken
        taken.add(name)


def test_a_name_that_fits_stays_as_it_is() -> None:
    assert fit_name("web", "search-it", ()) == "web_search-it"
    assert fit_name("web", "search", {"web_search", "web_search_2"}) == "web_search_3"

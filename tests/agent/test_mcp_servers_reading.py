"""Lists of tools and results, as MCP servers write them."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.mcp_servers import fit_name, read_tools, render_result
from bot.contracts.tools import TOOL_NAME

OBJECT = {"type": "object"}
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
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


def of(*parts: object, **fields: object) -> str:
    return render_result({"content": list(parts), **fields})


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def test_texts_are_joined() -> None:
    assert of(text("one"), text("two\nthree")) == "one\ntwo\nthree"


@pytest.mark.parametrize("size", [0, 1, 2, 3, 12_345])
def test_a_picture_is_named_with_its_size(size: int) -> None:
    data = base64.b64encode(bytes(size)).decode()
    part = {"type": "image", "mimeType": "image/png", "data": data}
    assert of(part) == f"[image image/png, {size:,} bytes: not shown]"


def test_what_is_no_text_is_named_in_one_line() -> None:
    shown = of(
        {"type": "audio", "mimeType": "audio/\nwav" + "x" * 900, "data": "AAAA"},
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "a/b", "text": "né"}},
        {"type": "resource", "resource": {"uri": "file:///a", "blob": "AAA="}},
        {"type": "resource_link", "uri": "https://x.example/a"},
        {"type": "hologram"},
        "nonsense",
    )
    first, *others = shown.splitlines()
    assert first.startswith("[audio audio/ wav")
    assert len(first) < 250
    assert others == [
        "[resource file:///a a/b, 3 bytes: not shown]",
        "[resource file:///a unknown, 2 bytes: not shown]",
        "[resource https://x.example/a: not shown]",
        "[hologram: not shown]",
        "[unknown: not shown]",
    ]


def test_structured_content_is_shown_when_there_is_no_text() -> None:
    assert of(structuredContent={"sum": 3}) == '{"sum":3}'
    assert of(text("three"), structuredContent={"sum": 3}) == "three"


def test_nothing_at_all_is_said_to_be_nothing() -> None:
    assert render_result({}) == "[no content]"


def test_parts_without_end_are_counted_only() -> None:
    shown = of(*[{}] * 300_000)
    assert shown.endswith("[299,000 more parts: not shown]")
    assert len(shown) < 30_000


@given(st.dictionaries(st.sampled_from(["content", "structuredContent", "isError"]), JSON))
def test_any_object_can_be_shown(result: dict[str, Any]) -> None:
    assert isinstance(render_result(result), str)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["type", "text", "data", "mimeType", "resource", "uri"]),
            JSON | st.sampled_from(["text", "image", "audio", "resource", "resource_link"]),
        )
    )
)
def test_any_part_can_be_shown(parts: list[dict[str, Any]]) -> None:
    assert isinstance(of(*parts), str)

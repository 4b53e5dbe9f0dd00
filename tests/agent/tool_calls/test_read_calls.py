"""The arguments of a call, in whatever form they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from bot.agent.tool_calls.tool_call_parser import ToolCallParser


def read(markup: str, schema: Mapping[str, Any] | None = None) -> Any:
    """The arguments of the one call in `markup`; the text itself where they cannot be read."""
    calls = ToolCallParser(["save"], native=True, schemas={"save": schema or {}})
    assert calls.feed(markup) + calls.close() == ""
    (call,) = calls.calls
    try:
        return json.loads(call.arguments)
    except ValueError:
        return call.arguments


def value_of(written: str, schema: Mapping[str, Any] | None = None) -> Any:
    markup = f"<invoke name='save'><parameter name='x'>{written}</parameter></invoke>"
    return read(markup, {"properties": {"x": schema or {}}})["x"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5", 5),
        ("\n5\n", 5),
        ("-1.5", -1.5),
        ("007", "007"),
        ("+225 07", "+225 07"),
        ("true", True),
        ("False", False),
        ("None", None),
        ("[1, 2]", [1, 2]),
        ("{'a': 1}", {"a": 1}),
        ("[voir plus]", "[voir plus]"),
        ("{x | x > 0}", "{x | x > 0}"),
        ("\na &lt; b &amp;&#233;&#xE9; \n", "a < b &éé "),
        ("&#xD800;&#0;&copy;", "&#xD800;&#0;&copy;"),
        ("<![CDATA[ 5 ]]>", " 5 "),
        ("<![CDATA[a]] > b]]>", "a]] > b"),
        ("<![CDATA[cut", "cut"),
        ("9" * 30, "9" * 30),
    ],
)
def test_text_becomes_the_value_it_stands_for(written: str, value: object) -> None:
    assert value_of(written) == value


TEXT = {"type": "string"}
MAYBE_TEXT = {"anyOf": [{"type": "string"}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("written", "schema", "value"),
    [
        ("2026", TEXT, "2026"),
        ('{"a": 1}', TEXT, '{"a": 1}'),
        ("true", TEXT, "true"),
        ("  def f():\n    pass\n\n", TEXT, "  def f():\n    pass\n"),
        ("null", TEXT, "null"),
        ("null", MAYBE_TEXT, None),
        ("2026", MAYBE_TEXT, "2026"),
        ("2026", {"type": ["string", "null"]}, "2026"),
        ("2026", {"type": "integer"}, 2026),
        ("FALSE", {"type": "boolean"}, False),
        ("none", {"type": ["integer", "null"]}, None),
        ("none", {"enum": ["dark", "none"]}, "none"),
        ("[1]", {"type": "array"}, [1]),
    ],
)
def test_the_schema_tells_a_text_from_a_number(
    written: str, schema: Mapping[str, Any], value: object
) -> None:
    assert value_of(written, schema) == value


@pytest.mark.parametrize(
    ("inner", "arguments"),
    [
        ("", {}),
        (' {"a": 1} ', {"a": 1}),
        ("```json\n{'a': 1}\n```", {"a": 1}),
        ("<a>1</a><B>x</B>", {"a": 1, "B": "x"}),
        ("<name>Awa</name><a>1</a>", {"name": "Awa", "a": 1}),
        ('<parameter name="a">1</parameter>', {"a": 1}),
        ("<parameter=a>1</parameter>", {"a": 1}),
        ('<parameter name="a" string="true">1</parameter>', {"a": "1"}),
        ("<parameter=a>1<parameter=b>2</parameter>", {"a": 1, "b": 2}),
        ("<arguments><a>1</a></arguments>", {"a": 1}),
        ("<arguments>{'a': 1}</arguments>", {"a": 1}),
        ("<parameter name='arguments'>{'a': 1}</parameter>", {"a": 1}),
        ("<arg_key>a</arg_key><arg_value>1</arg_value>", {"a": 1}),
        ("<arg_key>a</arg_key>\nx y</arg_value><arg_key>b<arg_value>2", {"a": "x y", "b": 2}),
        ("<arg_key>a</arg_key><arg_value>&lt; </arg_value>", {"a": "&lt; "}),
        ("<a>1</a", {"a": 1}),
        ("<a>x <b>y</b></a>", {"a": "x <b>y</b>"}),
        ("<arguments><name>Awa</name><input>x</input></arguments>", {"name": "Awa", "input": "x"}),
        ("des mots", "des mots"),
        ('{"a": 1', '{"a": 1'),
    ],
)
def test_arguments_are_read_in_any_form(inner: str, arguments: object) -> None:
    assert read(f"<invoke name='save'>{inner}</invoke>") == arguments


def test_arguments_may_be_attributes() -> None:
    assert read("<Tool Name=\"save\" b='c' d=e/>") == {"b": "c", "d": "e"}


def test_spellings_go_from_markup_and_stay_in_text() -> None:
    inner = "<x>le <svg:rect/></x><｜DSML｜parameter name='a'>1</｜DSML｜parameter>"
    assert read(f"<m:invoke name='save'>{inner}</m:invoke>") == {"x": "le <svg:rect/>", "a": 1}

"""XML as models write it."""

from __future__ import annotations

import pytest

from bot.agent.calls_in_prose.lenient_xml import (
    find_elements,
    parse_arguments,
    parse_value,
    strip_namespaces,
)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5", 5),
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
        ("\n a &lt; b &amp;&#233;&#xE9; \n", "a < b &éé"),
        ("&#xD800;&#0;&copy;", "&#xD800;&#0;&copy;"),
        ("<![CDATA[ 5 ]]>", " 5 "),
        ("<![CDATA[a]] > b]]>", "a]] > b"),
        ("<![CDATA[cut", "cut"),
        ("9" * 30, "9" * 30),
    ],
)
def test_text_becomes_the_value_it_stands_for(written: str, value: object) -> None:
    assert parse_value(written) == value


@pytest.mark.parametrize(
    ("inner", "arguments"),
    [
        ("", {}),
        (' {"a": 1} ', {"a": 1}),
        ("```json\n{'a': 1}\n```", {"a": 1}),
        ("<a>1</a><B>x</B>", {"a": 1, "B": "x"}),
        ('<parameter name="a">1</parameter>', {"a": 1}),
        ("<parameter=a>1</parameter>", {"a": 1}),
        ('<parameter name="a" string="true">1</parameter>', {"a": "1"}),
        ("<parameter=a>1<parameter=b>2", {"a": 1, "b": 2}),
        ("<arguments><a>1</a></arguments>", {"a": 1}),
        ("<arguments>{'a': 1}</arguments>", {"a": 1}),
        ("<arg_key>a</arg_key><arg_value>1</arg_value>", {"a": 1}),
        ("<a>1</a", {"a": 1}),
        ("<a>x <b>y</b></a>", {"a": "x <b>y</b>"}),
        ("<arguments><name>Awa</name><input>x</input></arguments>", {"name": "Awa", "input": "x"}),
        ("des mots", None),
        ('{"a": 1', None),
        ("[1]", None),
    ],
)
def test_arguments_are_read_in_any_form(inner: str, arguments: object) -> None:
    assert parse_arguments(inner) == arguments


def test_an_element_knows_its_attributes() -> None:
    (element,) = find_elements("<Tool Name=\"a\" b='c' d=e/>")
    assert (element.name, element.attributes) == ("tool", {"name": "a", "b": "c", "d": "e"})


def test_namespaces_go_from_markup_and_stay_in_text() -> None:
    text = "<invoke name='a'><svg:rect/></invoke><｜DSML｜parameter></｜DSML｜parameter>"
    assert strip_namespaces(text) == (
        "<invoke name='a'><svg:rect/></invoke><parameter></parameter>"
    )

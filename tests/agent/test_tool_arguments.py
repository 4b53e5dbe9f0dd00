"""Arguments as models write them, against what tools want."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from bot.agent.tool_arguments import read_arguments
from bot.contracts.tools import Tool
from bot.errors import ToolFailed
from tests.support.tool_arguments import SAMPLES
from tools import TOOLS

TOOL_OF = {tool.name: tool for tool in TOOLS}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_what_may_be_left_out_may_be_null(tool: Tool[Any]) -> None:
    """Models that fill in every argument write null for those they have nothing for."""
    sample = SAMPLES[tool.name]
    needed = tool.spec.parameters.get("required") or ()
    others = [name for name in tool.spec.parameters["properties"] if name not in needed]
    bare = {name: value for name, value in sample.items() if name in needed}
    assert read(tool, bare | dict.fromkeys(others)) == read(tool, bare)


def read(tool: Tool[Any], arguments: dict[str, Any]) -> object:
    """The arguments as the tool takes them, or why it does not."""
    try:
        return read_arguments(tool, json.dumps(arguments))
    except ToolFailed as refused:
        return str(refused)


def test_a_null_deep_inside_counts_as_left_out_too() -> None:
    slide = {"title": "Water", "bullets": None, "table": None, "notes": None}
    given = {"filename": "f", "title": "Physics", "slides": [slide]}
    bare = {"filename": "f", "title": "Physics", "slides": [{"title": "Water"}]}
    tool = TOOL_OF["generate_pptx"]
    assert read_arguments(tool, json.dumps(given)) == read_arguments(tool, json.dumps(bare))


def test_a_null_for_what_is_needed_is_told_as_missing() -> None:
    with pytest.raises(ToolFailed, match="title: Field required"):
        read_arguments(TOOL_OF["create_task"], '{"title": null}')


def test_a_null_in_a_list_is_refused_where_it_is() -> None:
    with pytest.raises(ToolFailed, match=r"slides\.0"):
        read_arguments(
            TOOL_OF["generate_pptx"], '{"filename": "f", "title": "Physics", "slides": [null]}'
        )


def test_a_number_for_a_text_is_written_out() -> None:
    tool = TOOL_OF["give_exercise"]
    sample: dict[str, Any] = {**SAMPLES["give_exercise"], "kind": "number"}
    given = sample | {"solution": [56, 5.5], "hints": ["Count.", 7]}
    written = sample | {"solution": ["56", "5.5"], "hints": ["Count.", "7"]}
    assert read(tool, given) == read(tool, written)
    assert read(tool, sample | {"solution": 56}) == read(tool, sample | {"solution": "56"})
    assert "solution" in str(read(tool, sample | {"solution": True}))
    assert "tolerance" in str(read(tool, sample | {"tolerance": -1}))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_form_that_a_wrong_call_is_taught_is_right(tool: Tool[Any]) -> None:
    with pytest.raises(ToolFailed) as refused:
        read_arguments(tool, "[]")
    form = str(refused.value).partition(f"{tool.name} ")[2]
    assert read_arguments(tool, form)


def test_slides_are_taught_with_a_slide() -> None:
    with pytest.raises(ToolFailed, match=r'"slides":\[\{"title":"…"\}\]'):
        read_arguments(TOOL_OF["generate_pptx"], "{")


class Pair(BaseModel):
    """Two numbers."""

    pair: tuple[int, int]


@pytest.mark.parametrize("given", ["[1]", "[]", "[1, null]", "null"])
def test_what_is_missing_in_a_list_is_told(given: str) -> None:
    tool = replace(TOOL_OF["create_task"], arguments=Pair)
    with pytest.raises(ToolFailed, match=r"Wrong arguments\. pair"):
        read_arguments(tool, f'{{"pair": {given}}}')


def test_no_class_of_ours_is_named() -> None:
    sheet = {"name": "Stock", "columns": ["Article"], "rows": []}
    with pytest.raises(ToolFailed, match=r"columns\.0: Input should be an object") as refused:
        read_arguments(TOOL_OF["generate_xlsx"], json.dumps({"filename": "f", "sheets": [sheet]}))
    assert "_Column" not in str(refused.value)


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}])
def test_a_cell_is_one_value(cell: object) -> None:
    sheet = {"name": "Stock", "columns": [{"header": "Article"}], "rows": [["riz"], [cell]]}
    with pytest.raises(ToolFailed, match="in row 2 of the sheet 'Stock' a cell is a list"):
        read_arguments(TOOL_OF["generate_xlsx"], json.dumps({"filename": "f", "sheets": [sheet]}))

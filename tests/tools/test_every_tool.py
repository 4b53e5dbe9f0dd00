"""What holds for every tool: a new one joins by being listed, an unlisted file fails."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from pydantic import ValidationError

import tools
from bot.contracts import TOOL_NAME, Tool
from tools import TOOLS

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
_WRONG_TYPES = {
    "string": [12, ["a"], {"a": 1}],
    "integer": ["many", "1", [1]],
    "number": ["many", [1]],
    "boolean": ["perhaps", [True]],
    "array": ["a", 12],
    "object": ["a", 12],
}


def test_every_file_in_the_folder_is_listed_under_its_name() -> None:
    files = {path.stem for path in Path(tools.__file__).parent.glob("[!_]*.py")}
    assert files == {tool.name for tool in TOOLS}


def test_no_tool_is_listed_twice() -> None:
    assert len({tool.name for tool in TOOLS}) == len(TOOLS)


@every_tool
def test_file_function_and_tool_share_one_name(tool: Tool[Any]) -> None:
    assert TOOL_NAME.fullmatch(tool.name)
    assert tool.function.__module__ == f"tools.{tool.name}"
    assert tool.arguments.__name__ == "".join(word.title() for word in tool.name.split("_"))
    assert inspect.iscoroutinefunction(tool.function)


@every_tool
def test_the_description_tells_a_model_when_to_use_it_and_when_not(tool: Tool[Any]) -> None:
    assert 80 < len(tool.spec.description) < 1_000
    assert re.search(r"\b(Use it|Use this)\b", tool.spec.description)
    assert re.search(r"\b(Not|Never|never|not)\b", tool.spec.description)


@every_tool
def test_the_schema_is_an_object_whose_fields_are_described(tool: Tool[Any]) -> None:
    schema = tool.spec.parameters
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["properties"]
    for name, field in schema["properties"].items():
        assert len(field.get("description", "")) > 10, name


@every_tool
def test_the_encoded_entry_is_what_a_chat_completion_takes(tool: Tool[Any]) -> None:
    entry = msgspec.json.decode(tool.spec.encoded)
    assert entry["type"] == "function"
    assert entry["function"]["name"] == tool.name


@every_tool
def test_arguments_of_a_wrong_type_are_refused(tool: Tool[Any]) -> None:
    for name, field in tool.spec.parameters["properties"].items():
        for value in _WRONG_TYPES.get(field.get("type", ""), []):
            with pytest.raises(ValidationError) as refused:
                tool.arguments.model_validate({name: value})
            assert (name,) in {error["loc"][:1] for error in refused.value.errors()}, (name, value)


@every_tool
def test_an_unknown_extra_argument_is_ignored(tool: Tool[Any]) -> None:
    wrong: set[int | str] = set()
    try:
        tool.arguments.model_validate({"surely_unknown": 1})
    except ValidationError as refused:
        wrong = {error["loc"][0] for error in refused.errors()}
    assert wrong == set(tool.spec.parameters.get("required", ()))


@every_tool
def test_who_may_how_long_and_how_much_are_set(tool: Tool[Any]) -> None:
    assert tool.modes
    assert set(tool.modes) <= {"child", "pro"}  # a guest has no mode of its own, and no tools
    assert tool.effect in {"read", "repeatable", "once"}
    assert 0 < tool.timeout <= 60
    assert 0 < tool.max_result <= 16_000


@every_tool
def test_people_see_a_short_line_while_it_runs(tool: Tool[Any]) -> None:
    assert re.fullmatch(r"[A-Z].{3,38}…", tool.label)

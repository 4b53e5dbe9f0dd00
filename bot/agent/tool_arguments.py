"""Read and check the arguments of a tool call; for wrong ones, show a right call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec
from pydantic import BaseModel, ValidationError

from bot.contracts.tools import Tool
from bot.errors import ToolFailed

_MOST_WRONG = 8
_WORDS: Mapping[str, str] = {"model_type": "Input should be an object"}
"""Messages in place of pydantic's own, which name a class of ours."""
_EXAMPLES: Mapping[str, object] = {"string": "…", "number": 1.0, "boolean": True}
_MOST_ITEMS = 3
"""Most items of a list in an example; a longer list would not be clearer."""
_DEEPEST = 6


def read_arguments(tool: Tool[Any], arguments: str) -> BaseModel:
    """Return the arguments as an instance of the tool's own class.

    Raises:
        ToolFailed: they do not fit; the message says why, and shows a right call.
    """
    try:
        values: object = msgspec.json.decode(arguments or "{}")
        values = _strip_nul(values) if "\\u0000" in arguments else values
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ToolFailed(
            f"The arguments are not valid JSON: {error}. {_show_correct_call(tool)}"
        ) from None
    if not isinstance(values, dict):
        raise ToolFailed(f"The arguments must be a JSON object. {_show_correct_call(tool)}")
    return _validate(tool, cast("dict[str, Any]", values))


def _validate(tool: Tool[Any], values: dict[str, Any]) -> BaseModel:
    """Validate the values. A null that the class does not allow counts as an argument left out, a
    number in place of a text as that text."""
    try:
        return tool.arguments.model_validate(values)
    except ValidationError as error:
        if _leave_out_nulls(values, error) or _write_numbers_out(values, error):
            return _validate(tool, values)
        wrong = "; ".join(
            f"{'.'.join(str(step) for step in item['loc']) or 'arguments'}: "
            f"{_WORDS.get(item['type'], item['msg'])}"
            for item in error.errors(include_input=False, include_url=False)[:_MOST_WRONG]
        )
        raise ToolFailed(f"Wrong arguments. {wrong}. {_show_correct_call(tool)}") from None


def _leave_out_nulls(values: dict[str, Any], error: ValidationError) -> bool:
    """Delete from the objects in `values` each null that was refused; return whether there was
    one."""
    found = False
    for item in error.errors(include_url=False):
        within: Any = values
        for step in item["loc"]:
            if isinstance(within, dict):
                fields = cast("dict[str, Any]", within)
                if step in fields and fields[str(step)] is None:
                    del fields[str(step)]
                    found = True
                    break
                within = fields.get(str(step), within)
            elif isinstance(within, list) and isinstance(step, int):
                items = cast("list[Any]", within)
                within = items[step] if step < len(items) else None
    return found


def _write_numbers_out(values: dict[str, Any], error: ValidationError) -> bool:
    """Replace each number in `values` that was refused for a text by its digits; return whether
    there was one."""
    found = False
    for item in error.errors(include_url=False):
        if item["type"] != "string_type":
            continue
        within: Any = values
        for step in item["loc"]:
            try:
                held = within[step]
            except (KeyError, IndexError, TypeError):  # the step names one type of a union
                continue
            if isinstance(held, int | float) and not isinstance(held, bool):
                within[step], found = str(held), True
            within = held
    return found


def _strip_nul(value: Any) -> Any:
    """Remove NUL characters, which text in a database cannot hold."""
    match value:
        case str():
            return value.replace("\0", "")
        case list():
            return [_strip_nul(item) for item in cast("list[Any]", value)]
        case dict():
            fields = cast("dict[str, Any]", value)
            return {key: _strip_nul(item) for key, item in fields.items()}
        case _:
            return value


def _show_correct_call(tool: Tool[Any]) -> str:
    """Write a right call: its required arguments, or the first if none is required."""
    schema = cast("Mapping[str, Any]", msgspec.to_builtins(tool.spec.parameters))
    example = msgspec.json.encode(_example_of_object(schema, 0)).decode()
    return f"Call it again like this: {tool.name} {example}"


def _example_of(schema: object, depth: int) -> object:
    """Return the shortest value that fits a JSON schema, perhaps one of another server."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "…"
    schema = cast("Mapping[str, Any]", schema)
    for key in ("enum", "anyOf", "oneOf"):
        choices: object = schema.get(key)
        if isinstance(choices, list) and choices:
            first = cast("list[object]", choices)[0]
            return first if key == "enum" else _example_of(first, depth + 1)
    match schema.get("type"):
        case "array":
            size = min(_whole(schema.get("minItems")), _MOST_ITEMS)
            item = _example_of(schema.get("items"), depth + 1)
            differ = size > 1 and isinstance(item, str)
            return [f"{item} {n}" if differ else item for n in range(1, size + 1)]
        case "object":
            return _example_of_object(schema, depth)
        case "integer":
            return _whole(schema.get("minimum"))
        case kind:
            return _EXAMPLES.get(str(kind), "…")


def _example_of_object(schema: Mapping[str, Any], depth: int) -> dict[str, object]:
    properties: Mapping[str, Any] = schema.get("properties") or {}
    shown = schema.get("required") or list(properties)[:1]
    return {name: _example_of(properties.get(name), depth + 1) for name in shown}


def _whole(least: object) -> int:
    return max(1, least) if isinstance(least, int) else 1

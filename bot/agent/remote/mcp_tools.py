"""What an MCP server lists, as tools that fit our toolbox and every model's endpoint."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec
import structlog

from bot.contracts import Effect

MAX_TOOLS = 128
"""Tools taken from one server."""
_MAX_NAME = 64
"""Characters of a tool's name, as `bot.contracts.TOOL_NAME` has it."""
_MAX_DESCRIPTION = 1_000
_MAX_SCHEMA = 16 * 1024
_MAX_OWN_NAME = 500
_UNFIT = re.compile(r"[^a-zA-Z0-9_-]")
_log = structlog.get_logger()


@dataclass(frozen=True)
class Offered:
    """One tool as its server offers it."""

    name: str
    """The server's own name for it."""
    description: str
    parameters: Mapping[str, Any]
    effect: Effect


class _Hints(msgspec.Struct, rename="camel"):
    read_only_hint: bool | None = None
    idempotent_hint: bool | None = None


class _Listed(msgspec.Struct, rename="camel"):
    name: str
    input_schema: dict[str, Any]
    description: str | None = None
    annotations: _Hints | None = None


def read_tools(server: str, listed: Sequence[object]) -> tuple[Offered, ...]:
    """The usable ones among a server's `tools/list` entries, at most `MAX_TOOLS`.

    An entry of the wrong form is left out with a warning, and does not cost the others: no name, an
    input schema that is not that of an object, or one larger than 16 KB.
    """
    offered: dict[str, Offered] = {}
    for entry in listed[: 2 * MAX_TOOLS]:
        if (tool := _read_tool(server, entry)) is not None:
            offered.setdefault(tool.name, tool)
    if len(listed) > MAX_TOOLS:
        _log.warning("mcp_too_many_tools", server=server, listed=len(listed), taken=MAX_TOOLS)
    return tuple(offered.values())[:MAX_TOOLS]


def fit_name(server: str, tool: str, taken: Collection[str]) -> str:
    """`{server}_{tool}` as endpoints accept it; one that is taken already gets a number."""
    base = _UNFIT.sub("_", f"{server}_{tool}")[:_MAX_NAME]
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base[: _MAX_NAME - len(str(number)) - 1]}_{number}"
    return name


def _read_tool(server: str, entry: object) -> Offered | None:
    try:
        tool = msgspec.convert(entry, _Listed)
        _check(tool)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        name = cast("dict[str, object]", entry).get("name") if isinstance(entry, dict) else None
        _log.warning("mcp_tool_left_out", server=server, tool=str(name)[:64], reason=str(error))
        return None
    return Offered(
        tool.name, (tool.description or "")[:_MAX_DESCRIPTION], tool.input_schema, _effect(tool)
    )


def _check(tool: _Listed) -> None:
    if not 0 < len(tool.name) <= _MAX_OWN_NAME:
        raise ValueError(f"its name is not of 1 to {_MAX_OWN_NAME} characters")
    schema = tool.input_schema
    if schema.get("type") != "object" or not _is_mapping(schema.get("properties", {})):
        raise ValueError("its input schema is not that of an object")
    if len(msgspec.json.encode(schema)) > _MAX_SCHEMA:
        raise ValueError("its input schema is larger than 16 KB")


def _is_mapping(properties: object) -> bool:
    """Whether each property has a schema: endpoints refuse a whole request for one that has not."""
    if not isinstance(properties, dict):
        return False
    schemas = cast("dict[str, object]", properties).values()
    return all(isinstance(schema, dict | bool) for schema in schemas)


def _effect(tool: _Listed) -> Effect:
    hints = tool.annotations or _Hints()
    if hints.read_only_hint:
        return "read"
    return "repeatable" if hints.idempotent_hint else "once"

"""Read the tools that an MCP server offers and its results, as tools and texts of ours."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec
import structlog

from bot.contracts.tools import Effect

_log = structlog.get_logger()

MAX_TOOLS = 128
"""Tools taken from one server."""
_MAX_NAME = 64
"""Characters of a tool's name, the same as in `bot.contracts.tools.TOOL_NAME`."""
_MAX_DESCRIPTION = 1_000
_MAX_SCHEMA = 16 * 1024
_MAX_OWN_NAME = 500
_UNFIT = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True)
class OfferedTool:
    """One tool as its server offers it."""

    name: str
    """The server's own name for it."""
    description: str
    parameters: Mapping[str, Any]
    effect: Effect


class _Hints(msgspec.Struct, rename="camel"):
    read_only_hint: bool | None = None
    idempotent_hint: bool | None = None


class _ListedTool(msgspec.Struct, rename="camel"):
    name: str
    input_schema: dict[str, Any]
    description: str | None = None
    annotations: _Hints | None = None


def read_tools(server: str, listed: Sequence[object]) -> tuple[OfferedTool, ...]:
    """Read the usable entries of a server's `tools/list`, at most `MAX_TOOLS`.

    An unusable entry is left out with a warning, and the others are kept. Unusable are entries
    without a name, with an input schema that is not that of an object, or with one larger than 16
    KB.
    """
    offered: dict[str, OfferedTool] = {}
    for entry in listed[: 2 * MAX_TOOLS]:
        if (tool := _read_tool(server, entry)) is not None:
            offered.setdefault(tool.name, tool)
    if len(listed) > MAX_TOOLS:
        _log.warning("mcp_too_many_tools", server=server, listed=len(listed), taken=MAX_TOOLS)
    return tuple(offered.values())[:MAX_TOOLS]


def fit_name(server: str, tool: str, taken: Collection[str]) -> str:
    """Return `{server}_{tool}` in a form that endpoints accept, with a number if it is taken."""
    base = _UNFIT.sub("_", f"{server}_{tool}")[:_MAX_NAME]
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base[: _MAX_NAME - len(str(number)) - 1]}_{number}"
    return name


def _read_tool(server: str, entry: object) -> OfferedTool | None:
    try:
        tool = msgspec.convert(entry, _ListedTool)
        _check(tool)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        name = cast("dict[str, object]", entry).get("name") if isinstance(entry, dict) else None
        _log.warning("mcp_tool_left_out", server=server, tool=str(name)[:64], reason=str(error))
        return None
    return OfferedTool(
        tool.name, (tool.description or "")[:_MAX_DESCRIPTION], tool.input_schema, _effect(tool)
    )


def _check(tool: _ListedTool) -> None:
    if not 0 < len(tool.name) <= _MAX_OWN_NAME:
        raise ValueError(f"its name is not of 1 to {_MAX_OWN_NAME} characters")
    schema = tool.input_schema
    if schema.get("type") != "object" or not _is_mapping(schema.get("properties", {})):
        raise ValueError("its input schema is not that of an object")
    if len(msgspec.json.encode(schema)) > _MAX_SCHEMA:
        raise ValueError("its input schema is larger than 16 KB")


def _is_mapping(properties: object) -> bool:
    """Return whether each property has a schema: endpoints refuse a request in which one has
    none."""
    if not isinstance(properties, dict):
        return False
    schemas = cast("dict[str, object]", properties).values()
    return all(isinstance(schema, dict | bool) for schema in schemas)


def _effect(tool: _ListedTool) -> Effect:
    hints = tool.annotations or _Hints()
    if hints.read_only_hint:
        return "read"
    return "repeatable" if hints.idempotent_hint else "once"


_MAX_PARTS = 1_000
_MAX_SHOWN_NAME = 200
"""Characters shown of a type or an address."""


def render_result(result: Mapping[str, Any]) -> str:
    """Write the content of a `tools/call` result as text for the model."""
    content = result.get("content")
    parts = cast("list[object]", content) if isinstance(content, list) else []
    shown = [_render_part(part) for part in parts[:_MAX_PARTS]]
    if len(parts) > _MAX_PARTS:
        shown.append(f"[{len(parts) - _MAX_PARTS:,} more parts: not shown]")
    structured = result.get("structuredContent")
    if structured is not None and not any(map(_is_text, parts)):
        shown.append(_encode(structured))
    return "\n".join(shown) or "[no content]"


def _is_text(part: object) -> bool:
    return _as_object(part).get("type") == "text"


def _as_object(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _render_part(content: object) -> str:
    part = _as_object(content)
    kind = part.get("type")
    if kind == "text" and isinstance(text := part.get("text"), str):
        return text
    if kind in ("image", "audio"):
        return (
            f"[{kind} {_shorten_name(part.get('mimeType'))}, {_count_bytes(part)} bytes: not shown]"
        )
    if kind == "resource":
        return _render_resource(_as_object(part.get("resource")))
    if kind == "resource_link":
        return f"[resource {_shorten_name(part.get('uri'))}: not shown]"
    return f"[{_shorten_name(kind)}: not shown]"


def _render_resource(resource: Mapping[str, Any]) -> str:
    kind = _shorten_name(resource.get("mimeType"))
    size = _count_bytes({"data": resource.get("blob"), "text": resource.get("text")})
    return f"[resource {_shorten_name(resource.get('uri'))} {kind}, {size} bytes: not shown]"


def _count_bytes(part: Mapping[str, Any]) -> str:
    """Return the number of bytes of base64 `data` once decoded, else of `text`."""
    if isinstance(data := part.get("data"), str):
        return f"{len(data) * 3 // 4 - data[-2:].count('='):,}"
    text = part.get("text")
    return f"{len(text.encode(errors='replace')):,}" if isinstance(text, str) else "0"


def _shorten_name(value: object) -> str:
    return " ".join(value[:_MAX_SHOWN_NAME].split()) if isinstance(value, str) else "unknown"


def _encode(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return "[structured content: not readable]"

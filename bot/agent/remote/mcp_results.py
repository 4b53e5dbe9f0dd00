"""What an MCP server's tool gave, as text for the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

_MAX_PARTS = 1_000
_MAX_NAME = 200
"""Characters shown of a type or an address."""


def render_result(result: Mapping[str, Any]) -> str:
    """The content of a `tools/call` result: texts joined, what is no text named in a line each, the
    structured content as JSON when there is no text. Takes any JSON object, and never raises."""
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
        return f"[{kind} {_name(part.get('mimeType'))}, {_count_bytes(part)} bytes: not shown]"
    if kind == "resource":
        return _render_resource(_as_object(part.get("resource")))
    if kind == "resource_link":
        return f"[resource {_name(part.get('uri'))}: not shown]"
    return f"[{_name(kind)}: not shown]"


def _render_resource(resource: Mapping[str, Any]) -> str:
    kind = _name(resource.get("mimeType"))
    size = _count_bytes({"data": resource.get("blob"), "text": resource.get("text")})
    return f"[resource {_name(resource.get('uri'))} {kind}, {size} bytes: not shown]"


def _count_bytes(part: Mapping[str, Any]) -> str:
    """The size of base64 `data` once decoded, else that of `text`."""
    if isinstance(data := part.get("data"), str):
        return f"{len(data) * 3 // 4 - data[-2:].count('='):,}"
    text = part.get("text")
    return f"{len(text.encode(errors='replace')):,}" if isinstance(text, str) else "0"


def _name(value: object) -> str:
    return " ".join(value[:_MAX_NAME].split()) if isinstance(value, str) else "unknown"


def _encode(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return "[structured content: not readable]"

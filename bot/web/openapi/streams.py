"""Event streams, described event by event, as OpenAPI's readers take them: the fields of one."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from bot.events import Event
from bot.web.openapi.operation import JSON

Schema = dict[str, Any]
_DONE = "[DONE]"


def describe_events() -> Schema:
    """Those of a turn, by name; `end` is always the last."""
    return {"oneOf": [_describe(kind) for kind in get_args(Event)]}


def describe_chunks() -> Schema:
    """Those of a completion: `chat.completion.chunk`s, at last `[DONE]`; or an error."""
    chunk = {"type": "string", "contentMediaType": JSON, "contentSchema": {"type": "object"}}
    data = {"anyOf": [{"const": _DONE}, chunk]}
    return {"type": "object", "properties": {"data": data}, "required": ["data"]}


def _describe(kind: type[msgspec.Struct]) -> Schema:
    name = kind.__struct_config__.tag
    fields = msgspec.json.schema(kind)["$defs"][kind.__name__]
    del fields["properties"]["event"]
    fields["required"].remove("event")
    data = {"type": "string", "contentMediaType": JSON, "contentSchema": fields}
    return {
        "type": "object",
        "properties": {"event": {"const": name}, "data": data},
        "required": ["event", "data"],
    }

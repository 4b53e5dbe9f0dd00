"""Encode a model request as an OpenAI-compatible chat completion request. Pure.

Form: https://platform.openai.com/docs/api-reference/chat/create. For a model without tool calls a
conversation with tools is rewritten as plain text first; calls, earlier ones too, are written in
the one form that the model is told to use.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

import msgspec

from bot.agent.openai_protocol.chunks import is_json_object
from bot.contracts.models import ModelRequest
from bot.contracts.tools import TOOL_NAME, ToolSpec, to_tool_name
from bot.messages.transcript import (
    AssistantMessage,
    Media,
    Message,
    Part,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)

_ENCODER = msgspec.json.Encoder()


def encode_request(
    request: ModelRequest,
    *,
    model: str,
    endpoint: str,
    images: Mapping[str, bytes],
    with_tools: bool = True,
) -> bytes:
    """Encode the request body for `model` at `endpoint`; it always asks for a stream with usage.

    Args:
        images: contents by file id; an image that is not among them is only mentioned in text.
        with_tools: False leaves the tools out, for endpoints that refuse `tool_choice: "none"`.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": _encode_messages(request.messages, endpoint, images),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools and with_tools:
        body["tools"] = [msgspec.Raw(tool.encoded) for tool in request.tools]
        if request.tool_choice == "none":
            body["tool_choice"] = "none"
    return _ENCODER.encode(body)


def find_images(messages: Sequence[Message]) -> list[Media]:
    """Return the images that the messages show, in order."""
    return [
        part
        for message in messages
        if isinstance(message, UserMessage)
        for part in message.parts
        if isinstance(part, Media) and part.kind == "image"
    ]


def _encode_messages(
    messages: Sequence[Message], endpoint: str, images: Mapping[str, bytes]
) -> list[dict[str, Any]]:
    # Reasoning is sent back only after the person's last message.
    positions = range(len(messages) - 1, -1, -1)
    start = next((at for at in positions if isinstance(messages[at], UserMessage)), -1)
    fresh = [*map(_without_reasoning, messages[: start + 1]), *messages[start + 1 :]]
    encoded: list[dict[str, Any]] = []
    for message in fold_system_messages(fresh):
        match message:
            case SystemMessage(text):
                encoded.append({"role": "system", "content": text})
            case UserMessage(parts):
                encoded.append({"role": "user", "content": _encode_parts(parts, images)})
            case AssistantMessage():
                echoes = message.endpoint == endpoint
                encoded.append(_encode_assistant(message, echoes=echoes))
            case ToolResult(call_id, _, text):
                encoded.append({"role": "tool", "tool_call_id": call_id, "content": text})
    return encoded


def fold_system_messages(messages: Sequence[Message]) -> list[Message]:
    """Keep one system message, at the start, because many models' templates refuse others.

    The text of a later one is put above the person's next message, or becomes a message of its own.
    """
    first = next((at for at, m in enumerate(messages) if not isinstance(m, SystemMessage)), 0)
    head = _join_notes(messages[:first])
    folded: list[Message] = [SystemMessage(head)] if head else []
    notes: list[Message] = []
    for message in messages[first:]:
        if isinstance(message, SystemMessage):
            notes.append(message)
        elif isinstance(message, UserMessage):
            above = _join_notes(notes)
            folded.append(UserMessage((Text(f"{above}\n"), *message.parts)) if above else message)
            notes.clear()
        else:
            folded.append(message)
    return [*folded, UserMessage((Text(_join_notes(notes)),))] if notes else folded


def _join_notes(notes: Sequence[Message]) -> str:
    return "\n\n".join(note.text for note in notes if isinstance(note, SystemMessage))


def _without_reasoning(message: Message) -> Message:
    if isinstance(message, AssistantMessage) and message.reasoning:
        return msgspec.structs.replace(message, reasoning="")
    return message


def _encode_assistant(message: AssistantMessage, *, echoes: bool) -> dict[str, Any]:
    encoded: dict[str, Any] = {"role": "assistant", "content": message.text}
    if message.tool_calls:
        encoded["content"] = message.text or None
        encoded["tool_calls"] = [_encode_call(call) for call in message.tool_calls]
    if echoes and message.reasoning:
        encoded["reasoning_content"] = message.reasoning
    return encoded


def _encode_call(call: ToolCall) -> dict[str, Any]:
    """Encode the call in a form that endpoints accept. An invented name or broken arguments would
    have the whole request refused; the tool's result already says what was wrong."""
    name = call.name
    if not TOOL_NAME.fullmatch(name):
        name = to_tool_name(name) or "unknown"
    arguments = call.arguments if is_json_object(call.arguments) else "{}"
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _encode_parts(parts: Sequence[Part], images: Mapping[str, bytes]) -> str | list[dict[str, Any]]:
    if not any(isinstance(part, Media) and part.file_id in images for part in parts):
        return "\n".join(part.text if isinstance(part, Text) else part.mention for part in parts)
    return [_encode_part(part, images) for part in parts]


def _encode_part(part: Part, images: Mapping[str, bytes]) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    content = images.get(part.file_id)
    if content is None:
        return {"type": "text", "text": part.mention}
    picture = base64.b64encode(content).decode()
    url = f"data:{part.mime_type or 'image/jpeg'};base64,{picture}"
    return {"type": "image_url", "image_url": {"url": url}}


# Tools in plain text -----------------------------------------------------------------------------

DEEPEST = 4
"""Levels of a schema that are described; below them an object is just an object."""
MOST_NODES = 300
"""Parts of one tool's schema that are described: a reference may be followed again and again."""
LONGEST_CONSTRAINT = 500
"""Most characters of a list of values, a pattern or a default."""
_HOW_TO_CALL = """\
# Tools

You may use the tools below. To use one or several, answer with one JSON object of exactly this \
form, and write nothing else:
{example}
Their results come in the next message: wait for them, and never invent a result. Use only these \
tools, with the arguments listed. When you need no tool, answer in plain words, without JSON.

{tools}"""
_ANSWER_NOW = "Answer now, in plain words, with what you have. Do not call any tool."
_RESULTS = "Results of your tool calls (not written by the person):"
_END_TAG = re.compile(r"<(?=\s{0,9}/\s{0,9}result)", re.IGNORECASE)
Schema = dict[str, Any]


def rewrite_without_tools(request: ModelRequest) -> ModelRequest:
    """Rewrite the request for a model without native tool calls: the text describes the tools."""
    closing = request.tool_choice == "none"
    messages = flatten_tool_messages(
        fold_system_messages(request.messages), request.tools, may_call=not closing
    )
    return replace(request, messages=messages, tools=())


def flatten_tool_messages(
    messages: Sequence[Message], tools: Sequence[ToolSpec], *, may_call: bool = True
) -> list[Message]:
    """Return the conversation with its tool calls and results written as text.

    The description of `tools` follows the text of the first system message (one is made if there is
    none); for the same tools it is the same to the byte. Neighbouring user messages become one,
    since many models' templates refuse two of them in a row; their pictures stay.

    Args:
        may_call: False adds, at the end of the description, that the model must answer now.
    """
    written: list[Message] = []
    for is_results, group in itertools.groupby(messages, lambda m: isinstance(m, ToolResult)):
        if is_results:
            results = map(_write_result, cast("Iterable[ToolResult]", group))
            _append_message(written, UserMessage((Text("\n".join([_RESULTS, *results])),)))
            continue
        for message in group:
            _append_message(written, _write_calls(message))
    if tools:
        description = _describe_tools(tuple(tool.encoded for tool in tools))
        _add_instruction(written, description if may_call else f"{description}\n\n{_ANSWER_NOW}")
    return written


def _append_message(written: list[Message], message: Message) -> None:
    last = written[-1] if written else None
    if isinstance(last, UserMessage) and isinstance(message, UserMessage):
        written[-1] = _join(last, message)
    else:
        written.append(message)


def _join(first: UserMessage, second: UserMessage) -> UserMessage:
    match first.parts, second.parts:
        case (*before, Text(last)), (Text(following), *after):
            return UserMessage((*before, Text(f"{last}\n\n{following}"), *after))
        case _:
            return UserMessage((*first.parts, *second.parts))


def _add_instruction(written: list[Message], instruction: str) -> None:
    for position, message in enumerate(written):
        if isinstance(message, SystemMessage):
            written[position] = SystemMessage(f"{message.text}\n\n{instruction}")
            return
    written.insert(0, SystemMessage(instruction))


def _write_calls(message: Message) -> Message:
    if not isinstance(message, AssistantMessage) or not message.tool_calls:
        return message
    calls = f'{{"tool_calls": [{", ".join(map(_write_call, message.tool_calls))}]}}'
    text = "\n\n".join(filter(None, [message.text.strip(), calls]))
    return msgspec.structs.replace(message, text=text, tool_calls=())


def _write_call(call: ToolCall) -> str:
    """Write the call; broken arguments are left out, because the result says what was wrong with
    them."""
    arguments = call.arguments.strip() if is_json_object(call.arguments) else "{}"
    return f'{{"name": {_write(call.name)}, "arguments": {arguments}}}'


def _write_result(result: ToolResult) -> str:
    """Write the result within tags that its text cannot close: the person's text may follow."""
    name = to_tool_name(result.name)
    error = ' error="true"' if result.is_error else ""
    return f'<result tool="{name}"{error}>\n{_END_TAG.sub("&lt;", result.text)}\n</result>'


@lru_cache(maxsize=64)
def _describe_tools(encoded: tuple[bytes, ...]) -> str:
    functions: list[Schema] = [msgspec.json.decode(tool)["function"] for tool in encoded]
    tools = "\n".join(map(_describe_tool, functions))
    return _HOW_TO_CALL.format(example=_shortest_example(functions), tools=tools)


def _describe_tool(function: Schema) -> str:
    schema = _Schema(function["parameters"])
    described = [f"- {function['name']}: {_on_one_line(function['description'])}"]
    described += [
        schema.describe_parameter(name, parameter)
        for name, parameter in schema.properties(schema.root).items()
    ]
    return "\n".join(described)


def _shortest_example(functions: list[Schema]) -> str:
    """Write the shortest call as an example; one with arguments, if any tool requires some."""
    calls = [
        {"name": function["name"], "arguments": _Schema(function["parameters"]).example()}
        for function in functions
    ]
    shortest = min(calls, key=lambda call: (not call["arguments"], len(_write(call))))
    return _write({"tool_calls": [shortest]})


class _Schema:
    """Describes a tool's JSON schema in words. It may be malformed: some come from other servers.

    Keywords: https://json-schema.org/draft/2020-12/json-schema-validation
    """

    def __init__(self, root: Schema) -> None:
        self.root = root
        self._left = MOST_NODES

    def properties(self, schema: Schema) -> Schema:
        return _as_object(schema.get("properties"))

    def describe_parameter(self, name: str, parameter: object) -> str:
        schema = _as_object(parameter)
        default = f", default {_cut(_write(schema['default']))}" if "default" in schema else ""
        need = "required" if name in _as_list(self.root.get("required")) else "optional"
        words = _on_one_line(schema.get("description") or self._resolve(schema).get("description"))
        end = f". {words}" if words else ""
        return f"  - {_on_one_line(name)}: {self._name_type(schema, 0)}, {need}{default}{end}"

    def example(self) -> Schema:
        value = self._example_of(self.root, 0)
        return cast("Schema", value) if isinstance(value, dict) else {}

    def _resolve(self, schema: Schema) -> Schema:
        """Return the schema that its reference points at, or the schema itself without one."""
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        found: object = self.root
        for step in reference.removeprefix("#/").split("/"):
            found = _as_object(found).get(step)
        return _as_object(found)

    def _name_type(self, schema: object, depth: int) -> str:
        self._left -= 1
        schema = self._resolve(_as_object(schema))
        if depth > DEEPEST or self._left < 0:
            return _name_plainly(schema)
        if values := _as_list(schema.get("enum")):
            return "one of " + _cut(", ".join(map(_write, values)))
        if "const" in schema:
            return _cut(_write(schema["const"]))
        if choices := _choices(schema):
            return " or ".join(dict.fromkeys(self._name_type(c, depth + 1) for c in choices))
        return self._name_one(schema, depth + 1)

    def _name_one(self, schema: Schema, depth: int) -> str:
        plain = _name_plainly(schema)
        named = plain + _constraints(schema)
        if plain == "array" and "items" in schema:
            return f"{named} of {self._name_type(schema['items'], depth)}"
        if plain != "object" or not (properties := self.properties(schema)):
            return named
        required = _as_list(schema.get("required"))
        fields = [
            f"{name if name in required else f'{name}?'}: {self._name_type(value, depth)}"
            for name, value in properties.items()
            if self._left > 0
        ]
        return f"{named} {{{', '.join(fields)}}}"

    def _example_of(self, schema: object, depth: int) -> object:
        self._left -= 1
        schema = self._resolve(_as_object(schema))
        ends = depth > DEEPEST or self._left < 0
        if values := _as_list(schema.get("enum")):
            return values[0]
        if choices := _choices(schema):
            return None if ends else self._example_of(choices[0], depth + 1)
        match _name_plainly(schema):
            case "object":
                names = () if ends else _as_list(schema.get("required"))
                fields = self.properties(schema).items()
                return {n: self._example_of(field, depth + 1) for n, field in fields if n in names}
            case "array":
                return [] if ends else [self._example_of(schema.get("items"), depth + 1)]
            case kind:
                number = schema.get("minimum", 1)
                return {"integer": number, "number": number, "boolean": True}.get(kind, "…")


def _name_plainly(schema: Schema) -> str:
    named = schema.get("type", "object" if "properties" in schema else "any")
    return (
        " or ".join(map(str, cast("list[object]", named)))
        if isinstance(named, list)
        else str(named)
    )


def _choices(schema: Schema) -> list[object]:
    choices = (_as_list(schema.get(key)) for key in ("anyOf", "oneOf", "allOf"))
    return next(filter(None, choices), list[object]())


_RANGES = {
    ("minLength", "maxLength"): " characters",
    ("minItems", "maxItems"): " items",
    ("minimum", "maximum"): "",
}
_LIMITS = {"exclusiveMinimum": "above", "exclusiveMaximum": "below", "multipleOf": "a multiple of"}
_FORMS = {"format": "format", "pattern": "matching"}


def _constraints(schema: Schema) -> str:
    said = [
        _between(schema.get(low), schema.get(high)) + unit
        for (low, high), unit in _RANGES.items()
        if low in schema or high in schema
    ]
    said += [
        f"{words} {_on_one_line(schema[key])}"
        for key, words in (_LIMITS | _FORMS).items()
        if key in schema
    ]
    return f" ({_cut(', '.join(said))})" if said else ""


def _between(low: object, high: object) -> str:
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"{low} to {high}"


def _write(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return '"…"'


def _on_one_line(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CONSTRAINT else f"{text[:LONGEST_CONSTRAINT]}…"


def _as_object(value: object) -> Schema:
    return cast("Schema", value) if isinstance(value, dict) else {}


def _as_list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []

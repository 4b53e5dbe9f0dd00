"""Encode a model request as an OpenAI-compatible chat completion request. Pure.

Form: https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from bot.agent.openai_protocol.chunks import is_json_object
from bot.agent.openai_protocol.flatten_tool_messages import flatten_tool_messages
from bot.contracts.models import ModelRequest
from bot.contracts.tools import TOOL_NAME, to_tool_name
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


def rewrite_without_tools(request: ModelRequest) -> ModelRequest:
    """Rewrite the request for a model without native tool calls: the text describes the tools."""
    closing = request.tool_choice == "none"
    messages = flatten_tool_messages(
        fold_system_messages(request.messages), request.tools, may_call=not closing
    )
    return replace(request, messages=messages, tools=())


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

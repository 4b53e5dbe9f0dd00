"""Streams that real providers sent, recorded by other projects, against a plain second reading."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bot.agent.model_endpoints import OpenAIModel
from bot.agent.openai_protocol.answer import StreamedAnswer
from bot.agent.openai_protocol.request import encode_request
from bot.agent.openai_protocol.sse import BadStream, EventStream
from bot.agent.tool_calls.tool_call_parser import ToolCallParser
from bot.contracts.models import ModelRequest
from bot.errors import StreamBroken
from bot.events import Content, Event, Thinking
from bot.messages.transcript import (
    AssistantMessage,
    Message,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.settings import Settings
from tests.support.model_endpoint import endpoint, stream
from tests.support.recorded_data import DATA

STREAMS = sorted((DATA / "llm" / "sse").glob("*.sse"))
CHUNK_FILES = sorted((DATA / "llm" / "vercel").glob("*.chunks.txt"))
REQUESTS = sorted((DATA / "llm" / "sse").glob("*.req.json"))
ALL = [*STREAMS, *CHUNK_FILES]
SIZES = [1, 7, 4096]
OVER_SOCKETS = {1: 3_000, 7: 10_000, 4096: 1_000_000}
"""The largest stream that is sent over a socket in pieces of this size: tiny writes take long."""


def name(path: Path) -> str:
    return path.name[:60]


@cache
def recorded(path: Path) -> bytes:
    """The stream as it was on the wire; a file of chunks becomes one without `[DONE]`."""
    if path.suffix == ".sse":
        return path.read_bytes()
    return b"".join(b"data: " + line + b"\n\n" for line in path.read_bytes().splitlines() if line)


@dataclass
class Reading:
    text: str = ""
    thought: str = ""
    calls: list[list[str]] = field(default_factory=list)
    """Id, name and arguments."""
    finish_reason: str = ""
    usage: dict[str, Any] | None = None
    failed: bool = False


@cache
def read_plainly(path: Path) -> Reading:
    """What the file says, by its own lines: no pieces, no quirks that it does not have."""
    reading = Reading()
    for line in recorded(path).decode().splitlines():
        payload = line.removeprefix("data:").strip()
        if not line.startswith("data:") or payload == "[DONE]":
            continue
        chunk = json.loads(payload)
        reading.failed = reading.failed or "error" in chunk
        if reading.failed:
            break
        reading.usage = chunk.get("usage") or reading.usage
        for choice in chunk["choices"]:
            reading.finish_reason = choice.get("finish_reason") or reading.finish_reason
            add(reading, choice["delta"])
    return reading


def add(reading: Reading, delta: dict[str, Any]) -> None:
    content = delta.get("content")
    if isinstance(content, list):
        for part in content:
            reading.text += part.get("text", "")
            reading.thought += "".join(inner["text"] for inner in part.get("thinking", []))
    else:
        reading.text += content or ""
    reading.thought += delta.get("reasoning_content") or delta.get("reasoning") or ""
    for call in delta.get("tool_calls") or []:
        if call.get("id"):
            reading.calls.append([call["id"], "", ""])
        reading.calls[-1][1] += call["function"].get("name") or ""
        reading.calls[-1][2] += call["function"].get("arguments") or ""


def shown(events: list[Event], kind: type[Content | Thinking]) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))


def assert_same(message: AssistantMessage, events: list[Event], expected: Reading) -> None:
    assert message.text == shown(events, Content) == expected.text
    assert shown(events, Thinking) == expected.thought
    calls = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    assert calls == [[*call, arguments or "{}"] for *call, arguments in expected.calls]


def test_all_recordings_are_here() -> None:
    assert len(STREAMS) == 34
    assert len(CHUNK_FILES) == 10
    readings = [read_plainly(path) for path in ALL]
    assert sum(reading.failed for reading in readings) == 3
    assert sum(bool(reading.calls) for reading in readings) >= 12
    assert sum(bool(reading.thought) for reading in readings) >= 8


@pytest.mark.parametrize("path", ALL, ids=name)
@pytest.mark.parametrize("size", SIZES)
def test_a_recorded_stream_is_read_as_it_was_meant(path: Path, size: int) -> None:
    events: list[Event] = []
    answer = StreamedAnswer(events.append, ToolCallParser((), native=True))
    failed = feed(answer, recorded(path), size)
    expected = read_plainly(path)
    assert failed is expected.failed
    assert_same(answer.message(""), events, expected)
    assert answer.finish_reason == expected.finish_reason
    if not failed:
        assert answer.is_whole
        assert (answer.usage is None) is (expected.usage is None)


def feed(answer: StreamedAnswer, raw: bytes, size: int) -> bool:
    """Whether the stream reports an error."""
    source = EventStream()
    try:
        for at in range(0, len(raw), size):
            answer.take(source.feed(raw[at : at + size]))
    except BadStream:
        return True
    answer.close()
    return False


@pytest.mark.parametrize("size", SIZES)
async def test_recorded_streams_come_through_the_client_over_a_socket(size: int) -> None:
    paths = [path for path in ALL if len(recorded(path)) <= OVER_SOCKETS[size]]
    assert paths
    for path in paths:
        raw = recorded(path)
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
        async with endpoint(stream(*pieces)) as fake:
            await assert_client_reads(fake.url, read_plainly(path))


async def assert_client_reads(url: str, expected: Reading) -> None:
    model = OpenAIModel(Settings(openai_base_url=url, openai_api_key="k"), read_file=no_file)
    events: list[Event] = []
    asked = model.ask(ModelRequest([UserMessage((Text("Salut"),))]), events.append)
    if expected.failed:
        with pytest.raises(StreamBroken) as broken:
            await asked
        assert broken.value.text == shown(events, Content) == expected.text
    else:
        reply = await asked
        assert_same(reply.message, events, expected)
        if expected.usage:
            assert reply.usage.input_tokens == expected.usage["prompt_tokens"]
            assert reply.usage.output_tokens == expected.usage["completion_tokens"]
    await model.close()


async def no_file(_: str) -> bytes:
    raise AssertionError("no message shows a file")


@pytest.mark.parametrize("path", REQUESTS, ids=name)
def test_our_request_has_the_form_of_the_recorded_one(path: Path) -> None:
    original = json.loads(path.read_text())
    ours = json.loads(
        encode_request(
            ModelRequest([as_message(message) for message in original["messages"]]),
            model=original["model"],
            endpoint="",
            images={},
        )
    )
    assert ours["model"] == original["model"]
    assert ours["stream"] is original["stream"] is True
    assert ours["stream_options"] == original.get("stream_options", {"include_usage": True})
    assert ours["messages"] == [flatten(message) for message in original["messages"]]


def as_message(message: dict[str, Any]) -> Message:
    text = flatten(message)["content"] or ""
    match message["role"]:
        case "system":
            return SystemMessage(text)
        case "user":
            return UserMessage((Text(text),))
        case "tool":
            return ToolResult(message["tool_call_id"], "", text)
        case _:
            calls = [
                ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
                for call in message.get("tool_calls", [])
            ]
            return AssistantMessage(text, tuple(calls))


def flatten(message: dict[str, Any]) -> dict[str, Any]:
    """The message with text parts as one text, and no text beside calls as null."""
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(part["text"] for part in content)
    if message.get("tool_calls"):
        content = content or None
    return {**message, "content": content}

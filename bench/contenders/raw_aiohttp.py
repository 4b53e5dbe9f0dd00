"""Bare aiohttp and msgspec: the two calls of a turn, and nothing else."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec

from bench.contenders.protocol import FOUND, QUESTION, SYSTEM, Turn, measure


class Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class Call(msgspec.Struct):
    id: str | None = None
    function: Function | None = None


class Delta(msgspec.Struct):
    content: str | None = None
    tool_calls: list[Call] | None = None


class Choice(msgspec.Struct):
    delta: Delta


class Chunk(msgspec.Struct):
    choices: list[Choice]


decode = msgspec.json.Decoder(Chunk).decode
encode = msgspec.json.Encoder().encode
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "lookup",
            "description": "Look up facts.",
            "parameters": {
                "type": "object",
                "properties": {"topic": {"type": "string"}, "limit": {"type": "integer"}},
                "required": ["topic", "limit"],
            },
        },
    }
]


class Answer:
    """What the deltas of one call add up to."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.call_id = ""
        self.name = ""
        self.arguments: list[str] = []

    def take(self, delta: Delta) -> None:
        if delta.content:
            self.text.append(delta.content)
        for call in delta.tool_calls or ():
            self.call_id = self.call_id or call.id or ""
            if function := call.function:
                self.name = self.name or function.name or ""
                self.arguments.append(function.arguments or "")

    def message(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self.text)}
        if self.name:
            function = {"name": self.name, "arguments": "".join(self.arguments)}
            message["tool_calls"] = [{"id": self.call_id, "type": "function", "function": function}]
        return message


async def ask(session: aiohttp.ClientSession, url: str, messages: list[Any]) -> dict[str, Any]:
    body = encode(
        {
            "model": "gpt-4o-mini",
            "messages": messages,
            "tools": TOOLS,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    )
    answer = Answer()
    rest = b""
    async with session.post(url, data=body) as response:
        async for piece in response.content.iter_any():
            *events, rest = (rest + piece).split(b"\n\n")
            for event in events:
                if event != b"data: [DONE]":
                    for choice in decode(event[6:]).choices:
                        answer.take(choice.delta)
    return answer.message()


def lookup(topic: str, limit: int) -> str:
    return FOUND if topic and limit else ""


@asynccontextmanager
async def contender(arguments: argparse.Namespace) -> AsyncGenerator[Turn]:
    url = f"{arguments.url}/chat/completions"
    headers = {"Authorization": "Bearer none", "Content-Type": "application/json"}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def turn() -> int:
            messages: list[Any] = [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": QUESTION},
            ]
            while True:
                message = await ask(session, url, messages)
                messages.append(message)
                if "tool_calls" not in message:
                    return len(message["content"])
                for call in message["tool_calls"]:
                    result = lookup(**msgspec.json.decode(call["function"]["arguments"]))
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})

        yield turn


if __name__ == "__main__":
    measure(contender)

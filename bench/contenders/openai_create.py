"""The openai client as its documentation shows it: `create(stream=True)`, and a loop around it."""

from __future__ import annotations

import argparse
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from openai import AsyncOpenAI

from bench.contenders.protocol import FOUND, QUESTION, SYSTEM, Turn, measure

TOOLS: Any = [
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


async def ask(client: AsyncOpenAI, messages: list[Any]) -> dict[str, Any]:
    stream = await client.chat.completions.create(
        model="gpt-4o-mini",
        messages=messages,
        tools=TOOLS,
        stream=True,
        stream_options={"include_usage": True},
    )
    text: list[str] = []
    arguments: list[str] = []
    call_id = name = ""
    async for chunk in stream:
        for choice in chunk.choices:
            if choice.delta.content:
                text.append(choice.delta.content)
            for call in choice.delta.tool_calls or ():
                call_id = call_id or call.id or ""
                if call.function:
                    name = name or call.function.name or ""
                    arguments.append(call.function.arguments or "")
    message: dict[str, Any] = {"role": "assistant", "content": "".join(text)}
    if name:
        function = {"name": name, "arguments": "".join(arguments)}
        message["tool_calls"] = [{"id": call_id, "type": "function", "function": function}]
    return message


def lookup(topic: str, limit: int) -> str:
    return FOUND if topic and limit else ""


@asynccontextmanager
async def contender(arguments: argparse.Namespace) -> AsyncGenerator[Turn]:
    async with AsyncOpenAI(base_url=arguments.url, api_key="none", max_retries=0) as client:

        async def turn() -> int:
            messages: list[Any] = [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": QUESTION},
            ]
            while True:
                message = await ask(client, messages)
                messages.append(message)
                if "tool_calls" not in message:
                    return len(message["content"])
                for call in message["tool_calls"]:
                    result = lookup(**json.loads(call["function"]["arguments"]))
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})

        yield turn


if __name__ == "__main__":
    measure(contender)

"""openai-agents, streaming, without tracing."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from openai.types.responses import ResponseTextDeltaEvent

from bench.contenders.protocol import FOUND, QUESTION, SYSTEM, Turn, measure


@function_tool
def lookup(topic: str, limit: int) -> str:
    """Look up facts."""
    return FOUND if topic and limit else ""


@asynccontextmanager
async def contender(arguments: argparse.Namespace) -> AsyncGenerator[Turn]:
    set_tracing_disabled(True)
    async with AsyncOpenAI(base_url=arguments.url, api_key="none", max_retries=0) as client:
        model = OpenAIChatCompletionsModel("gpt-4o-mini", client)
        agent = Agent("teacher", instructions=SYSTEM, tools=[lookup], model=model)

        async def turn() -> int:
            length = 0
            async for event in Runner.run_streamed(agent, QUESTION).stream_events():
                if event.type == "raw_response_event" and isinstance(
                    event.data, ResponseTextDeltaEvent
                ):
                    length += len(event.data.delta)
            return length

        yield turn


if __name__ == "__main__":
    measure(contender)

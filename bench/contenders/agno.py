"""agno, streaming, without telemetry."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from agno.agent import Agent, RunContentEvent
from agno.models.openai import OpenAIChat

from bench.contenders.protocol import FOUND, QUESTION, SYSTEM, Turn, measure


def lookup(topic: str, limit: int) -> str:
    """Look up facts."""
    return FOUND if topic and limit else ""


@asynccontextmanager
async def contender(arguments: argparse.Namespace) -> AsyncGenerator[Turn]:
    model = OpenAIChat(id="gpt-4o-mini", base_url=arguments.url, api_key="none")
    agent = Agent(model=model, instructions=SYSTEM, tools=[lookup], telemetry=False)

    async def turn() -> int:
        length = 0
        async for event in agent.arun(QUESTION, stream=True):
            if isinstance(event, RunContentEvent):
                length += len(event.content or "")
        return length

    yield turn


if __name__ == "__main__":
    measure(contender)

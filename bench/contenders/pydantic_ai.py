"""pydantic-ai, streaming."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from bench.contenders.protocol import FOUND, QUESTION, SYSTEM, Turn, measure


def lookup(topic: str, limit: int) -> str:
    """Look up facts."""
    return FOUND if topic and limit else ""


@asynccontextmanager
async def contender(arguments: argparse.Namespace) -> AsyncGenerator[Turn]:
    provider = OpenAIProvider(base_url=arguments.url, api_key="none")
    model = OpenAIChatModel("gpt-4o-mini", provider=provider)
    agent = Agent(model, instructions=SYSTEM, tools=[lookup])

    async def turn() -> int:
        async with agent.run_stream(QUESTION) as result:
            return sum([len(piece) async for piece in result.stream_text(delta=True)])

    yield turn


if __name__ == "__main__":
    measure(contender)

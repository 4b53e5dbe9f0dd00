"""Griot's loop, its toolbox and its model client; no gateway, and a journal that keeps nothing."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import fields, replace
from typing import Any

from pydantic import BaseModel, Field

from bench.contenders.protocol import FOUND, QUESTION, SYSTEM, Turn, measure
from bot import settings as environment
from bot.agent import turn as agent
from bot.agent.context_window import ContextWindow
from bot.agent.loop import Loop
from bot.agent.model_endpoints import OpenAIModel
from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.toolbox import Toolbox
from bot.contracts.services import Services, ToolContext
from bot.contracts.tools import Tool
from bot.contracts.turn import Correction, Finished
from bot.errors import NotFound
from bot.events import ignore
from bot.messages.incoming import Person
from bot.messages.transcript import (
    AssistantMessage,
    Message,
    ModelReply,
    SystemMessage,
    Text,
    UserMessage,
)
from bot.observability import Metrics

PERSON = Person("console", "bench", account=1, name="Awa")
LIMITS = agent.Limits(iterations=10, seconds=180.0, usd=0.5, tool_calls=40)


class Lookup(BaseModel):
    """Look up facts."""

    topic: str = Field(description="What to look up, in a few words.", max_length=200)
    limit: int = Field(description="How many facts at most.", ge=1, le=20)


async def lookup(args: Lookup, context: ToolContext) -> str:
    return FOUND if args.topic and context.account else ""


TOOL = Tool(Lookup, lookup, modes={"child", "pro"}, effect="read")


class ForgetfulJournal:
    """Implements `bot.contracts.turn.Journal`."""

    async def replied(self, reply: ModelReply) -> None:
        pass

    async def corrected(self, correction: Correction) -> None:
        pass

    async def intends(self, key: str, name: str) -> bool:  # noqa: ARG002
        return True

    async def overheard(self) -> list[UserMessage]:
        return []

    async def finished(self, results: Sequence[Finished]) -> None:
        pass


async def no_file(file_id: str) -> bytes:
    raise NotFound(file_id)


def tools(big: bool) -> list[Any]:
    """The tool; if `big` as one of 24."""
    others: list[Any] = []
    for number in range(23 if big else 0):

        async def other(args: Lookup, context: ToolContext) -> str:
            return FOUND if args.topic and context.account else ""

        other.__name__ = f"lookup_{number}"
        others.append(replace(TOOL, function=other))
    return [TOOL, *others]


def messages(big: bool) -> list[Message]:
    """System message and question; if `big` with 39 messages in between."""
    said = "Rain falls when warm and humid air rises and cools down. " * 6
    earlier: list[Message] = []
    for number in range(39 if big else 0):
        user = number % 2 == 0
        earlier.append(UserMessage((Text(said),)) if user else AssistantMessage(said))
    return [SystemMessage(SYSTEM), *earlier, UserMessage((Text(QUESTION),))]


@asynccontextmanager
async def contender(arguments: argparse.Namespace) -> AsyncGenerator[Turn]:
    settings = environment.load({"OPENAI_BASE_URL": arguments.url, "MODEL": "gpt-4o-mini"})
    services: Any = Services(*[None] * len(fields(Services)))  # type: ignore[arg-type]  # the tool uses none
    toolbox = Toolbox(
        ToolCatalogue(tools(arguments.big), (), settings), settings, services, Metrics()
    )
    model = OpenAIModel(settings, read_file=no_file)
    loop = Loop(model, toolbox, ContextWindow(settings), settings)
    opening = messages(arguments.big)

    async def turn() -> int:
        running = agent.Turn(
            id=1,
            lane="console:bench",
            person=PERSON,
            messages=list(opening),
            limits=LIMITS,
            journal=ForgetfulJournal(),
            emit=ignore,
        )
        await loop.run(running)
        last = running.messages[-1]
        return len(last.text) if isinstance(last, AssistantMessage) else 0

    yield turn
    await model.close()


if __name__ == "__main__":
    measure(contender)

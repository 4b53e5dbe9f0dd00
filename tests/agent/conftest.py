"""Tools and turns for the tests of the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field

from bot.agent.context_window import ContextWindow
from bot.agent.loop import Loop
from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Limits, Turn
from bot.contracts.models import Model
from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.errors import ToolFailed
from bot.events import Event
from bot.messages.incoming import Person
from bot.messages.outgoing import Say
from bot.messages.transcript import SystemMessage, Text, UserMessage
from bot.observability import Metrics
from bot.settings import Settings
from tests.support.fakes import Clock, MemoryJournal, make_services

PUPIL = Person("telegram", "1", account=7, mode="child", language="en")
GUEST = Person("telegram", "2", language="en")


class Word(BaseModel):
    """Take a word."""

    word: str = Field(description="Any word")


class Bench:
    """A few tools that note what ran, in which order."""

    def __init__(self) -> None:
        self.log: list[str] = []

    async def look(self, args: Word, context: ToolContext) -> str:
        self.log.append(f"start {args.word}")
        await asyncio.sleep(0.01)
        self.log.append(f"end {args.word}")
        return f"saw {args.word}"

    async def write(self, args: Word, context: ToolContext) -> str:
        self.log.append(f"start {args.word}")
        await asyncio.sleep(0)
        self.log.append(f"end {args.word}")
        context.deliver(Say(f"written {args.word}"))
        return context.key

    async def fail(self, args: Word, context: ToolContext) -> str:
        raise ToolFailed("try look instead")

    async def crash(self, args: Word, context: ToolContext) -> str:
        raise ZeroDivisionError("secret detail")

    async def sleep(self, args: Word, context: ToolContext) -> str:
        await asyncio.sleep(60)
        return "never"

    async def flood(self, args: Word, context: ToolContext) -> str:
        return "x" * 100_000

    @property
    def tools(self) -> list[Tool[Any]]:
        both = frozenset({"child", "pro"})
        return [
            Tool(Word, _named("look", self.look), both, "read"),
            Tool(Word, _named("write", self.write), both, "once"),
            Tool(Word, _named("fail", self.fail), both, "read"),
            Tool(Word, _named("crash", self.crash), both, "read"),
            Tool(Word, _named("sleep", self.sleep), both, "read", timeout=0.02),
            Tool(Word, _named("flood", self.flood), both, "read", max_result=500),
            Tool(Word, _named("pro_only", self.look), frozenset({"pro"}), "read"),
        ]


def _named(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    async def run(args: Word, context: ToolContext) -> str:
        return await function(args, context)

    run.__name__ = name
    return run


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def make_toolbox(bench: Bench) -> Callable[..., Toolbox]:
    def make(**values: object) -> Toolbox:
        settings = Settings.model_validate(values)
        services = make_services()
        return Toolbox(ToolCatalogue(bench.tools, (), settings), settings, services, Metrics())

    return make


@pytest.fixture
def make_loop(make_toolbox: Callable[..., Toolbox]) -> Callable[..., Loop]:
    def make(model: Model, **values: object) -> Loop:
        settings = Settings.model_validate(values)
        return Loop(model, make_toolbox(**values), ContextWindow(settings), settings)

    return make


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def make_turn(events: list[Event]) -> Callable[..., Turn]:
    def make(
        person: Person = PUPIL,
        journal: MemoryJournal | None = None,
        clock: Clock | None = None,
        **limits: float,
    ) -> Turn:
        bounds = {"iterations": 10, "seconds": 180.0, "usd": 0.5, "tool_calls": 40} | limits
        return Turn(
            id=1,
            lane="telegram:1",
            person=person,
            messages=[SystemMessage("You are Griot."), UserMessage((Text("hello"),))],
            limits=Limits(**bounds),  # type: ignore[arg-type]
            journal=journal or MemoryJournal(),
            emit=events.append,
            monotonic=clock or Clock(),
        )

    return make

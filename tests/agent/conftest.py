"""Tools and turns for the tests of the loop."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.agent.context_window import ContextWindow
from bot.agent.loop import Loop
from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Limits, Turn
from bot.contracts.models import Model
from bot.events import Event
from bot.messages.incoming import Person
from bot.messages.transcript import SystemMessage, Text, UserMessage
from bot.observability import Metrics
from bot.settings import Settings
from tests.support.fakes import Clock, MemoryJournal, make_services
from tests.support.noting_tools import PUPIL, Bench


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

"""A context for tools, with fakes for the services."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.contracts import Services, ToolContext
from bot.messages import Outgoing, Person
from bot.settings import Settings
from tests.tools.fakes import FakeFiles, FakeMemory, FakeQuizzes


@pytest.fixture
def memory() -> FakeMemory:
    return FakeMemory()


@pytest.fixture
def files() -> FakeFiles:
    return FakeFiles()


@pytest.fixture
def quizzes() -> FakeQuizzes:
    return FakeQuizzes()


@pytest.fixture
def delivered() -> list[Outgoing]:
    return []


@pytest.fixture
def make_context(
    memory: FakeMemory, files: FakeFiles, quizzes: FakeQuizzes, delivered: list[Outgoing]
) -> Callable[..., ToolContext]:
    """A context whose settings are the given ones."""

    def make(**settings: object) -> ToolContext:
        return ToolContext(
            person=Person("telegram", "42", account=7),
            account=7,
            lane="telegram:42",
            turn=1,
            call_id="call-1",
            key="telegram:42/1/call-1",
            settings=Settings.model_validate(settings),
            services=Services(files=files, memory=memory, quizzes=quizzes),
            emit=lambda event: None,
            deliver=delivered.append,
        )

    return make


@pytest.fixture
def context(make_context: Callable[..., ToolContext]) -> ToolContext:
    return make_context()

"""A context for tools, with fakes for the services."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.contracts.services import ToolContext
from bot.isolated_worker.worker import IsolatedWorker
from bot.messages.outgoing import Outgoing
from bot.settings import Settings
from tests.support.fakes import make_services, tool_context
from tests.tools.fakes import (
    FakeCourier,
    FakeFiles,
    FakeMail,
    FakeMemory,
    FakeQuizzes,
    FakeReports,
)


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
def notifier() -> FakeCourier:
    return FakeCourier()


@pytest.fixture
def mail() -> FakeMail:
    return FakeMail()


@pytest.fixture
def reports() -> FakeReports:
    return FakeReports()


@pytest.fixture
def delivered() -> list[Outgoing]:
    return []


@pytest.fixture
def make_context(
    memory: FakeMemory,
    files: FakeFiles,
    quizzes: FakeQuizzes,
    notifier: FakeCourier,
    mail: FakeMail,
    reports: FakeReports,
    delivered: list[Outgoing],
) -> Callable[..., ToolContext]:
    """A context whose settings are the given ones."""

    def make(**settings: object) -> ToolContext:
        return tool_context(
            settings=Settings.model_validate(settings),
            services=make_services(
                files=files,
                memory=memory,
                quizzes=quizzes,
                notifier=notifier,
                mail=mail,
                reports=reports,
                isolated_worker=IsolatedWorker(),
            ),
            deliver=delivered.append,
        )

    return make


@pytest.fixture
def context(make_context: Callable[..., ToolContext]) -> ToolContext:
    return make_context()

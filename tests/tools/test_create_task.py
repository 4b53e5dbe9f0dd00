from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from bot.contracts.services import RemindBy, ToolContext
from bot.contracts.storage import Database
from bot.errors import ToolFailed
from bot.learning.tasks import Tasks, list_open
from tests.support.fakes import Clock, make_services, tool_context
from tests.tools.fakes import FakeCourier
from tools.create_task import TOOL, CreateTask, create_task

NOW = datetime(2026, 5, 29, 12, tzinfo=UTC).timestamp()


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """One engine is enough here: the service is asked on both in its own tests."""
    return sqlite_url


@pytest.fixture
def tasks(database: Database) -> Tasks:
    return Tasks(database, Clock(NOW))


@pytest.fixture
def context(tasks: Tasks) -> ToolContext:
    services = make_services(tasks=tasks, notifier=FakeCourier())
    person = msgspec.structs.replace(tool_context().person, timezone="Africa/Lagos")
    return tool_context(person=person, services=services)


async def create(context: ToolContext, **arguments: Any) -> str:
    return await create_task(CreateTask.model_validate({"title": "Appeler"} | arguments), context)


async def test_a_task_is_kept_and_the_model_hears_the_day_and_hour(
    context: ToolContext, tasks: Tasks, database: Database
) -> None:
    told = await create(
        context,
        title=" Rendre le devoir ",
        priority="high",
        due="2026-05-31T17:30",
        tags=["maths"],
        remind_by="sms",
    )
    (task,) = await database.read(lambda tx: list_open(tx, 7))
    assert told.startswith(f"Task {task.id} is noted, due Sunday 2026-05-31 17:30 (Africa/Lagos).")
    assert (task.title, task.priority, task.tags) == ("Rendre le devoir", "high", ("maths",))
    assert task.due_at == datetime(2026, 5, 31, 16, 30, tzinfo=UTC).timestamp()
    assert task.remind_by == "sms"


async def test_a_title_is_enough(context: ToolContext, tasks: Tasks, database: Database) -> None:
    assert "is noted, without a date." in await create(context)
    (task,) = await database.read(lambda tx: list_open(tx, 7))
    assert (task.priority, task.due_at, task.tags, task.remind_by) == ("normal", None, (), None)


async def test_a_date_alone_is_in_the_morning(context: ToolContext) -> None:
    assert "due Sunday 2026-05-31 08:00 (Africa/Lagos)" in await create(context, due="2026-05-31")


@pytest.mark.parametrize(
    ("due", "taught"),
    [
        ("demain", "write the date"),
        ("2026-02-30", "no such date"),
        ("2026-05-29", "Friday 2026-05-29 08:00 .* has passed; it is now Friday 2026-05-29 13:00"),
        ("2062-05-31", "more than five years away"),
    ],
)
async def test_a_date_that_cannot_be_meant_is_refused_with_a_lesson(
    due: str, taught: str, context: ToolContext, tasks: Tasks, database: Database
) -> None:
    with pytest.raises(ToolFailed, match=taught):
        await create(context, due=due)
    assert await database.read(lambda tx: list_open(tx, 7)) == []


@pytest.mark.parametrize(
    ("change", "taught"),
    [
        ({"title": "  "}, "at least 1 character"),
        ({"title": "x" * 201}, "at most 200 characters"),
        ({"priority": "urgent"}, "'low', 'normal' or 'high'"),
        ({"due": 1780000000}, "valid string"),
        ({"due": "2026-05-31" * 9}, "at most 40 characters"),
        ({"tags": "maths"}, "valid list"),
        ({"tags": ["a"] * 11}, "at most 10 items"),
        ({"tags": [""]}, "at least 1 character"),
        ({"tags": [3]}, "valid string"),
        ({"remind_by": "fax", "due": "2026-05-31"}, "'telegram', 'whatsapp', 'sms' or 'email'"),
        ({"remind_by": "sms"}, "nobody knows when to remind"),
        ({"remind_by": "sms", "due": " "}, "nobody knows when to remind"),
    ],
)
def test_arguments_that_make_no_task_are_refused_with_a_lesson(
    change: dict[str, Any], taught: str
) -> None:
    with pytest.raises(ValidationError, match=taught):
        CreateTask.model_validate({"title": "Appeler"} | change)


def test_the_schema_is_flat() -> None:
    told = TOOL.spec.parameters
    assert "$defs" not in told
    assert told["properties"]["remind_by"] == {
        "type": "string",
        "enum": ["telegram", "whatsapp", "sms", "email"],
        "description": told["properties"]["remind_by"]["description"],
    }
    assert told["required"] == ["title"]


def test_the_model_knows_that_a_task_reminds_once() -> None:
    assert "It reminds once" in " ".join(TOOL.spec.description.split())


def test_the_person_sees_the_title() -> None:
    assert TOOL.detail(CreateTask(title="Appeler")) == "Appeler"


async def test_who_wants_no_messages_is_told_how_to_get_the_reminder(context: ToolContext) -> None:
    courier = context.services.notifier
    assert isinstance(courier, FakeCourier)
    assert "START" not in await create(context, due="2026-05-31")
    courier.is_welcome = False
    assert "START" not in await create(context, due="2026-05-31", remind_by="email")
    assert "START" not in await create(context)
    assert "unless they write START" in await create(context, due="2026-05-31")


@pytest.mark.parametrize("way", ["sms", "email"])
async def test_a_way_that_reaches_nobody_is_refused_and_others_are_named(
    way: RemindBy, context: ToolContext, database: Database
) -> None:
    courier = context.services.notifier
    assert isinstance(courier, FakeCourier)
    courier.refusals |= {way: "Not set up here.", "whatsapp": "No number."}
    others = "telegram, email" if way == "sms" else "telegram, sms"
    with pytest.raises(ToolFailed, match=f"Not set up here. Reminders reach them by: {others}."):
        await create(context, due="2026-05-31", remind_by=way)
    courier.refusals = dict.fromkeys(courier.refusals, "Not set up here.")
    with pytest.raises(ToolFailed, match="No reminder can reach them"):
        await create(context, due="2026-05-31", remind_by=way)
    assert await database.read(lambda tx: list_open(tx, 7)) == []


async def test_a_task_on_the_web_is_noted_though_no_reminder_can_come(
    context: ToolContext,
) -> None:
    courier = context.services.notifier
    assert isinstance(courier, FakeCourier)
    person = msgspec.structs.replace(context.person, channel="http")
    there = tool_context(person=person, services=context.services)
    assert "no reminder" not in await create(there, due="2026-05-31")
    courier.refusals = dict.fromkeys(courier.refusals, "Not set up here.")
    assert "no reminder can reach them" in await create(there, due="2026-05-31", title="Lire")

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from bot.contracts.services import NewTask, ToolContext
from bot.contracts.storage import Database
from bot.errors import NotFound, ToolFailed
from bot.learning.tasks import MAX_OPEN, MAX_TAGS, Task, Tasks, finish_task, list_open
from tests.support.fakes import Clock, tool_context
from tests.support.queries import add_rows, read_row

NOW = datetime(2026, 5, 31, 12, tzinfo=UTC).timestamp()
HOUR = 3600.0


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def tasks(database: Database, clock: Clock) -> Tasks:
    return Tasks(database, clock)


@pytest.fixture
def context() -> ToolContext:
    context = tool_context()
    person = msgspec.structs.replace(context.person, timezone="Africa/Lagos")
    return replace(context, person=person)


def call(context: ToolContext, number: object, account: int = 7) -> ToolContext:
    """Another call, perhaps of another account."""
    return replace(context, key=f"telegram:42/{account}/{number}", account=account)


async def list_all(database: Database, account: int) -> list[Task]:
    return await database.read(lambda tx: list_open(tx, account))


async def finish(database: Database, account: int, number: int) -> Task:
    return await database.write(lambda tx: finish_task(tx, account, number))


async def titles(database: Database, account: int = 7) -> list[str]:
    return [task.title for task in await list_all(database, account)]


async def test_a_task_is_kept_with_all_that_a_reminder_needs(
    tasks: Tasks, context: ToolContext, database: Database
) -> None:
    given = NewTask("Rendre le devoir", "high", NOW + HOUR, ("maths", "3e"), "sms")
    number = await tasks.add(given, context)
    assert await list_all(database, 7) == [
        Task(
            id=number,
            account=7,
            channel="telegram",
            title="Rendre le devoir",
            priority="high",
            due_at=NOW + HOUR,
            zone="Africa/Lagos",
            tags=("maths", "3e"),
            remind_by="sms",
            wanted_at=NOW + HOUR,
        )
    ]


async def test_the_same_call_again_keeps_one_task_as_it_was_told_first(
    tasks: Tasks, context: ToolContext, database: Database
) -> None:
    told = [NewTask("un"), NewTask("deux"), NewTask("trois")]
    numbers = await asyncio.gather(*(tasks.add(one, context) for one in told))
    assert len(set(numbers)) == 1
    assert len(await titles(database)) == 1


async def test_a_call_repeated_after_the_task_came_due_is_not_refused(
    tasks: Tasks, context: ToolContext, clock: Clock
) -> None:
    given = NewTask("Appeler", due_at=NOW + HOUR)
    number = await tasks.add(given, context)
    clock.advance(2 * HOUR)
    assert await tasks.add(given, context) == number


async def test_what_is_due_in_the_past_or_much_too_late_is_refused(
    tasks: Tasks, context: ToolContext, database: Database
) -> None:
    for due_at, taught in {
        NOW: r"due: Sunday 2026-05-31 13:00 \(Africa/Lagos\) has passed; it is now Sunday",
        NOW - 400 * 24 * HOUR: "has passed.*date alone means 08:00",
        NOW + 6 * 366 * 24 * HOUR: "more than five years away",
    }.items():
        with pytest.raises(ToolFailed, match=taught):
            await tasks.add(NewTask("Appeler", due_at=due_at), context)
    assert await list_all(database, 7) == []


async def test_texts_are_cleaned(tasks: Tasks, context: ToolContext, database: Database) -> None:
    tags = ("#Maths", "maths", "\u202e", " # ", "x" * 500, *(f"tag {n}" for n in range(20)))
    await tasks.add(NewTask(" Revoir\nla\x00 leçon\u202e " + "é" * 500, tags=tags), context)
    (task,) = await list_all(database, 7)
    assert task.title.startswith("Revoir la leçon éé")
    assert len(task.title) == 200
    assert task.tags[:3] == ("maths", "x" * 30, "tag 0")
    assert len(task.tags) == MAX_TAGS


async def test_a_title_that_nobody_can_read_is_refused(tasks: Tasks, context: ToolContext) -> None:
    for title in ("", " \n", "\u202e", "\ud83d"):
        with pytest.raises(ToolFailed, match="title: say in words"):
            await tasks.add(NewTask(title), context)


async def test_what_is_due_first_stands_first_then_what_matters_more(
    tasks: Tasks, context: ToolContext, database: Database
) -> None:
    for number, task in enumerate(
        [
            NewTask("someday, low", "low"),
            NewTask("someday"),
            NewTask("later", due_at=NOW + 2 * HOUR),
            NewTask("someday, high", "high"),
            NewTask("soon", due_at=NOW + HOUR),
            NewTask("soon, high", "high", NOW + HOUR),
            NewTask("someday too"),
        ]
    ):
        await tasks.add(task, call(context, number))
    assert await titles(database) == [
        "soon, high", "soon", "later", "someday, high", "someday", "someday too", "someday, low",
    ]  # fmt: skip


async def test_what_is_done_leaves_the_list_and_may_be_done_again(
    tasks: Tasks, context: ToolContext, database: Database
) -> None:
    one = await tasks.add(NewTask("un"), call(context, 1))
    await tasks.add(NewTask("deux"), call(context, 2))
    first = await finish(database, 7, one)
    before = await read_row(database, "task", id=one)
    assert await finish(database, 7, one) == first
    after = await read_row(database, "task", id=one)
    assert first.title == "un"
    assert before["done_at"] == after["done_at"]
    assert await titles(database) == ["deux"]


async def test_a_number_that_is_not_there_is_not_found(tasks: Tasks, database: Database) -> None:
    for number in (0, -1, 10**30):
        with pytest.raises(NotFound):
            await finish(database, 7, number)


async def test_the_tasks_of_another_account_are_out_of_reach(
    tasks: Tasks, context: ToolContext, database: Database
) -> None:
    number = await tasks.add(NewTask("un"), context)
    assert await list_all(database, 8) == []
    with pytest.raises(NotFound):
        await finish(database, 8, number)
    assert await titles(database) == ["un"]


async def test_an_account_has_room_for_so_many_open_tasks(
    tasks: Tasks, context: ToolContext, database: Database
) -> None:
    first = await tasks.add(NewTask("first"), context)
    task = {"account": 7, "channel": "sms", "title": "t", "priority": "low", "zone": "UTC"}
    others = [task | {"key": f"k{number}", "tags": "[]"} for number in range(2, MAX_OPEN + 1)]
    await add_rows(database, "task", others)
    with pytest.raises(ToolFailed, match="200 open tasks already"):
        await tasks.add(NewTask("one too many"), call(context, 1))
    await tasks.add(NewTask("someone else's"), call(context, 1, account=8))
    assert await tasks.add(NewTask("first"), context) == first
    await finish(database, 7, first)
    await tasks.add(NewTask("there is room again"), call(context, 2))

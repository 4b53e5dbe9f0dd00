"""`/tasks`: listed, ticked off, put off."""

from __future__ import annotations

from typing import Any

import pytest

from bot.contracts.services import NewTask
from bot.gateway.inbound.command_parser import parse_command
from bot.learning.tasks import Tasks
from bot.messages.channels import Channel
from bot.messages.incoming import Command, Said
from tests.support.app import MakeApp, TestApp
from tests.support.commands import CommandDesk
from tests.support.fakes import tool_context
from tests.support.queries import change_rows, read_clock, read_row

MADE = 3_989_065_200.0
DUE = 3_989_075_200.0


async def add(app: TestApp, account: int, title: str, due: float | None = None) -> int:
    tasks = Tasks(app.database, clock=lambda: MADE)
    context = tool_context(account=account, key=f"{account}/{title}")
    number = await tasks.add(NewTask(title, "normal", due, (), None), context)
    await change_rows(app.database, "task", {"remind_at": None})
    return number


async def row_of(app: TestApp, number: int) -> Any:
    return await read_row(app.database, "task", id=number)


async def test_tasks_are_listed_and_ticked_off(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    desk = CommandDesk(one)
    assert "No tasks" in await desk.ask("/tasks")
    await add(one, account, "Call Awa")
    await add(one, account, "Revise", DUE)
    listed = await desk.ask("/tasks")
    assert listed.endswith("\n\n- 2: Revise (Mon 28 May 2096, 20:26)\n- 1: Call Awa")
    assert await desk.ask("/tasks done 2") == "Done: Revise"
    assert await desk.ask("/tasks Done 2") == "Done: Revise"
    assert (await desk.ask("/tasks")).endswith("\n\n- 1: Call Awa")


@pytest.mark.parametrize(
    "argument", ["done", "done 7", "done x", "7", "later 7 1h", "later", "²", "done 99999999999"]
)
async def test_a_number_that_is_none_changes_nothing(app: MakeApp, argument: str) -> None:
    one = await app()
    await add(one, await one.log_in(), "Call Awa")
    desk = CommandDesk(one)
    assert "/tasks done 2" in await desk.ask(f"/tasks {argument}")
    assert (await desk.ask("/tasks")).endswith("\n\n- 1: Call Awa")


@pytest.mark.parametrize("argument", ["later 1 1h", "plus tard 1 60 min", "Later 1"])
async def test_one_is_put_off_and_the_list_says_until_when(app: MakeApp, argument: str) -> None:
    one = await app()
    number = await add(one, await one.log_in(), "Revise", DUE)
    desk = CommandDesk(one)
    assert (await desk.ask(f"/tasks {argument}")).startswith("Put off until ")
    task = await row_of(one, number)
    now = await read_clock(one.database)
    assert now + 3590 < task["remind_at"] <= now + 3600
    assert "Revise (Mon 28 May 2096, 20:26, put off until " in await desk.ask("/tasks")


async def test_a_task_without_a_date_can_be_put_off_too(app: MakeApp) -> None:
    one = await app()
    number = await add(one, await one.log_in(), "Call Awa")
    await CommandDesk(one).ask("/tasks later 1 demain")
    assert (await row_of(one, number))["remind_at"] is not None


@pytest.mark.parametrize("until", ["soon", "0h", "999999h", "1 2 3", "tomorrow 9"])
async def test_until_when_is_taught_where_it_cannot_be_read(app: MakeApp, until: str) -> None:
    one = await app()
    number = await add(one, await one.log_in(), "Call Awa")
    assert "/tasks later 2 1h" in await CommandDesk(one).ask(f"/tasks later {number} {until}")
    assert (await row_of(one, number))["remind_at"] is None


async def test_the_tasks_of_others_can_be_neither_ticked_off_nor_put_off(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    number = await add(one, account + 1, "Somebody else's")
    desk = CommandDesk(one)
    for words in (f"/tasks done {number}", f"/tasks later {number} 1h"):
        assert "/tasks done 2" in await desk.ask(words)
    task = await row_of(one, number)
    assert (task["state"], task["remind_at"]) == ("open", None)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("failed", "the reminder could not be delivered"),
        ("unknown", "the reminder may not have arrived"),
    ],
)
async def test_a_reminder_that_did_not_arrive_is_shown(app: MakeApp, told: str, words: str) -> None:
    one = await app()
    await add(one, await one.log_in(), "Revise", DUE)
    await change_rows(one.database, "task", {"reminder_state": told})
    assert (await CommandDesk(one).ask("/tasks")).endswith(
        f"Revise (Mon 28 May 2096, 20:26, {words})"
    )


async def test_titles_are_shown_to_the_letter(app: MakeApp) -> None:
    one = await app()
    await add(one, await one.log_in(), "Read *x* and __init__")
    desk = CommandDesk(one)
    assert r"Read \*x\* and \_\_init\_\_" in await desk.ask("/tasks")
    assert await desk.ask("/tasks done 1") == r"Done: Read \*x\* and \_\_init\_\_"


@pytest.mark.parametrize("channel", ["sms", "whatsapp"])
@pytest.mark.parametrize(
    "words",
    [
        "tasks done 5", "Taches fait 5", "tâches faite 5.", "taches plus tard 5 1h",
        "tasks later 5", "tasks later 5 30 min", "tâches plus tard 5 demain", "tasks later 5 2j",
    ],
)  # fmt: skip
def test_plain_words_do_where_people_type_by_thumb(words: str, channel: Channel) -> None:
    found = parse_command(channel, Said(words))
    assert isinstance(found, Command)
    assert found.name == "tasks"
    assert parse_command("telegram", Said(words)) is None


@pytest.mark.parametrize(
    "words",
    ["tasks for tomorrow", "taches ménagères", "tasks done", "tasks later 5 if I have time"],
)
def test_a_sentence_is_no_command(words: str) -> None:
    assert parse_command("whatsapp", Said(words)) is None

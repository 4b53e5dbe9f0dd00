"""What commands list of a person's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from bot.contracts import NewTask
from bot.learning.exercises import Exercises
from bot.learning.tasks import Tasks
from bot.library.memory import Memory
from tests.fakes import tool_context
from tests.gateway.conftest import TestHouse
from tests.gateway.replies.test_commands import Desk

MakeHouse = Callable[..., Awaitable[TestHouse]]


@pytest.mark.parametrize("command", ["/memory", "/tasks", "/progress", "/memory forget 1"])
async def test_a_guest_is_told_to_log_in(house: MakeHouse, command: str) -> None:
    assert "/login" in await Desk(await house()).ask(command)


async def test_what_is_remembered_is_listed_and_forgotten_by_number(house: MakeHouse) -> None:
    one = await house()
    account = await one.log_in()
    desk = Desk(one)
    assert "nothing about you yet" in await desk.ask("/memory")
    for fact in ("Likes goats.", "Has a test on Friday."):
        await Memory(one.database).save(account, fact)
    await Memory(one.database).save(account + 1, "A secret of somebody else.")
    assert (await desk.ask("/memory")).endswith("\n\n1. Likes goats.\n2. Has a test on Friday.")
    assert await desk.ask("/memory forget 1") == "Forgotten: Likes goats."
    assert (await desk.ask("/memory")).endswith("\n\n1. Has a test on Friday.")
    assert len(await Memory(one.database).facts(account + 1)) == 1


@pytest.mark.parametrize("argument", ["forget", "forget 2", "forget x", "forget 0", "2", "²"])
async def test_a_number_that_is_none_forgets_nothing(house: MakeHouse, argument: str) -> None:
    one = await house()
    account = await one.log_in()
    await Memory(one.database).save(account, "Likes goats.")
    assert "/memory forget 2" in await Desk(one).ask(f"/memory {argument}")
    assert await Memory(one.database).facts(account) == ["Likes goats."]


async def test_tasks_are_listed_and_ticked_off(house: MakeHouse) -> None:
    one = await house()
    account = await one.log_in()
    desk = Desk(one)
    assert "No tasks" in await desk.ask("/tasks")
    tasks = Tasks(one.database, clock=lambda: 1_779_990_000.0)
    for title, due in (("Call Awa", None), ("Revise", 1_780_000_000.0)):
        context = tool_context(account=account, key=title)
        await tasks.add(NewTask(title, "normal", due, (), None), context)
    listed = await desk.ask("/tasks")
    assert listed.endswith("\n\n- 2: Revise (Thu 28 May, 20:26)\n- 1: Call Awa")
    assert await desk.ask("/tasks done 2") == "Done: Revise"
    assert (await desk.ask("/tasks")).endswith("\n\n- 1: Call Awa")
    assert "/tasks done 2" in await desk.ask("/tasks done 7")


async def test_progress_is_told_in_words(house: MakeHouse) -> None:
    one = await house()
    account = await one.log_in()
    desk = Desk(one)
    assert "Nothing to show yet" in await desk.ask("/progress")
    context = tool_context(account=account)
    await Exercises(one.database).report("maths", correct=True, topic="", context=context)
    assert "1 of 1 right (100%)" in await desk.ask("/progress")

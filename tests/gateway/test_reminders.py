"""What is due is said once, where the person can be reached."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.contracts import NewTask, RemindBy
from bot.gateway.reminders import Reminders
from bot.gateway.sending.courier import Courier
from bot.learning.tasks import Tasks
from bot.messages import OptedOut, Reachable
from tests.fakes import FakeChannel, FakeModel, tool_context
from tests.gateway.conftest import TestHouse, execute, fetch, until, update
from tests.gateway.sending.test_courier import AWA, elsewhere, said_on, sms, whatsapp

MakeHouse = Callable[..., Awaitable[TestHouse]]


def reminders_of(house: TestHouse) -> Reminders:
    courier = Courier(house.database, house.house.inbox, house.house.parts.adapters)
    return Reminders(house.database, Tasks(house.database), courier)


async def add(house: TestHouse, account: int, by: RemindBy | None = None) -> int:
    """A task of the person in chat 1, due since a second ago."""
    context = tool_context(account=account, lane="telegram:1", key=f"key-{by}")
    task = NewTask("Revise fractions", "normal", None, (), by)
    number = await Tasks(house.database).add(task, context)
    await execute(house.database, "UPDATE task SET due_at = {now} - 1")
    return number


async def test_what_is_due_is_said_in_the_conversation(house: MakeHouse) -> None:
    one = await house()
    account = await one.log_in()
    await add(one, account)
    assert await reminders_of(one).remind() == 1
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said() == ["Reminder: Revise fractions"]


async def test_it_is_said_once_however_many_look(house: MakeHouse) -> None:
    one = await house()
    account = await one.log_in()
    await add(one, account)
    await asyncio.gather(*(reminders_of(one).remind() for _ in range(5)))
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said() == ["Reminder: Revise fractions"]


async def test_a_worker_looks_by_itself(house: MakeHouse) -> None:
    one = await house()
    account = await one.log_in()
    await one.start(FakeModel())
    await add(one, account)

    async def told() -> bool:
        return bool(one.said())

    await until(told)
    assert one.said() == ["Reminder: Revise fractions"]


@pytest.mark.parametrize("by", ["sms", "whatsapp"])
async def test_it_comes_the_way_that_was_wished(house: MakeHouse, by: RemindBy) -> None:
    others = {"sms": sms(), "whatsapp": whatsapp()}
    one = await house(FakeChannel(), *others.values())
    account = await one.log_in(phone=AWA)
    await add(one, account, by)
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert {name: said_on(each) for name, each in others.items() if each.delivered} == {
        by: [(AWA, "Reminder: Revise fractions")]
    }
    assert one.said() == []


async def test_where_that_way_is_closed_it_comes_in_the_conversation(house: MakeHouse) -> None:
    phone = sms()
    one = await house(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    await one.house.inbox.store([elsewhere(OptedOut(), "sms", "fake_sms")])
    await add(one, account, "sms")
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said() == ["Reminder: Revise fractions"]
    assert phone.delivered == []


@pytest.mark.parametrize("by", [None, "whatsapp"])
async def test_outside_whatsapps_window_it_comes_by_sms(
    house: MakeHouse, by: RemindBy | None
) -> None:
    phone, closed = sms(), whatsapp()
    closed.capabilities = replace(closed.capabilities, window=86_400)
    one = await house(FakeChannel(), closed, phone)
    account = await one.log_in(phone=AWA)
    await execute(one.database, "DELETE FROM identity")  # only the number is known
    await add(one, account, by)
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert said_on(phone) == [(AWA, "Reminder: Revise fractions")]
    assert closed.delivered == []


async def test_who_blocked_the_conversation_is_told_elsewhere(house: MakeHouse) -> None:
    phone = sms()
    one = await house(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    await one.house.inbox.store([update(Reachable(yes=False))])
    await add(one, account)
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert said_on(phone) == [(AWA, "Reminder: Revise fractions")]


async def test_a_task_that_is_done_is_not_reminded_of(house: MakeHouse) -> None:
    one = await house()
    account = await one.log_in()
    await Tasks(one.database).done(account, await add(one, account))
    assert await reminders_of(one).remind() == 0
    assert await fetch(one.database, "SELECT seq FROM inbox") == []


async def test_of_somebody_out_of_reach_it_is_looked_at_once(house: MakeHouse) -> None:
    one = await house()
    await add(one, 99)
    assert await reminders_of(one).remind() == 1
    assert await reminders_of(one).remind() == 0


async def test_one_that_fails_holds_up_no_other(house: MakeHouse) -> None:
    one = await house()
    account = await one.log_in()
    broken, whole = await add(one, account), await add(one, account, "telegram")
    assert broken < whole

    class Stumbling(Courier):
        async def put(self, *told: Any, key: str, **more: Any) -> None:
            if key == f"reminder:{broken}":
                raise ValueError("a bug")
            await super().put(*told, key=key, **more)

    courier = Stumbling(one.database, one.house.inbox, one.house.parts.adapters)
    await Reminders(one.database, Tasks(one.database), courier).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said()[0] == "Reminder: Revise fractions"

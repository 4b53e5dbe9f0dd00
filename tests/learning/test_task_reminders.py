"""Which reminders are due, who tells them, and what became of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.contracts.services import NewTask
from bot.contracts.storage import Database
from bot.errors import NotFound
from bot.learning.tasks import (
    DueReminder,
    HandedReminder,
    Tasks,
    find_due,
    finish_task,
    hold_until,
    list_due,
    note_failed,
    note_handed,
    note_in_doubt,
    note_refused,
    note_taken,
    snooze_task,
)
from tests.support.fakes import tool_context
from tests.support.queries import FromNow, change_rows, read_row

HOUR = 3600.0


class Board:
    """Tasks, and what is noted of their reminders."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.tasks = Tasks(database)

    async def add(self, title: str, *, due_in: float | None = HOUR, account: int = 7) -> int:
        now = datetime.now(UTC).timestamp()
        due_at = None if due_in is None else now + max(due_in, HOUR)
        context = replace(tool_context(), key=title, account=account)
        number = await self.tasks.add(NewTask(title, due_at=due_at), context)
        if due_in is not None and due_in < HOUR:
            await change_rows(self.database, "task", {"remind_at": FromNow(due_in)}, id=number)
        return number

    async def finish(self, number: int) -> None:
        await self.database.write(lambda tx: finish_task(tx, 7, number))

    async def due(self, most: int = 10) -> Sequence[DueReminder]:
        return await self.database.write(lambda tx: list_due(tx, most))

    async def titles(self, most: int = 10) -> list[str]:
        return [due.task.title for due in await self.due(most)]

    async def hand_over(self, number: int, handed: HandedReminder, way: str = "telegram") -> None:
        async def work(tx: Any) -> None:
            due = await find_due(tx, number)
            assert due is not None
            await note_handed(tx, due.task, way, handed)

        await self.database.write(work)

    async def row(self, number: int) -> Any:
        return await read_row(self.database, "task", id=number)

    async def told(self, number: int) -> str:
        return (await self.row(number))["reminder_state"]


@pytest.fixture
def board(database: Database) -> Board:
    return Board(database)


async def test_what_is_due_is_listed_for_all_accounts_the_longest_due_first(board: Board) -> None:
    await board.add("un", due_in=-5)
    await board.add("deux", due_in=-9, account=8)
    done = await board.add("fait", due_in=-7)
    await board.finish(done)
    await board.add("sans date", due_in=None)
    await board.add("demain", due_in=24 * HOUR)
    assert await board.titles() == ["deux", "un"]
    assert await board.titles(most=1) == ["deux"]


async def test_it_is_known_how_late_it_is(board: Board) -> None:
    await board.add("late", due_in=-60)
    [due] = await board.due()
    assert 60 <= due.late < 120
    assert due.now - due.late == pytest.approx((await board.row(due.task.id))["remind_at"])


async def test_one_that_another_transaction_has_is_left_to_it(board: Board) -> None:
    for number in range(6):
        await board.add(f"task {number}", due_in=-5)

    async def take(tx: Any) -> list[int]:
        due = await list_due(tx, 3)
        for one in due:
            await note_handed(
                tx, one.task, "sms", HandedReminder(one.task.id, "sms:1", one.task.id)
            )
        return [one.task.id for one in due]

    first, second = await asyncio.gather(*(board.database.write(take) for _ in range(2)))
    assert len(first) == len(second) == 3
    assert not set(first) & set(second)


async def test_one_that_is_held_is_due_again_later(board: Board) -> None:
    number = await board.add("un", due_in=-5)
    later = datetime.now(UTC).timestamp() + HOUR
    await board.database.write(lambda tx: hold_until(tx, number, later))
    assert await board.due() == []
    assert await board.database.write(lambda tx: find_due(tx, number)) is None


async def test_one_that_is_handed_over_is_not_due_again(board: Board) -> None:
    number = await board.add("un", due_in=-5)
    await board.hand_over(number, HandedReminder(number, "telegram:1", 9))
    assert await board.due() == []
    assert await board.told(number) == "handed"


@pytest.mark.parametrize(("provider_id", "told"), [("m1", "sent"), ("", "unknown")])
async def test_it_is_sent_only_with_an_id(board: Board, provider_id: str, told: str) -> None:
    number = await board.add("un", due_in=-5)
    handed = HandedReminder(number, "telegram:1", 9)
    await board.hand_over(number, handed)
    assert await board.database.write(lambda tx: note_taken(tx, handed, provider_id))
    assert await board.told(number) == told
    assert (await board.row(number))["sent_id"] == (provider_id or None)


async def test_one_that_was_refused_is_due_at_once_and_its_way_is_known(board: Board) -> None:
    number = await board.add("un", due_in=-5)
    handed = HandedReminder(number, "telegram:1", 9)
    await board.hand_over(number, handed)
    assert await board.database.write(lambda tx: note_refused(tx, handed))
    assert not await board.database.write(lambda tx: note_refused(tx, handed))
    [due] = await board.due()
    assert due.task.channels_tried == ("telegram",)


@pytest.mark.parametrize(
    "other",
    [
        HandedReminder(0, "telegram:2", 9),
        HandedReminder(0, "telegram:1", 8),
        HandedReminder(0, "telegram:1", 0),
    ],
)
async def test_what_became_of_an_older_one_changes_nothing(
    board: Board, other: HandedReminder
) -> None:
    number = await board.add("un", due_in=-5)
    await board.hand_over(number, HandedReminder(number, "telegram:1", 9))
    older = replace(other, task=number)
    assert not await board.database.write(lambda tx: note_taken(tx, older, "m1"))
    assert not await board.database.write(lambda tx: note_refused(tx, older))
    assert await board.told(number) == "handed"


async def test_what_is_reported_as_failed_is_in_doubt_again(board: Board) -> None:
    number = await board.add("un", due_in=-5)
    handed = HandedReminder(number, "telegram:1", 9)
    await board.hand_over(number, handed)
    await board.database.write(lambda tx: note_taken(tx, handed, "m1"))
    await board.database.write(lambda tx: note_in_doubt(tx, "telegram:1", 8))
    await board.database.write(lambda tx: note_in_doubt(tx, "telegram:2", 9))
    assert await board.told(number) == "sent"
    await board.database.write(lambda tx: note_in_doubt(tx, "telegram:1", 9))
    assert await board.told(number) == "handed"


async def test_of_one_that_was_done_meanwhile_nobody_is_told_again(board: Board) -> None:
    number = await board.add("un", due_in=-5)
    handed = HandedReminder(number, "telegram:1", 9)
    await board.hand_over(number, handed)
    await board.finish(number)
    await board.database.write(lambda tx: note_refused(tx, handed))
    assert await board.due() == []
    assert await board.told(number) == "failed"


async def test_one_that_is_put_off_is_due_anew_by_every_way(board: Board) -> None:
    number = await board.add("un", due_in=-5)
    await board.hand_over(number, HandedReminder(number, "telegram:1", 9))
    await board.database.write(lambda tx: note_failed(tx, number))
    soon = datetime.now(UTC).timestamp() - 1
    task = await board.database.write(lambda tx: snooze_task(tx, 7, number, soon))
    assert (task.wanted_at, task.channels_tried) == (soon, ())
    assert (task.reminder_state, task.generation) == ("", 1)
    assert task.due_at != soon
    assert await board.titles() == ["un"]


async def test_only_the_open_tasks_of_the_account_can_be_put_off(board: Board) -> None:
    number = await board.add("un")
    for account, wanted in ((8, number), (7, 10**30), (7, -1)):
        with pytest.raises(NotFound):
            await board.database.write(lambda tx, a=account, n=wanted: snooze_task(tx, a, n, 1.0))
    await board.finish(number)
    with pytest.raises(NotFound):
        await board.database.write(lambda tx: snooze_task(tx, 7, number, 1.0))


async def test_a_reminder_that_was_handed_over_or_put_off_meanwhile_is_not_held(
    database: Database,
) -> None:
    """Another process, or the person, came first after the first try had failed."""
    board = Board(database)
    handed, snoozed = await board.add("handed", due_in=-1), await board.add("snoozed", due_in=-1)
    later = datetime.now(UTC).timestamp()
    await board.hand_over(handed, HandedReminder(handed, "telegram:1", 5))
    await database.write(lambda tx: snooze_task(tx, 7, snoozed, later + HOUR))
    for number in (handed, snoozed):
        await database.write(lambda tx, number=number: hold_until(tx, number, later + 60))
    assert (await board.row(handed))["remind_at"] is None
    assert (await board.row(snoozed))["remind_at"] == later + HOUR

"""What became of a reminder, as the outbox knows it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.gateway.scheduler.reminders import (
    ReminderOutcome,
    list_reminder_outcomes,
    withdraw_reminder,
)
from bot.learning.task_reminders import HandedReminder
from tests.gateway.conftest import execute, fetch

LANE = "whatsapp:+2250701020304"
HANDED = HandedReminder(1, LANE, 5)
OTHER_TURN = 6


async def hand_over(database: Database, *, notice: str = "done") -> None:
    """The reminder of task 1 became turn 5."""
    await execute(database, _TASK, lane=LANE)
    await execute(database, _NOTICE, lane=LANE, state=notice)


async def put(
    database: Database,
    state: str,
    *,
    part: int = 0,
    turn: int = 5,
    provider_id: str | None = None,
    due_in: float = 0.0,
) -> None:
    values = {"state": state, "part": part, "turn": turn, "id": provider_id, "after": due_in}
    await execute(database, _DELIVERY, lane=LANE, **values)


async def fates(database: Database) -> list[ReminderOutcome]:
    return await database.read(lambda tx: list_reminder_outcomes(tx, 10))


@pytest.mark.parametrize(
    ("state", "due_in"), [("pending", 0.0), ("attempting", 0.0), ("pending", 900.0)]
)
async def test_what_is_on_its_way_is_not_known_yet(
    database: Database, state: str, due_in: float
) -> None:
    await hand_over(database)
    await put(database, state, due_in=due_in)
    assert await fates(database) == []


async def test_what_waits_in_the_inbox_is_not_known_yet(database: Database) -> None:
    await hand_over(database, notice="pending")
    assert await fates(database) == []


async def test_what_a_provider_took_is_sent(database: Database) -> None:
    await hand_over(database)
    await put(database, "sent", provider_id="m1")
    await put(database, "refused", turn=OTHER_TURN)
    assert await fates(database) == [ReminderOutcome(HANDED, "m1", is_unknown=True)]


async def test_a_template_that_was_sent_counts(database: Database) -> None:
    await hand_over(database)
    await put(database, "waiting_for_window")
    await put(database, "sent", part=-1000, provider_id="m2")
    assert [fate.provider_id for fate in await fates(database)] == ["m2"]


@pytest.mark.parametrize("state", ["unknown", "sent"])
async def test_without_an_id_nobody_knows(database: Database, state: str) -> None:
    await hand_over(database)
    await put(database, state)
    assert await fates(database) == [ReminderOutcome(HANDED, "", is_unknown=True)]


@pytest.mark.parametrize("state", [None, "refused", "waiting_for_window"])
async def test_what_was_refused_dropped_or_only_waits_for_the_person_is_refused(
    database: Database, state: str | None
) -> None:
    await hand_over(database)
    if state is not None:
        await put(database, state)
    assert await fates(database) == [ReminderOutcome(HANDED, "", is_unknown=False)]


async def test_a_reminder_whose_conversation_is_gone_is_refused(database: Database) -> None:
    await execute(database, _TASK, lane=LANE)
    assert await fates(database) == [ReminderOutcome(HANDED, "", is_unknown=False)]


async def test_what_only_waits_can_be_withdrawn(database: Database) -> None:
    await hand_over(database)
    await put(database, "waiting_for_window")
    await put(database, "waiting_for_window", turn=OTHER_TURN)
    assert await database.write(lambda tx: withdraw_reminder(tx, HANDED))
    assert await states(database) == {5: "refused", OTHER_TURN: "waiting_for_window"}


async def test_what_is_on_its_way_by_now_cannot(database: Database) -> None:
    await hand_over(database)
    await put(database, "pending")
    assert not await database.write(lambda tx: withdraw_reminder(tx, HANDED))
    assert await states(database) == {5: "pending"}


async def states(database: Database) -> dict[Any, Any]:
    rows = await fetch(database, "SELECT turn, state FROM outbox")
    return {row["turn"]: row["state"] for row in rows}


_TASK = """
INSERT INTO task (id, key, account, channel, title, priority, zone, tags, told, told_lane,
    told_turn, created_at)
VALUES (1, 'k', 7, 'whatsapp', 't', 'normal', 'UTC', '[]', 'handed', :lane, 5, 0)
"""

_NOTICE = """
INSERT INTO inbox (seq, lane, delivery_key, message_key, body, ready_at, stored_at, state)
VALUES (5, :lane, 'k', 'k', '', 0, 0, :state)
"""

_DELIVERY = """
INSERT INTO outbox (lane, turn, part, body, state, due_at, provider_id, created_at)
VALUES (:lane, :turn, :part, '', :state, {now} + :after, :id, {now})
"""

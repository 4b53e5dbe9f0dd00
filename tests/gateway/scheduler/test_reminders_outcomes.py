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
from bot.learning.tasks import HandedReminder
from tests.support.queries import FromNow, add_row, read_rows

LANE = "whatsapp:+2250701020304"
HANDED = HandedReminder(1, LANE, 5)
OTHER_TURN = 6


async def hand_over(database: Database, *, notice: str = "done") -> None:
    """The reminder of task 1 became turn 5."""
    await add_row(
        database,
        "task",
        id=1,
        key="k",
        account=7,
        channel="whatsapp",
        title="t",
        priority="normal",
        zone="UTC",
        tags="[]",
        reminder_state="handed",
        reminder_lane=LANE,
        reminder_turn=5,
        created_at=0,
    )
    await add_row(
        database,
        "inbox",
        seq=5,
        lane=LANE,
        delivery_key="k",
        message_key="k",
        body="",
        ready_at=0,
        stored_at=0,
        state=notice,
    )


async def put(
    database: Database,
    state: str,
    *,
    part: int = 0,
    turn: int = 5,
    provider_id: str | None = None,
    due_in: float = 0.0,
) -> None:
    await add_row(
        database,
        "outbox",
        lane=LANE,
        turn=turn,
        part=part,
        state=state,
        due_at=FromNow(due_in),
        provider_id=provider_id,
    )


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
    await add_row(
        database,
        "task",
        id=1,
        key="k",
        account=7,
        channel="whatsapp",
        title="t",
        priority="normal",
        zone="UTC",
        tags="[]",
        reminder_state="handed",
        reminder_lane=LANE,
        reminder_turn=5,
        created_at=0,
    )
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
    rows = await read_rows(database, "outbox")
    return {row["turn"]: row["state"] for row in rows}

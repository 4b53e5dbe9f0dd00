from __future__ import annotations

import asyncio
from typing import Any

from bot.contracts.storage import Database
from bot.gateway.admin import Statistics, sum_up
from bot.gateway.scheduler.hourly_stats import HOUR, HourlyStatsTask
from tests.support.queries import add_row, read_rows

NOW = 490_000 * HOUR + 600.0
"""Ten minutes into an hour."""


async def store(
    database: Database, number: int, hour: int, lane: str, *, state: str = "done"
) -> None:
    """An update of so many hours ago, and the turn that it became."""
    at = NOW - hour * HOUR
    await add_row(
        database,
        "inbox",
        seq=number,
        lane=lane,
        delivery_key=f"k{number}",
        message_key=f"k{number}",
        ready_at=at,
        state="done",
        stored_at=at,
    )
    await add_row(database, "turn", lane=lane, id=number, state=state, started_at=at)
    spent: dict[str, Any] = {"lane": lane, "turn": number}
    model = {"calls": 1, "input_tokens": 100, "output_tokens": 10, "usd": 0.5}
    await add_row(database, "spending", kind="model", name="m", **model, **spent)
    await add_row(database, "spending", kind="segments", name="sms", calls=3, **spent)
    paid = {"provider_id": f"p{number}", "channel": "sms", "amount": 250_000, "booked_at": at}
    await add_row(database, "cost", lane=lane, turn=number, **paid)


async def test_hours_are_counted_once_they_are_settled_and_told_at_once(database: Database) -> None:
    for number, (hour, lane, state) in enumerate(
        [(40, "sms:1", "done"), (5, "sms:1", "dead"), (5, "telegram:2", "done"),
         (1, "job:x", "done"), (0, "telegram:2", "done")], 3
    ):  # fmt: skip
        await store(database, number * 7, hour, lane, state=state)
    tallying = HourlyStatsTask(database, lambda: NOW)
    counted = 0
    while await tallying.count_next():
        counted += 1
    assert counted == 38  # hours 40 to 3 ago
    statistics = Statistics(database, lambda: NOW)
    day, month = sum_up(await statistics.last_hours()), sum_up(await statistics.last_days())
    assert (day.turns, day.failed, day.segments, day.usd) == (4, 1, 12, 3.0)
    assert (month.turns, month.failed, month.segments) == (5, 1, 15)
    assert month.messages == {"sms": 2, "telegram": 2, "other": 1}
    assert (month.models["m"].calls, month.models["m"].input_tokens) == (5, 500)
    hours = await statistics.last_hours()
    assert [period.turns for period in hours[-6:]] == [2, 0, 0, 0, 1, 1]


async def test_what_nobody_has_counted_is_counted_for_a_day(database: Database) -> None:
    await store(database, 1, 40, "sms:1")
    await store(database, 2, 20, "sms:1")
    statistics = Statistics(database, lambda: NOW)
    assert sum_up(await statistics.last_days()).turns == 1


async def test_an_hour_that_two_count_is_counted_once(database: Database) -> None:
    await store(database, 1, 3, "sms:1")
    one, other = HourlyStatsTask(database, lambda: NOW), HourlyStatsTask(database, lambda: NOW)
    await asyncio.gather(one.count_next(), other.count_next())
    rows = await read_rows(database, "tally", order_by="kind")
    assert [(row["kind"], row["calls"]) for row in rows] == [
        ("counted", 0), ("delivered", 1), ("messages", 1), ("model", 1), ("segments", 3),
        ("turns", 1),
    ]  # fmt: skip


async def test_without_updates_there_is_nothing_to_count(database: Database) -> None:
    assert not await HourlyStatsTask(database, lambda: NOW).count_next()
    assert sum_up(await Statistics(database, lambda: NOW).last_days()).turns == 0

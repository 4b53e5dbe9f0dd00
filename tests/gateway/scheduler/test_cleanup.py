"""What is kept of erased people for a day is kept no longer."""

from __future__ import annotations

from bot.contracts.storage import Database
from bot.gateway.scheduler.periodic import Cleanup
from tests.gateway.conftest import execute, fetch, until

_CODE = """
INSERT INTO code (id, target, prefix, channel, address, expires_at, created_at)
VALUES (:id, :target, '225', 'telegram', :address, {now}, {now} - :age)
"""
_RECEIPT = """
INSERT INTO receipt (via, provider_id, body, at) VALUES ('fake', :id, '', {now} - :age)
"""
_ALLOWANCE = """
INSERT INTO allowance (channel, address, day, used) VALUES ('telegram', :address, :day, 3)
"""


async def _fill(database: Database) -> None:
    for age in (80_000, 90_000):
        await execute(database, _RECEIPT, id=f"{age}", age=age)
        for target, address in (("erased:1", "2"), ("+1", "erased:2"), ("+2", "3")):
            values = {"target": target, "address": address}
            await execute(database, _CODE, id=f"{target} {age}", age=age, **values)
    for address, day in (("erased:1", "2026-01-30"), ("erased:2", "2026-01-31")):
        await execute(database, _ALLOWANCE, address=address, day=day)


async def _left(database: Database) -> list[list[str]]:
    columns = (("code", "id"), ("receipt", "provider_id"), ("allowance", "address"))
    return [
        [row[0] for row in await fetch(database, f"SELECT {column} FROM {table} ORDER BY 1")]
        for table, column in columns
    ]


async def test_marks_and_reports_are_kept_for_a_day(database: Database) -> None:
    await _fill(database)
    assert await Cleanup(database).sweep() == 0
    await Cleanup(database).forget_marks()
    codes, receipts, allowances = await _left(database)
    assert sorted(codes) == ["+1 80000", "+2 80000", "erased:1 80000"]
    assert (receipts, allowances) == (["80000"], ["erased:2"])


async def test_buttons_go_once_they_no_longer_work(database: Database) -> None:
    for token, left in (("old", -1), ("new", 60)):
        await execute(
            database,
            "INSERT INTO button (token, lane, address, action, expires_at)"
            " VALUES (:token, 'telegram:1', '1', '', {now} + :left)",
            token=token,
            left=left,
        )
    await Cleanup(database).forget_marks()
    assert [row["token"] for row in await fetch(database, "SELECT token FROM button")] == ["new"]


async def test_it_looks_by_itself_until_it_is_stopped(database: Database) -> None:
    await execute(database, "INSERT INTO lane (id, erased) VALUES ('telegram:1', 1)")
    sweeper = Cleanup(database)
    sweeper.rounds.start()

    async def is_swept() -> bool:
        return await fetch(database, "SELECT * FROM lane") == []

    await until(is_swept)
    await sweeper.rounds.stop()

"""What is kept of erased people for a day is kept no longer."""

from __future__ import annotations

from bot.contracts.storage import Database
from bot.gateway.scheduler.periodic import Cleanup
from tests.support.queries import FromNow, add_row, read_values


async def _fill(database: Database) -> None:
    for age in (80_000, 90_000):
        named = {"via": "fake", "provider_id": f"{age}", "state": "failed"}
        await add_row(database, "receipt", **named, body="", at=FromNow(-age))
        for target, address in (("erased:1", "2"), ("+1", "erased:2"), ("+2", "3")):
            await add_row(
                database,
                "code",
                id=f"{target} {age}",
                target=target,
                prefix="225",
                channel="telegram",
                address=address,
                created_at=FromNow(-age),
            )
    for address, day in (("erased:1", "2026-01-30"), ("erased:2", "2026-01-31")):
        await add_row(database, "allowance", channel="telegram", address=address, day=day, used=3)


async def _left(database: Database) -> list[list[str]]:
    columns = (("code", "id"), ("receipt", "provider_id"), ("allowance", "address"))
    return [
        await read_values(database, table, column, order_by=column) for table, column in columns
    ]


async def test_marks_and_reports_are_kept_for_a_day(database: Database) -> None:
    await _fill(database)
    assert await Cleanup(database).sweep() == 0
    await Cleanup(database).forget()
    codes, receipts, allowances = await _left(database)
    assert sorted(codes) == ["+1 80000", "+2 80000", "erased:1 80000"]
    assert (receipts, allowances) == (["80000"], ["erased:2"])


async def test_buttons_go_once_they_no_longer_work(database: Database) -> None:
    for token, left in (("old", -1), ("new", 60)):
        await add_row(
            database,
            "button",
            token=token,
            lane="telegram:1",
            address="1",
            action="",
            expires_at=FromNow(left),
        )
    await Cleanup(database).forget()
    assert await read_values(database, "button", "token") == ["new"]

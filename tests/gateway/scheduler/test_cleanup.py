"""What is kept of erased people for a day is kept no longer."""

from __future__ import annotations

from bot.contracts.storage import Database
from bot.files.store import TEMPORARY, TEMPORARY_SECONDS, FileStore
from bot.gateway.scheduler.cleanup import Cleanup
from tests.support.file_fakes import DictBlobs
from tests.support.queries import FromNow, add_row, change_rows, read_values


def make_cleanup(database: Database) -> Cleanup:
    return Cleanup(database, FileStore(database, DictBlobs()))


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
    assert await make_cleanup(database).sweep() == 0
    await make_cleanup(database).forget()
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
    await make_cleanup(database).forget()
    assert await read_values(database, "button", "token") == ["new"]


async def test_old_temporary_files_are_deleted_with_their_bytes(database: Database) -> None:
    blobs = DictBlobs()
    files = FileStore(database, blobs)
    for name, source in (("old", TEMPORARY), ("new", TEMPORARY), ("kept", "generated")):
        await files.save(1, name, b"abc", mime_type="image/png", source=source, key=name)
    past = {"created_at": FromNow(-TEMPORARY_SECONDS - 60)}
    for name in ("old", "kept"):
        await change_rows(database, "file", past, name=name)
    await Cleanup(database, files).forget()
    assert sorted(await read_values(database, "file", "name")) == ["kept", "new"]
    assert len(blobs.contents) == 2

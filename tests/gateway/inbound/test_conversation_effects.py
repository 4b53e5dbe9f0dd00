"""What an update changes about its conversation the moment it is stored."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest

from bot.contracts.storage import Database
from bot.gateway.inbound.inbox import Inbox
from bot.messages.incoming import Migrated, OptedOut, Reachable, Said, UpdateContent
from tests.support.app import update
from tests.support.queries import (
    FromNow,
    Plus,
    add_row,
    change_rows,
    read_row,
    read_rows,
    read_seconds_until,
    read_values,
)


async def _lane(database: Database, name: str = "telegram:1") -> Any:
    return await read_row(database, "lane", id=name)


async def _hear(database: Database, *contents: UpdateContent | str) -> Any:
    for content in contents:
        await Inbox(database).store([update(content)])
    return await _lane(database)


async def test_whoever_writes_can_be_written_to(database: Database) -> None:
    assert (await _hear(database, "hello", Reachable(yes=False)))["reachable"] == 0
    assert (await _hear(database, "hello again"))["reachable"] == 1


async def test_a_late_duplicate_does_not_make_them_reachable(database: Database) -> None:
    inbox, old = Inbox(database), update("hello")
    await inbox.store([old, update(Reachable(yes=False))])
    await inbox.store([old])
    assert (await _lane(database))["reachable"] == 0


async def test_after_opting_out_only_consent_counts(database: Database) -> None:
    lane = await _hear(database, "hello", OptedOut(), "are you there?")
    assert (lane["opted_out"], lane["reachable"]) == (1, 0)
    states = await read_rows(database, "inbox")
    assert [row["state"] for row in states] == [
        "done",
        "pending",
        "done",
    ]  # what was queued is dropped
    lane = await _hear(database, Said("START", consents=True))
    assert (lane["opted_out"], lane["reachable"]) == (0, 1)


@pytest.mark.parametrize(("state", "released"), [("waiting_for_window", True), ("pending", False)])
async def test_their_next_message_lets_go_what_waited_for_it(
    database: Database, state: str, released: bool
) -> None:
    await _hear(database, "hello")
    await add_row(
        database,
        "outbox",
        lane="telegram:1",
        turn=1,
        part=0,
        body="{}",
        state=state,
        due_at=FromNow(60),
        created_at=FromNow(-90000),
    )
    await change_rows(database, "lane", {"window_closed": 1, "person_wrote_at": 0})
    lane = await _hear(database, "I am back")
    [wait] = await read_seconds_until(database, "outbox", "due_at")
    row = await read_row(database, "outbox")
    assert row["state"] == "pending"
    assert (wait <= 0, row["tried_from"] is not None) == (released, released)
    assert lane["window_closed"] == 0


async def test_when_they_were_heard_is_noted_once_a_minute(database: Database) -> None:
    first = (await _hear(database, "hello"))["person_wrote_at"]
    assert first > 0
    assert (await _hear(database, "and"))["person_wrote_at"] == first
    await change_rows(database, "lane", {"person_wrote_at": Plus(-70)})
    assert (await _hear(database, "later"))["person_wrote_at"] >= first


@pytest.mark.parametrize(
    ("sent", "opens"), [(-90_000.0, False), (-3_600.0, True), (90_000.0, True), (None, True)]
)
async def test_only_a_message_within_its_window_lets_go_what_waits(
    database: Database, sent: float | None, opens: bool
) -> None:
    await _hear(database, "hello")
    await change_rows(database, "lane", {"window_closed": 1, "person_wrote_at": 0})
    at = 0.0 if sent is None else time.time() + sent
    inbox = Inbox(database, windows={"fake": 86_400.0})
    await inbox.store([msgspec.structs.replace(update("I am back"), at=at)])
    lane = await _lane(database)
    assert lane["window_closed"] == int(not opens)
    wrote = min(sent or 0.0, 0.0)
    assert lane["person_wrote_at"] - time.time() == pytest.approx(wrote, abs=60)


async def test_a_late_message_takes_no_time_from_a_newer_one(database: Database) -> None:
    first = (await _hear(database, "hello"))["person_wrote_at"]
    await change_rows(database, "lane", {"reachable": 0})
    late = msgspec.structs.replace(update("earlier"), at=time.time() - 90_000)
    await Inbox(database, windows={"fake": 86_400.0}).store([late])
    lane = await _lane(database)
    assert (lane["person_wrote_at"], lane["reachable"]) == (first, 1)


async def test_a_group_that_moved_keeps_its_lane(database: Database) -> None:
    def of(chat: str, content: UpdateContent) -> Any:
        return msgspec.structs.replace(update(content, chat=chat), group=True)

    inbox = Inbox(database)
    await inbox.store([of("-1", Said("hello")), of("-1", Migrated("-100"))])
    await inbox.store([of("-100", Said("here we are"))])
    assert set(await read_values(database, "inbox", "lane")) == {"telegram:-1"}
    assert (await _lane(database, "telegram:-1"))["moved_to"] == "telegram:-100"

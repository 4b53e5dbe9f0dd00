"""What an update changes about its conversation the moment it is stored."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bot.contracts.storage import Database
from bot.gateway.inbound.inbox import Inbox
from bot.messages.incoming import Migrated, OptedOut, Reachable, Said, UpdateContent
from tests.gateway.conftest import execute, fetch, update


async def _lane(database: Database, name: str = "telegram:1") -> Any:
    [row] = await fetch(database, "SELECT * FROM lane WHERE id = :name", name=name)
    return row


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
    states = await fetch(database, "SELECT state FROM inbox ORDER BY seq")
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
    await execute(
        database,
        "INSERT INTO outbox (lane, turn, part, body, state, due_at, created_at)"
        " VALUES ('telegram:1', 1, 0, '{}', :state, {now} + 60, {now} - 90000)",
        state=state,
    )
    await execute(database, "UPDATE lane SET window_closed = 1, heard_at = 0")
    lane = await _hear(database, "I am back")
    [row] = await fetch(
        database,
        "SELECT state, due_at <= {now} AS due, tried_from IS NOT NULL AS anew FROM outbox",
    )
    assert (row["state"], bool(row["due"]), bool(row["anew"])) == ("pending", released, released)
    assert lane["window_closed"] == 0


async def test_when_they_were_heard_is_noted_once_a_minute(database: Database) -> None:
    first = (await _hear(database, "hello"))["heard_at"]
    assert first > 0
    assert (await _hear(database, "and"))["heard_at"] == first
    await execute(database, "UPDATE lane SET heard_at = heard_at - 70")
    assert (await _hear(database, "later"))["heard_at"] >= first


async def test_a_group_that_moved_keeps_its_lane(database: Database) -> None:
    def of(chat: str, content: UpdateContent) -> Any:
        return msgspec.structs.replace(update(content, chat=chat), group=True)

    inbox = Inbox(database)
    await inbox.store([of("-1", Said("hello")), of("-1", Migrated("-100"))])
    await inbox.store([of("-100", Said("here we are"))])
    rows = await fetch(database, "SELECT DISTINCT lane FROM inbox")
    assert [row["lane"] for row in rows] == ["telegram:-1"]
    assert (await _lane(database, "telegram:-1"))["moved_to"] == "telegram:-100"

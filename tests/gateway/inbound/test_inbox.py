from __future__ import annotations

import asyncio

import pytest

from bot.contracts.storage import Database
from bot.errors import Busy
from bot.gateway.inbound.bursts import bypasses_queue
from bot.gateway.inbound.command_parser import note_command
from bot.gateway.inbound.inbox import Inbox
from bot.messages.incoming import Decided, Reachable, Reacted, Said, Tapped, UpdateContent
from tests.support.app import update
from tests.support.queries import read_rows


async def test_the_same_update_fifty_times_at_once_is_stored_once(database: Database) -> None:
    inbox = Inbox(database)
    one = update("hello")
    numbers = await asyncio.gather(*(inbox.store([one]) for _ in range(50)))
    assert len([number for [number] in numbers if number is not None]) == 1


@pytest.mark.parametrize("same", ["delivery_key", "message_key"])
async def test_either_key_tells_a_duplicate(database: Database, same: str) -> None:
    inbox = Inbox(database)
    first, second = update("hello"), update("hello")
    changed = {key: getattr(first if key == same else second, key) for key in _KEYS}
    again = type(second)(
        second.channel, second.via, second.conversation, second.sender,
        changed["delivery_key"], changed["message_key"], second.content,
    )  # fmt: skip
    assert await inbox.store([first]) != [None]
    assert await inbox.store([again]) == [None]


_KEYS = ("delivery_key", "message_key")


async def test_one_duplicate_in_a_batch_does_not_lose_the_others(database: Database) -> None:
    inbox = Inbox(database)
    known, new = update("known"), update("new", chat="2")
    await inbox.store([known])
    duplicate, stored = await inbox.store([known, new])
    assert duplicate is None
    assert stored is not None


async def test_batches_that_cross_do_not_lock_each_other_out(database: Database) -> None:
    inbox = Inbox(database)
    batches = [
        [update("hello", chat=str(chat)) for chat in (range(6) if n % 2 else range(5, -1, -1))]
        for n in range(10)
    ]
    stored = await asyncio.gather(*(inbox.store(batch) for batch in batches))
    assert all(number is not None for numbers in stored for number in numbers)


async def test_order_of_storing_is_order_of_numbers_within_a_lane(database: Database) -> None:
    inbox = Inbox(database)
    await asyncio.gather(*(inbox.store([update(f"hello {n}")]) for n in range(20)))
    rows = await read_rows(database, "inbox")
    assert [row["stored_at"] for row in rows] == sorted(row["stored_at"] for row in rows)


async def test_a_session_with_an_unfinished_turn_is_busy(database: Database) -> None:
    inbox = Inbox(database)
    await inbox.store_if_idle(update("first"))
    with pytest.raises(Busy):
        await inbox.store_if_idle(update("second"))
    assert await inbox.store_if_idle(update("/stop"))


async def test_of_two_at_the_same_moment_one_is_busy(database: Database) -> None:
    inbox = Inbox(database)
    results = await asyncio.gather(
        *(inbox.store_if_idle(update("hello")) for _ in range(8)), return_exceptions=True
    )
    assert len([result for result in results if isinstance(result, int)]) == 1


@pytest.mark.parametrize(
    ("content", "bypass_queue"),
    [
        (Said("/stop"), True),
        (Said("/help"), True),
        (Said("/new"), False),
        (Said("/unknown"), False),
        (Said("stop"), False),
        (Said("hello"), False),
        (Tapped("t"), True),
        (Decided("a", "approve"), False),
        (Reachable(yes=False), True),
        (Reacted("👍"), False),
    ],
)
def test_what_never_waits(content: UpdateContent, bypass_queue: bool) -> None:
    assert bypasses_queue(note_command(update(content))) is bypass_queue

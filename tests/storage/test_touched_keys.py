"""What the watch over the suite's transactions finds, on work that is planted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import reduce
from importlib import import_module

import pytest

from bot.contracts.storage import Database, Transaction
from bot.gateway.lanes import Claim, Lanes, join_thread, leave_thread, thread_of, wake_lane
from bot.storage.accounts import insert_account, set_grade
from tests.support.databases import on_sqlite
from tests.support.queries import add_row, change_rows, read_rows
from tests.support.touched_keys import ACROSS_OWNERS, FOUND, TouchedKeys, watch

CHAT = "telegram:1001"


async def count_owners(database: Database, work: Callable[[Transaction], Awaitable[object]]) -> int:
    """Run the work under watch; how many owners the keys have that it touches."""
    keys = TouchedKeys()
    await database.write(lambda tx: watch(tx, work, keys))
    return len(keys.group())


async def add_account(database: Database, phone: str) -> int:
    async def work(tx: Transaction) -> int | None:
        return await insert_account(
            tx, phone=phone, user_id="", name="", language="fr", country="", timezone="UTC"
        )

    account = await database.write(work)
    assert account is not None
    return account


async def link(database: Database, account: int) -> None:
    """Have the chat stand in the account's thread."""
    await database.write(lambda tx: wake_lane(tx, CHAT))
    await database.write(lambda tx: join_thread(tx, CHAT, thread_of(account)))


@on_sqlite
async def test_two_conversations_are_two_owners(database: Database) -> None:
    async def work(tx: Transaction) -> None:
        await wake_lane(tx, CHAT)
        await wake_lane(tx, "telegram:1002")

    assert await count_owners(database, work) == 2


@on_sqlite
async def test_a_chat_and_a_foreign_account_are_two_owners(database: Database) -> None:
    mine, other = await add_account(database, "+2250701"), await add_account(database, "+2250702")
    await link(database, mine)

    async def work(tx: Transaction) -> None:
        await wake_lane(tx, CHAT)
        await set_grade(tx, other, "CM2")

    assert await count_owners(database, work) == 2


@on_sqlite
async def test_a_chat_and_its_account_are_one_owner(database: Database) -> None:
    account = await add_account(database, "+2250701")
    await link(database, account)

    async def work(tx: Transaction) -> None:
        await wake_lane(tx, CHAT)
        await set_grade(tx, account, "CM2")

    assert await count_owners(database, work) == 1


@on_sqlite
async def test_who_logs_out_is_one_owner(database: Database) -> None:
    account = await add_account(database, "+2250701")
    await link(database, account)

    async def work(tx: Transaction) -> None:
        await wake_lane(tx, CHAT)
        await set_grade(tx, account, "CM2")
        await leave_thread(tx, CHAT, 7)

    assert await count_owners(database, work) == 1


@on_sqlite
async def test_rows_written_without_naming_their_keys_are_found(database: Database) -> None:
    for lane in (CHAT, "telegram:1002"):
        await add_row(database, "inbox", lane=lane, delivery_key="1", message_key="1", body="{}")

    async def work(tx: Transaction) -> None:
        await change_rows(tx, "inbox", {"state": "done"})

    assert await count_owners(database, work) == 2


@on_sqlite
async def test_rows_read_without_naming_their_keys_are_found(database: Database) -> None:
    for lane in (CHAT, "telegram:1002"):
        await add_row(database, "inbox", lane=lane, delivery_key="1", message_key="1", body="{}")
    assert await count_owners(database, lambda tx: read_rows(tx, "inbox")) == 2


@on_sqlite
async def test_transactions_of_the_product_are_watched(database: Database) -> None:
    lanes = Lanes(database, 15, ["telegram"])
    await database.write(lambda tx: wake_lane(tx, CHAT, via="telegram"))
    [claim] = await lanes.claim(1)

    async def reach_elsewhere(tx: Transaction, _: Claim) -> None:
        await wake_lane(tx, "telegram:1002")

    await lanes.release(claim, reach_elsewhere)
    [found] = FOUND
    FOUND.clear()
    assert found.startswith("bot.gateway.lanes: Lanes.release touches")


@on_sqlite
async def test_a_chat_of_many_goes_with_one_of_them(database: Database) -> None:
    account = await add_account(database, "+2250701")
    other = await add_account(database, "+2250702")
    body = '{"group":true}'
    await add_row(database, "inbox", lane=CHAT, delivery_key="1", message_key="1", body=body)

    async def work(tx: Transaction) -> None:
        await wake_lane(tx, CHAT)
        await set_grade(tx, account, "CM2")

    async def work_of_two(tx: Transaction) -> None:
        await work(tx)
        await set_grade(tx, other, "CM2")

    assert await count_owners(database, work) == 1
    assert await count_owners(database, work_of_two) == 2


@pytest.mark.parametrize("name", ACROSS_OWNERS)
def test_every_exception_is_a_function(name: str) -> None:
    module, _, function = name.partition(": ")
    assert callable(reduce(getattr, function.split("."), import_module(module)))

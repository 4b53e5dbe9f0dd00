from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.accounts import ledger
from bot.contracts.storage import Database
from bot.errors import OutOfCredits
from bot.settings import Settings
from bot.storage.accounts import merge_account
from bot.storage.database import open_database
from tests.support.databases import DatabasePool
from tests.support.queries import add_row, change_rows, until_one_waits


async def _account(database: Database, credits: int = 0) -> int:
    async def work(tx: Any) -> int:
        row = await add_row(tx, "account")
        await ledger.book(tx, account=row["id"], amount=credits, kind="grant", key=f"g{row['id']}")
        return row["id"]

    return await database.write(work)


async def _balance(database: Database, account: int) -> int:
    balance, entries = await ledger.entries(database, account)
    assert balance == sum(entry.amount for entry in entries)
    return balance


async def test_a_key_is_booked_once(database: Database) -> None:
    account = await _account(database, 10)

    async def work(tx: Any) -> bool:
        return await ledger.book(tx, account=account, amount=5, kind="bonus", key="k")

    assert [await database.write(work), await database.write(work)] == [True, False]
    assert await _balance(database, account) == 15


async def test_fifty_turns_at_once_never_overdraw(database: Database) -> None:
    account = await _account(database, 120)

    async def turn(number: int) -> int:
        async def begin(tx: Any) -> int:
            return await ledger.reserve(tx, account=account, turn=str(number), least=1)

        try:
            held = await database.write(begin)
        except OutOfCredits:
            return 0

        async def end(tx: Any) -> int:
            return await ledger.settle(
                tx, account=account, turn=str(number), held=held, cost=number % 7 + 1
            )

        return await database.write(end)

    charged = sum(await asyncio.gather(*(turn(number) for number in range(50))))
    assert await _balance(database, account) == 120 - charged >= 0
    assert await ledger.check(database) == []


async def test_a_turn_that_cost_more_than_it_held_takes_the_rest(database: Database) -> None:
    account = await _account(database, 100)

    async def work(tx: Any) -> int:
        held = await ledger.reserve(tx, account=account, turn="t", least=1)
        return await ledger.settle(tx, account=account, turn="t", held=held, cost=60)

    assert await database.write(work) == 60
    assert await _balance(database, account) == 40


async def test_a_turn_never_costs_more_than_there_is(database: Database) -> None:
    account = await _account(database, 3)

    async def work(tx: Any) -> int:
        held = await ledger.reserve(tx, account=account, turn="t", least=1)
        return await ledger.settle(tx, account=account, turn="t", held=held, cost=60)

    assert await database.write(work) == 3
    assert await _balance(database, account) == 0


async def test_a_turn_is_settled_or_refunded_once(database: Database) -> None:
    account = await _account(database, 20)

    async def work(tx: Any) -> None:
        held = await ledger.reserve(tx, account=account, turn="t", least=1)
        await ledger.refund(tx, account=account, turn="t", held=held)
        await ledger.settle(tx, account=account, turn="t", held=held, cost=5)
        await ledger.refund(tx, account=account, turn="t", held=held)

    await database.write(work)
    assert await _balance(database, account) == 20


async def test_the_database_itself_refuses_a_negative_balance(database: Database) -> None:
    account = await _account(database, 1)
    with pytest.raises(Exception, match=r"(?i)check|balance"):
        await change_rows(database, "account", {"balance": -1}, id=account)


async def test_a_tampered_balance_is_found(database: Database) -> None:
    account = await _account(database, 10)
    await change_rows(database, "account", {"balance": 11}, id=account)
    [mismatch] = await ledger.check(database)
    assert (mismatch.account, mismatch.balance, mismatch.total) == (account, 11, 10)


@pytest.mark.parametrize(
    ("usd", "credits"), [(0.0, 1), (0.0001, 1), (0.001, 1), (0.0011, 2), (0.3, 300)]
)
def test_the_price_is_rounded_up(usd: float, credits: int) -> None:
    assert ledger.price(usd, credits_per_usd=1000, least=1) == credits


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["grant", "reserve", "settle", "refund"]),
        st.integers(0, 4),
        st.integers(0, 40),
    ),
    max_size=25,
)


@settings(max_examples=40)
@given(steps=_STEPS)
def test_no_order_of_bookings_breaks_the_sum(
    make_sqlite: Callable[[], str], steps: list[tuple[str, int, int]]
) -> None:
    async def scenario() -> None:
        async with open_database(Settings(database_url=make_sqlite())) as database:
            account = await _account(database, 15)
            held: dict[str, int] = {}
            for number, (kind, turn, amount) in enumerate(steps):
                await database.write(_step(account, held, kind, str(turn), amount, number))
            assert await _balance(database, account) >= 0
            assert await ledger.check(database) == []

    asyncio.run(scenario())


def _step(
    account: int, held: dict[str, int], kind: str, turn: str, amount: int, number: int
) -> Any:
    async def work(tx: Any) -> None:
        match kind:
            case "grant":
                await ledger.book(
                    tx, account=account, amount=amount, kind="grant", key=f"step{number}"
                )
            case "reserve" if turn not in held:
                try:
                    held[turn] = await ledger.reserve(tx, account=account, turn=turn, least=1)
                except OutOfCredits:
                    return
            case "settle" if turn in held:
                await ledger.settle(tx, account=account, turn=turn, held=held[turn], cost=amount)
            case "refund" if turn in held:
                await ledger.refund(tx, account=account, turn=turn, held=held[turn])
            case _:
                return

    return work


@pytest.mark.parametrize("credits", [3, 12, 100])
@pytest.mark.parametrize("cost", [1, 10, 60])
async def test_work_that_is_run_again_after_an_unseen_commit_says_the_same(
    database: Database, credits: int, cost: int
) -> None:
    account = await _account(database, credits)

    async def begin(tx: Any) -> int:
        return await ledger.reserve(tx, account=account, turn="t", least=1)

    held = [await database.write(begin) for _ in range(2)]
    assert held[0] == held[1]

    async def end(tx: Any) -> int:
        return await ledger.settle(tx, account=account, turn="t", held=held[0], cost=cost)

    charged = [await database.write(end) for _ in range(2)]
    assert charged[0] == charged[1] == credits - await _balance(database, account)


async def test_what_is_part_of_a_third_account_takes_nothing_of_it_along(
    database: Database,
) -> None:
    part, third, other = [await _account(database, each) for each in (0, 100, 5)]

    async def work(tx: Any) -> int:
        await merge_account(tx, part, third)
        return await ledger.move(tx, part, other, key="join")

    assert await database.write(work) == 0
    assert [await _balance(database, each) for each in (part, third, other)] == [0, 100, 5]


@pytest.mark.parametrize("way", ["settle", "refund", "settle more", "reserve", "book"])
async def test_what_is_booked_while_an_account_becomes_part_of_another_is_booked_there(
    database_pool: DatabasePool, way: str
) -> None:
    with database_pool.take() as url:
        async with open_database(Settings(database_url=url)) as database:
            old, new = await _account(database, 40), await _account(database, 100)
            held = await database.write(
                lambda tx: ledger.reserve(tx, account=old, turn="t", least=1)
            )
            moved, go_on = asyncio.Event(), asyncio.Event()

            async def merge(tx: Any) -> None:
                await ledger.move(tx, old, new, key="join")
                moved.set()
                await go_on.wait()
                await merge_account(tx, old, new)

            merging = asyncio.create_task(database.write(merge))
            await moved.wait()
            booking = asyncio.create_task(database.write(_booking(way, old, held)))
            await until_one_waits(database)
            go_on.set()
            await asyncio.gather(merging, booking)
            assert await _balance(database, old) == 0
            assert await _balance(database, new) == 140 + await booking
            assert await ledger.check(database) == []


def _booking(way: str, account: int, held: int) -> Any:
    """What it leaves of 140 credits, of which some are held."""

    async def work(tx: Any) -> int:
        match way:
            case "settle":
                return -await ledger.settle(tx, account=account, turn="t", held=held, cost=3)
            case "settle more":
                return -await ledger.settle(tx, account=account, turn="t", held=held, cost=60)
            case "refund":
                await ledger.refund(tx, account=account, turn="t", held=held)
                return 0
            case "reserve":
                return -held - await ledger.reserve(tx, account=account, turn="u", least=20)
            case _:
                await ledger.book(tx, account=account, amount=-50, kind="grant", key="k")
                return -held - 50

    return work

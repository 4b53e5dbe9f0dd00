from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.accounts import ledger
from bot.accounts.ledger import MAX_BONUS_PER_DAY, Bonuses, begin_of_day
from bot.contracts.services import Bonus, ToolContext
from bot.contracts.storage import Database
from bot.errors import ToolFailed
from tests.support.fakes import tool_context
from tests.support.purchases import open_account
from tests.support.queries import Plus, change_rows, delete_rows


def half_a_day_ago(now: float) -> float:
    """A day that does not end while a test runs."""
    return now - 43_200


@pytest.fixture
def bonuses(database: Database) -> Bonuses:
    return Bonuses(database, half_a_day_ago)


@pytest.fixture
async def context(database: Database) -> ToolContext:
    return tool_context(account=await open_account(database))


def call(context: ToolContext, number: int) -> ToolContext:
    return replace(context, key=f"telegram:42/1/call-{number}")


async def entries(database: Database, context: ToolContext) -> list[tuple[str, int]]:
    """Kind and amount of all that is booked; the balance is their sum."""
    balance, booked = await ledger.entries(database, context.account)
    assert balance == sum(entry.amount for entry in booked)
    assert await ledger.check(database) == []
    return [(entry.kind, entry.amount) for entry in booked]


async def test_a_bonus_is_booked(
    bonuses: Bonuses, context: ToolContext, database: Database
) -> None:
    assert await bonuses.award(3, context) == Bonus(3, left_today=17)
    assert await entries(database, context) == [("bonus", 3)]


async def test_the_same_call_again_books_once_and_says_the_same(
    bonuses: Bonuses, context: ToolContext, database: Database
) -> None:
    said = await asyncio.gather(*(bonuses.award(4, context) for _ in range(5)))
    assert set(said) == {Bonus(4, left_today=16)}
    assert await entries(database, context) == [("bonus", 4)]


async def test_a_day_has_a_limit_up_to_which_is_given(
    bonuses: Bonuses, context: ToolContext, database: Database
) -> None:
    for number in range(3):
        await bonuses.award(5, call(context, number))
    assert await bonuses.award(3, call(context, 3)) == Bonus(3, left_today=2)
    assert await bonuses.award(5, call(context, 4)) == Bonus(2, left_today=0)
    with pytest.raises(ToolFailed, match="at most 20 a day"):
        await bonuses.award(1, call(context, 5))
    assert sum(amount for _, amount in await entries(database, context)) == MAX_BONUS_PER_DAY


async def test_a_bonus_repeated_once_the_day_is_full_is_still_the_one_it_was(
    bonuses: Bonuses, context: ToolContext
) -> None:
    for number in range(4):
        await bonuses.award(5, call(context, number))
    assert await bonuses.award(5, call(context, 0)) == Bonus(5, left_today=0)


async def test_many_at_once_never_exceed_the_limit(
    bonuses: Bonuses, context: ToolContext, database: Database
) -> None:
    results = await asyncio.gather(
        *(bonuses.award(3, call(context, number)) for number in range(20)), return_exceptions=True
    )
    given = [result.credits for result in results if isinstance(result, Bonus)]
    refused = [result for result in results if isinstance(result, ToolFailed)]
    assert sorted(given) == [2, 3, 3, 3, 3, 3, 3]
    assert len(refused) == 13
    assert sum(amount for _, amount in await entries(database, context)) == MAX_BONUS_PER_DAY


async def test_yesterdays_bonuses_and_other_bookings_do_not_count(
    bonuses: Bonuses, context: ToolContext, database: Database
) -> None:
    for number in range(4):
        await bonuses.award(5, call(context, number))
    await change_rows(database, "ledger", {"at": Plus(-86400.0)})

    async def grant(tx: Any) -> None:
        await ledger.book(tx, account=context.account, amount=500, kind="grant", key="g")

    await database.write(grant)
    assert await bonuses.award(5, call(context, 5)) == Bonus(5, left_today=15)


async def test_each_account_has_a_day_of_its_own(
    bonuses: Bonuses, context: ToolContext, database: Database
) -> None:
    for number in range(4):
        await bonuses.award(5, call(context, number))
    other = replace(call(context, 9), account=await open_account(database))
    assert await bonuses.award(5, other) == Bonus(5, left_today=15)


async def test_an_account_that_is_gone_is_given_nothing(
    bonuses: Bonuses, context: ToolContext, database: Database
) -> None:
    await delete_rows(database, "account")
    with pytest.raises(ToolFailed, match="no account"):
        await bonuses.award(5, context)
    assert await entries(database, context) == []


@pytest.mark.parametrize(
    ("now", "begin"),
    [(0.0, 0.0), (86_399.9, 0.0), (86_400.0, 86_400.0), (1_780_000_000.5, 1_779_926_400.0)],
)
def test_a_day_begins_at_midnight_of_utc(now: float, begin: float) -> None:
    assert begin_of_day(now) == begin


async def test_by_default_the_day_is_that_of_utc(context: ToolContext, database: Database) -> None:
    for number in range(4):
        await Bonuses(database, half_a_day_ago).award(5, call(context, number))
    await change_rows(database, "ledger", {"at": Plus(-86400.0 * 2)})
    assert await Bonuses(database).award(5, call(context, 5)) == Bonus(5, left_today=15)

"""Who is not settled is asked for, with growing pauses, by one of those who look."""

from __future__ import annotations

import asyncio

import pytest

from bot.billing import purchases
from bot.contracts.storage import Database
from tests.support.purchases import (
    begin_purchase,
    credit_purchase,
    make_intent,
    open_account,
    pass_time,
    read_seconds_until_asked,
    read_state,
)
from tests.support.queries import change_rows


async def due(database: Database) -> list[str]:
    return [each.id for each in await database.write(lambda tx: purchases.take_due_checks(tx, 20))]


async def test_it_is_asked_for_with_growing_pauses(database: Database) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    pauses = [await read_seconds_until_asked(database)]
    for _ in range(6):
        assert await due(database) == []
        await pass_time(database, pauses[-1] or 0)
        assert await due(database) == [order]
        pauses.append(await read_seconds_until_asked(database))
    assert pauses == [60, 120, 300, 900, 1800, 3600, 3600]


async def test_of_many_who_look_one_takes_it(database: Database) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    await pass_time(database, 61)
    taken = await asyncio.gather(*(due(database) for _ in range(5)))
    assert [each for some in taken for each in some] == [order]


async def test_a_hint_has_it_asked_for_soon(database: Database) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    assert await database.write(lambda tx: purchases.note_callback(tx, order, "wave"))
    assert await read_seconds_until_asked(database) == 10


@pytest.mark.parametrize("state", ["paid", "refunded"])
async def test_a_hint_about_nothing_that_could_change_is_nothing(
    database: Database, state: str
) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    assert not await database.write(lambda tx: purchases.note_callback(tx, "0" * 24, "wave"))
    assert not await database.write(lambda tx: purchases.note_callback(tx, order, "stripe"))
    await change_rows(database, "purchase", {"state": state})
    assert not await database.write(lambda tx: purchases.note_callback(tx, order, "wave"))


async def test_what_nobody_paid_in_a_day_expires(database: Database) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    assert not await database.write(lambda tx: purchases.postpone_check(tx, order, after=86_400))
    assert (await read_state(database, order))[0] == "open"
    await pass_time(database, 86_401)
    assert await database.write(lambda tx: purchases.postpone_check(tx, order, after=86_400))
    assert not await database.write(lambda tx: purchases.postpone_check(tx, order, after=86_400))
    assert (await read_state(database, order))[0] == "expired"
    assert await read_seconds_until_asked(database) is None


async def test_an_expired_one_that_was_asked_for_once_more_rests_again(
    database: Database,
) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    await pass_time(database, 86_401)
    await database.write(lambda tx: purchases.postpone_check(tx, order, after=86_400))
    await database.write(lambda tx: purchases.note_callback(tx, order, "wave"))
    await database.write(lambda tx: purchases.postpone_check(tx, order, after=86_400))
    assert await read_seconds_until_asked(database) is None


async def test_what_a_provider_calls_failed_is_not_asked_for(database: Database) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    assert await database.write(lambda tx: purchases.fail_open_purchases(tx, order, "refused"))
    assert not await database.write(lambda tx: purchases.fail_open_purchases(tx, order, "refused"))
    assert await read_state(database, order) == ("failed", "refused", "")
    assert await read_seconds_until_asked(database) is None


async def test_a_word_of_failure_changes_nothing_that_was_paid(database: Database) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    await credit_purchase(database, order)
    assert not await database.write(lambda tx: purchases.fail_open_purchases(tx, order, "refused"))
    assert (await read_state(database, order))[0] == "paid"

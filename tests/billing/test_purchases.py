"""Each purchase is credited once, for what was ordered, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.accounts import ledger
from bot.billing import purchases, refunds
from bot.billing.purchases import PaymentReceipt
from bot.contracts.payments import PaymentState
from bot.contracts.storage import Database
from bot.errors import NotFound, OutOfCredits
from bot.settings import Settings
from bot.storage.database import open_database
from tests.support.purchases import (
    PAID,
    begin_purchase,
    credit_purchase,
    make_intent,
    open_account,
    read_ledger,
    read_state,
)
from tests.support.queries import (
    FromNow,
    change_rows,
    count_rows,
    delete_rows,
    read_rows,
    read_values,
)


async def test_the_same_key_gives_the_same_purchase_whatever_became_of_it(
    database: Database,
) -> None:
    wish = make_intent(await open_account(database))
    first = await begin_purchase(database, wish, "k")
    await credit_purchase(database, first.id)
    again = await begin_purchase(database, wish, "k")
    assert again == replace(first, state="paid", charge="ch1")
    assert await count_rows(database, "purchase") == 1


async def test_a_wish_told_twice_is_one_purchase_and_a_while_later_another(
    database: Database,
) -> None:
    account = await open_account(database)
    first = await begin_purchase(database, make_intent(account))
    assert (await begin_purchase(database, make_intent(account))).id == first.id
    for other in (
        make_intent(account, provider="stars", currency="XTR", amount=50),
        make_intent(account, pack="1000", credits=220, amount=1000),
        make_intent(account, lane="sms:+225"),
        make_intent(account, credits=110),
        make_intent(await open_account(database)),
    ):
        assert (await begin_purchase(database, other)).id != first.id
    await change_rows(database, "purchase", {"created_at": FromNow(-901)})
    assert (await begin_purchase(database, make_intent(account))).id != first.id


async def test_an_account_begins_so_many_purchases_an_hour(database: Database) -> None:
    account = await open_account(database)
    for number in range(purchases.MOST):
        await begin_purchase(database, make_intent(account, lane=f"http:{number}"), str(number))
    with pytest.raises(purchases.TooMany):
        await begin_purchase(database, make_intent(account, lane="http:one-more"))
    await begin_purchase(database, make_intent(account, lane="http:0"), "0")
    await begin_purchase(database, make_intent(await open_account(database)))
    await change_rows(database, "purchase", {"created_at": FromNow(-3601)})
    await begin_purchase(database, make_intent(account, lane="http:later"))


async def test_a_wish_told_twice_at_the_same_moment_is_one_purchase(database: Database) -> None:
    wish = make_intent(await open_account(database))
    begun = await asyncio.gather(*(begin_purchase(database, wish) for _ in range(20)))
    assert len({purchase.id for purchase in begun}) == 1
    assert await count_rows(database, "purchase") == 1


async def test_purchases_begun_at_the_same_moment_are_limited_too(database: Database) -> None:
    account = await open_account(database)
    wishes = [make_intent(account, lane=f"http:{number}") for number in range(purchases.MOST + 5)]
    begun = await asyncio.gather(
        *(begin_purchase(database, wish) for wish in wishes), return_exceptions=True
    )
    assert sum(isinstance(each, purchases.TooMany) for each in begun) == 5
    assert await count_rows(database, "purchase") == purchases.MOST


async def test_a_paid_purchase_is_not_offered_again(database: Database) -> None:
    wish = make_intent(await open_account(database))
    first = await begin_purchase(database, wish)
    await credit_purchase(database, first.id)
    assert (await begin_purchase(database, wish)).id != first.id


async def test_what_was_paid_is_credited_once(database: Database) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    first, again = await credit_purchase(database, order), await credit_purchase(database, order)
    assert (first.outcome, first.balance, first.language) == ("paid", 100, "fr")
    assert (again.outcome, again.balance) == ("known", 100)
    assert await read_ledger(database, account) == [("purchase", 100)]
    assert await read_state(database, order) == ("paid", "", "ch1")


async def test_twenty_at_once_credit_once(database: Database) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    receipts = await asyncio.gather(*(credit_purchase(database, order) for _ in range(20)))
    assert sorted(receipt.outcome for receipt in receipts) == ["known"] * 19 + ["paid"]
    assert await read_ledger(database, account) == [("purchase", 100)]


@pytest.mark.parametrize(
    "paid",
    [
        PaymentState("paid", 499, "XOF", "ch1"),
        PaymentState("paid", 50_000, "XOF", "ch1"),
        PaymentState("paid", 0, "XOF", "ch1"),
        PaymentState("paid", 500, "XAF", "ch1"),
        PaymentState("paid", 500, "NGN", "ch1"),
        PaymentState("paid", 500, "", "ch1"),
    ],
)
async def test_another_amount_or_currency_credits_nothing(
    database: Database, paid: PaymentState
) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    assert (await credit_purchase(database, order, paid)).outcome == "wrong"
    assert await read_ledger(database, account) == []
    state, reason, charge = await read_state(database, order)
    assert (state, charge) == ("failed", "ch1")
    assert "500 XOF asked" in reason


async def test_a_payment_whose_amount_is_not_told_is_credited(database: Database) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    paid = PaymentState("paid", amount=None)
    assert (await credit_purchase(database, order, paid)).outcome == "paid"
    assert await read_ledger(database, account) == [("purchase", 100)]


async def test_a_wrong_payment_is_told_of_once(database: Database) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    small, other = replace(PAID, amount=5), replace(PAID, amount=5, charge="ch2")
    outcomes = [
        (await credit_purchase(database, order, paid)).outcome for paid in (small, small, other)
    ]
    assert outcomes == ["wrong", "known", "wrong"]
    assert (await credit_purchase(database, order, replace(PAID, charge="ch2"))).outcome == "paid"


async def test_a_currency_in_small_letters_is_the_same(database: Database) -> None:
    order = (await begin_purchase(database, make_intent(await open_account(database)))).id
    assert (await credit_purchase(database, order, replace(PAID, currency="xof"))).outcome == "paid"


async def test_a_second_payment_for_it_is_told_apart_and_credits_nothing(
    database: Database,
) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    await credit_purchase(database, order)
    assert (await credit_purchase(database, order, replace(PAID, charge="ch2"))).outcome == "again"
    assert await read_ledger(database, account) == [("purchase", 100)]
    assert await read_state(database, order) == ("paid", "", "ch1")


@pytest.mark.parametrize("state", ["expired", "failed"])
async def test_money_that_comes_late_still_counts(database: Database, state: str) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    await change_rows(database, "purchase", {"state": state})
    assert (await credit_purchase(database, order)).outcome == "paid"
    assert await read_ledger(database, account) == [("purchase", 100)]


async def test_an_unknown_order_credits_nobody(database: Database) -> None:
    assert await credit_purchase(database, "0" * 24) == PaymentReceipt("unknown", charge="ch1")
    assert await read_rows(database, "ledger") == []


async def test_the_account_that_it_became_part_of_has_the_credits(database: Database) -> None:
    old, new = await open_account(database), await open_account(database)
    order = (await begin_purchase(database, make_intent(old))).id
    await change_rows(database, "account", {"part_of": new}, id=old)
    assert (await credit_purchase(database, order)).balance == 100
    assert await read_ledger(database, new) == [("purchase", 100)]
    assert await database.write(lambda tx: refunds.book_refund(tx, order)) == 100
    assert await read_ledger(database, old) == []


async def test_an_account_that_is_gone_has_its_money_left_to_an_operator(
    database: Database,
) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    await delete_rows(database, "account")
    assert (await credit_purchase(database, order)).outcome == "wrong"
    assert await read_state(database, order) == ("failed", "the account is gone", "ch1")
    assert await read_rows(database, "ledger") == []


async def test_an_unknown_purchase_is_not_found(database: Database) -> None:
    with pytest.raises(NotFound, match="0000"):
        await database.write(lambda tx: purchases.find_purchase(tx, "0" * 24))


# Everything at once ------------------------------------------------------------------------------

_EVENTS = st.lists(
    st.tuples(st.sampled_from(["paid", "wrong", "refund", "bonus", "turn"]), st.integers(0, 2)),
    min_size=1,
    max_size=24,
)


@settings(max_examples=30)
@given(events=_EVENTS)
def test_no_order_of_payments_refunds_and_turns_breaks_the_sum(
    make_sqlite: Callable[[], str], events: list[tuple[str, int]]
) -> None:
    async def scenario() -> None:
        async with open_database(Settings(database_url=make_sqlite())) as database:
            await _play(database, events)

    asyncio.run(scenario())


async def test_purchases_refunds_turns_and_bonuses_at_once_keep_the_sum(
    database: Database,
) -> None:
    kinds = ["paid", "paid", "refund", "bonus", "turn", "wrong"]
    await _play(database, [(kind, number) for number in range(3) for kind in kinds * 2])


async def _play(database: Database, events: list[tuple[str, int]]) -> None:
    """All events at once, about three purchases of one account."""
    account = await open_account(database)
    orders = [
        (await begin_purchase(database, make_intent(account, lane=f"telegram:{number}"))).id
        for number in range(3)
    ]
    work = (_happen(kind, orders[which], account, at) for at, (kind, which) in enumerate(events))
    await asyncio.gather(*(database.write(each) for each in work))
    entries = await read_ledger(database, account)
    assert (await ledger.entries(database, account))[0] >= 0
    assert [kind for kind, _ in entries].count("purchase") <= len(
        {which for kind, which in events if kind == "paid"}
    )
    keys = await read_values(database, "ledger", "key")
    for order in orders:
        assert keys.count(f"purchase:{order}") <= 1
        assert keys.count(f"refund:{order}") <= keys.count(f"purchase:{order}")


def _happen(kind: str, order: str, account: int, at: int) -> Any:
    async def work(tx: Any) -> None:
        match kind:
            case "paid":
                await purchases.credit_purchase(tx, order, PAID)
            case "wrong":
                await purchases.credit_purchase(tx, order, replace(PAID, amount=1))
            case "refund":
                purchase = await purchases.find_purchase(tx, order)
                if purchase.state == "paid":
                    await refunds.book_refund(tx, order)
            case "bonus":
                await ledger.book(tx, account=account, amount=3, kind="bonus", key=f"bonus:{at}")
            case _:
                try:
                    held = await ledger.reserve(tx, account=account, turn=str(at), least=1)
                except OutOfCredits:
                    return
                await ledger.settle(tx, account=account, turn=str(at), held=held, cost=at % 40)

    return work


async def test_money_for_someone_who_was_erased_is_credited_to_nobody(database: Database) -> None:
    account = await open_account(database)
    order = (await begin_purchase(database, make_intent(account))).id
    await change_rows(database, "account", {"erased": 1, "phone": None})
    assert (await credit_purchase(database, order)).outcome == "wrong"
    assert await read_ledger(database, account) == []

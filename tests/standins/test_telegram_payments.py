"""Paying inside the stand-in, as strictly as inside Telegram."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.standins.telegram import TelegramStandIn
from tests.standins.telegram_schema import answer_validator, update_validator
from tests.standins.test_telegram import AWA, GROUP, ask


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as stand_in:
        yield stand_in


def begin(telegram: TelegramStandIn) -> str:
    return telegram.checkout_update(AWA, "pack:500", 50)["pre_checkout_query"]["id"]


async def answer(telegram: TelegramStandIn, query_id: str, **fields: Any) -> tuple[int, Any]:
    return await ask(telegram, "answerPreCheckoutQuery", pre_checkout_query_id=query_id, **fields)


def test_its_payments_have_the_form_of_the_specification() -> None:
    telegram = TelegramStandIn()
    made = [
        telegram.checkout_update(AWA, "pack:500", 50),
        telegram.payment_update(AWA, "pack:500", 50),
        telegram.payment_update(GROUP, "pack:500", 50, sender=AWA),
    ]
    for update in made:
        update_validator().validate(update)
    charges = [
        update["message"]["successful_payment"]["telegram_payment_charge_id"] for update in made[1:]
    ]
    assert len(set(charges)) == 2


async def test_a_checkout_keeps_its_answer(telegram: TelegramStandIn) -> None:
    good, bad = begin(telegram), begin(telegram)
    status, told = await answer(telegram, good, ok=True)
    assert status == 200
    answer_validator("answerPreCheckoutQuery").validate(told)
    await answer(telegram, bad, ok=False, error_message="Non")
    assert [(each.ok, each.error) for each in telegram.checkouts.values()] == [
        (True, ""),
        (False, "Non"),
    ]
    assert telegram.violations == []


async def test_a_second_answer_and_one_to_nothing_are_refused(telegram: TelegramStandIn) -> None:
    query_id = begin(telegram)
    await answer(telegram, query_id, ok=True)
    assert (await answer(telegram, query_id, ok=True))[0] == 400
    assert (await answer(telegram, "1", ok=True))[0] == 400
    assert telegram.violations == []


async def test_an_answer_after_ten_seconds_or_a_no_without_a_reason_is_a_violation(
    telegram: TelegramStandIn,
) -> None:
    query_id = begin(telegram)
    assert (await answer(telegram, query_id, ok=False))[0] == 400
    began = telegram.clock()
    telegram.clock = lambda: began + 10.1
    assert (await answer(telegram, query_id, ok=True))[0] == 400
    assert len(telegram.violations) == 2
    assert telegram.checkouts[query_id].ok is None

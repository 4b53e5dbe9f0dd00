"""Paying inside the stand-in, as strictly as inside Telegram."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.standins.telegram import TelegramStandIn
from tests.standins.telegram_schema import answer_validator, update_validator
from tests.support.telegram_calls import AWA, GROUP, call_method


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as stand_in:
        yield stand_in


def begin(telegram: TelegramStandIn) -> str:
    return telegram.checkout_update(AWA, "pack:500", 50)["pre_checkout_query"]["id"]


async def answer(telegram: TelegramStandIn, query_id: str, **fields: Any) -> tuple[int, Any]:
    return await call_method(
        telegram, "answerPreCheckoutQuery", pre_checkout_query_id=query_id, **fields
    )


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


INVOICE: dict[str, Any] = {
    "chat_id": AWA,
    "title": "100 crédits",
    "description": "Pour tes questions",
    "payload": "a1",
    "currency": "XTR",
    "prices": [{"label": "100 crédits", "amount": 50}],
}


async def test_an_invoice_for_stars_is_shown(telegram: TelegramStandIn) -> None:
    status, told = await call_method(telegram, "sendInvoice", **INVOICE, provider_token="")
    assert status == 200
    answer_validator("sendInvoice").validate(told)
    assert len(telegram.messages(AWA)) == 1
    assert told["result"]["invoice"]["total_amount"] == INVOICE["prices"][0]["amount"]
    assert telegram.violations == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"currency": "XOF"},
        {"provider_token": "1:TEST"},
        {"prices": []},
        {"prices": [{"label": "a", "amount": 1}, {"label": "b", "amount": 1}]},
        {"prices": [{"label": "a", "amount": 0}]},
        {"payload": "é" * 65},
        {"title": "x" * 33},
        {"description": "x" * 256},
    ],
)
async def test_an_invoice_that_breaks_the_rules_is_a_violation(
    telegram: TelegramStandIn, wrong: dict[str, Any]
) -> None:
    assert (await call_method(telegram, "sendInvoice", **INVOICE | wrong))[0] == 400
    assert len(telegram.violations) == 1
    assert telegram.messages(AWA) == []


async def test_what_was_paid_is_given_back_once_and_to_who_paid(telegram: TelegramStandIn) -> None:
    payment = telegram.payment_update(AWA, "a1", 50)["message"]["successful_payment"]
    charge = {"telegram_payment_charge_id": payment["telegram_payment_charge_id"]}
    assert (await call_method(telegram, "refundStarPayment", user_id=AWA + 1, **charge))[0] == 400
    assert (await call_method(telegram, "refundStarPayment", user_id=AWA, **charge))[0] == 200
    status, told = await call_method(telegram, "refundStarPayment", user_id=AWA, **charge)
    assert (status, told["description"]) == (400, "Bad Request: CHARGE_ALREADY_REFUNDED")
    assert telegram.refunded == [payment["telegram_payment_charge_id"]]

"""CinetPay's stand-in, as strict as what CinetPay has published."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession

from tests.standins.payments_cinetpay import API_KEY, SITE, CinetPayStandIn, token

KEYS = {"apikey": API_KEY, "site_id": SITE}
QUESTION = {
    **KEYS,
    "transaction_id": "t-1",
    "amount": 500,
    "currency": "XOF",
    "description": "120 crédits",
    "notify_url": "https://griot.example/notify",
    "return_url": "https://griot.example/return",
    "channels": "ALL",
    "lang": "fr",
    "metadata": "t-1",
}


@pytest.fixture
async def desk() -> AsyncIterator[CinetPayStandIn]:
    async with CinetPayStandIn() as desk:
        yield desk


async def post(desk: CinetPayStandIn, path: str, question: Any, name: str = "test") -> Any:
    headers = {"User-Agent": name}
    async with (
        ClientSession() as session,
        session.post(desk.url + path, json=question, headers=headers) as answer,
    ):
        return answer.status, await answer.json()


async def test_a_sound_question_is_answered_and_no_violation(desk: CinetPayStandIn) -> None:
    status, answer = await post(desk, "/v2/payment", QUESTION)
    assert (status, answer["code"]) == (200, "201")
    desk.pay("t-1")
    status, answer = await post(desk, "/v2/payment/check", {**KEYS, "transaction_id": "t-1"})
    assert (answer["code"], answer["data"]["amount"]) == ("00", "500")
    assert desk.violations == []


@pytest.mark.parametrize(
    "changes",
    [
        {"apikey": "x"},
        {"site_id": "1"},
        {"amount": 502},
        {"amount": 50},
        {"amount": "500"},
        {"amount": True},
        {"currency": "EUR"},
        {"channels": "PIGEON"},
        {"description": "120 & more"},
        {"description": ""},
        {"notify_url": None},
        {"lang": "wo"},
        {"surprise": "1"},
    ],
    ids=str,
)
async def test_what_cinetpay_refuses_is_refused(
    desk: CinetPayStandIn, changes: dict[str, Any]
) -> None:
    status, answer = await post(desk, "/v2/payment", QUESTION | changes)
    assert status >= 400
    assert "payment_url" not in str(answer)
    assert len(desk.violations) == 1


async def test_a_transaction_is_made_once_and_a_nameless_client_is_none(
    desk: CinetPayStandIn,
) -> None:
    assert (await post(desk, "/v2/payment", QUESTION, "Python aiohttp/3"))[0] == 403
    assert (await post(desk, "/v2/payment", QUESTION))[0] == 200
    assert (await post(desk, "/v2/payment", QUESTION))[0] == 400
    assert (await post(desk, "/v2/payment/check", {**KEYS, "transaction_id": "t-2"}))[0] == 404
    assert len(desk.violations) == 3


def test_a_token_is_over_the_values_in_their_order() -> None:
    assert token({"a": "1", "b": "23"}) == token({"a": "12", "b": "3"})
    assert token({"a": "1", "b": "23"}) != token({"a": "23", "b": "1"})

"""The stand-in of CinetPay's newer API, as strict as what is known of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession

from tests.standins.payments_cinetpay_v1 import API_KEY, PASSWORD, CinetPayV1StandIn

KEYS = {"api_key": API_KEY, "api_password": PASSWORD}
QUESTION = {
    "currency": "XOF",
    "merchant_transaction_id": "t-1",
    "amount": 500,
    "lang": "fr",
    "designation": "120 crédits",
    "client_email": "t-1@example.com",
    "client_first_name": "Client",
    "client_last_name": "Griot",
    "success_url": "https://griot.example/return",
    "failed_url": "https://griot.example/return",
    "notify_url": "https://griot.example/notify",
}


@pytest.fixture
async def desk() -> AsyncIterator[CinetPayV1StandIn]:
    async with CinetPayV1StandIn() as desk:
        yield desk


async def ask(
    desk: CinetPayV1StandIn, method: str, path: str, question: Any = None, token: str = ""
) -> Any:
    headers = {"User-Agent": "test", "Authorization": f"Bearer {token}"}
    async with (
        ClientSession() as session,
        session.request(method, desk.url + path, json=question, headers=headers) as answer,
    ):
        return answer.status, await answer.json()


async def log_in(desk: CinetPayV1StandIn) -> str:
    _, answer = await ask(desk, "POST", "/v1/oauth/login", KEYS)
    return answer["access_token"]


async def test_a_sound_question_is_answered_and_no_violation(desk: CinetPayV1StandIn) -> None:
    token = await log_in(desk)
    status, answer = await ask(desk, "POST", "/v1/payment", QUESTION, token)
    assert (status, answer["merchant_transaction_id"]) == (200, "t-1")
    desk.pay("t-1")
    status, answer = await ask(desk, "GET", "/v1/payment/t-1", None, token)
    assert (answer["code"], answer["status"], "amount" in answer) == (100, "SUCCESS", False)
    assert desk.violations == []


@pytest.mark.parametrize(
    "changes",
    [
        {"amount": 99},
        {"amount": 2_500_001},
        {"amount": "500"},
        {"currency": "XAF"},
        {"client_email": "nobody"},
        {"client_first_name": "C"},
        {"lang": "wo"},
        {"merchant_transaction_id": "t" * 31},
        {"notify_url": "https://griot.example/" + "x" * 99},
        {"success_url": ""},
        {"surprise": "1"},
    ],
    ids=str,
)
async def test_what_cinetpay_refuses_is_refused(
    desk: CinetPayV1StandIn, changes: dict[str, Any]
) -> None:
    status, answer = await ask(desk, "POST", "/v1/payment", QUESTION | changes, await log_in(desk))
    assert (status, answer["code"]) == (422, 1004)
    assert len(desk.violations) == 1


async def test_only_who_has_logged_in_is_answered_and_an_id_counts_once(
    desk: CinetPayV1StandIn,
) -> None:
    status, answer = await ask(desk, "POST", "/v1/oauth/login", KEYS | {"api_password": "x"})
    assert (status, answer["code"]) == (401, 1005)
    assert (await ask(desk, "POST", "/v1/payment", QUESTION, "x"))[1]["code"] == 1003
    token = await log_in(desk)
    assert (await ask(desk, "POST", "/v1/payment", QUESTION, token))[0] == 200
    status, answer = await ask(desk, "POST", "/v1/payment", QUESTION, token)
    assert (status, answer["code"]) == (400, 1200)
    assert (await ask(desk, "GET", "/v1/payment/t-2", None, token))[0] == 404
    desk.revoke_tokens()
    assert (await ask(desk, "GET", "/v1/payment/t-1", None, token))[1]["code"] == 1003

"""MTN MoMo's stand-in, as strict as what MTN has published."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession, encode_basic_auth

from tests.standins.payments_mtn_momo import KEY, SUBSCRIPTION, USER, MtnMomoStandIn

REQUESTS = "/collection/v1_0/requesttopay"
REFERENCE = "5f0c7a32-2f0b-4d25-9c4e-0a8f5a8f1a11"
QUESTION = {
    "amount": "500",
    "currency": "XOF",
    "externalId": "o-1",
    "payer": {"partyIdType": "MSISDN", "partyId": "2250500000001"},
    "payerMessage": "120 credits",
    "payeeNote": "120 credits",
}


@pytest.fixture
async def desk() -> AsyncIterator[MtnMomoStandIn]:
    async with MtnMomoStandIn() as desk:
        yield desk


async def ask(
    desk: MtnMomoStandIn, method: str, path: str, question: Any = None, **headers: str
) -> Any:
    named = {"Ocp-Apim-Subscription-Key": SUBSCRIPTION, **headers}
    async with (
        ClientSession() as session,
        session.request(method, desk.url + path, json=question, headers=named) as answer,
    ):
        return answer.status, await answer.json(content_type=None)


async def headers_of(desk: MtnMomoStandIn) -> dict[str, str]:
    login = encode_basic_auth(USER, KEY)
    _, answer = await ask(desk, "POST", "/collection/token/", Authorization=login)
    return {
        "Authorization": f"Bearer {answer['access_token']}",
        "X-Target-Environment": "mtnivorycoast",
        "X-Reference-Id": REFERENCE,
        "X-Callback-Url": "https://griot.example/webhooks",
    }


async def test_a_sound_question_is_answered_and_no_violation(desk: MtnMomoStandIn) -> None:
    headers = await headers_of(desk)
    assert await ask(desk, "POST", REQUESTS, QUESTION, **headers) == (202, None)
    status, told = await ask(desk, "GET", f"{REQUESTS}/{REFERENCE}", **headers)
    assert (status, told["status"], told["externalId"]) == (200, "PENDING", "o-1")
    desk.pay(REFERENCE)
    assert (await ask(desk, "GET", f"{REQUESTS}/{REFERENCE}", **headers))[1]["status"] == (
        "SUCCESSFUL"
    )
    assert desk.violations == []


async def test_a_reference_is_taken_once(desk: MtnMomoStandIn) -> None:
    headers = await headers_of(desk)
    other = REFERENCE.replace("5", "6")
    assert (await ask(desk, "GET", f"{REQUESTS}/{other}", **headers))[0] == 404
    await ask(desk, "POST", REQUESTS, QUESTION, **headers)
    status, answer = await ask(desk, "POST", REQUESTS, QUESTION, **headers)
    assert (status, answer["code"]) == (409, "RESOURCE_ALREADY_EXIST")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"amount": 500}, 400),
        ({"amount": "5.5"}, 400),
        ({"payer": {"partyIdType": "MSISDN", "partyId": "+2250500000001"}}, 400),
        ({"payer": {"partyIdType": "EMAIL", "partyId": "1"}}, 400),
        ({"payerMessage": "120 crédits"}, 400),
        ({"surprise": "1"}, 400),
        ({"currency": "EUR"}, 500),
    ],
    ids=str,
)
async def test_what_mtn_refuses_is_refused(
    desk: MtnMomoStandIn, changes: dict[str, Any], status: int
) -> None:
    headers = await headers_of(desk)
    assert (await ask(desk, "POST", REQUESTS, QUESTION | changes, **headers))[0] == status
    assert desk.requests == {}
    assert len(desk.violations) == 1


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"Authorization": "Bearer x"}, 401),
        ({"Ocp-Apim-Subscription-Key": "x"}, 401),
        ({"X-Target-Environment": "sandbox"}, 500),
        ({"X-Reference-Id": "1"}, 400),
        ({"X-Reference-Id": "5f0c7a32-2f0b-1d25-9c4e-0a8f5a8f1a11"}, 400),
        ({"X-Callback-Url": "http://griot.example/webhooks"}, 500),
        ({"X-Callback-Url": "https://elsewhere.example/"}, 500),
    ],
    ids=str,
)
async def test_wrong_headers_are_refused(
    desk: MtnMomoStandIn, changes: dict[str, str], status: int
) -> None:
    headers = await headers_of(desk) | changes
    assert (await ask(desk, "POST", REQUESTS, QUESTION, **headers))[0] == status
    assert desk.requests == {}
    assert len(desk.violations) == 1


async def test_only_its_own_user_gets_a_token(desk: MtnMomoStandIn) -> None:
    for login in (encode_basic_auth(USER, "x"), encode_basic_auth("x", KEY), ""):
        answer = await ask(desk, "POST", "/collection/token/", Authorization=login)
        assert answer[0] == 401
    assert len(desk.violations) == 3

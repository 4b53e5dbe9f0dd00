"""Wave's stand-in, as strict as what Wave has published."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession

from tests.standins.payments_wave import API_KEY, WaveStandIn, signature

SESSIONS = "/v1/checkout/sessions"
QUESTION = {
    "amount": "500",
    "currency": "XOF",
    "success_url": "https://griot.example/paid",
    "error_url": "https://griot.example/paid",
    "client_reference": "o-1",
}


@pytest.fixture
async def desk() -> AsyncIterator[WaveStandIn]:
    async with WaveStandIn() as desk:
        yield desk


async def ask(
    desk: WaveStandIn, method: str, path: str, question: Any = None, **headers: str
) -> Any:
    named = {"Authorization": f"Bearer {API_KEY}", **headers}
    async with (
        ClientSession() as session,
        session.request(method, desk.url + path, json=question, headers=named) as answer,
    ):
        return answer.status, await answer.json(content_type=None)


async def test_a_sound_question_is_answered_and_no_violation(desk: WaveStandIn) -> None:
    status, session = await ask(desk, "POST", SESSIONS, QUESTION)
    assert (status, session["checkout_status"]) == (200, "open")
    assert await ask(desk, "GET", f"{SESSIONS}/{session['id']}") == (200, session)
    found = await ask(desk, "GET", f"{SESSIONS}/search?client_reference=o-1")
    assert found == (200, {"result": [session]})
    assert desk.violations == []


@pytest.mark.parametrize(
    "changes",
    [
        {"amount": 500},
        {"amount": "500.50"},
        {"amount": "0"},
        {"currency": "EUR"},
        {"success_url": "http://griot.example"},
        {"error_url": None},
        {"client_reference": "x" * 256},
        {"surprise": "1"},
    ],
    ids=str,
)
async def test_what_wave_refuses_is_refused(desk: WaveStandIn, changes: dict[str, Any]) -> None:
    status, answer = await ask(desk, "POST", SESSIONS, QUESTION | changes)
    assert (status, answer["code"]) == (400, "request-validation-error")
    assert desk.sessions == {}
    assert len(desk.violations) == 1


async def test_only_its_own_key_opens(desk: WaveStandIn) -> None:
    assert (await ask(desk, "POST", SESSIONS, QUESTION, Authorization="Bearer x"))[0] == 401
    assert (await ask(desk, "POST", SESSIONS, "Hello"))[0] == 400
    assert (await ask(desk, "GET", f"{SESSIONS}/cos-1"))[0] == 404
    assert (await ask(desk, "GET", f"{SESSIONS}/search"))[0] == 400
    assert len(desk.violations) == 4


async def test_one_idempotency_key_is_one_session(desk: WaveStandIn) -> None:
    key = {"Idempotency-Key": "k"}
    first = await ask(desk, "POST", SESSIONS, QUESTION, **key)
    assert await ask(desk, "POST", SESSIONS, QUESTION, **key) == first
    assert (await ask(desk, "POST", SESSIONS, QUESTION | {"amount": "5"}, **key))[0] == 409
    assert (await ask(desk, "POST", SESSIONS, QUESTION))[1]["id"] != first[1]["id"]


async def test_only_what_is_paid_is_refunded_and_once(desk: WaveStandIn) -> None:
    session = (await ask(desk, "POST", SESSIONS, QUESTION))[1]["id"]
    assert (await ask(desk, "POST", f"{SESSIONS}/{session}/refund"))[0] == 400
    desk.pay(session)
    for _ in range(2):
        assert await ask(desk, "POST", f"{SESSIONS}/{session}/refund") == (200, None)
    assert desk.refunds == [session]


def test_a_signature_is_of_time_and_body() -> None:
    assert signature(b"5", 10.9) == signature(b"5", 10.0)
    assert signature(b"5", 10).partition("v1=")[2] == signature(b"05", 1).partition("v1=")[2]
    assert signature(b"5", 10) != signature(b"6", 10)

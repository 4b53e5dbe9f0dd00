from __future__ import annotations

import contextlib
import gzip
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import ClientSession, web

from bot.billing.providers.provider_client import (
    MAX_ANSWER,
    MAX_REASON,
    SECONDS,
    Declined,
    ask,
    open_session,
)
from tests.billing.providers.orders import hasty
from tests.standins.payments_desk import Call, Desk


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async def welcome(request: web.Request, call: Call) -> Any:
        return 200, {"told": call.content}

    desk = Desk()
    desk.serve("POST", "/pay", welcome)
    desk.serve("GET", "/elsewhere", welcome)
    async with desk:
        yield desk


async def question(
    desk: Desk, opened: Callable[[], ClientSession] = open_session, **more: Any
) -> Any:
    async with opened() as session:
        headers = {"Authorization": "Bearer sesame"}
        return await ask(session, "POST", f"{desk.url}/pay?a=1", headers=headers, **more)


async def test_an_answer_is_decoded_and_we_say_who_we_are(desk: Desk) -> None:
    assert await question(desk, json={"amount": 5}) == {"told": {"amount": 5}}
    [call] = desk.calls
    assert call.path == "/pay?a=1"
    assert call.headers["user-agent"] == "Griot"
    assert call.headers["authorization"] == "Bearer sesame"


async def test_a_form_is_sent_as_one(desk: Desk) -> None:
    await question(desk, form={"amount": "5"})
    assert desk.calls[0].headers["content-type"] == "application/x-www-form-urlencoded"


async def test_an_empty_answer_is_nothing(desk: Desk) -> None:
    desk.answer_next(202, b"")
    assert await question(desk) is None


async def test_a_session_has_the_time_out_and_keeps_no_cookies() -> None:
    async with open_session() as session:
        assert session.timeout.total == SECONDS == 10
        session.cookie_jar.update_cookies({"a": "b"})
        assert not list(session.cookie_jar)


@pytest.mark.parametrize(
    "body", [b"<html>", b"null", b"{", b"\xff", b"[" * 100_000, b"NaN"], ids=lambda body: body[:6]
)
async def test_what_is_no_json_is_no_answer(desk: Desk, body: bytes) -> None:
    desk.answer_next(200, body)
    with pytest.raises(ConnectionError, match="no JSON"):
        await question(desk)


async def test_an_answer_has_a_limit(desk: Desk) -> None:
    desk.answer_next(200, b'"' + b"x" * (MAX_ANSWER - 2) + b'"')
    assert len(await question(desk)) == MAX_ANSWER - 2
    desk.answer_next(200, b'"' + b"x" * (MAX_ANSWER - 1) + b'"')
    with pytest.raises(ConnectionError, match="more than"):
        await question(desk)


async def test_the_limit_holds_for_what_is_unpacked(desk: Desk) -> None:
    async def bomb(request: web.Request) -> web.Response:
        packed = gzip.compress(b" " * (MAX_ANSWER * 40))
        return web.Response(body=packed, headers={"Content-Encoding": "gzip"})

    desk_of_bombs = Desk()
    desk_of_bombs.app.router.add_post("/pay", bomb)
    async with desk_of_bombs:
        with pytest.raises(ConnectionError, match="more than"):
            await question(desk_of_bombs)


async def test_an_answer_without_end_is_not_waited_for() -> None:
    async def drip(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        with contextlib.suppress(ConnectionError):
            while True:
                await answer.write(b" " * 2**16)
        return answer

    endless = Desk()
    endless.app.router.add_post("/pay", drip)
    async with endless:
        with pytest.raises(ConnectionError, match="more than"):
            await question(endless)


async def test_redirects_are_not_followed(desk: Desk) -> None:
    desk.answer_next(302, b"")
    with pytest.raises(Declined, match="answered 302"):
        await question(desk)
    assert len(desk.calls) == 1


async def test_a_refusal_says_the_status_and_the_code_but_nothing_of_a_person(desk: Desk) -> None:
    desk.answer_next(400, b'{"code": "608", "message": "MINIMUM_REQUIRED_FIELDS"}')
    with pytest.raises(Declined, match=r"answered 400 608 MINIMUM_REQUIRED_FIELDS$") as refused:
        await question(desk)
    assert refused.value.status == 400
    assert refused.value.answer["code"] == "608"
    for body in (
        b'{"code": "2250700000001", "message": "Payer 2250700000001 unknown"}',
        b'{"code": {"a": 1}, "message": null}',
        b"[1]",
        b"<html>",
    ):
        desk.answer_next(500, body)
        with pytest.raises(Declined, match=r"answered 500$"):
            await question(desk)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        *((b'{"message": "no\\n such"}', "no such"), (b'{"error": {"message": "no"}}', "no")),
        *((b'{"error": "x", "message": "no"}', "no"), (b'{"message": 17}', "17")),
        *((b"oops", ""), (b"[1]", ""), (b'{"error": {"code": "x"}}', "")),
        *((b'{"message": "not sesame_1!"}', "not ***!"),),
        *((b'{"message": "' + b"x" * 5000 + b'"}', "x" * MAX_REASON),),
        *((b'{"message": "Payer +225 07 00 00 00 01 (awa@mail.ci)"}', "Payer *** ***"),),
    ],
)
async def test_the_reason_is_in_the_providers_words_without_keys_and_persons(
    desk: Desk, body: bytes, reason: str
) -> None:
    desk.answer_next(422, body)
    with pytest.raises(Declined) as caught:
        async with open_session() as session:
            await ask(session, "POST", f"{desk.url}/pay", headers={"Authorization": "B sesame_1"})
    assert (caught.value.status, caught.value.reason) == (422, reason)


async def test_a_refusal_in_words_is_not_repeated(desk: Desk) -> None:
    desk.answer_next(401, b'{"error": {"code": "api_key_expired", "message": "Awa may not"}}')
    with pytest.raises(Declined, match=r"^127.0.0.1 answered 401 api_key_expired$"):
        await question(desk)


async def test_addresses_and_forms_are_sent_as_they_are_written(desk: Desk) -> None:
    async with open_session() as session:
        url = f"{desk.url}/pay?b%5B%5D=%2F"
        await ask(session, "POST", url, headers={}, form={"a[b]": "é&"})
    [call] = desk.calls
    assert call.path == "/pay?b%5B%5D=%2F"
    assert call.body == b"a%5Bb%5D=%C3%A9%26"


async def test_no_answer_is_a_connection_error_that_names_the_host_only(desk: Desk) -> None:
    desk.hang_next()
    desk.reset_next()
    for _ in range(2):
        with pytest.raises(ConnectionError) as failed:
            await question(desk, hasty)
        assert "sesame" not in str(failed.value)
        assert "a=1" not in str(failed.value)
        assert str(failed.value).startswith("127.0.0.1")


async def test_nobody_there_is_a_connection_error(desk: Desk) -> None:
    async with Desk() as closed:
        pass
    with pytest.raises(ConnectionError):
        await question(closed)


async def test_a_key_that_no_header_can_hold_is_a_connection_error(desk: Desk) -> None:
    async with open_session() as session:
        with pytest.raises(ConnectionError) as failed:
            await ask(session, "POST", f"{desk.url}/pay", headers={"Authorization": "se\nsame"})
    assert "same" not in str(failed.value)

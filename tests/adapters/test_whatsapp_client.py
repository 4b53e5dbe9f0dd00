"""How the API is reached: once, in time, and what is surely not sent told from what may be."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import AsyncIterator

import pytest
from aiohttp import FormData
from yarl import URL

from adapters.base import MAX_ANSWER
from adapters.whatsapp.client import MAX_WAIT, Graph, Refusal
from bot.errors import OutcomeUnknown, RetryAt, TooLarge
from tests.adapters.twilio_parts import Origin, running

TOKEN = "EAAJB-secret"
MESSAGE = {"to": "+2250701020304", "text": {"body": "Ça va 👋🏾"}}


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    async with running() as server:
        yield server


@pytest.fixture
async def graph(origin: Origin) -> AsyncIterator[Graph]:
    opened = Graph(f"{origin.url}/v25.0/", TOKEN)
    yield opened
    await opened.close()


@pytest.fixture
async def hasty(origin: Origin) -> AsyncIterator[Graph]:
    """One that does not wait for long."""
    opened = Graph(f"{origin.url}/v25.0", TOKEN, seconds=0.3)
    yield opened
    await opened.close()


def failure(code: int | str, **more: object) -> str:
    return json.dumps({"error": {"message": "+2250701020304", "code": code, **more}})


async def test_a_message_goes_as_json_with_our_token(origin: Origin, graph: Graph) -> None:
    origin.answer(200, b'{"ok": 1}')
    assert await graph.post("1/messages", MESSAGE) == b'{"ok": 1}'
    [seen] = origin.seen
    assert (seen.method, seen.path) == ("POST", "/v25.0/1/messages")
    assert seen.headers["Content-Type"] == "application/json"
    assert seen.headers["Authorization"] == f"Bearer {TOKEN}"
    assert json.loads(seen.body) == MESSAGE


async def test_any_2xx_is_a_success(origin: Origin, graph: Graph) -> None:
    origin.answer(201, b"made")
    assert await graph.post("1/messages", MESSAGE) == b"made"


async def test_without_a_connection_nothing_was_sent() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        graph = Graph(f"http://127.0.0.1:{nobody.getsockname()[1]}/v25.0", TOKEN)
        with pytest.raises(RetryAt):
            await graph.post("1/messages", MESSAGE)
        await graph.close()


async def test_an_unknown_host_is_no_connection() -> None:
    graph = Graph("http://graph.invalid/v25.0", TOKEN)
    with pytest.raises(RetryAt):
        await graph.post("1/messages", MESSAGE)
    await graph.close()


@pytest.mark.parametrize("act", ["hang", "cut"])
async def test_what_was_sent_and_not_answered_is_in_doubt_and_not_sent_again(
    origin: Origin, hasty: Graph, act: str
) -> None:
    getattr(origin, act)()
    with pytest.raises(OutcomeUnknown):
        await hasty.post("1/messages", MESSAGE)
    assert len(origin.seen) == 1


async def test_a_file_that_was_not_answered_for_is_not_waited_for_longer(
    origin: Origin, hasty: Graph
) -> None:
    origin.hang()
    with pytest.raises(OutcomeUnknown):
        await hasty.post_form("1/media", FormData({"type": "image/png"}))


async def test_an_answer_without_end_is_none(origin: Origin, graph: Graph) -> None:
    origin.stream(*[b"x" * 2**18] * (MAX_ANSWER // 2**18 + 1))
    with pytest.raises(OutcomeUnknown):
        await graph.post("1/messages", MESSAGE)


async def test_a_refusal_without_end_is_one_all_the_same(origin: Origin, graph: Graph) -> None:
    origin.answer(400, b"x" * (MAX_ANSWER + 1))
    with pytest.raises(Refusal) as caught:
        await graph.post("1/messages", MESSAGE)
    assert (caught.value.status, caught.value.code) == (400, 0)


async def test_a_refusal_has_metas_codes(origin: Origin, graph: Graph) -> None:
    origin.answer(400, failure(100, error_subcode=33, is_transient=True))
    with pytest.raises(Refusal) as caught:
        await graph.post("1/messages", MESSAGE)
    refusal = caught.value
    told = (refusal.status, refusal.code, refusal.subcode, refusal.transient)
    assert told == (400, 100, 33, True)


async def test_empty_fields_of_a_refusal_hide_no_code(origin: Origin, graph: Graph) -> None:
    origin.answer(400, failure("131056", error_subcode=None, is_transient=None))
    with pytest.raises(Refusal) as caught:
        await graph.post("1/messages", MESSAGE)
    refusal = caught.value
    assert (refusal.code, refusal.subcode, refusal.transient) == (131056, 0, False)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        ("99999", MAX_WAIT),
        ("nan", None),
        ("inf", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("", None),
    ],
)
async def test_a_refusal_has_the_wait_that_is_asked_for(
    origin: Origin, graph: Graph, header: str, seconds: float | None
) -> None:
    origin.answer(429, failure(130429), {"Retry-After": header})
    with pytest.raises(Refusal) as caught:
        await graph.post("1/messages", MESSAGE)
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize(
    "answer",
    [
        "<html>",
        "[]",
        '{"error": 5}',
        '{"error": {"code": "x"}}',
        "[" * 90_000,
        b"\xff",
        b'{"error": {"message": "\xff"}}',
    ],
)
async def test_a_refusal_by_something_before_meta_has_no_code(
    origin: Origin, graph: Graph, answer: str | bytes
) -> None:
    origin.answer(502, answer)
    with pytest.raises(Refusal) as caught:
        await graph.post("1/messages", MESSAGE)
    assert (caught.value.status, caught.value.code) == (502, 0)


async def test_a_redirect_is_not_followed_for_it_would_see_our_token(
    origin: Origin, graph: Graph
) -> None:
    origin.answer(307, headers={"Location": f"{origin.url}/elsewhere"})
    with pytest.raises(Refusal) as caught:
        await graph.download(URL(f"{origin.url}/file"), 10)
    assert caught.value.status == 307
    assert len(origin.seen) == 1


async def test_a_download_ends_where_it_is_too_large(origin: Origin, graph: Graph) -> None:
    url = URL(f"{origin.url}/file")
    origin.answer(200, b"x" * 10)
    assert await graph.download(url, 10) == b"x" * 10
    origin.answer(200, b"x" * 11)
    with pytest.raises(TooLarge):
        await graph.download(url, 10)
    origin.stream(*[b"x" * 4] * 3)
    with pytest.raises(TooLarge):
        await graph.download(url, 10)


async def test_nothing_that_is_raised_or_logged_names_the_person_or_the_token(
    origin: Origin, hasty: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    reasons: list[str] = []
    origin.answer(400, failure(131026))
    origin.cut()
    origin.hang()
    for _ in range(3):
        with pytest.raises((Refusal, OutcomeUnknown)) as caught:
            await hasty.post("1/messages", MESSAGE)
        reasons.append(repr(caught.value) + repr(caught.value.__cause__))
    told = "\n".join([*reasons, caplog.text])
    assert "131026" in told
    assert not any(secret in told for secret in ("2250701020304", TOKEN, "Ça va"))


async def test_closing_what_was_never_opened_is_fine() -> None:
    await Graph("http://127.0.0.1:1", TOKEN).close()

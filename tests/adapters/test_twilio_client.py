"""What the wire does, and what the outbox is told of it."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from urllib.parse import parse_qs

import pytest
from aiohttp import encode_basic_auth

from adapters.base import MAX_ANSWER
from adapters.twilio.adapter import CONTENT_URL, TwilioWhatsapp
from adapters.twilio.client import ANSWER_SECONDS, Answer, Refusal, TwilioClient
from bot.errors import OutcomeUnknown, RetryAt
from bot.messages.outgoing import Typing
from tests.adapters.twilio_parts import AWA, SID, SMS_NUMBER, Origin, running, settings

TEXT = {"To": AWA, "From": SMS_NUMBER, "Body": "Ça va ? 👋🏾 1+1=2 & d'autres"}


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    async with running() as server:
        yield server


@pytest.fixture
async def client(origin: Origin) -> AsyncIterator[TwilioClient]:
    opened = open_client(origin.url)
    yield opened
    await opened.close()


@pytest.fixture
async def hasty(origin: Origin) -> AsyncIterator[TwilioClient]:
    """One that does not wait for long."""
    opened = open_client(origin.url, seconds=0.5)
    yield opened
    await opened.close()


def open_client(api_url: str, seconds: float = ANSWER_SECONDS) -> TwilioClient:
    told = settings(twilio_api_url=api_url, twilio_auth_token="sécret")
    return TwilioClient(told, seconds)


async def send_text(client: TwilioClient) -> Answer:
    return await client.post(f"{client.account_url}/Messages.json", TEXT)


async def test_a_form_is_sent_with_the_credentials_and_the_sid_is_read(
    origin: Origin, client: TwilioClient
) -> None:
    answer = await send_text(client)
    [seen] = origin.seen
    assert answer.sid == SID
    assert (seen.method, seen.path) == ("POST", "/2010-04-01/Accounts/AC1/Messages.json")
    assert seen.headers["Authorization"] == encode_basic_auth("AC1", "sécret")
    assert seen.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert parse_qs(seen.body.decode()) == {name: [value] for name, value in TEXT.items()}


async def test_json_is_sent_to_the_same_origin(origin: Origin, client: TwilioClient) -> None:
    types = {"twilio/quick-reply": {"body": "Été ?", "actions": [{"title": "Oui", "id": "1"}]}}
    content = {"language": "fr", "types": types}
    assert (await client.post_json(CONTENT_URL, content)).sid == SID
    [seen] = origin.seen
    assert (seen.path, seen.headers["Content-Type"]) == ("/v1/Content", "application/json")
    assert json.loads(seen.body) == content


async def test_typing_is_shown_at_the_same_origin(origin: Origin) -> None:
    origin.answer(200, '{"success": true}')
    adapter = TwilioWhatsapp(settings(twilio_api_url=origin.url))
    await adapter.show(Typing(AWA, SID))
    await adapter.close()
    [seen] = origin.seen
    assert seen.path == "/v2/Indicators/Typing.json"
    assert parse_qs(seen.body.decode()) == {"channel": ["whatsapp"], "messageId": [SID]}


@pytest.mark.parametrize(
    ("api_url", "uri", "target"),
    [
        ("https://api.twilio.com", "https://content.twilio.com/v1/C", None),
        ("https://api.twilio.com/", "https://messaging.twilio.com/v2/T", None),
        ("http://127.0.0.1:9/base/", "https://content.twilio.com/v1/C?a=%2B", "/v1/C?a=%2B"),
    ],
)
def test_twilios_hosts_are_kept_unless_another_base_is_set(
    api_url: str, uri: str, target: str | None
) -> None:
    found = str(open_client(api_url)._target(uri))
    assert found == (uri if target is None else f"http://127.0.0.1:9/base{target}")


async def test_a_closed_port_is_surely_not_sent() -> None:
    client = open_client("http://127.0.0.1:9")
    with pytest.raises(RetryAt):
        await send_text(client)
    await client.close()


async def test_a_name_that_cannot_be_resolved_is_surely_not_sent() -> None:
    client = open_client("http://twilio.invalid")
    with pytest.raises(RetryAt):
        await send_text(client)
    await client.close()


async def test_a_failed_handshake_is_surely_not_sent(origin: Origin) -> None:
    client = open_client(origin.url.replace("http:", "https:"))
    with pytest.raises(RetryAt):
        await send_text(client)
    await client.close()
    assert origin.seen == []


async def test_no_answer_in_time_is_in_doubt(origin: Origin, hasty: TwilioClient) -> None:
    origin.hang()
    with pytest.raises(OutcomeUnknown):
        await send_text(hasty)
    assert len(origin.seen) == 1


async def test_a_connection_cut_after_the_request_is_in_doubt(
    origin: Origin, client: TwilioClient
) -> None:
    origin.cut()
    with pytest.raises(OutcomeUnknown):
        await send_text(client)
    assert len(origin.seen) == 1


async def test_a_message_is_never_sent_twice_by_itself(
    origin: Origin, client: TwilioClient
) -> None:
    await send_text(client)  # so that the next one goes over a used connection
    origin.cut()
    with pytest.raises(OutcomeUnknown):
        await send_text(client)
    origin.answer(500, '{"code": 20500}')
    with pytest.raises(Refusal):
        await send_text(client)
    assert len(origin.seen) == 3


@pytest.mark.parametrize("answer", ["", "null", "[]", "<html>", '{"sid": 7}', "[" * 10_000])
async def test_an_answer_that_is_not_of_the_api_is_in_doubt(
    origin: Origin, client: TwilioClient, answer: str
) -> None:
    origin.answer(201, answer)
    with pytest.raises(OutcomeUnknown):
        await send_text(client)


async def test_an_answer_without_end_is_in_doubt(origin: Origin, client: TwilioClient) -> None:
    origin.answer(201, b'{"sid": "' + b"x" * MAX_ANSWER + b'"}')
    with pytest.raises(OutcomeUnknown):
        await send_text(client)


async def test_what_else_twilio_tells_of_a_message_is_not_parsed(
    origin: Origin, client: TwilioClient
) -> None:
    origin.answer(201, json.dumps({"sid": SID, "date_sent": 7, "status": {}, "num_media": "x"}))
    assert (await send_text(client)).sid == SID


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        ("99999", 3600.0),
        ("nan", None),
        ("inf", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("", None),
    ],
)
async def test_a_refusal_has_twilios_code_and_wait(
    origin: Origin, client: TwilioClient, header: str, seconds: float | None
) -> None:
    origin.answer(429, '{"code": 20429, "message": "Too Many"}', {"Retry-After": header})
    with pytest.raises(Refusal) as caught:
        await send_text(client)
    refusal = caught.value
    assert (refusal.status, refusal.code, refusal.retry_after) == (429, 20429, seconds)


@pytest.mark.parametrize("answer", ["<html>", '{"code": "x"}', '{"code": null}', "{}", ""])
async def test_a_refusal_without_a_code_of_twilio_is_one(
    origin: Origin, client: TwilioClient, answer: str
) -> None:
    origin.answer(400, answer)
    with pytest.raises(Refusal) as caught:
        await send_text(client)
    assert (caught.value.status, caught.value.code) == (400, 0)


async def test_a_redirect_is_not_followed(origin: Origin, client: TwilioClient) -> None:
    origin.answer(307, headers={"Location": f"{origin.url}/elsewhere"})
    with pytest.raises(Refusal):
        await send_text(client)
    assert len(origin.seen) == 1


async def test_nothing_that_is_raised_or_logged_names_a_number_or_the_account(
    origin: Origin, hasty: TwilioClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    reasons: list[str] = []
    origin.answer(400, json.dumps({"code": 21211, "message": f"'{AWA}' is not valid"}))
    origin.cut()
    origin.hang()
    for _ in range(3):
        with pytest.raises((Refusal, OutcomeUnknown)) as caught:
            await send_text(hasty)
        reasons.append(repr(caught.value))
    told = "\n".join([*reasons, caplog.text])
    assert "21211" in told
    assert not any(secret in told for secret in (AWA, AWA[1:], "AC1", "sécret", "Ça va"))

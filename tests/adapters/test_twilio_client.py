"""What the wire does, and what the outbox is told of it: the SDK over our HTTP client."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from urllib.parse import parse_qs

import pytest
from aiohttp import encode_basic_auth
from twilio.rest import Client
from twilio.rest.content.v1.content import ContentList

from adapters.base import MAX_ANSWER
from adapters.twilio.client import HttpClient, Refusal
from bot.errors import OutcomeUnknown, RetryAt
from tests.adapters.twilio_parts import AWA, SID, SMS_NUMBER, Origin, running

TEXT = {"to": AWA, "from_": SMS_NUMBER, "body": "Ça va ? 👋🏾 1+1=2 & d'autres"}


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    async with running() as server:
        yield server


@pytest.fixture
async def http(origin: Origin) -> AsyncIterator[HttpClient]:
    opened = HttpClient(origin.url)
    yield opened
    await opened.close()


@pytest.fixture
def client(http: HttpClient) -> Client:
    return through(http)


@pytest.fixture
async def hasty(origin: Origin) -> AsyncIterator[Client]:
    """One that does not wait for long."""
    opened = HttpClient(origin.url, seconds=0.5)
    yield through(opened)
    await opened.close()


def through(http: HttpClient) -> Client:
    return Client("AC1", "sécret", http_client=http, environment={"TWILIO_EDGE": ""})


async def test_the_sdk_sends_a_form_and_reads_the_sid(origin: Origin, client: Client) -> None:
    message = await client.messages.create_async(**TEXT, media_url=["https://g/1", "https://g/2"])
    [seen] = origin.seen
    assert message.sid == SID
    assert (seen.method, seen.path) == ("POST", "/2010-04-01/Accounts/AC1/Messages.json")
    assert seen.headers["Authorization"] == encode_basic_auth("AC1", "sécret")
    assert parse_qs(seen.body.decode()) == {
        "To": [AWA],
        "From": [SMS_NUMBER],
        "Body": [TEXT["body"]],
        "MediaUrl": ["https://g/1", "https://g/2"],
    }


async def test_the_sdk_sends_content_as_json_to_the_same_origin(
    origin: Origin, client: Client
) -> None:
    types = {"twilio/quick-reply": {"body": "Été ?", "actions": [{"title": "Oui", "id": "1"}]}}
    request = ContentList.ContentCreateRequest({"language": "fr", "types": types})
    assert (await client.content.v1.contents.create_async(request)).sid == SID
    [seen] = origin.seen
    assert seen.path == "/v1/Content"
    assert json.loads(seen.body) == {"language": "fr", "types": types}


async def test_the_sdk_asks_for_typing_at_the_same_origin(origin: Origin, client: Client) -> None:
    origin.answer(200, '{"success": true}')
    await client.messaging.v2.typing_indicator.create_async("whatsapp", SID)
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
    found = str(HttpClient(api_url)._target(uri))
    assert found == (uri if target is None else f"http://127.0.0.1:9/base{target}")


async def test_a_closed_port_is_surely_not_sent() -> None:
    http = HttpClient("http://127.0.0.1:9")
    with pytest.raises(RetryAt):
        await http.request("POST", "https://api.twilio.com/x", data={"a": "b"})
    await http.close()


async def test_a_name_that_cannot_be_resolved_is_surely_not_sent() -> None:
    http = HttpClient("http://twilio.invalid")
    with pytest.raises(RetryAt):
        await http.request("POST", "https://api.twilio.com/x", data={"a": "b"})
    await http.close()


async def test_a_failed_handshake_is_surely_not_sent(origin: Origin) -> None:
    http = HttpClient(origin.url.replace("http:", "https:"))
    with pytest.raises(RetryAt):
        await http.request("POST", "https://api.twilio.com/x", data={"a": "b"})
    await http.close()
    assert origin.seen == []


async def test_no_answer_in_time_is_in_doubt(origin: Origin, hasty: Client) -> None:
    origin.hang()
    with pytest.raises(OutcomeUnknown):
        await hasty.messages.create_async(**TEXT)
    assert len(origin.seen) == 1


async def test_a_connection_cut_after_the_request_is_in_doubt(
    origin: Origin, client: Client
) -> None:
    origin.cut()
    with pytest.raises(OutcomeUnknown):
        await client.messages.create_async(**TEXT)
    assert len(origin.seen) == 1


async def test_a_message_is_never_sent_twice_by_itself(origin: Origin, client: Client) -> None:
    await client.messages.create_async(**TEXT)  # so that the next one goes over a used connection
    origin.cut()
    with pytest.raises(OutcomeUnknown):
        await client.messages.create_async(**TEXT)
    origin.answer(500, '{"code": 20500}')
    with pytest.raises(Refusal):
        await client.messages.create_async(**TEXT)
    assert len(origin.seen) == 3


@pytest.mark.parametrize("answer", ["", "null", "[]", "<html>", '{"sid": 7}', "[" * 10_000])
async def test_an_answer_that_is_not_of_the_api_is_in_doubt(
    origin: Origin, client: Client, answer: str
) -> None:
    origin.answer(201, answer)
    with pytest.raises(OutcomeUnknown):
        await client.messages.create_async(**TEXT)


async def test_an_answer_without_end_is_in_doubt(origin: Origin, client: Client) -> None:
    origin.answer(201, b'{"sid": "' + b"x" * MAX_ANSWER + b'"}')
    with pytest.raises(OutcomeUnknown):
        await client.messages.create_async(**TEXT)


async def test_what_else_twilio_tells_of_a_message_is_not_parsed(
    origin: Origin, client: Client
) -> None:
    origin.answer(201, json.dumps({"sid": SID, "date_sent": 7, "status": {}, "num_media": "x"}))
    assert (await client.messages.create_async(**TEXT)).sid == SID


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
    origin: Origin, client: Client, header: str, seconds: float | None
) -> None:
    origin.answer(429, '{"code": 20429, "message": "Too Many"}', {"Retry-After": header})
    with pytest.raises(Refusal) as caught:
        await client.messages.create_async(**TEXT)
    refusal = caught.value
    assert (refusal.status, refusal.code, refusal.retry_after) == (429, 20429, seconds)


@pytest.mark.parametrize("answer", ["<html>", '{"code": "x"}', '{"code": null}', "{}", ""])
async def test_a_refusal_without_a_code_of_twilio_is_one(
    origin: Origin, client: Client, answer: str
) -> None:
    origin.answer(400, answer)
    with pytest.raises(Refusal) as caught:
        await client.messages.create_async(**TEXT)
    assert (caught.value.status, caught.value.code) == (400, 0)


async def test_a_redirect_is_not_followed(origin: Origin, client: Client) -> None:
    origin.answer(307, headers={"Location": f"{origin.url}/elsewhere"})
    with pytest.raises(Refusal):
        await client.messages.create_async(**TEXT)
    assert len(origin.seen) == 1


async def test_nothing_that_is_raised_or_logged_names_a_number_or_the_account(
    origin: Origin, hasty: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    reasons: list[str] = []
    origin.answer(400, json.dumps({"code": 21211, "message": f"'{AWA}' is not valid"}))
    origin.cut()
    origin.hang()
    for _ in range(3):
        with pytest.raises((Refusal, OutcomeUnknown)) as caught:
            await hasty.messages.create_async(**TEXT)
        reasons.append(repr(caught.value))
    told = "\n".join([*reasons, caplog.text])
    assert "21211" in told
    assert not any(secret in told for secret in (AWA, AWA[1:], "AC1", "sécret", "Ça va"))

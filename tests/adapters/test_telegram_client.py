"""What the wire does, and what the outbox is told of it."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator

import pytest

from adapters.telegram.client import (
    MAX_ANSWER,
    BotApi,
    NotSent,
    Refusal,
    TelegramError,
    Unanswered,
    Upload,
    explain,
)
from bot.errors import OutcomeUnknown, RetryAt, TooLarge, Undeliverable
from tests.standins.telegram import TelegramStandIn

AWA = 42
HELLO = {"chat_id": AWA, "text": "Bonjour"}


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as stand_in:
        yield stand_in
        assert stand_in.violations == []


@pytest.fixture
async def api(telegram: TelegramStandIn) -> AsyncIterator[BotApi]:
    opened = BotApi(telegram.url, telegram.token)
    yield opened
    await opened.close()


async def send_document(api: BotApi, content: bytes, filename: str) -> str:
    return await api.send("sendDocument", {"chat_id": AWA}, Upload("document", filename, content))


async def test_a_message_is_sent_as_json_and_its_id_returned(
    telegram: TelegramStandIn, api: BotApi
) -> None:
    sent = await api.send("sendMessage", {"chat_id": AWA, "text": "Ça va ? 👋🏾"})
    [shown] = telegram.messages(AWA)
    assert (shown.text, str(shown.message_id)) == ("Ça va ? 👋🏾", sent)


async def test_files_are_sent_with_their_names_unharmed(
    telegram: TelegramStandIn, api: BotApi
) -> None:
    content = bytes(range(256)) * 8192  # more than aiohttp likes to be given as plain bytes
    await send_document(api, content, "Été à Abidjan.pdf")
    [shown] = telegram.messages(AWA)
    assert (shown.filename, shown.document) == ("Été à Abidjan.pdf", content)


async def test_a_file_name_cannot_end_its_header(telegram: TelegramStandIn, api: BotApi) -> None:
    name = 'a".pdf\r\nX-Evil: yes\r\n\r\nchat_id'
    await send_document(api, b"%PDF", name)
    [shown] = telegram.messages(AWA)
    assert shown.document == b"%PDF"
    assert "\r" not in shown.filename


async def test_a_closed_port_is_a_request_not_sent() -> None:
    api = BotApi("http://127.0.0.1:9", "1:token")
    with pytest.raises(NotSent):
        await api.call("getMe", {})
    await api.close()


async def test_a_failed_handshake_is_a_request_not_sent(telegram: TelegramStandIn) -> None:
    api = BotApi(telegram.url.replace("http:", "https:"), telegram.token)
    with pytest.raises(NotSent):
        await api.call("sendMessage", HELLO)
    await api.close()
    assert telegram.attempts == []


@pytest.mark.parametrize("accept", [True, False])
async def test_no_answer_in_time_is_unanswered_whether_telegram_acted_or_not(
    telegram: TelegramStandIn, api: BotApi, accept: bool
) -> None:
    telegram.hang_next("sendMessage", accept=accept)
    with pytest.raises(Unanswered):
        await api.call("sendMessage", HELLO, seconds=0.1)
    assert len(telegram.messages(AWA)) == accept


@pytest.mark.parametrize("accept", [True, False])
async def test_a_connection_cut_after_the_request_is_unanswered(
    telegram: TelegramStandIn, api: BotApi, accept: bool
) -> None:
    telegram.reset_next("sendMessage", accept=accept)
    with pytest.raises(Unanswered):
        await api.call("sendMessage", HELLO)
    assert len(telegram.messages(AWA)) == accept


async def test_a_request_is_never_sent_twice_by_itself(
    telegram: TelegramStandIn, api: BotApi
) -> None:
    await api.call("getMe", {})  # so that the next one goes over a used connection
    telegram.reset_next("sendMessage", accept=False)
    with pytest.raises(Unanswered):
        await api.call("sendMessage", HELLO)
    assert [call.method for call in telegram.attempts] == ["getMe", "sendMessage"]


async def test_an_answer_that_is_not_the_bot_apis_is_unanswered(
    telegram: TelegramStandIn, api: BotApi
) -> None:
    for answer in ({"hello": "world"}, {"ok": True, "result": {"date": 1}}):
        telegram.answer_next("sendMessage", answer)
        with pytest.raises(Unanswered):
            await api.send("sendMessage", HELLO)


async def test_an_answer_beyond_its_limit_is_unanswered(
    telegram: TelegramStandIn, api: BotApi
) -> None:
    endless = {"ok": True, "result": "x" * MAX_ANSWER}
    telegram.answer_next("sendMessage", endless)
    with pytest.raises(Unanswered):
        await api.call("sendMessage", HELLO)
    telegram.answer_next("sendDocument", endless)
    with pytest.raises(Unanswered):
        await send_document(api, b"%PDF", "a.pdf")


async def test_what_the_bot_api_gives_as_reason_is_kept(
    telegram: TelegramStandIn, api: BotApi
) -> None:
    telegram.fail_next("sendMessage", 429, "Too Many Requests: retry after 7", {"retry_after": 7})
    with pytest.raises(Refusal) as caught:
        await api.call("sendMessage", HELLO)
    assert (caught.value.status, caught.value.retry_after) == (429, 7)
    assert caught.value.says("too many requests")


async def test_a_file_is_downloaded_up_to_a_limit(telegram: TelegramStandIn, api: BotApi) -> None:
    file_id = telegram.add_file(b"x" * 100_000)
    assert await api.download(f"documents/{file_id}", 100_000) == b"x" * 100_000
    with pytest.raises(TooLarge):
        await api.download(f"documents/{file_id}", 99_999)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (NotSent("no connection"), RetryAt),
        (Unanswered("no answer"), OutcomeUnknown),
        (Refusal(429, "Too Many Requests"), RetryAt),
        (Refusal(503, ""), RetryAt),
        (Refusal(500, "Internal Server Error"), OutcomeUnknown),
        (Refusal(502, ""), OutcomeUnknown),
        (Refusal(504, ""), OutcomeUnknown),
        (Refusal(400, "Bad Request: BUTTON_DATA_INVALID"), Undeliverable),
        (Refusal(401, "Unauthorized"), Undeliverable),
        (Refusal(404, "Not Found"), Undeliverable),
        (Refusal(413, "Request Entity Too Large"), Undeliverable),
        (Refusal(302, ""), Undeliverable),
    ],
    ids=str,
)
def test_each_error_means_one_thing_to_the_outbox(
    error: TelegramError, kind: type[Exception]
) -> None:
    assert type(explain(error)) is kind


@pytest.mark.parametrize(
    ("status", "description", "dead"),
    [
        (403, "Forbidden: bot was blocked by the user", True),
        (403, "Forbidden: user is deactivated", True),
        (403, "Forbidden: bot was kicked from the supergroup chat", True),
        (400, "Bad Request: chat not found", True),
        (400, "Bad Request: message thread not found", False),
        (404, "Not Found", False),
    ],
)
def test_a_target_is_dead_when_only_the_person_can_change_it(
    status: int, description: str, dead: bool
) -> None:
    meant = explain(Refusal(status, description))
    assert isinstance(meant, Undeliverable)
    assert meant.dead_target is dead


async def test_nothing_that_is_raised_or_logged_names_the_token(
    telegram: TelegramStandIn, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []

    async def fail(api: BotApi) -> None:
        try:
            await api.call("sendMessage", HELLO, seconds=0.1)
        except TelegramError as error:
            seen.extend(traceback.format_exception(error))
            seen.append(repr(error))

    telegram.hang_next("sendMessage", accept=True)
    await fail(api)
    telegram.reset_next("sendMessage", accept=True)
    await fail(api)
    telegram.fail_next("sendMessage", 400, "Bad Request: no")
    await fail(api)
    await api.close()
    await asyncio.sleep(0)
    unreachable = BotApi("http://127.0.0.1:9", telegram.token)
    await fail(unreachable)
    await unreachable.close()
    assert len(seen) > 4
    secret = telegram.token.partition(":")[2]
    assert not any(secret in text for text in [*seen, caplog.text])

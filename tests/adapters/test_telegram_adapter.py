"""The Telegram adapter against a Telegram that checks every call by the Bot API's specification."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from multidict import CIMultiDict

from adapters.telegram.adapter import Telegram
from bot.contracts.channels import Adapter, Webhook
from bot.errors import (
    BadRequest,
    NotFound,
    OutcomeUnknown,
    Refused,
    RetryAt,
    SettingsError,
    TooLarge,
    Undeliverable,
)
from bot.messages.incoming import Attachment, Said, Update
from bot.messages.outgoing import Button, FileBody, RetireButtons, Sent, ShareFile, TextBody, Typing
from bot.settings import Settings
from bot.standins.telegram_rules import LENIENT
from tests.adapters.telegram_parts import AWA, GROUP, PNG, delivery, open_adapter, read_file
from tests.standins.telegram import TelegramStandIn

FILE = FileBody(ShareFile("report", "a.pdf", "application/pdf", 8))


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as stand_in:
        yield stand_in
        assert stand_in.violations == []


@pytest.fixture
async def adapter(telegram: TelegramStandIn) -> AsyncIterator[Telegram]:
    opened = open_adapter(telegram)
    yield opened
    await opened.close()


def webhook(body: bytes = b"{}", **headers: str) -> Webhook:
    return Webhook("POST", "/webhooks/telegram", CIMultiDict(headers), body)


def token_header(value: str) -> Webhook:
    return webhook(**{"x-telegram-bot-api-secret-token": value})


def test_it_is_an_adapter(adapter: Telegram) -> None:
    contract: Adapter = adapter
    assert (contract.name, contract.channel) == ("telegram", "telegram")


def test_its_pace_is_within_telegrams(adapter: Telegram) -> None:
    chat_pace, overall = adapter.capabilities.chat_pace, adapter.capabilities.sender_pace
    assert chat_pace is not None
    assert overall is not None
    assert overall.rate <= LENIENT.overall_rate
    assert overall.burst <= LENIENT.overall_burst
    private, group, topic = chat_pace("42"), chat_pace("-1001234"), chat_pace("-1001234/9")
    assert private.rate <= LENIENT.chat_rate
    assert private.burst <= LENIENT.chat_burst
    assert group == topic
    assert group.burst + group.rate * 60 <= LENIENT.group_a_minute


# Coming in


def test_the_secret_token_lets_a_webhook_in(adapter: Telegram) -> None:
    adapter.verify(token_header("s3cret"))


@pytest.mark.parametrize("given", ["", "s3cre", "s3cret2", "S3CRET", "sécret", "\udcff"])
def test_a_wrong_secret_token_is_refused(adapter: Telegram, given: str) -> None:
    with pytest.raises(Refused):
        adapter.verify(token_header(given))


def test_a_missing_secret_token_is_refused(adapter: Telegram) -> None:
    with pytest.raises(Refused):
        adapter.verify(webhook())


async def test_without_a_configured_secret_everything_is_refused(
    telegram: TelegramStandIn,
) -> None:
    adapter = open_adapter(telegram, telegram_webhook_secret="")
    with pytest.raises(Refused):
        adapter.verify(token_header(""))


def test_a_webhook_holds_its_update(adapter: Telegram, telegram: TelegramStandIn) -> None:
    body = json.dumps(telegram.text_update(AWA, "Bonjour")).encode()
    [update] = adapter.parse(webhook(body))
    assert isinstance(update, Update)
    assert update.content == Said("Bonjour")
    with pytest.raises(BadRequest):
        adapter.parse(webhook(b"[]"))


async def test_once_prepared_it_hears_its_name_in_groups(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    body = json.dumps(telegram.text_update(GROUP, "@griot_bot salut", sender=AWA)).encode()
    assert adapter.parse(webhook(body)) == []
    await adapter.prepare()
    assert len(adapter.parse(webhook(body))) == 1


async def test_preparing_with_a_wrong_token_fails_plainly(telegram: TelegramStandIn) -> None:
    adapter = open_adapter(telegram, telegram_bot_token="1:wrong")
    with pytest.raises(Undeliverable, match="401"):
        await adapter.prepare()
    await adapter.close()


async def test_a_file_is_fetched(adapter: Telegram, telegram: TelegramStandIn) -> None:
    file_id = telegram.add_file(b"OggS")
    assert await adapter.fetch(Attachment("audio", file_id)) == b"OggS"


async def test_a_file_that_is_gone_is_not_found(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    with pytest.raises(NotFound):
        await adapter.fetch(Attachment("image", "never-heard-of"))
    telegram.fail_next("file", 404, "Not Found")
    with pytest.raises(NotFound):
        await adapter.fetch(Attachment("image", telegram.add_file(PNG)))


async def test_a_file_over_20_mb_is_too_large_whoever_says_so(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    content = b"x" * (20 * 2**20 + 1)
    by_get_file = Attachment("document", telegram.add_file(content))
    file_id = telegram.add_file(content)
    telegram.file_sizes[file_id] = 9
    by_its_bytes = Attachment("document", file_id)
    by_the_update = Attachment("document", "any", size=len(content))
    for attachment in (by_get_file, by_its_bytes, by_the_update):
        with pytest.raises(TooLarge):
            await adapter.fetch(attachment)


async def test_a_file_out_of_reach_may_be_asked_for_again(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    attachment = Attachment("image", telegram.add_file(PNG))
    telegram.fail_next("getFile", 429, "Too Many Requests", {"retry_after": 3})
    with pytest.raises(RetryAt) as caught:
        await adapter.fetch(attachment)
    assert caught.value.after == 3
    telegram.reset_next("getFile", accept=False)
    with pytest.raises(RetryAt):
        await adapter.fetch(attachment)


# Outcomes


async def test_a_429_in_one_chat_says_when_and_leaves_the_others_alone(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendMessage", 429, "Too Many Requests", {"retry_after": 30}, chat_id=AWA)
    refused, sent = await asyncio.gather(
        adapter.deliver(delivery(TextBody("x"))),
        adapter.deliver(delivery(TextBody("x"), "43")),
        return_exceptions=True,
    )
    assert isinstance(refused, RetryAt)
    assert refused.after == 30
    assert isinstance(sent, Sent)


async def test_being_blocked_makes_the_target_dead(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendMessage", 403, "Forbidden: bot was blocked by the user")
    with pytest.raises(Undeliverable) as caught:
        await adapter.deliver(delivery(TextBody("x")))
    assert caught.value.dead_target


async def test_a_chat_that_migrated_tells_its_new_id(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    description = "Bad Request: group chat was upgraded to a supergroup chat"
    telegram.fail_next("sendMessage", 400, description, {"migrate_to_chat_id": GROUP})
    with pytest.raises(Undeliverable) as caught:
        await adapter.deliver(delivery(TextBody("x"), "-55"))
    assert (caught.value.moved_to, caught.value.dead_target) == (str(GROUP), False)


async def test_after_a_migration_the_old_group_names_the_new_which_is_written_to(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    sent = await adapter.deliver(delivery(TextBody("avant"), "-55"))
    telegram.migrate(-55, to=GROUP)
    for body in (TextBody("après"), RetireButtons(sent.provider_id), FILE):
        with pytest.raises(Undeliverable) as caught:
            await adapter.deliver(delivery(body, "-55"))
        assert (caught.value.moved_to, caught.value.dead_target) == (str(GROUP), False)
        await adapter.deliver(delivery(body, caught.value.moved_to))
    await adapter.show(Typing("-55"))
    assert [shown.text for shown in telegram.messages(GROUP)] == ["après", ""]


async def test_a_chat_that_is_throttled_says_for_how_long(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.throttle(AWA, 40)
    with pytest.raises(RetryAt) as caught:
        await adapter.deliver(delivery(TextBody("x")))
    assert caught.value.after == 40
    await adapter.deliver(delivery(TextBody("x"), "43"))


async def test_an_answer_lost_after_telegram_accepted_is_in_doubt_and_not_sent_again(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.reset_next("sendMessage", accept=True)
    with pytest.raises(OutcomeUnknown):
        await adapter.deliver(delivery(TextBody("x")))
    assert len(telegram.messages(AWA)) == 1
    assert adapter.capabilities.resend == "never"


async def test_no_connection_is_safe_to_try_again() -> None:
    fields = {"telegram_bot_token": "1:t", "telegram_api_url": "http://127.0.0.1:9"}
    adapter = Telegram(Settings.model_validate(fields), read_file)
    with pytest.raises(RetryAt):
        await adapter.deliver(delivery(TextBody("x")))
    await adapter.close()


async def test_a_payload_of_too_many_bytes_is_refused_for_good(telegram: TelegramStandIn) -> None:
    adapter = open_adapter(telegram)
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TextBody("?", buttons=((Button("A", "é" * 33),),))))
    await adapter.close()
    assert telegram.violations.pop().endswith("BUTTON_DATA_INVALID")


# The webhook


async def test_the_webhook_is_set_with_its_secret_and_the_kinds_that_are_understood(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    await adapter.set_webhook()
    assert telegram.webhook == {
        "url": "https://griot.example/webhooks/telegram",
        "secret_token": "s3cret",
        "allowed_updates": [
            "message",
            "edited_message",
            "callback_query",
            "pre_checkout_query",
            "message_reaction",
            "my_chat_member",
        ],
    }


@pytest.mark.parametrize("missing", [{"public_url": None}, {"telegram_webhook_secret": ""}])
async def test_a_webhook_needs_an_address_and_a_secret(
    telegram: TelegramStandIn, missing: dict[str, Any]
) -> None:
    with pytest.raises(SettingsError):
        await open_adapter(telegram, **missing).set_webhook()


async def test_a_token_that_is_refused_costs_no_answer(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendMessage", 401, "Unauthorized", chat_id=AWA)
    with pytest.raises(RetryAt) as raised:
        await adapter.deliver(delivery(TextBody("x")))
    assert raised.value.after == 60

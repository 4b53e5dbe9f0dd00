"""What happens to chats of the stand-in while Griot talks to them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.standins.telegram_rules import Limits
from tests.standins.telegram import TelegramStandIn
from tests.standins.telegram_schema import update_validator
from tests.support.telegram_calls import AWA, GROUP, call_method


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as stand_in:
        yield stand_in


async def test_a_group_that_migrated_names_where_it_went(telegram: TelegramStandIn) -> None:
    await call_method(telegram, "sendMessage", chat_id=-55, text="avant")
    in_the_old, in_the_new = telegram.migrate(-55, GROUP)
    for update in (in_the_old, in_the_new):
        update_validator().validate(update)
    assert in_the_old["message"]["from"]["is_bot"] is False
    assert in_the_new["message"]["from"]["is_bot"] is True
    for method, fields in (
        ("sendMessage", {"text": "x"}),
        ("sendChatAction", {"action": "typing"}),
    ):
        status, answer = await call_method(telegram, method, chat_id=-55, **fields)
        assert (status, answer["parameters"]) == (400, {"migrate_to_chat_id": GROUP})
    assert (await call_method(telegram, "sendMessage", chat_id=GROUP, text="après"))[0] == 200
    assert telegram.violations == []


async def test_who_blocks_the_bot_gets_nothing_until_it_may_write_again(
    telegram: TelegramStandIn,
) -> None:
    update_validator().validate(telegram.block(AWA))
    assert (await call_method(telegram, "sendMessage", chat_id=AWA, text="x"))[0] == 403
    assert (await call_method(telegram, "sendMessage", chat_id=43, text="x"))[0] == 200
    update_validator().validate(telegram.block(AWA, yes=False))
    assert (await call_method(telegram, "sendMessage", chat_id=AWA, text="x"))[0] == 200


async def test_a_throttled_chat_that_is_not_given_its_time_is_a_violation(
    telegram: TelegramStandIn,
) -> None:
    telegram.throttle(AWA, 30)
    for _ in range(2):
        status, answer = await call_method(telegram, "sendMessage", chat_id=AWA, text="x")
        assert (status, answer["parameters"]) == (429, {"retry_after": 30})
    assert len(telegram.violations) == 1


async def test_limits_of_ones_own_can_be_set() -> None:
    async with TelegramStandIn(pace=Limits(chat_burst=2)) as telegram:
        statuses = [
            (await call_method(telegram, "sendMessage", chat_id=AWA, text="x"))[0] for _ in range(3)
        ]
    assert statuses == [200, 200, 429]


async def test_a_tap_spins_until_it_is_answered(telegram: TelegramStandIn) -> None:
    telegram.callback_update(AWA, "x")
    telegram.tap_update(AWA, inline_message_id="AgAAAA")
    one, other = telegram.spinning
    await call_method(telegram, "answerCallbackQuery", callback_query_id=one)
    assert telegram.spinning == {other}


async def test_the_general_topic_is_not_addressed_as_one(telegram: TelegramStandIn) -> None:
    status, _ = await call_method(
        telegram, "sendMessage", chat_id=GROUP, text="x", message_thread_id=1
    )
    assert (status, len(telegram.violations)) == (400, 1)

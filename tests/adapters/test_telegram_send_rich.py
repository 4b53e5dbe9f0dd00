"""Rich messages: their requests, what a refusal costs, and for how long it is remembered."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.telegram.adapter import Telegram
from bot.errors import OutcomeUnknown, RetryAt, Undeliverable
from bot.messages.outgoing import (
    Body,
    Button,
    Delivery,
    FileBody,
    RetireButtons,
    RichForm,
    ShareFile,
    TextBody,
)
from tests.adapters.telegram_parts import AWA, GROUP, delivery, open_adapter
from tests.standins.telegram import TelegramStandIn

HTML = "<h2>Aire</h2><p>Vaut <tg-math>\\frac{b h}{2}</tg-math>.</p>"
BUTTONS = ((Button("3/4", "t1"), Button("4/3", "t2")),)
RICH = TextBody("Aire\n\nVaut (b h)/2.", buttons=BUTTONS, rich=RichForm(HTML))
PICTURE = FileBody(ShareFile("picture", "formula.png", "image/png", 4, shows_formulas=True))
LOST_PICTURE = FileBody(ShareFile("gone", "formula.png", "image/png", 4, shows_formulas=True))


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as telegram:
        yield telegram


@pytest.fixture
async def adapter(telegram: TelegramStandIn) -> AsyncIterator[Telegram]:
    adapter = open_adapter(telegram)
    yield adapter
    await adapter.close()
    assert telegram.violations == []


def attempts(telegram: TelegramStandIn) -> list[str]:
    return [call.method for call in telegram.attempts]


def in_parts(*parts: TextBody | FileBody) -> TextBody:
    return TextBody("whole", rich=RichForm(HTML, parts))


async def deliver_all(adapter: Telegram, body: Body, conversation: str = str(AWA)) -> None:
    """Deliver as the outbox does: what is left is sent at once."""
    left: Body | None = body
    while left is not None:
        left = (await adapter.deliver(delivery(left, conversation))).left


async def test_a_rich_message_is_one_request_with_its_buttons(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    sent = await adapter.deliver(delivery(RICH))
    [message] = telegram.messages(AWA)
    assert sent.provider_id == str(message.message_id)
    assert attempts(telegram) == ["sendRichMessage"]
    assert message.rich is not None
    assert message.text == "Aire\nVaut $\\frac{b h}{2}$."
    assert [button["callback_data"] for button in message.buttons[0]] == ["t1", "t2"]


async def test_it_goes_to_the_topic_that_was_asked_in(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    await adapter.deliver(delivery(RICH, f"{GROUP}/7"))
    assert telegram.messages(GROUP)[0].topic == 7


async def test_the_chosen_button_stays_under_a_graded_question(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    sent = await adapter.deliver(delivery(RICH))
    await adapter.deliver(delivery(RetireButtons(sent.provider_id, Button("✅ 3/4", "t1"))))
    [message] = telegram.messages(AWA)
    assert [[button["text"] for button in row] for row in message.buttons] == [["✅ 3/4"]]
    assert message.rich is not None


async def test_after_a_refusal_the_plain_form_is_left(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendRichMessage", 400, "Bad Request: RICH_MESSAGE_EMAIL_INVALID")
    refused = await adapter.deliver(delivery(RICH))
    assert refused.rich_refused
    assert refused.left is not None
    sent = await adapter.deliver(delivery(refused.left))
    assert (sent.left, sent.rich_refused) == (None, False)
    assert attempts(telegram) == ["sendRichMessage", "sendMessage"]
    [message] = telegram.messages(AWA)
    assert (message.text, message.rich) == (RICH.text, None)
    assert len(message.buttons[0]) == 2


async def test_a_server_that_does_not_know_the_method_is_asked_once(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    assert adapter.capabilities.rich is not None
    telegram.fail_next("sendRichMessage", 404, "Not Found: method not found", times=9)
    for conversation in (str(AWA), str(AWA), str(GROUP)):
        await deliver_all(adapter, RICH, conversation)
    assert attempts(telegram) == ["sendRichMessage", *["sendMessage"] * 3]
    assert adapter.capabilities.rich is None  # what is said from now on is composed for it
    again = open_adapter(telegram)
    await deliver_all(again, RICH)
    await again.close()
    assert attempts(telegram)[4:] == ["sendRichMessage", "sendMessage"]


@pytest.mark.parametrize(
    ("status", "description", "error"),
    [
        (400, "Bad Request: chat not found", Undeliverable),
        (400, "Bad Request: BUTTON_DATA_INVALID", Undeliverable),
        (403, "Forbidden: bot was blocked by the user", Undeliverable),
        (429, "Too Many Requests: retry after 3", RetryAt),
        (502, "Bad Gateway", OutcomeUnknown),
    ],
)
async def test_what_the_plain_form_would_meet_too_is_no_refusal_of_the_form(
    adapter: Telegram,
    telegram: TelegramStandIn,
    status: int,
    description: str,
    error: type[Exception],
) -> None:
    telegram.fail_next("sendRichMessage", status, description)
    with pytest.raises(error):
        await adapter.deliver(delivery(RICH))
    await adapter.deliver(delivery(RICH))
    assert attempts(telegram) == ["sendRichMessage"] * 2


async def test_an_answer_lost_after_it_was_accepted_is_not_sent_again(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.reset_next("sendRichMessage", accept=True)
    with pytest.raises(OutcomeUnknown):
        await adapter.deliver(delivery(RICH))
    assert attempts(telegram) == ["sendRichMessage"]


async def test_a_plain_form_of_several_messages_goes_one_by_one(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendRichMessage", 400, "Bad Request: can't parse rich message")
    last = TextBody("three", buttons=BUTTONS)
    await deliver_all(adapter, in_parts(TextBody("one"), PICTURE, last))
    assert attempts(telegram) == ["sendRichMessage", "sendMessage", "sendPhoto", "sendMessage"]
    assert [message.text for message in telegram.messages(AWA)] == ["one", "", "three"]


async def test_a_picture_that_is_gone_keeps_nothing_back(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendRichMessage", 404, "Not Found")
    await deliver_all(adapter, in_parts(LOST_PICTURE, TextBody("two")))
    assert [message.text for message in telegram.messages(AWA)] == ["two"]


async def test_the_same_delivery_goes_on_where_a_group_moved(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendRichMessage", 404, "Not Found")
    refused = await adapter.deliver(delivery(in_parts(TextBody("one"), PICTURE), str(GROUP)))
    left = refused.left
    assert isinstance(left, TextBody)
    left = (await adapter.deliver(Delivery(1, f"telegram:{GROUP}", str(GROUP), left))).left
    assert left is not None
    telegram.migrate(GROUP, -100777)
    with pytest.raises(Undeliverable) as moved:
        await adapter.deliver(delivery(left, str(GROUP)))
    await deliver_all(adapter, left, moved.value.moved_to)
    assert [message.photo is None for message in telegram.messages(-100777)] == [False]

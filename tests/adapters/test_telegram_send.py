"""What the person sees of what Griot says."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from adapters.telegram.adapter import Telegram
from bot.errors import NotFound, RetryAt, Undeliverable
from bot.messages.outgoing import (
    Acknowledge,
    AnswerCheckout,
    Body,
    Button,
    Draft,
    Entity,
    FileBody,
    Invoice,
    RetireButtons,
    Sent,
    ShareFile,
    TemplateBody,
    TextBody,
    Typing,
)
from tests.adapters.telegram_parts import AWA, GROUP, PNG, POSTER, delivery, open_adapter
from tests.standins.telegram import TelegramStandIn


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


def file_body(file_id: str = "report", mime_type: str = "application/pdf", **rest: Any) -> FileBody:
    name, caption = rest.pop("filename", "Été.pdf"), rest.pop("caption", "")
    return FileBody(ShareFile(file_id, name, mime_type, 8, caption), **rest)


async def test_a_text_arrives_styled_with_its_buttons_and_no_link_preview(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    body = TextBody(
        "👋🏾 gras lien cite code",
        entities=(
            Entity("bold", 5, 4),
            Entity("link", 10, 4, url="https://griot.example/a_(b)"),
            Entity("quote", 15, 4),
            Entity("pre", 20, 4, language="python"),
        ),
        buttons=((Button("A", "t1"), Button("B", "t2")), (Button("C", "t3"),)),
    )
    sent = await adapter.deliver(delivery(body))
    [shown] = telegram.messages(AWA)
    assert sent == Sent(str(shown.message_id))
    assert shown.text == body.text
    assert shown.entities == [
        {"type": "bold", "offset": 5, "length": 4},
        {"type": "text_link", "offset": 10, "length": 4, "url": "https://griot.example/a_(b)"},
        {"type": "blockquote", "offset": 15, "length": 4},
        {"type": "pre", "offset": 20, "length": 4, "language": "python"},
    ]
    assert shown.buttons == [
        [{"text": "A", "callback_data": "t1"}, {"text": "B", "callback_data": "t2"}],
        [{"text": "C", "callback_data": "t3"}],
    ]
    [call] = telegram.calls
    assert call.parameters["link_preview_options"] == {"is_disabled": True}


@pytest.mark.parametrize(
    "kind", ["bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre"]
)
async def test_the_other_styles_are_called_alike(
    adapter: Telegram, telegram: TelegramStandIn, kind: Any
) -> None:
    await adapter.deliver(delivery(TextBody("texte", (Entity(kind, 0, 5),))))
    assert telegram.messages(AWA)[0].entities == [{"type": kind, "offset": 0, "length": 5}]


async def test_a_topic_is_answered_in_the_topic(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    await adapter.deliver(delivery(TextBody("Bonjour"), f"{GROUP}/9"))
    assert telegram.messages(GROUP)[0].topic == 9


async def test_formatting_that_is_refused_goes_out_plain_once(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    body = TextBody("gras", (Entity("bold", 0, 4),), ((Button("A", "t1"),),))
    telegram.fail_next("sendMessage", 400, "Bad Request: can't parse entities: no end")
    await adapter.deliver(delivery(body))
    [shown] = telegram.messages(AWA)
    assert (shown.text, shown.entities, len(shown.buttons)) == ("gras", [], 1)


@pytest.mark.parametrize(
    ("text", "entities", "plain"),
    [
        (
            "👋🏾 un lien, deux",
            (
                Entity("bold", 5, 2),
                Entity("link", 8, 4, url="http://a.b/c_(d)"),
                Entity("link", 14, 4, url="mailto:awa@a.b"),
            ),
            "👋🏾 un lien (http://a.b/c_(d)), deux (mailto:awa@a.b)",
        ),
        ("http://a.b", (Entity("link", 0, 10, url="http://a.b"),), "http://a.b"),
        ("awa@a.b", (Entity("link", 0, 7, url="mailto:awa@a.b"),), "awa@a.b"),
        ("x" * 4090, (Entity("link", 0, 1, url="http://a.b"),), "x" * 4090),
    ],
)
async def test_a_link_that_is_refused_is_written_with_its_address(
    adapter: Telegram,
    telegram: TelegramStandIn,
    text: str,
    entities: tuple[Entity, ...],
    plain: str,
) -> None:
    telegram.fail_next("sendMessage", 400, "Bad Request: can't parse entities: no end")
    await adapter.deliver(delivery(TextBody(text, entities)))
    [shown] = telegram.messages(AWA)
    assert (shown.text, shown.entities) == (plain, [])


async def test_a_caption_that_is_refused_keeps_its_address(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendDocument", 400, "Bad Request: can't parse entities: no end")
    link = Entity("link", 3, 7, url="http://a.b/c")
    await adapter.deliver(delivery(file_body(caption="Le rapport", entities=(link,))))
    assert telegram.messages(AWA)[0].text == "Le rapport (http://a.b/c)"


async def test_plain_text_that_is_refused_too_is_not_tried_for_ever(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendMessage", 400, "Bad Request: ENTITY_BOUNDS_INVALID", times=9)
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TextBody("gras", (Entity("bold", 0, 4),))))
    assert len(telegram.attempts) == 2


@pytest.mark.parametrize(
    ("status", "description"),
    [(400, "Bad Request: not enough rights"), (413, "Request Entity Too Large")],
)
async def test_a_refusal_of_something_else_is_not_tried_plain(
    adapter: Telegram, telegram: TelegramStandIn, status: int, description: str
) -> None:
    telegram.fail_next("sendMessage", status, description, times=9)
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TextBody("gras", (Entity("bold", 0, 4),))))
    assert len(telegram.attempts) == 1


async def test_a_file_arrives_as_a_document_with_its_name_and_caption(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    body = file_body(caption="Le rapport", entities=(Entity("bold", 3, 7),))
    sent = await adapter.deliver(delivery(body, f"{GROUP}/9"))
    [shown] = telegram.messages(GROUP)
    assert sent == Sent(str(shown.message_id))
    assert (shown.filename, shown.document) == ("Été.pdf", b"%PDF-1.7")
    assert (shown.text, shown.topic) == ("Le rapport", 9)
    assert shown.entities == [{"type": "bold", "offset": 3, "length": 7}]


async def test_a_picture_arrives_as_a_photo(adapter: Telegram, telegram: TelegramStandIn) -> None:
    await adapter.deliver(delivery(file_body("picture", "image/png")))
    assert telegram.messages(AWA)[0].photo == PNG


async def test_a_picture_over_10_mb_arrives_as_a_document(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    await adapter.deliver(delivery(file_body("poster", "image/png")))
    assert telegram.messages(AWA)[0].document == POSTER
    assert len(telegram.attempts) == 1


async def test_a_picture_that_telegram_cannot_show_arrives_as_a_document(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendPhoto", 400, "Bad Request: PHOTO_INVALID_DIMENSIONS")
    await adapter.deliver(delivery(file_body("picture", "image/png")))
    await adapter.deliver(delivery(file_body("picture", "image/svg+xml")))
    assert [shown.document for shown in telegram.messages(AWA)] == [PNG, PNG]


async def test_a_file_by_link_arrives_as_text_under_its_caption(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    link = "https://griot.example/files/abc"
    styled = (Entity("bold", 0, 2),)
    await adapter.deliver(delivery(file_body(caption="Le rapport", link=link, entities=styled)))
    await adapter.deliver(delivery(file_body(link=link)))
    captioned, bare = telegram.messages(AWA)
    assert captioned.text == f"Le rapport\nÉté.pdf: {link}"
    assert captioned.entities == [{"type": "bold", "offset": 0, "length": 2}]
    assert bare.text == f"Été.pdf: {link}"


async def test_a_file_that_the_library_no_longer_has_is_undeliverable(adapter: Telegram) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(file_body("gone")))


async def test_a_tap_is_acknowledged_even_too_late(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    assert await adapter.deliver(delivery(Acknowledge("99", "x" * 300))) == Sent("")
    [call] = telegram.calls
    assert call.parameters == {"callback_query_id": "99", "text": "x" * 200}
    telegram.fail_next(
        "answerCallbackQuery",
        400,
        "Bad Request: query is too old and response timeout expired or query ID is invalid",
    )
    assert await adapter.deliver(delivery(Acknowledge("99"))) == Sent("")


async def test_a_checkout_is_let_go_on_or_refused_with_a_reason(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    for error in ("", "Ce paquet n'existe plus."):
        telegram.checkout_update(AWA, "pack:500", 50)
        query_id = [*telegram.checkouts][-1]
        assert await adapter.deliver(delivery(AnswerCheckout(query_id, error))) == Sent("")
    answers = [(asked.ok, asked.error) for asked in telegram.checkouts.values()]
    assert answers == [(True, ""), (False, "Ce paquet n'existe plus.")]
    assert "error_message" not in telegram.calls[0].parameters


async def test_a_checkout_answered_too_late_is_refused_but_the_person_is_there(
    adapter: Telegram,
) -> None:
    with pytest.raises(Undeliverable, match="too old") as caught:
        await adapter.deliver(delivery(AnswerCheckout("99")))
    assert not caught.value.dead_target


async def test_an_invoice_asks_for_stars_with_one_price(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    invoice = Invoice("a1" * 12, "100 crédits Griot", "Pour tes questions", 50, "XTR")
    sent = await adapter.deliver(delivery(invoice))
    [shown] = telegram.messages(AWA)
    assert sent == Sent(str(shown.message_id))
    [call] = telegram.calls_of("sendInvoice")
    assert call.parameters["prices"] == [{"label": "100 crédits Griot", "amount": 50}]
    assert (call.parameters["payload"], call.parameters["currency"]) == ("a1" * 12, "XTR")
    assert call.parameters.get("provider_token", "") == ""


async def test_stars_are_given_back_once_however_often_it_is_asked(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.payment_update(AWA, "a1", 50, charge="stx9")
    for _ in range(2):
        await adapter.refund_stars(str(AWA), "stx9")
    assert telegram.refunded == ["stx9"]


async def test_stars_that_telegram_does_not_give_back_are_told_apart_from_silence(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    with pytest.raises(NotFound):
        await adapter.refund_stars(str(AWA), "unknown")
    telegram.reset_next("refundStarPayment", accept=False)
    with pytest.raises(ConnectionError):
        await adapter.refund_stars(str(AWA), "unknown")
    assert telegram.refunded == []


async def test_there_are_no_templates(adapter: Telegram, telegram: TelegramStandIn) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TemplateBody("Il y a du nouveau")))
    assert telegram.attempts == []


async def test_buttons_are_retired_and_retiring_them_again_is_fine(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    sent = await adapter.deliver(delivery(TextBody("?", buttons=((Button("A", "t1"),),))))
    for _ in range(2):  # the second time Telegram says "message is not modified"
        assert await adapter.deliver(delivery(RetireButtons(sent.provider_id))) == sent
    assert telegram.messages(AWA)[0].buttons == []
    assert await adapter.deliver(delivery(RetireButtons("12345"))) == Sent("12345")


async def test_what_was_chosen_stays_on_the_message(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    rows = ((Button("A", "t1"),), (Button("B", "t2"),))
    sent = await adapter.deliver(delivery(TextBody("?", buttons=rows)))
    await adapter.deliver(delivery(RetireButtons(sent.provider_id, Button("✅ A", "t1"))))
    [[button]] = telegram.messages(AWA)[0].buttons
    assert (button["text"], button["callback_data"]) == ("✅ A", "t1")


async def test_buttons_of_a_message_that_cannot_be_edited_are_left(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("editMessageReplyMarkup", 400, "Bad Request: message can't be edited")
    assert await adapter.deliver(delivery(RetireButtons("7"))) == Sent("7")


@pytest.mark.parametrize("body", [RetireButtons(""), RetireButtons("SM1")])
async def test_buttons_of_no_message_are_undeliverable(adapter: Telegram, body: Body) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(body))


@pytest.mark.parametrize("conversation", ["", "awa", "42/x", "whatsapp:+225"])
async def test_a_conversation_that_is_not_telegrams_is_undeliverable(
    adapter: Telegram, conversation: str
) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TextBody("x"), conversation))
    await adapter.show(Typing(conversation))


async def test_what_is_said_is_not_logged(
    adapter: Telegram, telegram: TelegramStandIn, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await adapter.deliver(delivery(TextBody("Mon code est 1234")))
    assert "1234" not in caplog.text


# Previews


async def test_typing_and_a_growing_draft_are_shown(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    await adapter.show(Typing(f"{GROUP}/9"))
    await adapter.show(Draft(str(AWA), 7, "Bon", (Entity("bold", 0, 3),)))
    await adapter.show(Draft(str(AWA), 7, "Bonjour"))
    typing, first, _ = telegram.calls
    assert typing.parameters == {"chat_id": GROUP, "action": "typing", "message_thread_id": 9}
    assert first.parameters["entities"] == [{"type": "bold", "offset": 0, "length": 3}]
    assert telegram.drafts[AWA] == ["Bon", "Bonjour"]
    assert telegram.messages(AWA) == []


async def test_a_group_is_shown_no_draft(adapter: Telegram, telegram: TelegramStandIn) -> None:
    await adapter.show(Draft(str(GROUP), 7, "Bon"))
    assert telegram.attempts == []


async def test_a_preview_passes_on_a_request_to_slow_down_and_drops_all_else(
    adapter: Telegram, telegram: TelegramStandIn
) -> None:
    telegram.fail_next("sendMessageDraft", 429, "Too Many Requests", {"retry_after": 2})
    with pytest.raises(RetryAt) as caught:
        await adapter.show(Draft(str(AWA), 7, "Bon"))
    assert caught.value.after == 2
    telegram.fail_next("sendChatAction", 403, "Forbidden: bot was blocked by the user")
    await adapter.show(Typing(str(AWA)))
    telegram.reset_next("sendChatAction", accept=False)
    await adapter.show(Typing(str(AWA)))

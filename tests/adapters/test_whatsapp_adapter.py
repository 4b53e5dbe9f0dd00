"""The adapter against a WhatsApp that checks every call by Meta's specification."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from adapters.base import OPERATOR_SECONDS
from adapters.whatsapp.adapter import WhatsAppCloud, WhatsAppWebhooks
from bot.contracts.channels import Adapter
from bot.errors import (
    NotFound,
    OutcomeUnknown,
    RetryAt,
    SettingsError,
    Undeliverable,
    WindowClosed,
)
from bot.messages.incoming import Attachment, Receipt, Said, Tapped, Update
from bot.messages.outgoing import (
    Acknowledge,
    AnswerCheckout,
    Body,
    Button,
    Draft,
    FileBody,
    RetireButtons,
    Sent,
    ShareFile,
    TemplateBody,
    TextBody,
    Typing,
)
from bot.settings import Settings
from tests.adapters.twilio_parts import running
from tests.adapters.whatsapp_parts import (
    AWA,
    FILES,
    PHONE,
    TOKENS,
    asking,
    delivery,
    open_adapter,
    webhook,
    whatsapp_settings,
)
from tests.standins.whatsapp import WhatsAppStandIn, running_whatsapp
from tests.standins.whatsapp_phones import Option
from tests.standins.whatsapp_posting import write
from tests.standins.whatsapp_webhooks import Item

TEMPLATES = {"news:fr": "Griot : {{1}}"}
BONJOUR = TextBody("*Bonjour* Awa 👋🏾 https://griot.example")


@pytest.fixture
async def whatsapp() -> AsyncIterator[WhatsAppStandIn]:
    async with running_whatsapp(templates=TEMPLATES) as stand_in:
        stand_in.open_window(PHONE)
        yield stand_in


@pytest.fixture
async def adapter(whatsapp: WhatsAppStandIn) -> AsyncIterator[WhatsAppCloud]:
    opened = open_adapter(whatsapp, whatsapp_template="news:fr")
    yield opened
    await opened.close()


@pytest.fixture
async def hasty(whatsapp: WhatsAppStandIn) -> AsyncIterator[WhatsAppCloud]:
    """One that does not wait for long."""
    opened = open_adapter(whatsapp, seconds=0.5)
    yield opened
    await opened.close()


def share(file_id: str, mime_type: str, caption: str = "") -> FileBody:
    return FileBody(ShareFile(file_id, f"{file_id}.x", mime_type, 8, caption))


def received(whatsapp: WhatsAppStandIn, *items: Item) -> list[Update | Receipt]:
    reader = WhatsAppWebhooks(Settings.model_validate(whatsapp_settings(whatsapp)))
    return reader.parse(webhook(write(whatsapp.payload([[items]]))))


def test_it_is_an_adapter(whatsapp: WhatsAppStandIn) -> None:
    contract: Adapter = open_adapter(whatsapp)
    assert (contract.name, contract.channel) == ("whatsapp_cloud", "whatsapp")


def test_the_template_decides_what_may_be_sent_outside_the_window(
    whatsapp: WhatsAppStandIn,
) -> None:
    assert not open_adapter(whatsapp).capabilities.template
    assert open_adapter(whatsapp, whatsapp_template="news:fr").capabilities.template
    with pytest.raises(SettingsError):
        open_adapter(whatsapp, whatsapp_template="news")


def test_the_pace_is_metas(whatsapp: WhatsAppStandIn) -> None:
    facts = open_adapter(whatsapp).capabilities
    assert facts.sender_pace is not None
    assert facts.chat_pace is not None
    assert (facts.sender_pace.rate, facts.chat_pace(AWA).burst) == (80, 45)
    assert facts.chat_pace(AWA).rate * 6 == pytest.approx(1)


# Texts


async def test_a_text_arrives(adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn) -> None:
    sent = await adapter.deliver(delivery(BONJOUR))
    [shown] = whatsapp.chat(PHONE)
    assert (shown.kind, shown.text, sent) == ("text", BONJOUR.text, Sent(shown.wamid))
    assert whatsapp.calls[0].content["text"]["preview_url"] is False
    assert whatsapp.violations == []


async def test_the_longest_text_that_rendering_makes_is_taken(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    await adapter.deliver(delivery(TextBody("é" * adapter.capabilities.max_text)))
    assert whatsapp.violations == []


@pytest.mark.parametrize(
    "body", [Acknowledge("1", "Bravo"), RetireButtons("wamid.1"), AnswerCheckout("1")]
)
async def test_what_whatsapp_has_not_is_done_without_asking_it(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn, body: Body
) -> None:
    assert await adapter.deliver(delivery(body)) == Sent("")
    assert whatsapp.calls == []


@pytest.mark.parametrize("body", [BONJOUR, asking("Oui"), share("report", "application/pdf")])
@pytest.mark.parametrize("conversation", ["", "42", "+225/1", PHONE])
async def test_what_is_no_phone_number_is_not_written_to(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn, body: Body, conversation: str
) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(body, conversation))
    assert whatsapp.calls == []


# Buttons


async def test_three_buttons_arrive_and_a_tap_brings_back_its_token(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    sent = await adapter.deliver(delivery(asking("Paris", "Lyon", "Nice")))
    [shown] = whatsapp.chat(PHONE)
    titles = zip(TOKENS, ["Paris", "Lyon", "Nice"], strict=False)
    assert (shown.kind, shown.text) == ("button", "Capitale de la France ?")
    assert shown.options == tuple(Option(token, title) for token, title in titles)
    [update] = received(whatsapp, whatsapp.tap(PHONE, "Lyon"))
    assert isinstance(update, Update)
    assert update.content == Tapped(TOKENS[1], message_id=sent.provider_id)
    assert whatsapp.violations == []


async def test_ten_options_arrive_as_a_list(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    labels = [f"Réponse {number}" for number in range(10)]
    sent = await adapter.deliver(delivery(asking(*labels)))
    [shown] = whatsapp.chat(PHONE)
    assert (shown.kind, [each.title for each in shown.options]) == ("list", labels)
    [update] = received(whatsapp, whatsapp.tap(PHONE, "Réponse 9"))
    assert isinstance(update, Update)
    assert update.content == Tapped(TOKENS[9], message_id=sent.provider_id)
    assert whatsapp.violations == []


async def test_rows_explain_the_letters_that_stand_for_long_options(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    choices = tuple(Button(f"Une réponse assez longue {n}" * 3, TOKENS[n]) for n in range(4))
    rows = tuple((Button("ABCD"[n], TOKENS[n]),) for n in range(4))
    await adapter.deliver(delivery(TextBody("A) …", buttons=rows, choices=choices)))
    assert [option.description[:24] for option in whatsapp.chat(PHONE)[0].options] == [
        choice.label[:24] for choice in choices
    ]
    assert whatsapp.violations == []


@pytest.mark.parametrize("count", [3, 10])
async def test_as_many_buttons_as_rendering_may_lay_out_are_taken(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn, count: int
) -> None:
    facts = adapter.capabilities
    labels = [chr(ord("a") + n) * facts.max_button_label for n in range(count)]
    await adapter.deliver(delivery(asking(*labels, text="x" * 1024)))
    assert len(whatsapp.chat(PHONE)[0].options) == count <= facts.max_buttons
    assert whatsapp.violations == []


@pytest.mark.parametrize("code", [100, 131009])
async def test_buttons_that_are_refused_go_out_as_text_once(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn, code: int
) -> None:
    whatsapp.fail_next(code)
    sent = await adapter.deliver(delivery(asking("Paris", "Lyon")))
    [shown] = whatsapp.chat(PHONE)
    assert (shown.text, sent) == (
        "Capitale de la France ?\n\n1) Paris\n2) Lyon",
        Sent(shown.wamid, options_listed=True),
    )


async def test_text_that_is_refused_too_is_not_tried_for_ever(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    whatsapp.fail_next(131009, times=5)
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(asking("Paris", "Lyon")))
    assert len(whatsapp.calls) == 2


@pytest.mark.parametrize("code", [131047, 131026, 131056, 190, 131000, 131051])
async def test_buttons_refused_for_another_reason_are_not_sent_as_text(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn, code: int
) -> None:
    whatsapp.fail_next(code)
    with pytest.raises((WindowClosed, Undeliverable, RetryAt, OutcomeUnknown)):
        await adapter.deliver(delivery(asking("Paris", "Lyon")))
    assert len(whatsapp.calls) == 1


async def test_more_than_whatsapp_shows_goes_as_text_at_once(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    await adapter.deliver(delivery(asking("Oui", "Non", text="x" * 1025)))
    assert whatsapp.chat(PHONE)[0].text == "x" * 1025 + "\n\n1) Oui\n2) Non"
    assert len(whatsapp.calls) == 1


# Files


@pytest.mark.parametrize(
    ("file_id", "mime_type", "kind", "caption"),
    [
        ("picture", "image/png", "image", "Le triangle"),
        ("photo", "image/jpeg", "image", ""),
        ("report", "application/pdf", "document", "Ton cours"),
        ("sound", "audio/ogg", "audio", ""),
        ("sound", "audio/ogg", "document", "Écoute"),
        ("film", "video/mp4", "video", "Regarde"),
    ],
)
async def test_a_file_arrives_as_what_it_is(
    adapter: WhatsAppCloud,
    whatsapp: WhatsAppStandIn,
    file_id: str,
    mime_type: str,
    kind: str,
    caption: str,
) -> None:
    sent = await adapter.deliver(delivery(share(file_id, mime_type, caption)))
    [shown] = whatsapp.chat(PHONE)
    assert (shown.kind, shown.media, shown.media_type) == (kind, FILES[file_id], mime_type)
    assert (shown.caption, Sent(shown.wamid)) == (caption, sent)
    assert shown.filename == (f"{file_id}.x" if kind == "document" else "")
    assert whatsapp.violations == []


async def test_the_longest_caption_is_taken(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    body = share("report", "application/pdf", "é" * adapter.capabilities.max_caption)
    await adapter.deliver(delivery(body))
    assert whatsapp.violations == []


async def test_a_file_that_is_gone_is_final(adapter: WhatsAppCloud) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(share("gone", "image/png")))


async def test_a_library_out_of_reach_is_tried_again(adapter: WhatsAppCloud) -> None:
    with pytest.raises(RetryAt):
        await adapter.deliver(delivery(share("unreachable", "image/png")))


@pytest.mark.parametrize("act", ["failing", "hanging", "cut"])
async def test_only_the_second_of_the_two_steps_can_be_in_doubt(
    hasty: WhatsAppCloud, whatsapp: WhatsAppStandIn, act: str
) -> None:
    for place, outcome in (("media", RetryAt), ("messages", OutcomeUnknown)):
        match act:
            case "failing":
                whatsapp.fail_next(131000, place=place)
            case "hanging":
                whatsapp.hang_next(accept=True, place=place)
            case _:
                whatsapp.reset_next(accept=True, place=place)
        with pytest.raises(outcome):
            await hasty.deliver(delivery(share("picture", "image/png")))
    assert [call.place for call in whatsapp.calls] == ["media", "media", "messages"]


async def test_a_file_that_is_refused_is_final(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(share("report", "image/png")))
    assert whatsapp.chat(PHONE) == []


# Outside the window


async def test_outside_the_window_only_the_template_arrives(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    whatsapp.close_window(PHONE)
    with pytest.raises(WindowClosed):
        await adapter.deliver(delivery(BONJOUR))
    assert [violation[:6] for violation in whatsapp.violations] == ["131047"]
    sent = await adapter.deliver(delivery(TemplateBody("Ta réponse est prête.")))
    [shown] = whatsapp.chat(PHONE)
    assert (shown.template, shown.text) == ("news:fr", "Griot : Ta réponse est prête.")
    assert sent == Sent(shown.wamid)


async def test_without_a_template_there_is_nothing_to_send(whatsapp: WhatsAppStandIn) -> None:
    adapter = open_adapter(whatsapp)
    with pytest.raises(Undeliverable, match="WHATSAPP_TEMPLATE"):
        await adapter.deliver(delivery(TemplateBody("…")))
    await adapter.close()


async def test_a_template_that_meta_does_not_know_is_told_to_the_operator(
    whatsapp: WhatsAppStandIn,
) -> None:
    adapter = open_adapter(whatsapp, whatsapp_template="other:fr")
    with capture_logs() as logs, pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TemplateBody("…")))
    assert [entry["event"] for entry in logs] == ["whatsapp_template_refused"]
    await adapter.close()


# Outcomes


async def test_who_is_not_on_whatsapp_is_dead(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    whatsapp.fail_next(131026)
    with pytest.raises(Undeliverable) as caught:
        await adapter.deliver(delivery(BONJOUR))
    assert caught.value.dead_target


@pytest.mark.parametrize("status", [0, 400])
async def test_too_fast_to_one_person_waits_by_the_attempt(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn, status: int
) -> None:
    whatsapp.fail_next(131056, status=status)
    with pytest.raises(RetryAt) as caught:
        await adapter.deliver(delivery(BONJOUR, attempt=3))
    assert caught.value.after == 64.0


async def test_too_fast_to_one_person_delays_nobody_else(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    whatsapp.open_window("22507000009")
    whatsapp.fail_next(131056, phone=PHONE)
    with pytest.raises(RetryAt):
        await adapter.deliver(delivery(BONJOUR))
    await adapter.deliver(delivery(BONJOUR, "+22507000009"))
    assert len(whatsapp.chat("22507000009")) == 1


@pytest.mark.parametrize("code", [130429, 80007])
@pytest.mark.parametrize("status", [0, 400])
async def test_too_fast_over_all_is_tried_again(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn, code: int, status: int
) -> None:
    whatsapp.fail_next(code, status=status)
    with pytest.raises(RetryAt):
        await adapter.deliver(delivery(BONJOUR))


async def test_an_expired_token_waits_for_the_operator_who_is_told(
    whatsapp: WhatsAppStandIn,
) -> None:
    adapter = open_adapter(whatsapp, whatsapp_token="expired")
    with capture_logs() as logs, pytest.raises(RetryAt) as caught:
        await adapter.deliver(delivery(BONJOUR))
    assert caught.value.after == OPERATOR_SECONDS
    assert [(entry["event"], entry["code"]) for entry in logs] == [
        ("whatsapp_account_refused", 190)
    ]
    assert PHONE not in str(logs)
    await adapter.close()


async def test_without_a_connection_it_is_tried_again(whatsapp: WhatsAppStandIn) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v25.0"
        adapter = open_adapter(whatsapp, whatsapp_api_url=url)
        with pytest.raises(RetryAt):
            await adapter.deliver(delivery(BONJOUR))
        await adapter.close()


@pytest.mark.parametrize("accept", [True, False])
@pytest.mark.parametrize("act", ["failing", "proxy", "hanging", "cut", "no JSON", "no message"])
async def test_what_was_sent_and_not_answered_for_is_in_doubt_and_not_sent_again(
    hasty: WhatsAppCloud, whatsapp: WhatsAppStandIn, act: str, accept: bool
) -> None:
    match act:
        case "failing":
            whatsapp.answer_next(500, {"error": {"code": 131000}}, accept=accept)
        case "proxy":
            whatsapp.answer_next(504, "<html>", accept=accept)
        case "hanging":
            whatsapp.hang_next(accept=accept)
        case "cut":
            whatsapp.reset_next(accept=accept)
        case "no JSON":
            whatsapp.answer_next(200, "<html>", accept=accept)
        case _:
            whatsapp.answer_next(200, {"messages": []}, accept=accept)
    with pytest.raises(OutcomeUnknown):
        await hasty.deliver(delivery(BONJOUR))
    assert len(whatsapp.calls) == 1


@pytest.mark.parametrize("answer", [b'{"messages": [{"id": "\xff"}]}', b"[" * 100_000])
async def test_an_answer_that_cannot_be_read_is_in_doubt_too(
    whatsapp: WhatsAppStandIn, answer: bytes
) -> None:
    async with running() as origin:
        adapter = open_adapter(whatsapp, whatsapp_api_url=origin.url)
        origin.answer(200, answer)
        with pytest.raises(OutcomeUnknown):
            await adapter.deliver(delivery(BONJOUR))
        await adapter.close()


async def test_another_refusal_is_final(adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn) -> None:
    whatsapp.fail_next(131051)
    with pytest.raises(Undeliverable) as caught:
        await adapter.deliver(delivery(BONJOUR))
    assert not caught.value.dead_target
    assert PHONE not in str(caught.value)


# Typing


async def test_typing_marks_the_message_that_is_being_answered_as_read(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    item = whatsapp.text_message(PHONE, "Bonjour")
    await adapter.show(Typing(AWA, item["id"]))
    assert whatsapp.is_typing(PHONE)
    assert whatsapp.read == whatsapp.typings == [item["id"]]
    assert whatsapp.violations == []


@pytest.mark.parametrize("preview", [Typing(AWA), Typing(AWA, "reminder:7"), Draft(AWA, 1, "Bon")])
async def test_where_there_is_no_message_to_mark_nothing_is_shown(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn, preview: Typing | Draft
) -> None:
    await adapter.show(preview)
    assert whatsapp.calls == []


@pytest.mark.parametrize("act", ["refused", "failing", "hanging", "cut"])
async def test_a_preview_that_fails_is_dropped(
    hasty: WhatsAppCloud, whatsapp: WhatsAppStandIn, act: str
) -> None:
    match act:
        case "refused":
            whatsapp.fail_next(100)
        case "failing":
            whatsapp.fail_next(131000)
        case "hanging":
            whatsapp.hang_next(accept=False)
        case _:
            whatsapp.reset_next(accept=False)
    await hasty.show(Typing(AWA, "wamid.1"))
    assert len(whatsapp.calls) == 1


async def test_a_preview_slows_down_when_asked(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    whatsapp.fail_next(130429)
    with pytest.raises(RetryAt):
        await adapter.show(Typing(AWA, "wamid.1"))


# Coming in


async def test_what_people_send_can_be_fetched(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    item = whatsapp.document_message(PHONE, b"%PDF-1.7", "cours.pdf", "application/pdf")
    [update] = received(whatsapp, item)
    assert isinstance(update, Update)
    assert isinstance(update.content, Said)
    [attachment] = update.content.attachments
    assert await adapter.fetch(attachment) == b"%PDF-1.7"
    with pytest.raises(NotFound):
        await adapter.fetch(Attachment("document", "../me"))


async def test_what_became_of_our_message_is_told(
    adapter: WhatsAppCloud, whatsapp: WhatsAppStandIn
) -> None:
    sent = await adapter.deliver(delivery(BONJOUR))
    states = [whatsapp.status(PHONE, sent.provider_id, "read")]
    states.append(whatsapp.status(PHONE, sent.provider_id, "failed", code=131047))
    receipts = [item for item in received(whatsapp, *states) if isinstance(item, Receipt)]
    assert {(each.via, each.provider_id) for each in receipts} == {(adapter.name, sent.provider_id)}
    told = [(each.state, each.error, each.cause) for each in receipts]
    assert told == [("read", "", ""), ("failed", "131047", "window")]

"""The adapter of WhatsApp against a Twilio that checks every call by Twilio's specification."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.twilio.adapter import TwilioWhatsapp
from bot.contracts.channels import Adapter, Webhook
from bot.errors import NotFound, OutcomeUnknown, RetryAt, Undeliverable, WindowClosed
from bot.messages.incoming import Attachment, Receipt, Said, Update
from bot.messages.outgoing import (
    Acknowledge,
    AnswerCheckout,
    Body,
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
from tests.adapters.twilio_parts import (
    AWA,
    PUBLIC_URL,
    SID,
    Origin,
    delivery,
    open_webhooks,
    open_whatsapp,
    received,
    running,
    webhook,
)
from tests.standins.twilio import TwilioStandIn, running_twilio

CALLBACK = f"{PUBLIC_URL}/webhooks/twilio/status"
PDF = FileBody(
    ShareFile("1", "cours.pdf", "application/pdf", 8), link=f"{PUBLIC_URL}/files/a-signed-token"
)


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    """Griot's own public side: it gives files and takes statuses."""
    async with running() as server:
        yield server


@pytest.fixture
async def twilio(origin: Origin) -> AsyncIterator[TwilioStandIn]:
    async with running_twilio(public_url=PUBLIC_URL, post_to=origin.url) as stand_in:
        stand_in.sender.refuse_late = False
        yield stand_in


@pytest.fixture
async def adapter(twilio: TwilioStandIn) -> AsyncIterator[TwilioWhatsapp]:
    opened = open_whatsapp(twilio)
    twilio.write(AWA, "Bonjour", whatsapp=True)  # so that the window is open
    yield opened
    await opened.close()


@pytest.fixture
async def hasty(twilio: TwilioStandIn) -> AsyncIterator[TwilioWhatsapp]:
    """One that does not wait for long."""
    opened = open_whatsapp(twilio, seconds=0.5)
    yield opened
    await opened.close()


def test_it_is_an_adapter(twilio: TwilioStandIn) -> None:
    contract: Adapter = open_whatsapp(twilio)
    assert (contract.name, contract.channel) == ("twilio_whatsapp", "whatsapp")


# Going out


async def test_a_text_arrives(adapter: TwilioWhatsapp, twilio: TwilioStandIn) -> None:
    sent = await adapter.deliver(delivery(TextBody("*Bonjour* Awa 👋🏾")))
    [shown] = twilio.chat(AWA, "whatsapp")
    assert (shown.body, shown.to, sent) == (
        "*Bonjour* Awa 👋🏾",
        f"whatsapp:{AWA}",
        Sent(shown.sid),
    )
    assert shown.status_callback == CALLBACK
    assert twilio.violations == []


async def test_the_sender_may_be_set_with_its_channel_or_without(twilio: TwilioStandIn) -> None:
    twilio.write(AWA, "Bonjour", whatsapp=True)
    for sender in (twilio.numbers["whatsapp"], f"whatsapp:{twilio.numbers['whatsapp']}"):
        adapter = open_whatsapp(twilio, twilio_whatsapp_from=sender)
        await adapter.deliver(delivery(TextBody("Bonjour")))
        await adapter.close()
    assert len(twilio.chat(AWA)) == 2
    assert twilio.violations == []


async def test_a_file_is_fetched_by_its_link(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn, origin: Origin
) -> None:
    origin.answer(200, b"%PDF-1.7", {"Content-Type": "application/pdf"})
    sent = await adapter.deliver(delivery(PDF))
    [shown] = twilio.chat(AWA)
    assert sent == Sent(shown.sid)
    assert [media.content for media in shown.media.values()] == [b"%PDF-1.7"]
    assert [seen.path for seen in origin.seen] == ["/files/a-signed-token"]
    assert twilio.violations == []


async def test_a_file_without_a_link_is_undeliverable(adapter: TwilioWhatsapp) -> None:
    with pytest.raises(Undeliverable, match="PUBLIC_URL"):
        await adapter.deliver(delivery(FileBody(PDF.file)))


async def test_outside_the_window_only_the_template_arrives(twilio: TwilioStandIn) -> None:
    sid = twilio.contents.approve("Griot a une réponse pour vous : {{1}}. Écrivez-nous.")
    adapter = open_whatsapp(twilio, twilio_template_sid=sid)
    with pytest.raises(WindowClosed):
        await adapter.deliver(delivery(TextBody("Bonjour")))
    await adapter.deliver(delivery(TemplateBody('Le "cours" de {{maths}}')))
    await adapter.close()
    [shown] = twilio.chat(AWA)
    assert shown.body == 'Griot a une réponse pour vous : Le "cours" de {{maths}}. Écrivez-nous.'
    assert adapter.capabilities.template
    assert twilio.violations == []


async def test_without_a_template_there_is_none(adapter: TwilioWhatsapp) -> None:
    assert not adapter.capabilities.template
    with pytest.raises(Undeliverable, match="TWILIO_TEMPLATE_SID"):
        await adapter.deliver(delivery(TemplateBody("Le cours")))


@pytest.mark.parametrize("body", [Acknowledge("1"), RetireButtons("2"), AnswerCheckout("3")])
async def test_what_whatsapp_does_not_have_is_done_at_once(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn, body: Body
) -> None:
    assert await adapter.deliver(delivery(body)) == Sent("")
    assert twilio.calls == []


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, 21211, Undeliverable),
        (400, 63003, Undeliverable),
        (400, 63016, WindowClosed),
        (401, 20003, RetryAt),
        (429, 20429, RetryAt),
        (500, 20500, OutcomeUnknown),
    ],
)
async def test_each_refusal_has_its_outcome(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn, status: int, code: int, kind: type[Exception]
) -> None:
    twilio.fail_next("messages", accept=False, status=status, code=code)
    with pytest.raises(kind) as caught:
        await adapter.deliver(delivery(TextBody("Bonjour")))
    assert AWA[1:] not in str(caught.value)


@pytest.mark.parametrize("accept", [True, False])
async def test_no_answer_is_in_doubt_whether_twilio_acted_or_not(
    hasty: TwilioWhatsapp, twilio: TwilioStandIn, accept: bool
) -> None:
    twilio.write(AWA, "Bonjour", whatsapp=True)
    for act in (twilio.hang_next, twilio.reset_next):
        act("messages", accept=accept)
        with pytest.raises(OutcomeUnknown):
            await hasty.deliver(delivery(TextBody("Bonjour")))
    assert len(twilio.calls) == 2
    assert len(twilio.chat(AWA)) == 2 * accept


async def test_a_conversation_that_is_no_number_is_undeliverable(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TextBody("Bonjour"), "telegram-42"))
    assert twilio.calls == []


# Typing


async def test_typing_is_shown_about_the_message_that_is_answered(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    about = received(twilio, text="Bonjour").message_key
    await adapter.show(Typing(AWA, about))
    assert twilio.typing == [AWA]
    assert twilio.violations == []


@pytest.mark.parametrize(
    "preview", [Typing(AWA), Typing(AWA, "wamid.x"), Typing(AWA, f"{SID}/x"), Draft(AWA, 1, "Bon")]
)
async def test_nothing_else_is_shown(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn, preview: Typing | Draft
) -> None:
    await adapter.show(preview)
    assert twilio.calls == []


async def test_a_preview_passes_on_a_request_to_slow_down_and_drops_all_else(
    hasty: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    twilio.limit_rate(retry_after=9)
    with pytest.raises(RetryAt) as caught:
        await hasty.show(Typing(AWA, SID))
    assert caught.value.after == 9
    twilio.fail_next("typing", accept=False)
    twilio.fail_next("typing", accept=False, status=401, code=20003)
    twilio.hang_next("typing", accept=False)
    for _ in range(3):
        await hasty.show(Typing(AWA, SID))
    assert len(twilio.calls) == 4


async def test_a_preview_without_a_connection_is_dropped() -> None:
    values = {"twilio_account_sid": "AC1", "twilio_api_url": "http://127.0.0.1:9"}
    adapter = TwilioWhatsapp(Settings.model_validate(values))
    await adapter.show(Typing(AWA, SID))
    with pytest.raises(RetryAt):
        await adapter.deliver(delivery(TextBody("Bonjour")))
    await adapter.close()


# Coming in


async def test_what_twilio_posts_is_verified_and_read(twilio: TwilioStandIn) -> None:
    fields = [*twilio.write(AWA, "Ça va ?", whatsapp=True), ("FieldOfNextYear", "x")]
    signature = twilio.webhooks.sign(f"{PUBLIC_URL}/webhooks/twilio", fields)
    request = webhook(fields, headers={"X-Twilio-Signature": signature})
    reader = open_webhooks(twilio)
    reader.verify(request)
    [update] = reader.parse(request)
    assert isinstance(update, Update)
    assert (update.via, update.content) == ("twilio_whatsapp", Said("Ça va ?"))


async def test_a_file_that_a_person_sent_is_fetched_from_behind_its_redirect(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    update = received(twilio, media=[(b"OggS...", "audio/ogg")])
    assert isinstance(update.content, Said)
    [note] = update.content.attachments
    assert note.voice
    assert await adapter.fetch(note) == b"OggS..."
    assert twilio.violations == []


async def test_a_file_that_was_deleted_is_not_found(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    update = received(twilio, media=[(b"OggS...", "audio/ogg")])
    assert isinstance(update.content, Said)
    twilio.people.messages.find(update.message_key).media.clear()
    with pytest.raises(NotFound):
        await adapter.fetch(update.content.attachments[0])


async def test_a_forged_media_url_is_not_asked_for(adapter: TwilioWhatsapp, origin: Origin) -> None:
    with pytest.raises(NotFound):
        await adapter.fetch(Attachment("image", f"{origin.url}/latest/meta-data"))
    assert origin.seen == []


async def test_a_receipt_tells_that_the_window_is_closed(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn, origin: Origin
) -> None:
    sent = await adapter.deliver(delivery(TextBody("Bonjour")))
    await twilio.report(sent.provider_id, "failed", 63016)
    [seen] = origin.seen
    request = Webhook("POST", seen.path, seen.headers, seen.body)
    reader = open_webhooks(twilio)
    reader.verify(request)
    [receipt] = reader.parse(request)
    assert isinstance(receipt, Receipt)
    assert (receipt.via, receipt.provider_id) == ("twilio_whatsapp", sent.provider_id)
    assert (receipt.state, receipt.error, receipt.cause) == ("failed", "63016", "window")

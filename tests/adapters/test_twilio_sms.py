"""The adapter of SMS against a Twilio that checks every call by Twilio's specification."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from adapters.twilio.adapter import MAX_MMS_FILE, TwilioSms
from adapters.twilio.client import ANSWER_SECONDS
from bot.contracts.channels import Adapter
from bot.errors import OutcomeUnknown, RetryAt, TooLarge, Undeliverable
from bot.messages.incoming import OptedOut, Said, Update
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
from tests.adapters.twilio_parts import AWA, PUBLIC_URL, SID, delivery, open_webhooks, webhook
from tests.standins.twilio import TwilioStandIn, running_twilio


@pytest.fixture
async def twilio() -> AsyncIterator[TwilioStandIn]:
    async with running_twilio(public_url=PUBLIC_URL) as stand_in:
        yield stand_in


def open_adapter(
    twilio: TwilioStandIn, seconds: float = ANSWER_SECONDS, **values: object
) -> TwilioSms:
    told = twilio.settings | {"public_url": PUBLIC_URL} | values
    return TwilioSms(Settings.model_validate(told), seconds)


@pytest.fixture
async def adapter(twilio: TwilioStandIn) -> AsyncIterator[TwilioSms]:
    opened = open_adapter(twilio)
    yield opened
    await opened.close()


@pytest.fixture
async def hasty(twilio: TwilioStandIn) -> AsyncIterator[TwilioSms]:
    """One that does not wait for long."""
    opened = open_adapter(twilio, seconds=0.5)
    yield opened
    await opened.close()


def test_it_is_an_adapter(twilio: TwilioStandIn) -> None:
    contract: Adapter = open_adapter(twilio)
    assert (contract.name, contract.channel) == ("twilio_sms", "sms")


@pytest.mark.parametrize(("segments", "page"), [(4, 612), (1, 153), (50, 1530)])
def test_a_page_is_so_many_segments(twilio: TwilioStandIn, segments: int, page: int) -> None:
    assert open_adapter(twilio, sms_page_segments=segments).capabilities.page == page


async def test_a_text_arrives(adapter: TwilioSms, twilio: TwilioStandIn) -> None:
    sent = await adapter.deliver(delivery(TextBody("Bonjour Awa, ça va ?")))
    [shown] = twilio.chat(AWA, "sms")
    assert (shown.body, shown.to, sent) == ("Bonjour Awa, ça va ?", AWA, Sent(shown.sid))
    assert shown.status_callback == f"{PUBLIC_URL}/webhooks/twilio/status"
    assert twilio.violations == []


async def test_the_longest_text_arrives(adapter: TwilioSms, twilio: TwilioStandIn) -> None:
    longest = "x" * adapter.capabilities.max_text
    await adapter.deliver(delivery(TextBody(longest)))
    assert [(shown.body, shown.segments) for shown in twilio.chat(AWA)] == [(longest, 10)]
    assert twilio.violations == []


async def test_options_are_what_the_text_says(adapter: TwilioSms, twilio: TwilioStandIn) -> None:
    choices = (Button("Paris", "t"), Button("Lyon", "u"))
    text = "Capitale ?\n\n1) Paris\n2) Lyon"
    await adapter.deliver(delivery(TextBody(text, choices=choices)))
    await adapter.deliver(delivery(TextBody("Capitale ?", buttons=(choices,), choices=choices)))
    assert [shown.body for shown in twilio.chat(AWA)] == [text, text]


@pytest.mark.parametrize(
    "body",
    [
        FileBody(ShareFile("1", "cours.pdf", "application/pdf", 8), link="https://g/1"),
        TemplateBody("Bonjour"),
    ],
)
async def test_what_sms_cannot_carry_is_undeliverable(
    adapter: TwilioSms, twilio: TwilioStandIn, body: Body
) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(body))
    assert twilio.calls == []


@pytest.mark.parametrize("body", [Acknowledge("1"), RetireButtons("2"), AnswerCheckout("3")])
async def test_what_sms_does_not_have_is_done_at_once(adapter: TwilioSms, body: Body) -> None:
    assert await adapter.deliver(delivery(body)) == Sent("")


async def test_somebody_who_opted_out_is_left_alone(
    adapter: TwilioSms, twilio: TwilioStandIn
) -> None:
    twilio.people.opt_out(AWA)
    with pytest.raises(Undeliverable) as caught:
        await adapter.deliver(delivery(TextBody("Bonjour")))
    assert caught.value.dead_target
    assert caught.value.opted_out


async def test_a_conversation_that_is_no_number_is_undeliverable(
    adapter: TwilioSms, twilio: TwilioStandIn
) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TextBody("Bonjour"), "web-1"))
    assert twilio.calls == []


async def test_too_fast_is_later_and_no_answer_is_in_doubt(
    hasty: TwilioSms, twilio: TwilioStandIn
) -> None:
    twilio.limit_rate(retry_after=7)
    with pytest.raises(RetryAt) as caught:
        await hasty.deliver(delivery(TextBody("Bonjour")))
    assert caught.value.after == 7
    twilio.hang_next("messages", accept=True)
    with pytest.raises(OutcomeUnknown):
        await hasty.deliver(delivery(TextBody("Bonjour")))
    assert len(twilio.chat(AWA)) == 1


@pytest.mark.parametrize("preview", [Typing(AWA, SID), Draft(AWA, 1, "Bon")])
async def test_sms_shows_nothing_before_it_arrives(
    adapter: TwilioSms, twilio: TwilioStandIn, preview: Typing | Draft
) -> None:
    await adapter.show(preview)
    assert twilio.calls == []


@pytest.mark.parametrize("advanced", [True, False])
@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Stop", OptedOut()),
        ("yes", Said("yes", consents=True)),
        ("HELP", Said("HELP")),
        ("Bonjour", Said("Bonjour")),
    ],
)
async def test_what_twilio_posts_is_verified_and_read(
    twilio: TwilioStandIn, text: str, content: Any, advanced: bool
) -> None:
    twilio.people.advanced_opt_out = advanced
    fields = twilio.write(AWA, text)
    signature = twilio.webhooks.sign(f"{PUBLIC_URL}/webhooks/twilio", fields)
    request = webhook(fields, headers={"X-Twilio-Signature": signature})
    reader = open_webhooks(twilio)
    reader.verify(request)
    [update] = reader.parse(request)
    assert isinstance(update, Update)
    assert (update.via, update.content) == ("twilio_sms", content)


async def test_a_picture_by_mms_is_fetched_up_to_its_limit(
    adapter: TwilioSms, twilio: TwilioStandIn
) -> None:
    kinds = [(b"\x89PNG", "image/png"), (bytes(MAX_MMS_FILE + 1), "image/png")]
    [update] = open_webhooks(twilio).parse(webhook(twilio.write(AWA, "Voici", media=kinds)))
    assert isinstance(update, Update)
    assert isinstance(update.content, Said)
    small, large = update.content.attachments
    assert await adapter.fetch(small) == b"\x89PNG"
    with pytest.raises(TooLarge):
        await adapter.fetch(large)
    assert twilio.violations == []

"""Buttons on WhatsApp by Twilio: as replies, as a list, and as text where neither is taken."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from adapters.twilio.adapter import TwilioWhatsapp
from bot.errors import OutcomeUnknown, RetryAt, Undeliverable, WindowClosed
from bot.messages.incoming import Tapped
from bot.messages.outgoing import Button, Sent, TextBody
from bot.standins.twilio_people import Option
from tests.adapters.twilio_parts import AWA, PUBLIC_URL, delivery, open_whatsapp, received
from tests.standins.twilio import TwilioStandIn, running_twilio

TOKENS = [f"{number:032x}" for number in range(12)]


@pytest.fixture
async def twilio() -> AsyncIterator[TwilioStandIn]:
    async with running_twilio(public_url=PUBLIC_URL) as stand_in:
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
    twilio.write(AWA, "Bonjour", whatsapp=True)
    yield opened
    await opened.close()


def asking(labels: Sequence[str], text: str = "Capitale de la France ?") -> TextBody:
    choices = tuple(Button(*pair) for pair in zip(labels, TOKENS, strict=False))
    return TextBody(text, buttons=tuple((each,) for each in choices), choices=choices)


async def test_three_buttons_arrive_and_a_tap_brings_back_its_token(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    await adapter.deliver(delivery(asking(["Paris", "Lyon", "Nice"])))
    [shown] = twilio.chat(AWA)
    assert (shown.kind, shown.body) == ("twilio/quick-reply", "Capitale de la France ?")
    titles = zip(TOKENS, ["Paris", "Lyon", "Nice"], strict=False)
    assert shown.options == [Option(token, title) for token, title in titles]
    assert received(twilio, button=(TOKENS[1], "Lyon")).content == Tapped(TOKENS[1])
    assert twilio.violations == []


async def test_more_buttons_arrive_as_a_list(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    labels = [f"Réponse {number}" for number in range(10)]
    await adapter.deliver(delivery(asking(labels)))
    [shown] = twilio.chat(AWA)
    assert (shown.kind, [each.title for each in shown.options]) == ("twilio/list-picker", labels)
    assert received(twilio, list_reply=(TOKENS[9], labels[9])).content == Tapped(TOKENS[9])
    assert twilio.violations == []


async def test_as_many_buttons_as_rendering_may_lay_out_are_taken(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    facts = adapter.capabilities
    labels = [chr(ord("a") + n) * facts.max_button_label for n in range(facts.max_buttons)]
    await adapter.deliver(delivery(asking(labels, "x" * 1024)))
    assert twilio.chat(AWA)[0].options
    assert twilio.violations == []


@pytest.mark.parametrize("act", ["refused", "failing", "hanging", "cut"])
async def test_where_content_cannot_be_made_the_options_are_numbered(
    hasty: TwilioWhatsapp, twilio: TwilioStandIn, act: str
) -> None:
    match act:
        case "refused":
            twilio.fail_next("content", accept=False, status=400, code=92001)
        case "failing":
            twilio.fail_next("content", accept=True)
        case "hanging":
            twilio.hang_next("content", accept=True)
        case _:
            twilio.reset_next("content", accept=True)
    sent = await hasty.deliver(delivery(asking(["Paris", "Lyon"])))
    [shown] = twilio.chat(AWA)
    assert sent == Sent(shown.sid, options_listed=True)
    assert shown.body == "Capitale de la France ?\n\n1) Paris\n2) Lyon"


async def test_buttons_that_are_refused_go_out_as_text_once(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    twilio.fail_next("messages", accept=False, status=400, code=63013)
    await adapter.deliver(delivery(asking(["Paris", "Lyon"])))
    assert [shown.body for shown in twilio.chat(AWA)] == [
        "Capitale de la France ?\n\n1) Paris\n2) Lyon"
    ]


async def test_text_that_is_refused_too_is_not_tried_for_ever(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    twilio.fail_next("messages", accept=False, status=400, code=63013, times=9)
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(asking(["Paris", "Lyon"])))
    assert [call.path.rpartition("/")[2] for call in twilio.calls] == [
        "Content",
        "Messages.json",
        "Messages.json",
    ]


@pytest.mark.parametrize(("code", "kind"), [(21610, Undeliverable), (63016, WindowClosed)])
async def test_a_person_out_of_reach_is_not_tried_again_without_buttons(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn, code: int, kind: type[Exception]
) -> None:
    twilio.fail_next("messages", accept=False, status=400, code=code)
    with pytest.raises(kind):
        await adapter.deliver(delivery(asking(["Paris", "Lyon"])))
    assert len(twilio.calls) == 2


async def test_buttons_that_may_have_arrived_are_not_sent_as_text(
    hasty: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    twilio.hang_next("messages", accept=True)
    with pytest.raises(OutcomeUnknown):
        await hasty.deliver(delivery(asking(["Paris", "Lyon"])))
    assert len(twilio.chat(AWA)) == 1


async def test_content_that_must_wait_makes_the_message_wait(
    adapter: TwilioWhatsapp, twilio: TwilioStandIn
) -> None:
    twilio.limit_rate(retry_after=7)
    with pytest.raises(RetryAt) as caught:
        await adapter.deliver(delivery(asking(["Paris", "Lyon"])))
    assert caught.value.after == 7
    assert twilio.chat(AWA) == []

"""The adapter of Orange's SMS against an Orange that checks every call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from adapters.orange.sms import OrangeSms
from bot.contracts.channels import Adapter, Pace
from bot.errors import NotFound, OutcomeUnknown, RetryAt, Undeliverable
from bot.messages.incoming import Attachment
from bot.messages.outgoing import (
    Acknowledge,
    Button,
    FileBody,
    Sent,
    ShareFile,
    TemplateBody,
    TextBody,
)
from tests.adapters.sms_gateway_parts import AWA, WANJIRU, delivery, settings
from tests.standins.orange import CLIENT_SECRET, OrangeStandIn
from tests.standins.sms_gateways import Fault, running_gateway


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def orange(clock: Clock) -> AsyncIterator[OrangeStandIn]:
    async with running_gateway(OrangeStandIn(clock)) as stand_in:
        yield stand_in
        assert stand_in.violations == []


@pytest.fixture
async def adapter(orange: OrangeStandIn, clock: Clock) -> AsyncIterator[OrangeSms]:
    opened = OrangeSms(settings(**orange.settings), seconds=0.5, clock=clock)
    yield opened
    await opened.close()


async def test_it_is_sms_at_five_a_second(adapter: OrangeSms) -> None:
    contract: Adapter = adapter
    able = contract.capabilities
    assert (contract.name, contract.channel) == ("orange_sms", "sms")
    assert (able.sender_pace, able.text_unit, able.max_text) == (Pace(5.0, 1), "gsm7", 1530)
    assert (able.page, able.receipts, able.resend) == (612, True, "never")


async def test_a_text_arrives_and_its_id_ends_the_address_of_the_resource(
    adapter: OrangeSms, orange: OrangeStandIn
) -> None:
    sent = await adapter.deliver(delivery(TextBody("Bonjour Awa, ça va ?")))
    [shown] = orange.chat(AWA)
    assert (shown.text, shown.sender, sent) == ("Bonjour Awa, ça va ?", "+2250000", Sent(shown.id))


async def test_the_registered_name_is_the_sender(orange: OrangeStandIn) -> None:
    orange.sender_name = "Griot"
    opened = OrangeSms(settings(**orange.settings))
    await opened.deliver(delivery(TextBody("Bonjour")))
    await opened.close()
    assert orange.chat(AWA)[0].sender == "Griot"


async def test_the_longest_text_and_options_arrive(
    adapter: OrangeSms, orange: OrangeStandIn
) -> None:
    choices = (Button("Paris", "t"), Button("Lyon", "u"))
    await adapter.deliver(delivery(TextBody("x" * adapter.capabilities.max_text)))
    await adapter.deliver(delivery(TextBody("Capitale ?", buttons=(choices,), choices=choices)))
    assert orange.chat(AWA)[0].segments == 10
    assert orange.chat(AWA)[1].text == "Capitale ?\n\n1) Paris\n2) Lyon"


async def test_what_sms_has_no_form_for_is_not_sent(
    adapter: OrangeSms, orange: OrangeStandIn
) -> None:
    assert await adapter.deliver(delivery(Acknowledge("c", "ok"))) == Sent("")
    file = FileBody(ShareFile("1", "cours.pdf", "application/pdf", 8))
    for body in (file, TemplateBody("Bonjour")):
        with pytest.raises(Undeliverable):
            await adapter.deliver(delivery(body))
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TextBody("Bonjour"), "CI.1"))
    with pytest.raises(NotFound):
        await adapter.fetch(Attachment("image", "x"))
    assert (orange.attempts, orange.tokens) == ([], [])


# Tokens


async def test_a_token_is_kept_until_shortly_before_its_end(
    adapter: OrangeSms, orange: OrangeStandIn, clock: Clock
) -> None:
    for seconds in (0, 3500, 45):
        clock.now += seconds
        await adapter.deliver(delivery(TextBody("Bonjour")))
    assert orange.tokens == ["token-1", "token-2"]
    assert len(orange.attempts) == 3  # none was refused for its token


async def test_many_who_need_a_token_fetch_one(adapter: OrangeSms, orange: OrangeStandIn) -> None:
    await asyncio.gather(*(adapter.deliver(delivery(TextBody(str(n)))) for n in range(5)))
    assert orange.tokens == ["token-1"]
    assert len(orange.messages) == 5


async def test_a_token_that_was_withdrawn_costs_one_new_token_and_one_try(
    adapter: OrangeSms, orange: OrangeStandIn
) -> None:
    await adapter.deliver(delivery(TextBody("un")))
    orange.withdraw_tokens()
    await asyncio.gather(*(adapter.deliver(delivery(TextBody(str(n)))) for n in range(3)))
    assert orange.tokens == ["token-1", "token-2"]
    assert len(orange.messages) == 4


async def test_a_second_401_waits_for_the_operator(
    adapter: OrangeSms, orange: OrangeStandIn
) -> None:
    orange.lifetime = 0
    with capture_logs() as logs, pytest.raises(RetryAt) as refused:
        await adapter.deliver(delivery(TextBody("un")))
    assert refused.value.after == 60
    assert orange.tokens == ["token-1", "token-2"]
    assert orange.messages == []
    assert [each["event"] for each in logs] == ["sms_account_refused"]


async def test_wrong_credentials_wait_for_the_operator_and_are_not_logged(
    orange: OrangeStandIn,
) -> None:
    wrong = settings(**orange.settings | {"orange_client_secret": "hidden"})
    opened = OrangeSms(wrong)
    with capture_logs() as logs, pytest.raises(RetryAt) as refused:
        await opened.deliver(delivery(TextBody("un")))
    await opened.close()
    assert refused.value.after == 60
    assert "hidden" not in str(logs) + str(refused.value)
    assert CLIENT_SECRET not in repr(wrong)


# Outcomes


@pytest.mark.parametrize("act", ["reset", "hang"])
async def test_what_timed_out_after_it_was_sent_is_in_doubt(
    adapter: OrangeSms, orange: OrangeStandIn, act: str
) -> None:
    orange.faults.append(Fault(act, AWA, accept=True))  # type: ignore[arg-type]
    with pytest.raises(OutcomeUnknown):
        await adapter.deliver(delivery(TextBody("un")))
    assert orange.tries(AWA) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [(500, OutcomeUnknown), (503, OutcomeUnknown), (400, Undeliverable), (403, RetryAt)],
)
async def test_each_refusal_has_its_type(
    adapter: OrangeSms, orange: OrangeStandIn, status: int, error: type[Exception]
) -> None:
    orange.faults.append(Fault("status", AWA, status=status))
    with pytest.raises(error):
        await adapter.deliver(delivery(TextBody("un")))
    assert orange.tries(AWA) == 1


async def test_too_fast_waits_as_long_as_orange_asks(
    adapter: OrangeSms, orange: OrangeStandIn
) -> None:
    orange.faults.append(Fault("throttle", AWA, retry_after=7))
    with pytest.raises(RetryAt) as refused:
        await adapter.deliver(delivery(TextBody("un")))
    assert refused.value.after == 7


async def test_a_number_that_takes_nothing_is_dead_and_not_named(
    adapter: OrangeSms, orange: OrangeStandIn
) -> None:
    orange.dead_numbers.add(AWA)
    with pytest.raises(Undeliverable) as refused:
        await adapter.deliver(delivery(TextBody("un")))
    assert (refused.value.dead_target, refused.value.opted_out) == (True, False)
    assert str(refused.value) == "Orange error SVC0004 (HTTP 400)"


async def test_another_country_than_the_contract_waits_for_the_operator(
    adapter: OrangeSms,
) -> None:
    with pytest.raises(RetryAt, match="POL0001"):
        await adapter.deliver(delivery(TextBody("un"), WANJIRU))


async def test_without_a_connection_nothing_was_sent(orange: OrangeStandIn) -> None:
    opened = OrangeSms(settings(**orange.settings | {"orange_api_url": "http://127.0.0.1:1"}))
    with pytest.raises(RetryAt):
        await opened.deliver(delivery(TextBody("un")))
    await opened.close()

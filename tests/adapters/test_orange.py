"""Orange's SMS against an Orange that checks every call: sending, the key of its webhooks,
receipts, messages, and what is malformed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from adapters.orange import OrangeSms, OrangeWebhooks
from bot.contracts.channels import Adapter, Pace
from bot.errors import BadRequest, NotFound, OutcomeUnknown, Refused, RetryAt, Undeliverable
from bot.messages.incoming import Attachment, OptedOut, Receipt, Said, Unreadable, Update
from bot.messages.outgoing import (
    Acknowledge,
    Button,
    FileBody,
    Sent,
    ShareFile,
    TemplateBody,
    TextBody,
)
from bot.settings import Settings
from tests.adapters.sms_gateway_parts import AWA, WANJIRU, delivery, post, post_json, settings
from tests.standins.orange import CLIENT_SECRET, OrangeStandIn
from tests.standins.sms_gateways import Fault, Sms, running_gateway

SENT = Sms("6a3f-1", AWA, "Bonjour", "Griot")


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


# Webhooks -----------------------------------------------------------------------------------------


@pytest.fixture
def reader() -> OrangeWebhooks:
    return OrangeWebhooks(settings())


def receipt(status: str, **fields: Any) -> dict[str, Any]:
    return OrangeStandIn().describe_receipt(SENT, status, **fields)


# The key


def verify(key: str, own: Settings) -> None:
    OrangeWebhooks(own).verify(post(f"/webhooks/orange/{key}?x=1", b""))


def test_the_key_is_of_this_provider_and_this_secret() -> None:
    [key] = settings().list_webhook_keys("orange")
    verify(key, settings())
    others = settings(secret_key="another key of these tests").list_webhook_keys("orange")
    for wrong in ("", key[:-1], key.upper(), *others, *settings().list_webhook_keys("twilio")):
        with pytest.raises(Refused):
            verify(wrong, settings())


def test_the_key_of_the_former_secret_is_still_good() -> None:
    [old] = settings().list_webhook_keys("orange")
    changed = settings(
        secret_key="a new one, long enough", secret_key_previous=settings().secret_key
    )
    verify(old, changed)
    verify(changed.list_webhook_keys("orange")[0], changed)


def test_without_a_secret_nothing_is_authentic() -> None:
    for key in ("", *settings(secret_key="x").list_webhook_keys("orange")):
        with pytest.raises(Refused):
            verify(key, settings(secret_key=""))


# Receipts


@pytest.mark.parametrize(
    ("status", "state", "error"),
    [
        ("DeliveredToTerminal", "delivered", ""),
        ("DeliveryImpossible", "failed", "DeliveryImpossible"),
        ("DeliveredToNetwork", "sent", ""),
        ("DeliveryUncertain", "sent", ""),
        ("MessageWaiting", "sent", ""),
    ],
)
def test_a_receipt_names_the_message_and_the_number(
    reader: OrangeWebhooks, status: str, state: Any, error: str
) -> None:
    expected = Receipt("orange_sms", SENT.id, state, error=error, address=AWA)
    assert reader.parse(post_json(receipt(status))) == [expected]


def test_a_receipt_without_an_id_has_the_number(reader: OrangeWebhooks) -> None:
    [read] = reader.parse(post_json(receipt("DeliveredToTerminal", callback=False)))
    assert read == Receipt("orange_sms", "", "delivered", address=AWA)


def test_several_receipts_in_one_notification_are_all_read(reader: OrangeWebhooks) -> None:
    infos = [
        {"address": f"tel:{AWA}", "deliveryStatus": "DeliveredToTerminal"},
        {"address": "2250701020305", "deliveryStatus": "DeliveryImpossible"},
    ]
    read = reader.parse(post_json({"deliveryInfoNotification": {"deliveryInfo": infos}}))
    assert [each.address for each in read if isinstance(each, Receipt)] == [AWA, "+2250701020305"]


@pytest.mark.parametrize(
    "content", [{}, {"news": 1}, receipt("SomethingNew")], ids=["nothing", "kind", "status"]
)
def test_what_is_not_known_is_left_out(reader: OrangeWebhooks, content: object) -> None:
    assert list(reader.parse(post_json(content))) == []


MALFORMED: list[object] = [
    [],
    "x",
    {"deliveryInfoNotification": None},
    {"deliveryInfoNotification": {"deliveryInfo": []} | {"callbackData": 7}},
    {"deliveryInfoNotification": {"deliveryInfo": {"address": f"tel:{AWA}"}}},
    {"deliveryInfoNotification": {"deliveryInfo": {"deliveryStatus": 1, "address": "x"}}},
    {"deliveryInfoNotification": {"deliveryInfo": {"deliveryStatus": "x", "address": "Orange"}}},
    {"inboundSMSMessageNotification": {"inboundSMSMessage": []}},
]


@pytest.mark.parametrize("content", MALFORMED)
def test_what_is_malformed_is_a_bad_request(reader: OrangeWebhooks, content: object) -> None:
    with pytest.raises(BadRequest):
        reader.parse(post_json(content))


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_a_bad_request(reader: OrangeWebhooks, body: bytes) -> None:
    with pytest.raises(BadRequest):
        reader.parse(post("/webhooks/orange/x", body, "application/json"))


# Messages


def test_a_message_of_a_person_is_read(reader: OrangeWebhooks) -> None:
    [read] = reader.parse(post_json(OrangeStandIn().write(AWA, "Bonjour", message_id="m1")))
    assert isinstance(read, Update)
    assert (read.lane, read.via, read.delivery_key) == (f"sms:{AWA}", "orange_sms", "m1")
    assert (read.sender.address, read.content) == (AWA, Said("Bonjour"))


def test_stop_and_start_count_alone(reader: OrangeWebhooks) -> None:
    for text, content in {
        " Stop ": OptedOut(),
        "START": Said("START", consents=True),
        "stop it": Said("stop it"),
    }.items():
        [read] = reader.parse(post_json(OrangeStandIn().write(AWA, text)))
        assert isinstance(read, Update)
        assert read.content == content


def test_a_message_without_an_id_has_one_that_lasts(reader: OrangeWebhooks) -> None:
    def key(**fields: str) -> str:
        told = OrangeStandIn().write(AWA, "Bonjour")
        message = told["inboundSMSMessageNotification"]["inboundSMSMessage"]
        del message["messageId"]
        message |= fields
        [read] = reader.parse(post_json(told))
        assert isinstance(read, Update)
        return read.delivery_key

    assert key() == key()
    assert len({key(), key(message="Bonsoir"), key(dateTime="2026-11-24T10:00:01Z")}) == 3


@pytest.mark.parametrize(
    ("sender", "text", "reason"),
    [("tel:Orange", "x", "sender"), ("tel:7786", "x", "sender"), (f"tel:{AWA}", " ", "shape")],
)
def test_a_message_that_cannot_be_read_is_kept(
    reader: OrangeWebhooks, sender: str, text: str, reason: str
) -> None:
    told = OrangeStandIn().write(AWA, text)
    told["inboundSMSMessageNotification"]["inboundSMSMessage"]["senderAddress"] = sender
    [read] = reader.parse(post_json(told))
    assert isinstance(read, Unreadable)
    assert (read.channel, read.via, read.reason) == ("sms", "orange_sms", reason)

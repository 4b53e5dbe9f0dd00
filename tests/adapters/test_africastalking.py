"""Africa's Talking against a stand-in that checks every call: sending, receipts, messages,
opt-outs, and what is malformed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from adapters.africastalking import AfricasTalkingSms, AfricasTalkingWebhooks
from bot.contracts.channels import Adapter
from bot.errors import BadRequest, NotFound, OutcomeUnknown, Refused, RetryAt, Undeliverable
from bot.messages.incoming import Attachment, OptedOut, Receipt, Said, Unreadable, Update
from bot.messages.outgoing import Acknowledge, Sent, TemplateBody, TextBody
from tests.adapters.sms_gateway_parts import WANJIRU, delivery, post, post_form, settings
from tests.standins.africastalking import AfricasTalkingStandIn
from tests.standins.sms_gateways import Fault, SmsGatewayStandIn, running_gateway

HELLO = delivery(TextBody("Habari ya asubuhi, ça va ?"), WANJIRU)
VIA = "africastalking_sms"


@pytest.fixture
async def provider() -> AsyncIterator[AfricasTalkingStandIn]:
    async with running_gateway(AfricasTalkingStandIn()) as stand_in:
        yield stand_in
        assert stand_in.violations == []


def open_adapter(provider: AfricasTalkingStandIn, **values: Any) -> AfricasTalkingSms:
    return AfricasTalkingSms(settings(**provider.settings | values), seconds=0.5)


@pytest.fixture
async def adapter(provider: AfricasTalkingStandIn) -> AsyncIterator[AfricasTalkingSms]:
    opened = open_adapter(provider)
    yield opened
    await opened.close()


async def test_it_is_sms(adapter: AfricasTalkingSms) -> None:
    contract: Adapter = adapter
    able = contract.capabilities
    assert (contract.name, contract.channel) == ("africastalking_sms", "sms")
    assert (able.text_unit, able.max_text, able.page) == ("gsm7", 1530, 612)
    assert (able.receipts, able.resend) == (True, "never")


async def test_a_text_arrives(adapter: AfricasTalkingSms, provider: AfricasTalkingStandIn) -> None:
    sent = await adapter.deliver(HELLO)
    [shown] = provider.chat(WANJIRU)
    assert (shown.text, sent) == ("Habari ya asubuhi, ça va ?", Sent(shown.id))


async def test_without_a_sender_the_account_has_its_own(provider: AfricasTalkingStandIn) -> None:
    opened = open_adapter(provider, africastalking_sender="")
    await opened.deliver(HELLO)
    await opened.close()
    assert len(provider.chat(WANJIRU)) == 1


async def test_what_sms_has_no_form_for_is_not_sent(
    adapter: AfricasTalkingSms, provider: AfricasTalkingStandIn
) -> None:
    assert await adapter.deliver(delivery(Acknowledge("c", "ok"), WANJIRU)) == Sent("")
    with pytest.raises(Undeliverable):
        await adapter.deliver(delivery(TemplateBody("Bonjour"), WANJIRU))
    with pytest.raises(NotFound):
        await adapter.fetch(Attachment("image", "x"))
    assert provider.attempts == []


@pytest.mark.parametrize("code", [100, 101, 102])
async def test_processed_sent_and_queued_are_accepted(
    adapter: AfricasTalkingSms, provider: AfricasTalkingStandIn, code: int
) -> None:
    provider.outcomes[WANJIRU] = code
    assert (await adapter.deliver(HELLO)).provider_id == provider.chat(WANJIRU)[0].id


@pytest.mark.parametrize(
    ("code", "dead", "opted_out"),
    [
        (401, False, False),
        (403, True, False),
        (404, True, False),
        (406, True, True),
        (407, False, False),
        (409, False, False),
        (500, False, False),
        (501, False, False),
        (502, False, False),
    ],
)
async def test_the_code_of_the_recipient_says_what_a_refusal_means(
    adapter: AfricasTalkingSms,
    provider: AfricasTalkingStandIn,
    code: int,
    dead: bool,
    opted_out: bool,
) -> None:
    provider.outcomes[WANJIRU] = code
    with pytest.raises(Undeliverable) as refused:
        await adapter.deliver(HELLO)
    assert (refused.value.dead_target, refused.value.opted_out) == (dead, opted_out)
    assert str(refused.value) == f"Africa's Talking status {code}"


@pytest.mark.parametrize("code", [402, 405])
async def test_a_wrong_sender_or_an_empty_account_waits_for_the_operator(
    adapter: AfricasTalkingSms, provider: AfricasTalkingStandIn, code: int
) -> None:
    provider.outcomes[WANJIRU] = code
    with capture_logs() as logs, pytest.raises(RetryAt) as refused:
        await adapter.deliver(HELLO)
    assert refused.value.after == 60
    assert [each["event"] for each in logs] == ["sms_account_refused"]


async def test_a_sender_that_is_not_registered_waits_for_the_operator(
    adapter: AfricasTalkingSms, provider: AfricasTalkingStandIn
) -> None:
    provider.sender = "another"
    with pytest.raises(RetryAt, match="InvalidSenderId"):
        await adapter.deliver(HELLO)


async def test_a_wrong_key_waits_for_the_operator_and_is_not_logged(
    provider: AfricasTalkingStandIn,
) -> None:
    opened = open_adapter(provider, africastalking_api_key="hidden")
    with capture_logs() as logs, pytest.raises(RetryAt) as refused:
        await opened.deliver(HELLO)
    await opened.close()
    assert refused.value.after == 60
    assert "hidden" not in str(logs) + str(refused.value)


@pytest.mark.parametrize("act", ["reset", "hang"])
async def test_what_timed_out_after_it_was_sent_is_in_doubt(
    adapter: AfricasTalkingSms, provider: AfricasTalkingStandIn, act: str
) -> None:
    provider.faults.append(Fault(act, WANJIRU, accept=True))  # type: ignore[arg-type]
    with pytest.raises(OutcomeUnknown):
        await adapter.deliver(HELLO)
    assert provider.tries(WANJIRU) == 1


@pytest.mark.parametrize(
    ("status", "error"), [(500, OutcomeUnknown), (429, RetryAt), (400, Undeliverable)]
)
async def test_each_status_has_its_type(
    adapter: AfricasTalkingSms,
    provider: AfricasTalkingStandIn,
    status: int,
    error: type[Exception],
) -> None:
    provider.faults.append(Fault("status", WANJIRU, status=status))
    with pytest.raises(error):
        await adapter.deliver(HELLO)


class _Answering(SmsGatewayStandIn):
    """Answers the same to everything."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def list_routes(self) -> list[web.RouteDef]:
        return [web.post("/version1/messaging", self._answer)]

    async def _answer(self, _: web.Request) -> web.Response:
        return web.Response(status=201, text=self._text)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("<html>", OutcomeUnknown),
        ("[]", OutcomeUnknown),
        ('{"SMSMessageData": {"Recipients": {}}}', OutcomeUnknown),
        ('{"SMSMessageData": {"Message": "ok", "Recipients": [{"x": 1}]}}', OutcomeUnknown),
        (
            '{"SMSMessageData": {"Message": "x", "Recipients": '
            '[{"statusCode": 101, "messageId": "None"}]}}',
            OutcomeUnknown,
        ),
        ('{"SMSMessageData": {"Message": "Sent to 0/1", "Recipients": []}}', Undeliverable),
    ],
)
async def test_an_answer_that_says_nothing_leaves_the_message_in_doubt(
    text: str, error: type[Exception]
) -> None:
    async with running_gateway(_Answering(text)) as provider:
        keys = {"africastalking_username": "u", "africastalking_api_key": "k"}
        opened = AfricasTalkingSms(settings(**keys, africastalking_api_url=provider.url))
        with pytest.raises(error):
            await opened.deliver(HELLO)
        await opened.close()


# Webhooks -----------------------------------------------------------------------------------------


@pytest.fixture
def reader() -> AfricasTalkingWebhooks:
    return AfricasTalkingWebhooks(settings())


def test_only_the_key_of_this_provider_is_taken(reader: AfricasTalkingWebhooks) -> None:
    [key] = settings().list_webhook_keys("africastalking")
    reader.verify(post_form({"id": "1"}, f"/webhooks/africastalking/{key}"))
    for wrong in ("x", *settings().list_webhook_keys("orange")):
        with pytest.raises(Refused):
            reader.verify(post_form({"id": "1"}, f"/webhooks/africastalking/{wrong}"))


def read_receipt(reader: AfricasTalkingWebhooks, status: str, **fields: str) -> Any:
    form = {"id": "ATXid_1", "status": status, "phoneNumber": WANJIRU, "networkCode": "63902"}
    return list(reader.parse(post_form(form | fields)))


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("Success", "delivered"),
        ("Sent", "sent"),
        ("Submitted", "sent"),
        ("Buffered", "sent"),
    ],
)
def test_a_receipt_is_read(reader: AfricasTalkingWebhooks, status: str, state: Any) -> None:
    assert read_receipt(reader, status) == [Receipt(VIA, "ATXid_1", state, recipients=(WANJIRU,))]


@pytest.mark.parametrize(
    ("status", "reason", "error", "cause"),
    [
        ("Failed", "UserDoesNotExist", "UserDoesNotExist", "dead"),
        ("Failed", "UserInBlackList", "UserInBlackList", "opted_out"),
        ("Rejected", "DeliveryFailure", "DeliveryFailure", ""),
        ("Rejected", "", "Rejected", ""),
        ("Failed", "odd; reason", "Failed", ""),
    ],
)
def test_a_failure_says_why(
    reader: AfricasTalkingWebhooks, status: str, reason: str, error: str, cause: Any
) -> None:
    expected = Receipt(VIA, "ATXid_1", "failed", error=error, cause=cause, recipients=(WANJIRU,))
    assert read_receipt(reader, status, failureReason=reason) == [expected]


def test_a_message_of_a_person_is_read(reader: AfricasTalkingWebhooks) -> None:
    form = AfricasTalkingStandIn().write(WANJIRU, "Habari 😀 & 50 %")
    [read] = reader.parse(post_form(form))
    assert isinstance(read, Update)
    assert (read.lane, read.via) == (f"sms:{WANJIRU}", VIA)
    assert (read.delivery_key, read.message_key) == (form["id"], form["id"])
    assert read.content == Said("Habari 😀 & 50 %")


def test_stop_is_obeyed(reader: AfricasTalkingWebhooks) -> None:
    [read] = reader.parse(post_form(AfricasTalkingStandIn().write(WANJIRU, "STOP")))
    assert isinstance(read, Update)
    assert read.content == OptedOut()


def test_who_opts_out_of_our_sender_is_left_in_peace_each_time(
    reader: AfricasTalkingWebhooks,
) -> None:
    form = {"senderId": "Griot", "phoneNumber": WANJIRU}
    [first], [second] = reader.parse(post_form(form)), reader.parse(post_form(form))
    assert isinstance(first, Update)
    assert isinstance(second, Update)
    assert (first.lane, first.content) == (f"sms:{WANJIRU}", OptedOut())
    assert first.delivery_key != second.delivery_key


@pytest.mark.parametrize(
    "form",
    [
        {"id": "1", "status": "SomethingNew", "phoneNumber": WANJIRU},
        {"phoneNumber": WANJIRU, "shortCode": "22384", "updateType": "addition"},
    ],
)
def test_what_is_not_known_is_left_out(
    reader: AfricasTalkingWebhooks, form: dict[str, str]
) -> None:
    assert list(reader.parse(post_form(form))) == []


@pytest.mark.parametrize(
    ("sender", "text", "reason"),
    [("MPESA", "x", "sender"), ("22384", "x", "sender"), (WANJIRU, " ", "shape")],
)
def test_a_message_that_cannot_be_read_is_kept(
    reader: AfricasTalkingWebhooks, sender: str, text: str, reason: str
) -> None:
    [read] = reader.parse(post_form({"id": "1", "from": sender, "text": text}))
    assert isinstance(read, Unreadable)
    assert (read.channel, read.via, read.reason) == ("sms", VIA, reason)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "application/x-www-form-urlencoded"),
        (b"status=Success", "application/x-www-form-urlencoded"),
        (b"from=%2B254711000111&text=x", "application/x-www-form-urlencoded"),
        (b"id=%00&from=%2B254711000111&text=x", "application/x-www-form-urlencoded"),
        (b"id=1&from=%ff&text=x", "application/x-www-form-urlencoded"),
        (b"\xff", "application/x-www-form-urlencoded"),
        (b"&".join(b"a=1" for _ in range(200)), "application/x-www-form-urlencoded"),
        (b'{"id": "1"}', "application/json"),
    ],
)
def test_what_is_malformed_is_a_bad_request(
    reader: AfricasTalkingWebhooks, body: bytes, kind: str
) -> None:
    with pytest.raises(BadRequest):
        reader.parse(post("/webhooks/africastalking/x", body, kind))

"""The callbacks of Africa's Talking: receipts, messages, opt-outs, and what is malformed."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.africastalking.parse import AfricasTalkingWebhooks
from bot.errors import BadRequest, Refused
from bot.messages.incoming import OptedOut, Receipt, Said, Unreadable, Update
from tests.adapters.sms_gateway_parts import WANJIRU, post, post_form, settings
from tests.standins.africastalking import AfricasTalkingStandIn

VIA = "africastalking_sms"


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

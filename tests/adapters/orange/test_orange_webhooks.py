"""Orange's webhooks: the key in their address, receipts, messages, and what is malformed."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.orange.parse import OrangeWebhooks
from bot.errors import BadRequest, Refused
from bot.messages.incoming import OptedOut, Receipt, Said, Unreadable, Update
from bot.settings import Settings
from tests.adapters.sms_gateway_parts import AWA, post, post_json, settings
from tests.standins.orange import OrangeStandIn
from tests.standins.sms_gateways import Sms

SENT = Sms("6a3f-1", AWA, "Bonjour", "Griot")


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

"""Twilio's signature, as it comes through proxies and as somebody forges it; the two routes."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict
from twilio.request_validator import RequestValidator

from adapters.twilio.parse import MAX_FIELDS, TwilioWebhooks
from bot.contracts.channels import Webhook
from bot.errors import BadRequest, Refused
from bot.messages.incoming import Receipt, Said, Unreadable, Update
from tests.adapters.twilio_parts import (
    AUTH_TOKEN,
    AWA,
    PUBLIC_URL,
    SID,
    SMS_NUMBER,
    settings,
    signed,
    webhook,
)

HELLO = [("MessageSid", SID), ("From", AWA), ("To", SMS_NUMBER), ("Body", "Ça va ? 👋🏾 a+b=c&d")]
DELIVERED = [("MessageSid", SID), ("From", SMS_NUMBER), ("MessageStatus", "delivered")]


def webhooks(**values: object) -> TwilioWebhooks:
    return TwilioWebhooks(settings(**values))


def with_header(request: Webhook, name: str, value: str) -> Webhook:
    headers = CIMultiDict(request.headers)
    headers[name] = value
    return Webhook(request.method, request.path, headers, request.body)


def test_what_twilio_signed_is_let_in() -> None:
    webhooks().verify(signed(HELLO))


def test_the_signature_is_over_the_public_address_whatever_a_proxy_says() -> None:
    request = signed(HELLO)
    for name, value in [
        ("Host", "127.0.0.1:8080"),
        ("X-Forwarded-Proto", "http"),
        ("X-Forwarded-Host", "evil.example"),
        ("X-Original-Url", "/elsewhere"),
    ]:
        request = with_header(request, name, value)
    webhooks().verify(request)


def test_a_signature_for_another_host_is_refused_though_a_proxy_names_that_host() -> None:
    request = signed(HELLO, public="https://evil.example/webhooks/twilio")
    request = with_header(request, "X-Forwarded-Host", "evil.example")
    with pytest.raises(Refused):
        webhooks().verify(with_header(request, "Host", "evil.example"))


@pytest.mark.parametrize(
    ("public_url", "signed_over"),
    [
        ("https://griot.example", "https://griot.example:443/webhooks/twilio"),
        ("https://griot.example:443", "https://griot.example/webhooks/twilio"),
        ("https://griot.example:8443", "https://griot.example:8443/webhooks/twilio"),
        ("http://griot.example", "http://griot.example/webhooks/twilio"),
        ("http://griot.example", "http://griot.example:80/webhooks/twilio"),
        ("https://griot.example/", "https://griot.example/webhooks/twilio"),
        ("https://example.org/griot", "https://example.org/griot/webhooks/twilio"),
    ],
)
def test_the_port_may_be_said_or_left_out(public_url: str, signed_over: str) -> None:
    webhooks(public_url=public_url).verify(signed(HELLO, public=signed_over))


def test_the_scheme_is_part_of_the_address() -> None:
    with pytest.raises(Refused):
        webhooks().verify(signed(HELLO, public="http://griot.example/webhooks/twilio"))


def test_the_query_is_signed_as_it_was_written() -> None:
    path = "/webhooks/twilio?a=%C3%A9&b=1+2"
    webhooks().verify(signed(HELLO, path, PUBLIC_URL + path))
    with pytest.raises(Refused):
        webhooks().verify(signed(HELLO, "/webhooks/twilio?a=é&b=1+2", PUBLIC_URL + path))


def test_fields_that_nobody_knows_are_signed_too() -> None:
    webhooks().verify(signed([*HELLO, ("FieldOfNextYear", "ÿ"), ("Empty", "")]))
    more = webhook([*HELLO, ("FieldOfNextYear", "x")])
    with pytest.raises(Refused):
        webhooks().verify(Webhook("POST", more.path, signed(HELLO).headers, more.body))


def test_all_values_of_a_repeated_field_are_signed() -> None:
    fields = [*HELLO, ("Tag", "b"), ("Tag", "a")]
    told = PUBLIC_URL + "/webhooks/twilio"
    both = RequestValidator(AUTH_TOKEN).compute_signature(told, _Repeated(fields))
    webhooks().verify(webhook(fields, headers={"X-Twilio-Signature": both}))
    last = RequestValidator(AUTH_TOKEN).compute_signature(told, dict(fields))
    with pytest.raises(Refused):
        webhooks().verify(webhook(fields, headers={"X-Twilio-Signature": last}))


class _Repeated(dict[str, list[str]]):
    """As other frameworks give the library a form."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        super().__init__({name: [v for n, v in fields if n == name] for name, _ in fields})

    def getlist(self, name: str) -> list[str]:
        return self[name]


@pytest.mark.parametrize("place", range(len(HELLO)))
def test_a_field_that_was_tampered_with_is_refused(place: int) -> None:
    changed = [(name, value + "x" * (at == place)) for at, (name, value) in enumerate(HELLO)]
    request = Webhook("POST", "/webhooks/twilio", signed(HELLO).headers, webhook(changed).body)
    with pytest.raises(Refused):
        webhooks().verify(request)


@pytest.mark.parametrize("given", ["", "x", "é", "\udcff", "A" * 28, "A" * 10_000])
def test_a_wrong_signature_is_refused(given: str) -> None:
    with pytest.raises(Refused):
        webhooks().verify(webhook(HELLO, headers={"X-Twilio-Signature": given}))


def test_a_missing_signature_is_refused() -> None:
    with pytest.raises(Refused):
        webhooks().verify(webhook(HELLO))


def test_without_a_public_address_nothing_is_let_in() -> None:
    with pytest.raises(Refused):
        webhooks(public_url=None).verify(signed(HELLO, public="/webhooks/twilio"))


def test_without_a_token_nothing_is_let_in_not_even_what_is_signed_with_none() -> None:
    told = PUBLIC_URL + "/webhooks/twilio"
    signature = RequestValidator("").compute_signature(told, dict(HELLO))
    with pytest.raises(Refused):
        webhooks(twilio_auth_token="").verify(
            webhook(HELLO, headers={"X-Twilio-Signature": signature})
        )


@pytest.mark.parametrize("path", ["http://[/webhooks/twilio", "/webhooks/twilio?\udcff", ":x", ""])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(Refused):
        webhooks().verify(with_header(webhook(HELLO, path), "X-Twilio-Signature", "x"))


def test_a_form_without_end_is_refused_before_it_is_read() -> None:
    fields = [(f"f{number}", "") for number in range(MAX_FIELDS + 1)]
    with pytest.raises(Refused):
        webhooks().verify(signed(fields))


# The routes


def test_a_message_and_a_status_are_told_apart_by_their_path() -> None:
    [message] = webhooks().parse(webhook(HELLO))
    assert isinstance(message, Update)
    assert message.content == Said("Ça va ? 👋🏾 a+b=c&d")
    for path in ("/webhooks/twilio/status", "/webhooks/twilio/status?a=1"):
        [receipt] = webhooks().parse(webhook(DELIVERED, path))
        assert isinstance(receipt, Receipt)
        assert (receipt.provider_id, receipt.state) == (SID, "delivered")


@pytest.mark.parametrize(
    ("unset", "sender"), [("twilio_sms_from", AWA), ("twilio_whatsapp_from", f"whatsapp:{AWA}")]
)
def test_what_comes_for_a_sender_that_is_not_configured_is_left_out(
    unset: str, sender: str
) -> None:
    fields = [("MessageSid", SID), ("From", sender), ("Body", "Bonjour")]
    status = [("MessageSid", SID), ("From", sender), ("MessageStatus", "sent")]
    assert webhooks(**{unset: ""}).parse(webhook(fields)) == []
    assert webhooks(**{unset: ""}).parse(webhook(status, "/webhooks/twilio/status")) == []
    assert len(webhooks().parse(webhook(fields))) == 1


@pytest.mark.parametrize("path", ["/webhooks/twilio", "/webhooks/twilio/status"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"From=%2B2250701020304&Body=Bonjour",
        b"MessageSid=",
        b"MessageSid=SM%001&Body=Bonjour",
        b"MessageSid=SM1&Body=%FF%FE",
        b"MessageSid=SM1&Body=\xff\xfe",
        b"MessageSid=SM1" + b"&f=" * MAX_FIELDS,
    ],
)
def test_a_malformed_request_is_a_bad_one(path: str, body: bytes) -> None:
    with pytest.raises(BadRequest, match=r"MessageSid|UTF-8"):
        webhooks().parse(Webhook("POST", path, webhook([]).headers, body))


def test_what_is_not_a_form_is_a_bad_request() -> None:
    headers = CIMultiDict({"Content-Type": "application/json"})
    with pytest.raises(BadRequest, match="not a form"):
        webhooks().parse(Webhook("POST", "/webhooks/twilio", headers, b"MessageSid=SM1"))


def test_what_is_not_utf8_is_malformed_rather_than_forged_when_twilio_signed_it() -> None:
    fields = [("MessageSid", SID), ("Body", "�")]
    request = signed(fields)
    body = f"MessageSid={SID}&Body=%FF".encode()
    webhooks().verify(Webhook("POST", request.path, request.headers, body))
    with pytest.raises(BadRequest, match="UTF-8"):
        webhooks().parse(Webhook("POST", request.path, request.headers, body))


OTHER = "+14155550000"


@pytest.mark.parametrize("prefix", ["", "whatsapp:"])
def test_a_message_to_another_number_of_the_account_is_kept_and_not_answered(prefix: str) -> None:
    form = {"MessageSid": SID, "From": f"{prefix}{AWA}", "To": f"{prefix}{OTHER}", "Body": "Hi"}
    [kept] = webhooks().parse(webhook([*form.items()]))
    assert isinstance(kept, Unreadable)
    assert (kept.channel, kept.reason) == ("whatsapp" if prefix else "sms", "recipient")


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ({"MessagingServiceSid": f"MG{'0' * 32}"}, {}),
        ({}, {"twilio_sms_from": "Griot"}),
        ({"To": SMS_NUMBER}, {}),
        ({"To": ""}, {}),
    ],
    ids=["of a messaging service", "the sender is a name", "ours", "untold"],
)
def test_a_message_that_may_be_for_us_is_answered(
    fields: dict[str, str], values: dict[str, str]
) -> None:
    form = {"MessageSid": SID, "From": AWA, "To": OTHER, "Body": "Hi"} | fields
    [update] = webhooks(**values).parse(webhook([*form.items()]))
    assert isinstance(update, Update)


def test_the_sender_of_whatsapp_may_be_set_with_its_prefix() -> None:
    form = [("MessageSid", SID), ("From", f"whatsapp:{AWA}"), ("To", f"whatsapp:{OTHER}")]
    reader = webhooks(twilio_whatsapp_from=f"whatsapp:{OTHER}")
    assert isinstance(reader.parse(webhook([*form, ("Body", "Hi")]))[0], Update)

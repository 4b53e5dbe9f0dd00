"""Who is believed: Meta alone, by its signature or by the verify token."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from multidict import CIMultiDict

from adapters.whatsapp.adapter import WhatsAppWebhooks
from bot.contracts.channels import Webhook
from bot.errors import BadRequest, Refused
from bot.settings import Settings
from tests.adapters.whatsapp_parts import PHONE, bytes_of, webhook
from tests.standins.whatsapp import APP_SECRET, VERIFY_TOKEN
from tests.standins.whatsapp_posting import Form, write
from tests.standins.whatsapp_posting import Webhook as Meta
from tests.standins.whatsapp_webhooks import NUMBER_ID, Incoming

META = Meta(APP_SECRET, VERIFY_TOKEN, ())
QUERY = f"hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token={VERIFY_TOKEN}"


@pytest.fixture
def webhooks() -> WhatsAppWebhooks:
    return make()


def make(**values: object) -> WhatsAppWebhooks:
    fields = {
        "whatsapp_app_secret": APP_SECRET,
        "whatsapp_verify_token": VERIFY_TOKEN,
        "whatsapp_phone_number_id": NUMBER_ID,
    }
    return WhatsAppWebhooks(Settings.model_validate(fields | values))


def signed(body: bytes, signature: str | None = None) -> Webhook:
    told = META.sign(body) if signature is None else signature
    return webhook(body, {"x-hub-signature-256": told})


def asked(query: str = QUERY, method: str = "GET", **headers: str) -> Webhook:
    path = "/webhooks/whatsapp?" + query.replace(" ", "%20")
    return Webhook(method, path, CIMultiDict(headers), b"")


@pytest.mark.parametrize("form", ["raw", "escaped"])
def test_what_meta_signed_is_believed_with_its_emoji_raw_or_escaped(
    webhooks: WhatsAppWebhooks, form: Form
) -> None:
    meta = Incoming(lambda: 0.0)
    body = write(meta.payload([[[meta.text_message(PHONE, "Ça va 👋🏾 a/b")]]]), form)
    webhooks.verify(signed(body))
    assert len(webhooks.parse(webhook(body))) == 1


def test_the_bytes_are_signed_and_not_what_they_mean(webhooks: WhatsAppWebhooks) -> None:
    body = write({"object": "é", "entry": []}, "escaped")
    signature = META.sign(body)
    webhooks.verify(signed(body, signature))
    same = json.dumps(json.loads(body), ensure_ascii=False).encode()
    with pytest.raises(Refused):
        webhooks.verify(signed(same, signature))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Hub-Signature-256": ""},
        {"X-Hub-Signature-256": "sha256="},
        {"X-Hub-Signature-256": META.sign(b"other")},
        {"X-Hub-Signature-256": META.sign(b"{}").removeprefix("sha256=")},
        {"X-Hub-Signature-256": META.sign(b"{}").replace("sha256", "sha1")},
        {"X-Hub-Signature-256": Meta("another secret", "", ()).sign(b"{}")},
        {"X-Hub-Signature-256": Meta("", "", ()).sign(b"{}")},
        {"X-Hub-Signature-256": "sha256=\udcff\ud800"},
        {"X-Hub-Signature": META.sign(b"{}")},
    ],
)
def test_what_is_signed_otherwise_or_not_at_all_is_refused(
    webhooks: WhatsAppWebhooks, headers: Mapping[str, str]
) -> None:
    with pytest.raises(Refused):
        webhooks.verify(webhook(b"{}", headers))


def test_without_a_secret_nothing_is_believed() -> None:
    body = b"{}"
    forged = webhook(body, {"X-Hub-Signature-256": Meta("", "", ()).sign(body)})
    with pytest.raises(Refused, match="WHATSAPP_APP_SECRET"):
        make(whatsapp_app_secret="").verify(forged)


def test_a_post_is_not_believed_for_the_verify_token_in_its_address(
    webhooks: WhatsAppWebhooks,
) -> None:
    with pytest.raises(Refused):
        webhooks.verify(asked(method="POST"))


def test_a_subscription_is_verified_by_its_token_and_answered_with_its_challenge(
    webhooks: WhatsAppWebhooks,
) -> None:
    webhooks.verify(asked())
    assert webhooks.challenge(asked()) == "1158201444"


@pytest.mark.parametrize(
    "query",
    [
        "",
        QUERY.replace(VERIFY_TOKEN, "another"),
        QUERY.replace(VERIFY_TOKEN, ""),
        QUERY.replace(VERIFY_TOKEN, "\udcff"),
        QUERY.replace("subscribe", "unsubscribe"),
        QUERY.removeprefix("hub.mode=subscribe&"),
        QUERY + "&x=1" * 50,
    ],
)
def test_a_subscription_without_the_token_is_refused(
    webhooks: WhatsAppWebhooks, query: str
) -> None:
    with pytest.raises(Refused):
        webhooks.verify(asked(query))


def test_without_a_verify_token_nobody_subscribes() -> None:
    with pytest.raises(Refused, match="WHATSAPP_VERIFY_TOKEN"):
        make(whatsapp_verify_token="").verify(asked(QUERY.replace(VERIFY_TOKEN, "")))


@pytest.mark.parametrize("challenge", ["", "<script>", "1" * 129, "a b", "é"])
def test_what_meta_would_not_ask_is_not_echoed(webhooks: WhatsAppWebhooks, challenge: str) -> None:
    with pytest.raises(BadRequest):
        webhooks.challenge(asked(QUERY.replace("1158201444", challenge)))


def test_what_is_not_of_meta_is_a_bad_request(webhooks: WhatsAppWebhooks) -> None:
    with pytest.raises(BadRequest):
        webhooks.parse(webhook(bytes_of([])))

"""Meta's side of the webhook: shapes, batches, signatures, statuses, redelivery."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from tests.standins.whatsapp import WhatsAppStandIn, running_whatsapp
from tests.standins.whatsapp_business import (
    AWA,
    TEXT,
    Body,
    Business,
    buttons,
    listing,
    row,
    running_business,
    send,
)
from tests.standins.whatsapp_errors import TOO_FAST, told_error
from tests.standins.whatsapp_schema import validator
from tests.support.recorded_data import DATA

FATOU = "22507000002"
PUBLISHED = json.loads((DATA / "whatsapp" / "webhook_examples.json").read_bytes())


@pytest.fixture
async def whatsapp() -> AsyncIterator[WhatsAppStandIn]:
    async with running_whatsapp(pauses=(0.01, 0.01)) as stand_in:
        stand_in.open_window(AWA)
        yield stand_in


@pytest.fixture
async def business(whatsapp: WhatsAppStandIn) -> AsyncIterator[Business]:
    async with running_business() as made:
        assert await whatsapp.subscribe(made.url)
        yield made


def every_kind(whatsapp: WhatsAppStandIn) -> list[Body]:
    """A message of each kind that the specification knows."""
    return [
        whatsapp.text_message(AWA, "Bonjour 👋"),
        whatsapp.text_message(AWA, "Oui", reply_to="wamid.x"),
        whatsapp.image_message(AWA, caption="Mon cahier"),
        whatsapp.document_message(AWA, b"%PDF", "cours.pdf", "application/pdf"),
        whatsapp.voice_message(AWA),
        whatsapp.voice_message(AWA, voice=False),
        whatsapp.video_message(AWA, caption="Regarde"),
        whatsapp.sticker_message(AWA),
        whatsapp.location_message(AWA, 5.35, -4.0, name="École", address="Abidjan"),
        whatsapp.contacts_message(AWA, "22507000009"),
        whatsapp.button_reply(AWA, "wamid.x", "1", "A"),
        whatsapp.list_reply(AWA, "wamid.x", "1", "A", "la première"),
        whatsapp.template_tap(AWA, "wamid.x", "oui", "Oui"),
        whatsapp.reaction_message(AWA, "wamid.x"),
        whatsapp.unsupported_message(AWA),
    ]


def test_its_messages_have_the_form_of_the_specification(whatsapp: WhatsAppStandIn) -> None:
    for item in every_kind(whatsapp):
        validator("WebhookPayload").validate(whatsapp.payload([[[item]]]))
    moved = whatsapp.payload([[[whatsapp.system_message(AWA, FATOU)]]])
    validator("WebhookPayload").validate(moved)
    for status in ("sent", "delivered", "read", "failed"):
        told = whatsapp.status(AWA, "wamid.x", status, code=131047 * (status == "failed"))
        validator("WebhookPayload").validate(whatsapp.payload([[[told]]]))


@pytest.mark.parametrize("example", PUBLISHED, ids=[each["name"] for each in PUBLISHED])
def test_the_specification_takes_the_published_examples(example: Body) -> None:
    if not example["name"].startswith("Group"):
        validator("WebhookPayload").validate(example["payload"])


def test_the_specification_refuses_a_wrong_message(whatsapp: WhatsAppStandIn) -> None:
    for item in every_kind(whatsapp):
        wrong = {name: value for name, value in item.items() if name != item["type"]}
        wrong.pop("errors", None)
        assert not validator("WebhookPayload").is_valid(whatsapp.payload([[[wrong]]]))


def test_every_message_has_its_own_id(whatsapp: WhatsAppStandIn) -> None:
    wamids = [item["id"] for item in every_kind(whatsapp)]
    assert len(set(wamids)) == len(wamids)


def test_an_edit_names_what_it_edits(whatsapp: WhatsAppStandIn) -> None:
    first = whatsapp.text_message(AWA, "Bonjuor")
    edit = whatsapp.edit_message(AWA, first["id"], "Bonjour")
    assert edit["edit"]["original_message_id"] == first["id"] != edit["id"]
    assert edit["edit"]["message"]["text"] == {"body": "Bonjour"}


async def test_a_webhook_that_does_not_know_the_token_is_not_taken(
    whatsapp: WhatsAppStandIn, business: Business
) -> None:
    business.verify_token = "another"
    assert not await whatsapp.subscribe(f"{business.url}?another=1")
    assert whatsapp.webhook.url == business.url


@pytest.mark.parametrize("form", ["escaped", "raw"])
async def test_what_is_signed_is_what_is_sent(
    whatsapp: WhatsAppStandIn, business: Business, form: str
) -> None:
    item = whatsapp.text_message(AWA, "Ça va ? 👋 a/b")
    assert await whatsapp.deliver(item, form="raw" if form == "raw" else "escaped") == 200
    [body] = business.bodies
    assert (business.forged, business.values[0]["messages"]) == (0, [item])
    seen = ["👋".encode() in body, b"\\ud83d\\udc4b" in body, b"a\\/b" in body]
    assert seen == ([True, False, False] if form == "raw" else [False, True, True])


async def test_a_forged_signature_can_be_sent(
    whatsapp: WhatsAppStandIn, business: Business
) -> None:
    await whatsapp.webhook.post(b"{}", signature="sha256=" + "0" * 64)
    assert business.forged == 1


async def test_one_post_holds_entries_of_changes_of_messages_and_statuses(
    whatsapp: WhatsAppStandIn, business: Business
) -> None:
    one, two, three = (whatsapp.text_message(phone, "x") for phone in (AWA, FATOU, AWA))
    read = whatsapp.status(AWA, "wamid.x", "read")
    await whatsapp.deliver_batch([[[one, two, read], [three]], [[told_error(TOO_FAST)]]])
    assert [len(json.loads(body)["entry"]) for body in business.bodies] == [2]
    first, second, third = business.values
    assert (first["messages"], first["statuses"]) == ([one, two], [read])
    assert [contact["wa_id"] for contact in first["contacts"]] == [AWA, FATOU]
    assert second["messages"] == [three]
    assert third["errors"][0]["code"] == 130429


async def test_what_is_not_answered_200_comes_again_as_it_was(
    whatsapp: WhatsAppStandIn, business: Business
) -> None:
    business.answers = [500]
    assert await whatsapp.deliver(whatsapp.text_message(AWA, "x")) == 500
    await whatsapp.settled()
    assert [attempt.status for attempt in whatsapp.webhook.attempts] == [500, 200]
    assert len(set(business.bodies)) == 1


async def test_a_webhook_that_is_gone_is_tried_again_and_given_up(
    whatsapp: WhatsAppStandIn,
) -> None:
    async with running_business() as business:
        assert await whatsapp.subscribe(business.url)
    assert await whatsapp.deliver(whatsapp.text_message(AWA, "x")) == 0
    await whatsapp.settled()
    assert [attempt.status for attempt in whatsapp.webhook.attempts] == [0, 0, 0]


async def test_statuses_come_in_the_order_that_a_test_wants(
    whatsapp: WhatsAppStandIn, business: Business
) -> None:
    whatsapp.statuses = ("read", "delivered", "sent")
    await send(whatsapp, TEXT)
    await whatsapp.settled()
    assert [each["status"] for each in business.statuses] == ["read", "delivered", "sent"]
    assert {each["id"] for each in business.statuses} == {whatsapp.chat(AWA)[0].wamid}


async def test_a_status_may_have_to_be_answered_before_the_message_is(
    whatsapp: WhatsAppStandIn, business: Business
) -> None:
    whatsapp.statuses = ("sent",)
    whatsapp.early_statuses = True
    business.free.clear()
    sending = asyncio.create_task(send(whatsapp, TEXT))
    async with asyncio.timeout(20):
        while not business.statuses:
            await asyncio.sleep(0.01)
    assert [each["status"] for each in business.statuses] == ["sent"]
    assert not sending.done()
    business.free.set()
    assert (await sending)[0] == 200


async def test_what_cannot_arrive_is_accepted_and_fails_later(business: Business) -> None:
    async with running_whatsapp(window="fail") as whatsapp:
        await whatsapp.subscribe(business.url)
        whatsapp.absent.add(FATOU)
        for phone in (AWA, FATOU):
            assert (await send(whatsapp, TEXT, to=phone))[0] == 200
        await whatsapp.settled()
        assert whatsapp.chat(AWA) == whatsapp.chat(FATOU) == []
    assert {(each["recipient_id"], each["errors"][0]["code"]) for each in business.statuses} == {
        (AWA, 131047),
        (FATOU, 131026),
    }
    assert {each["status"] for each in business.statuses} == {"failed"}


async def test_a_person_taps_what_is_shown(whatsapp: WhatsAppStandIn) -> None:
    await send(whatsapp, buttons(("old", "A")))
    await send(whatsapp, buttons(("new", "A"), ("b", "B")))
    await send(whatsapp, listing(row(1, description="la première")))
    _, newest, listed = whatsapp.chat(AWA)
    tapped = whatsapp.tap(AWA, "A")
    assert tapped["interactive"]["button_reply"] == {"id": "new", "title": "A"}
    assert tapped["context"]["id"] == newest.wamid
    chosen = whatsapp.tap(AWA, "Option 1")
    assert chosen["interactive"]["list_reply"]["description"] == "la première"
    assert chosen["context"]["id"] == listed.wamid
    with pytest.raises(LookupError):
        whatsapp.tap(AWA, "C")


def test_writing_opens_the_window_and_a_change_of_number_does_not(
    whatsapp: WhatsAppStandIn,
) -> None:
    whatsapp.system_message(FATOU, "22507000003")
    assert not whatsapp.window_is_open(FATOU)
    whatsapp.text_message(FATOU, "Bonjour")
    assert whatsapp.window_is_open(FATOU)
    whatsapp.close_window(FATOU)
    assert not whatsapp.window_is_open(FATOU)

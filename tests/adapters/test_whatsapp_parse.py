"""From Meta's JSON to the vocabulary, by Meta's published examples and the stand-in's."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from adapters.base import replace_lone_surrogates
from adapters.whatsapp.parse import parse_payload
from bot.errors import BadRequest
from bot.messages.incoming import (
    Attachment,
    Edited,
    IdentityChanged,
    Pricing,
    Reacted,
    Receipt,
    Received,
    Said,
    Sender,
    SharedContact,
    SharedLocation,
    Tapped,
    Unreadable,
    Unsupported,
    Update,
    UpdateContent,
)
from tests.adapters.whatsapp_parts import AWA, PHONE, TOKENS, bytes_of
from tests.standins.whatsapp_media import Held
from tests.standins.whatsapp_webhooks import NUMBER_ID, Incoming, Item, Status
from tests.support.recorded_data import DATA

EXAMPLES: dict[str, Any] = {
    example["name"]: example["payload"]
    for example in json.loads((DATA / "whatsapp" / "webhook_examples.json").read_bytes())
}
OURS = "wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI3MEM2RUJFNkI0RENGQTVDRjUA"


@pytest.fixture
def meta() -> Incoming:
    return Incoming(lambda: 1_749_416_383.7)


def parse(payload: Any) -> list[Received]:
    return parse_payload(bytes_of(payload), NUMBER_ID)


def read(meta: Incoming, item: Item) -> UpdateContent:
    [update] = parse(meta.payload([[[item]]]))
    assert isinstance(update, Update)
    return update.content


def keys(items: list[Received]) -> list[str]:
    """By what each item is known; of one that cannot be read, why."""
    return [
        item.message_key
        if isinstance(item, Update)
        else item.reason
        if isinstance(item, Unreadable)
        else item.provider_id
        for item in items
    ]


# Meta's own examples


def test_the_published_text_is_read_whole() -> None:
    wamid = "wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQTRBNjU5OUFFRTAzODEwMTQ0RgA="
    assert parse(EXAMPLES["Text Message"]) == [
        Update(
            channel="whatsapp",
            via="whatsapp_cloud",
            conversation="+16505551234",
            sender=Sender("+16505551234", "Sheena Nelson"),
            delivery_key=wamid,
            message_key=wamid,
            content=Said("Does it come in another color?"),
            at=1_749_416_383.0,
        )
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("Text Message with Context (Product Inquiry)", Said("Is this still available?")),
        ("Text Message from Click to WhatsApp Ad", Said("Hello! Can I get more info on this?")),
        ("Reaction Message", Reacted("👍")),
        (
            "Image Message",
            Said("Taj Mahal", (Attachment("image", "1003383421387256", mime_type="image/jpeg"),)),
        ),
        ("Location Message", SharedLocation(37.44221496582, -122.16165924072, "Philz Coffee")),
        ("Contact Sharing Message", SharedContact("+19835552319", "Lucía Gómez", "+19835552319")),
        ("Button Message", Said("Unsubscribe")),
        (
            "Interactive List Reply Message",
            Tapped(
                "priority_express",
                message_id="wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBJGMzEyNzhENTZDMzNGODlDRDgA",
            ),
        ),
        ("Interactive Button Reply Message", Tapped("cancel-button", message_id=OURS)),
    ],
)
def test_the_published_examples_are_understood(name: str, content: UpdateContent) -> None:
    [update] = parse(EXAMPLES[name])
    assert isinstance(update, Update)
    assert update.content == content


def test_what_is_not_understood_of_the_published_examples_is_kept() -> None:
    kept = {
        name: [item.reason for item in parse(payload) if isinstance(item, Unreadable)]
        for name, payload in EXAMPLES.items()
    }
    assert {name: reasons for name, reasons in kept.items() if reasons} == {
        "Unsupported Message": ["kind"],
        "Order Message": ["kind"],
    }


@pytest.mark.parametrize("name", ["Unsupported Message", "Order Message"])
def test_a_message_of_an_unknown_kind_is_also_an_update_of_its_sender(name: str) -> None:
    kept, update = parse(EXAMPLES[name])
    assert isinstance(kept, Unreadable)
    assert isinstance(update, Update)
    assert (update.content, update.conversation) == (Unsupported(), "+16505551234")


def test_published_examples_of_no_message_say_nothing() -> None:
    assert [name for name, payload in EXAMPLES.items() if not parse(payload)] == [
        "Group Create Message",
        "Group Settings Update",
        "Group Remove Participants",
    ]


# What a message says


def test_a_forwarded_text_is_somebody_elses(meta: Incoming) -> None:
    for mark in ("forwarded", "frequently_forwarded"):
        item = meta.text_message(PHONE, "Chers tous", context={mark: True})
        assert read(meta, item) == Said("Chers tous", forwarded=True)


def test_a_reply_to_our_message_is_not_forwarded(meta: Incoming) -> None:
    assert read(meta, meta.text_message(PHONE, "Oui", reply_to=OURS)) == Said("Oui")


def test_a_document_keeps_its_name_and_its_words(meta: Incoming) -> None:
    item = meta.document_message(
        PHONE, b"%PDF", "devoir 1.pdf", "application/pdf", caption="Corrige"
    )
    attachment = Attachment("document", item["document"]["id"], "devoir 1.pdf", "application/pdf")
    assert read(meta, item) == Said("Corrige", (attachment,))


@pytest.mark.parametrize("voice", [True, False])
def test_a_voice_note_is_told_from_a_sound_file(meta: Incoming, voice: bool) -> None:
    item = meta.voice_message(PHONE, voice=voice)
    attachment = Attachment("audio", item["audio"]["id"], mime_type="audio/ogg", voice=voice)
    assert read(meta, item) == Said("", (attachment,))


def test_a_forwarded_video_is_a_document_of_somebody_elses(meta: Incoming) -> None:
    item = meta.video_message(PHONE, caption="Regarde")
    item["context"] = {"forwarded": True}
    attachment = Attachment("document", item["video"]["id"], mime_type="video/mp4")
    assert read(meta, item) == Said("Regarde", (attachment,), forwarded=True)


def test_a_sticker_is_said_to_be_one(meta: Incoming) -> None:
    assert read(meta, meta.sticker_message(PHONE)) == Said("[sticker]")


@pytest.mark.parametrize(
    ("place", "title"),
    [({}, ""), ({"address": "Plateau"}, "Plateau"), ({"name": "Lycée", "address": "x"}, "Lycée")],
)
def test_a_place_has_its_name_or_its_address(
    meta: Incoming, place: dict[str, str], title: str
) -> None:
    item = meta.location_message(PHONE, 5.32, -4.02, **place)
    assert read(meta, item) == SharedLocation(5.32, -4.02, title)


def test_of_several_contacts_the_first_with_a_number_counts(meta: Incoming) -> None:
    item = meta.contacts_message(PHONE, PHONE, "22507000009")
    item["contacts"].insert(0, {"name": {"formatted_name": "Sans numéro"}})
    assert read(meta, item) == SharedContact(AWA, "Fatou", AWA)


def test_a_card_that_names_another_number_than_its_account_proves_only_the_account(
    meta: Incoming,
) -> None:
    item = meta.contacts_message(PHONE, PHONE)
    item["contacts"][0]["phones"][0]["phone"] = "+33600000000"
    assert read(meta, item) == SharedContact(AWA, "Fatou", AWA)


@pytest.mark.parametrize(
    ("origin", "request_id"), [("contact_request", OURS), ("other", ""), ("new_kind", "")]
)
def test_a_card_answers_a_request_unless_the_person_chose_it(
    meta: Incoming, origin: str, request_id: str
) -> None:
    item = meta.shared_contact("CI.1", OURS, PHONE, origin=origin)
    assert read(meta, item) == SharedContact(AWA, "Fatou", AWA, request_id)


@pytest.mark.parametrize("wa_id", ["", "0225", "+2250701020304", "x"])
def test_a_card_without_an_account_proves_nothing(meta: Incoming, wa_id: str) -> None:
    item = meta.contacts_message(PHONE, PHONE)
    item["contacts"][0]["phones"][0]["wa_id"] = wa_id
    assert read(meta, item) == SharedContact(AWA, "Fatou")


def test_a_tap_brings_back_its_token_and_the_message_it_was_under(meta: Incoming) -> None:
    expected = Tapped(TOKENS[3], message_id=OURS)
    assert read(meta, meta.button_reply(PHONE, OURS, TOKENS[3], "Paris")) == expected
    assert read(meta, meta.list_reply(PHONE, OURS, TOKENS[3], "Paris")) == expected
    assert read(meta, meta.template_tap(PHONE, OURS, TOKENS[3], "Paris")) == expected


def test_a_button_of_a_template_made_elsewhere_says_its_text(meta: Incoming) -> None:
    assert read(meta, meta.template_tap(PHONE, OURS, "Stop", "Arrêter")) == Said("Arrêter")
    assert read(meta, meta.template_tap(PHONE, OURS, "Stop", "")) == Said("Stop")


def test_a_reaction_may_be_taken_back(meta: Incoming) -> None:
    assert read(meta, meta.reaction_message(PHONE, OURS, "")) == Reacted("")


def test_an_edited_text_is_an_edit(meta: Incoming) -> None:
    edit = meta.edit_message(PHONE, "wamid.first", "Bonsoir")
    assert read(meta, edit) == Edited("Bonsoir", "wamid.first")


def test_a_poll_and_the_votes_in_it_count_as_one_message(meta: Incoming) -> None:
    poll = [meta.unsupported_message(PHONE, kind) for kind in ("poll_creation", "poll_update", "")]
    items: list[Item] = [{**item, "timestamp": "1750090702"} for item in poll]
    items.append({**meta.unsupported_message(PHONE), "timestamp": "1750098000"})
    updates = [item for item in parse(meta.payload([[items]])) if isinstance(item, Update)]
    assert [update.message_key for update in updates] == [
        "unsupported:486136",
        "unsupported:486136",
        "unsupported:486138",
    ]


def test_a_message_of_a_new_kind_is_an_update_of_its_sender(meta: Incoming) -> None:
    item = {**meta.message(PHONE, "hologram", {"id": "5"}), "timestamp": "1750090702"}
    kept, update = parse(meta.payload([[[item]]]))
    assert isinstance(kept, Unreadable)
    assert isinstance(update, Update)
    assert (kept.reason, update.content, update.conversation) == ("kind", Unsupported(), AWA)


def test_unreadable_messages_without_a_time_count_one_by_one(meta: Incoming) -> None:
    items: list[Item] = [{**meta.unsupported_message(PHONE), "timestamp": ""} for _ in range(2)]
    updates = [item for item in parse(meta.payload([[items]])) if isinstance(item, Update)]
    assert [update.message_key for update in updates] == [item["id"] for item in items]


@pytest.mark.parametrize("kind", ["revoke", "deleted", "pin", "request_welcome"])
def test_a_new_kind_that_says_nothing_to_us_is_only_kept(meta: Incoming, kind: str) -> None:
    [kept] = parse(meta.payload([[[meta.message(PHONE, kind, {})]]]))
    assert isinstance(kept, Unreadable)


@pytest.mark.parametrize("kind", ["pin", "edit", "poll_update", "keep_in_chat"])
def test_an_unknown_kind_that_says_nothing_to_us_is_only_kept(meta: Incoming, kind: str) -> None:
    [kept] = parse(meta.payload([[[meta.unsupported_message(PHONE, kind)]]]))
    assert isinstance(kept, Unreadable)


@pytest.mark.parametrize("kind", ["text", "image", "location", "interactive", "button", "edit"])
def test_a_message_without_what_its_type_announces_is_kept(meta: Incoming, kind: str) -> None:
    item = meta.message(PHONE, kind, None)
    del item[kind]
    [kept] = parse(meta.payload([[[item]]]))
    assert isinstance(kept, Unreadable)
    assert (kept.reason, json.loads(kept.payload)) == ("shape", item)


def test_what_says_nothing_is_kept_as_it_came(meta: Incoming) -> None:
    items = [
        meta.text_message(PHONE, " \n"),
        meta.template_tap(PHONE, OURS, "", ""),
        meta.contacts_message(PHONE),
        meta.edit_message(PHONE, OURS, ""),
        meta.message(PHONE, "interactive", {"type": "nfm_reply", "nfm_reply": {}}),
        meta.message(PHONE, "ephemeral", {"x": [1]}),
        meta.unsupported_message(PHONE),
    ]
    kept = [item for item in parse(meta.payload([[items]])) if isinstance(item, Unreadable)]
    assert keys([*kept]) == ["shape"] * 5 + ["kind"] * 2


def test_a_changed_number_is_a_change_of_who_it_is(meta: Incoming) -> None:
    with capture_logs() as logs:
        changed = read(meta, meta.system_message(PHONE, "22507000009"))
    assert changed == IdentityChanged("+22507000009")
    assert PHONE not in str(logs)


# Who wrote, and to whom


def test_a_change_from_an_id_of_a_wrong_form_moves_nobody(meta: Incoming) -> None:
    system = {"type": "user_changed_user_id", "user_id": "CI.20", "previous_user_id": "bad!"}
    [kept] = parse(meta.payload([[[meta.message(PHONE, "system", system)]]]))
    assert isinstance(kept, Unreadable)
    assert kept.reason == "shape"


def test_what_is_for_another_number_of_the_business_is_left_out(meta: Incoming) -> None:
    payload = meta.payload(
        [[[meta.text_message(PHONE, "Bonjour")], [meta.status(PHONE, OURS, "read")]]]
    )
    for change in payload["entry"][0]["changes"]:
        change["value"]["metadata"]["phone_number_id"] = "1"
    with capture_logs() as logs:
        assert parse(payload) == []
    [warning] = [line for line in logs if line["log_level"] == "warning"]  # for the message alone
    assert warning["event"] == "whatsapp_other_number_ignored"
    assert warning["setting"] == "WHATSAPP_PHONE_NUMBER_ID"
    del payload["entry"][0]["changes"][0]["value"]["metadata"]
    assert parse(payload) == []


@pytest.mark.parametrize("sender", ["0701020304", "2٢٥٠٧٠١٠٢", "+225", "ci.1", "CI."])
def test_a_sender_who_cannot_be_read_is_kept_for_operators(meta: Incoming, sender: str) -> None:
    item = meta.text_message(PHONE, "Bonjour", **{"from": sender})
    with capture_logs() as logs:
        assert keys(parse(meta.payload([[[item]]]))) == ["sender"]
    assert [(entry["event"], entry["reason"]) for entry in logs] == [
        ("whatsapp_message_unreadable", "sender")
    ]


@pytest.mark.parametrize("fields", [{"from": "CI.134"}, {"from": "", "from_user_id": "CI.134"}])
def test_a_hidden_number_leaves_the_user_id(meta: Incoming, fields: dict[str, str]) -> None:
    [update] = parse(meta.payload([[[meta.text_message(PHONE, "Bonjour", **fields)]]]))
    assert isinstance(update, Update)
    assert (update.conversation, update.sender.user_id) == ("CI.134", "CI.134")


def test_both_ids_are_read_where_both_come(meta: Incoming) -> None:
    item = meta.text_message(PHONE, "Bonjour", from_user_id="CI.134")
    [update] = parse(meta.payload([[[item]]]))
    assert isinstance(update, Update)
    assert (update.sender.address, update.sender.user_id) == (f"+{PHONE}", "CI.134")


def test_without_a_sender_the_only_contact_is(meta: Incoming) -> None:
    hidden = meta.text_message(PHONE, "a")
    payload = meta.payload([[[hidden]]])
    del hidden["from"]
    assert keys(parse(payload)) == [hidden["id"]]
    payload["entry"][0]["changes"][0]["value"]["contacts"] = []
    assert keys(parse(payload)) == ["sender"]


def test_a_group_is_not_answered_as_if_it_were_a_person(meta: Incoming) -> None:
    item = meta.text_message(PHONE, "Bonjour", group_id="Y2FwaV9ncm91cDo")
    assert keys(parse(meta.payload([[[item]]]))) == ["sender"]


@pytest.mark.parametrize("contacts", [[], None, [{"wa_id": 5}], ["x"], [{"wa_id": PHONE}]])
def test_a_message_does_not_need_a_name(meta: Incoming, contacts: list[Any] | None) -> None:
    payload = meta.payload([[[meta.text_message(PHONE, "Bonjour")]]])
    value = payload["entry"][0]["changes"][0]["value"]
    value["contacts"] = contacts
    if contacts is None:
        del value["contacts"]
    [update] = parse(payload)
    assert isinstance(update, Update)
    assert update.sender == Sender(AWA)


def test_each_writer_of_a_batch_has_their_own_name(meta: Incoming) -> None:
    meta.names = {PHONE: "Awa", "22507000009": "Kofi"}
    items = [meta.text_message(phone, "Bonjour") for phone in ("22507000009", PHONE)]
    updates = [item for item in parse(meta.payload([[items]])) if isinstance(item, Update)]
    assert [update.sender.name for update in updates] == ["Kofi", "Awa"]


@pytest.mark.parametrize("timestamp", ["", "soon", "-1", "1e9", "9" * 400, "٣"])
def test_a_time_that_is_none_is_unknown(meta: Incoming, timestamp: str) -> None:
    [update] = parse(meta.payload([[[meta.text_message(PHONE, "x", timestamp=timestamp)]]]))
    assert isinstance(update, Update)
    assert update.at == 0.0


# Statuses


@pytest.mark.parametrize("state", ["sent", "delivered", "read"])
def test_a_status_tells_what_became_of_our_message(meta: Incoming, state: Status) -> None:
    item = meta.status(PHONE, OURS, state)
    expected = Receipt(
        via="whatsapp_cloud",
        provider_id=OURS,
        state=state,
        recipients=(f"+{PHONE}",),
        sender=NUMBER_ID,
        at=float(item["timestamp"]),
        pricing=Pricing(billable=False, category="service"),
    )
    assert parse(meta.payload([[[item]]])) == [expected]


@pytest.mark.parametrize(
    "pricing",
    [
        None,
        {},
        [],
        "free",
        -0.004,
        {"billable": "yes", "category": "service"},
        {"billable": -1, "category": "service"},
        {"billable": True},
        {"billable": True, "category": 7},
        {"billable": True, "category": "a b\0"},
        {"billable": True, "category": "x" * 41},
    ],
)
def test_a_price_that_cannot_be_read_is_left_out(meta: Incoming, pricing: Any) -> None:
    item = {**meta.status(PHONE, OURS, "delivered"), "pricing": pricing}
    [receipt] = parse(meta.payload([[[item]]]))
    assert isinstance(receipt, Receipt)
    assert (receipt.state, receipt.pricing) == ("delivered", None)


@pytest.mark.parametrize("wrong", [None, 7, [], "no number", "+225"])
def test_a_status_counts_whatever_stands_beside_it(meta: Incoming, wrong: Any) -> None:
    item = meta.status(PHONE, OURS, "delivered")
    odd = dict.fromkeys(("timestamp", "recipient_id", "recipient_user_id"), wrong)
    [receipt] = parse(meta.payload([[[{**item, **odd}]]]))
    assert isinstance(receipt, Receipt)
    assert (receipt.state, receipt.at, receipt.recipients) == ("delivered", 0.0, ())


def test_a_status_may_name_a_user_id(meta: Incoming) -> None:
    ids = {"recipient_id": None, "recipient_user_id": "CI.13491208655302741918"}
    item = {**meta.status(PHONE, OURS, "read"), **ids}
    [receipt] = parse(meta.payload([[[item]]]))
    assert isinstance(receipt, Receipt)
    assert receipt.recipients == ("CI.13491208655302741918",)


@pytest.mark.parametrize(
    ("code", "cause"), [(131047, "window"), (131026, "dead"), (131053, ""), (130429, "")]
)
def test_a_failure_tells_why(meta: Incoming, code: int, cause: str) -> None:
    item = meta.status(PHONE, OURS, "failed", code=code)
    [receipt] = parse(meta.payload([[[item]]]))
    assert isinstance(receipt, Receipt)
    assert (receipt.state, receipt.error, receipt.cause) == ("failed", str(code), cause)


def test_a_failure_without_a_reason_is_one(meta: Incoming) -> None:
    item = {**meta.status(PHONE, OURS, "failed", code=131026), "errors": []}
    [receipt] = parse(meta.payload([[[item]]]))
    assert isinstance(receipt, Receipt)
    assert (receipt.state, receipt.error) == ("failed", "")


@pytest.mark.parametrize(("code", "cause"), [("131047", "window"), (None, "")])
def test_a_failure_counts_however_its_code_is_written(
    meta: Incoming, code: str | None, cause: str
) -> None:
    item = {**meta.status(PHONE, OURS, "failed", code=131026), "errors": [{"code": code}]}
    [receipt] = parse(meta.payload([[[item]]]))
    assert isinstance(receipt, Receipt)
    assert (receipt.state, receipt.cause) == ("failed", cause)


def test_a_warning_beside_a_success_is_no_failure(meta: Incoming) -> None:
    item = {**meta.status(PHONE, OURS, "delivered"), "errors": [{"code": 131026}]}
    [receipt] = parse(meta.payload([[[item]]]))
    assert isinstance(receipt, Receipt)
    assert (receipt.state, receipt.error, receipt.cause) == ("delivered", "", "")


def test_an_unknown_status_is_left_out(meta: Incoming) -> None:
    item = {**meta.status(PHONE, OURS, "read"), "status": "played"}
    assert parse(meta.payload([[[item]]])) == []


def test_statuses_keep_the_order_they_came_in(meta: Incoming) -> None:
    states: list[Status] = ["read", "delivered", "sent"]
    items = [meta.status(PHONE, OURS, state) for state in states]
    told = [item.state for item in parse(meta.payload([[items]])) if isinstance(item, Receipt)]
    assert told == states


def test_errors_of_the_account_are_told_to_the_operator(meta: Incoming) -> None:
    payload = meta.payload([[[{"code": 130429, "title": "Rate limit hit"}]]])
    with capture_logs() as logs:
        assert parse(payload) == []
    assert [(entry["event"], entry["codes"]) for entry in logs] == [
        ("whatsapp_reported_errors", [130429])
    ]


# Batches


def test_a_batch_of_entries_changes_messages_and_statuses_is_read_whole(meta: Incoming) -> None:
    items = [meta.text_message(PHONE, str(number)) for number in range(5)]
    statuses = [meta.status(PHONE, f"wamid.{number}", "read") for number in range(3)]
    payload = meta.payload(
        [
            [[items[0], statuses[0], items[1]], [items[2]]],
            [],
            [[statuses[1]], [items[3], items[4], statuses[2]]],
        ]
    )
    assert keys(parse(payload)) == [
        items[0]["id"],
        items[1]["id"],
        "wamid.0",
        items[2]["id"],
        "wamid.1",
        items[3]["id"],
        items[4]["id"],
        "wamid.2",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        7,
        [],
        {},
        {"id": "wamid.x"},
        {"id": "", "type": "text", "from": PHONE},
        {"id": "x" * 513, "type": "text", "from": PHONE},
        {"id": "wamid.x", "type": "text", "from": 5},
        {"id": "wamid.x", "type": "text", "from": PHONE, "text": "Bonjour"},
        {"id": "wamid.x", "type": "text", "from": PHONE, "text": {"body": 5}},
        {"id": "wamid.x", "type": "image", "from": PHONE, "image": {"id": ""}},
        {
            "id": "wamid.x",
            "type": "location",
            "from": PHONE,
            "location": {"latitude": 91, "longitude": 0},
        },
    ],
)
def test_a_message_of_a_wrong_shape_does_not_lose_the_others(meta: Incoming, wrong: Any) -> None:
    first, last = meta.text_message(PHONE, "a"), meta.text_message(PHONE, "b")
    payload = meta.payload([[[first, last, meta.status(PHONE, OURS, "read")]]])
    payload["entry"][0]["changes"][0]["value"]["messages"].insert(1, wrong)
    with capture_logs() as logs:
        assert keys(parse(payload)) == [first["id"], "shape", last["id"], OURS]
    assert [entry["event"] for entry in logs] == [
        "whatsapp_item_malformed",
        "whatsapp_message_unreadable",
    ]
    assert not any(told in str(logs) for told in (PHONE, "Bonjour", "wamid"))


def test_nor_does_a_change_or_a_status_of_a_wrong_shape(meta: Incoming) -> None:
    kept = meta.status(PHONE, OURS, "read")
    payload = meta.payload([[[kept], [meta.text_message(PHONE, "a")]]])
    changes = payload["entry"][0]["changes"]
    changes[0]["value"]["statuses"] += [{"id": OURS}, "x"]
    changes[1]["value"]["messages"] = "x"
    assert keys(parse(payload)) == [OURS, "shape"]


@pytest.mark.parametrize("wrong", [None, 7, "x", [], {"changes": "x"}, {"changes": [None]}])
def test_an_entry_of_a_wrong_shape_does_not_lose_the_others(meta: Incoming, wrong: Any) -> None:
    kept = meta.text_message(PHONE, "a")
    payload = meta.payload([[[kept]]])
    payload["entry"].insert(0, wrong)
    with capture_logs() as logs:
        assert keys(parse(payload)) == ["shape", kept["id"]]
    entry, unreadable = logs
    assert entry["event"] == "whatsapp_item_malformed"
    assert unreadable["event"] == "whatsapp_message_unreadable"
    assert entry["kind"] in ("entry", "change")
    assert PHONE not in str(logs)


@pytest.mark.parametrize("wrong", [None, 7, "x", [], {}, {"field": 5, "value": {}}])
def test_a_change_of_a_wrong_shape_does_not_lose_the_others(meta: Incoming, wrong: Any) -> None:
    first, last = meta.text_message(PHONE, "a"), meta.text_message(PHONE, "b")
    payload = meta.payload([[[first], [last]]])
    payload["entry"][0]["changes"].insert(1, wrong)
    with capture_logs() as logs:
        assert keys(parse(payload)) == ["shape", first["id"], last["id"]]
    assert [entry.get("kind", entry["event"]) for entry in logs] == [
        "change",
        "whatsapp_message_unreadable",
    ]


@pytest.mark.parametrize("wrong", [None, 7, "x", [], ["x"]])
def test_a_value_of_a_wrong_shape_is_kept_for_the_operator(meta: Incoming, wrong: Any) -> None:
    payload = meta.payload([[[meta.text_message(PHONE, "a")]]])
    payload["entry"][0]["changes"][0]["value"] = wrong
    [kept] = parse(payload)
    assert isinstance(kept, Unreadable)
    assert (kept.reason, json.loads(kept.payload)) == ("shape", wrong)


@pytest.mark.parametrize("field", ["contacts", "messages", "statuses", "errors"])
@pytest.mark.parametrize("wrong", [None, 7, "x", {}])
def test_a_list_that_is_none_does_not_lose_the_others(
    meta: Incoming, field: str, wrong: Any
) -> None:
    message, status = meta.text_message(PHONE, "a"), meta.status(PHONE, OURS, "read")
    payload = meta.payload([[[message, status]]])
    payload["entry"][0]["changes"][0]["value"][field] = wrong
    with capture_logs() as logs:
        told = keys(parse(payload))
    is_kept = field == "messages" and wrong is not None
    lost = {"messages": [message["id"]], "statuses": [OURS]}.get(field, [])
    expected = [key for key in (message["id"], OURS) if key not in lost]
    assert told == (["shape", *expected] if is_kept else expected)
    assert bool(logs) is (wrong is not None)
    assert not any(told in str(logs) for told in (PHONE, "wamid", "Awa"))


def test_what_is_optional_may_be_null(meta: Incoming) -> None:
    items = [
        meta.text_message(PHONE, "a", context=None, contacts=None, group_id=None, timestamp=None),
        meta.image_message(PHONE),
        meta.location_message(PHONE, 5.32, -4.02, name=None, address=None),  # type: ignore[arg-type]
    ]
    items[1]["image"] |= {"caption": None, "filename": None}
    failed = meta.status(PHONE, OURS, "failed", code=131026) | {"errors": None}
    told = parse(meta.payload([[[*items, failed]]]))
    assert keys(told) == [*(item["id"] for item in items), OURS]
    assert all(item.at >= 0 for item in told if isinstance(item, Update))


def test_an_entry_without_changes_says_nothing(meta: Incoming) -> None:
    payload = meta.payload([[[meta.text_message(PHONE, "a")]]])
    payload["entry"].append({"id": "1", "changes": None})
    assert len(parse(payload)) == 1


HALVES = [r"\ud83d", r"\uDE00", r"\ud83d\ud83d", r"\ud83dx", r"\ud83d\n", r"\ude00\ud83d"]


@pytest.mark.parametrize("half", HALVES)
def test_half_a_character_is_replaced_and_loses_nothing(meta: Incoming, half: str) -> None:
    first, last = meta.text_message(PHONE, "So HALF"), meta.text_message(PHONE, "😀 \\ud83d é")
    body = bytes_of(meta.payload([[[first, last]]])).replace(b"HALF", half.encode())
    with capture_logs() as logs:
        updates = [item for item in parse_payload(body, NUMBER_ID) if isinstance(item, Update)]
    assert [update.message_key for update in updates] == [first["id"], last["id"]]
    mended, whole = (update.content for update in updates)
    assert isinstance(mended, Said)
    assert mended.text.startswith("So \ufffd")
    assert whole == Said("😀 \\ud83d é")
    assert [entry["event"] for entry in logs] == ["whatsapp_half_character_replaced"]
    assert PHONE not in str(logs)


def test_a_name_cut_within_an_emoji_is_still_a_name(meta: Incoming) -> None:
    meta.names = {PHONE: "Awa HALF"}
    payload = bytes_of(meta.payload([[[meta.text_message(PHONE, "a")]]]))
    [update] = parse_payload(payload.replace(b"HALF", rb"\ud83c"), NUMBER_ID)
    assert isinstance(update, Update)
    assert update.sender.name == "Awa \ufffd"


@given(st.text(st.sampled_from('\\ud83dDE0a\n"é😀\ud83d\ude00')))
def test_replacing_halves_is_what_reading_and_writing_utf_16_does(text: str) -> None:
    written = json.dumps(text).encode()
    expected = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert json.loads(replace_lone_surrogates(written)) == expected


@pytest.mark.parametrize("flood", [b"\\", b"\\\\", rb"\ud83d", rb"\u", rb"\ud83d\ude00"])
def test_a_flood_of_escapes_takes_linear_time(flood: bytes) -> None:
    body = b'{"' + flood * (1_000_000 // len(flood))
    started = time.perf_counter()
    with pytest.raises(BadRequest):
        parse_payload(body, NUMBER_ID)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("id_", ["\0", "wamid.\0x"])
def test_an_id_that_no_database_keeps_cannot_be_read(meta: Incoming, id_: str) -> None:
    wrong, kept = meta.text_message(PHONE, "a", id=id_), meta.text_message(PHONE, "b")
    status = meta.status(PHONE, id_, "read")
    assert keys(parse(meta.payload([[[wrong, kept, status]]]))) == ["shape", kept["id"]]


def test_a_time_beyond_every_calendar_is_unknown(meta: Incoming) -> None:
    items = [meta.text_message(PHONE, "x", timestamp="9" * digits) for digits in (11, 12)]
    moments = [item.at for item in parse(meta.payload([[items]])) if isinstance(item, Update)]
    assert moments == [99_999_999_999.0, 0.0]
    assert datetime.fromtimestamp(moments[0], UTC).year > 5000


def test_bytes_that_are_no_text_spoil_only_their_own_message(meta: Incoming) -> None:
    first, last = meta.text_message(PHONE, "broken"), meta.text_message(PHONE, "b")
    body = bytes_of(meta.payload([[[first, last]]])).replace(b"broken", b"\xff\xfe")
    assert keys(parse_payload(body, NUMBER_ID)) == ["shape", last["id"]]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"5",
        b"null",
        b"{}",
        b'{"object": "whatsapp_business_account"}',
        b'{"object": "whatsapp_business_account", "entry": {}}',
        b'{"object": "whatsapp_business_account", "entry": [5]}',
        b'{"object": "whatsapp_business_account", "entry": [{"changes": [{}]}]}',
        b'{"object": "whatsapp_business_account", "entry": []',
        b'{"object": "\xff", "entry": []}',
        b"[" * 100_000,
        b'{"object": "x", "entry": [{"changes": [{"value": ' + b"[" * 100_000,
    ],
)
def test_what_is_not_in_metas_frame_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_payload(body, NUMBER_ID)


def test_other_objects_and_fields_are_fine_and_left_out(meta: Incoming) -> None:
    assert parse({"object": "page", "entry": [{"id": "1", "time": 2, "messaging": []}]}) == []
    payload = meta.payload([[[meta.text_message(PHONE, "a")]]])
    payload["entry"][0]["changes"][0]["field"] = "message_template_status_update"
    assert parse(payload) == []


def test_fields_that_are_new_change_nothing(meta: Incoming) -> None:
    item = meta.text_message(PHONE, "Bonjour", from_user_id="CI.13491208655", novelty={"a": [1]})
    payload = meta.payload([[[item]]]) | {"novelty": 1}
    payload["entry"][0]["changes"][0]["value"]["novelty"] = [None]
    assert keys(parse(payload)) == [item["id"]]


def test_a_media_type_is_plain_and_small(meta: Incoming) -> None:
    item = meta.media_message(PHONE, "image", Held(b"x", "IMAGE/JPEG ; q=1"))
    said = read(meta, item)
    assert isinstance(said, Said)
    assert said.attachments[0].mime_type == "image/jpeg"

"""What Telegram sends, and what becomes of it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters.telegram.parse import parse_update
from bot.errors import BadRequest
from bot.messages.incoming import (
    Checkout,
    Edited,
    Migrated,
    Paid,
    Reachable,
    Reacted,
    Said,
    Sender,
    Tapped,
    Unreadable,
    Update,
)
from bot.standins.telegram_updates import BOT
from tests.adapters.telegram_parts import AWA, GROUP, ME, parse, parse_one
from tests.standins.telegram import TelegramStandIn
from tests.standins.telegram_updates import NOBODY, AllUpdates


@pytest.fixture
def updates() -> AllUpdates:
    return AllUpdates()


@pytest.fixture
def telegram() -> TelegramStandIn:
    return TelegramStandIn()


def test_a_text_says_who_wrote_what_where_and_when(updates: AllUpdates) -> None:
    update = updates.text_update(AWA, "Bonjour 👋🏾")
    message = update["message"]
    assert parse_one(update) == Update(
        channel="telegram",
        via="telegram",
        conversation="42",
        sender=Sender("42", "Awa Diop", "fr"),
        delivery_key=str(update["update_id"]),
        message_key=f"42:{message['message_id']}",
        content=Said("Bonjour 👋🏾"),
        at=message["date"],
    )


def test_an_edit_has_a_key_of_its_own(updates: AllUpdates) -> None:
    update = updates.edit_update(AWA, "Bonsoir", date=1_700_000_000)
    message = update["edited_message"]
    parsed = parse_one(update)
    edited = Edited("Bonsoir", f"42:{message['message_id']}")
    assert (parsed.content, parsed.at) == (edited, message["edit_date"])
    assert parsed.message_key.startswith(f"edit:42:{message['message_id']}:")


def test_edits_within_the_same_second_are_told_apart_by_their_text(updates: AllUpdates) -> None:
    update = updates.edit_update(AWA, "2 + 3")
    edited = update["edited_message"]
    again = updates.update("edited_message", edited)
    other = updates.update("edited_message", {**edited, "text": "2 + 4"})
    first, repeated, second = (parse_one(each).message_key for each in (update, again, other))
    assert first == repeated
    assert first != second


def test_a_tap_has_its_token_and_the_message_it_was_made_on(updates: AllUpdates) -> None:
    update = updates.callback_update(AWA, "token-1", message_id=77)
    query_id = update["callback_query"]["id"]
    parsed = parse_one(update)
    assert parsed.content == Tapped("token-1", query_id, "77")
    assert parsed.message_key == f"callback:{query_id}"
    assert (parsed.conversation, parsed.sender.address) == ("42", "42")


def test_a_tap_on_a_message_out_of_reach_names_no_message(updates: AllUpdates) -> None:
    update = updates.callback_update(AWA, "token-1", accessible=False)
    assert parse_one(update).content == Tapped("token-1", update["callback_query"]["id"], "")


@pytest.mark.parametrize(
    "fields", [{"inline_message_id": "AgAAAA", "data": "token-1"}, {"data": "token-1"}]
)
def test_a_tap_without_a_message_is_the_persons_own(
    updates: AllUpdates, fields: dict[str, Any]
) -> None:
    parsed = parse_one(updates.tap_update(AWA, **fields))
    [query_id] = updates.spinning
    assert parsed.content == Tapped("token-1", query_id)
    assert (parsed.conversation, parsed.group) == ("42", False)


def test_a_tap_without_a_token_still_asks_to_be_answered(updates: AllUpdates) -> None:
    game = updates.tap_update(AWA, inline_message_id="AgAAAA", game_short_name="chess")
    [query_id] = updates.spinning
    parsed = parse_one(game)
    assert parsed.content == Tapped("", query_id)
    assert parsed.message_key == f"callback:{query_id}"


def test_a_tap_in_a_group_is_of_the_person_who_tapped(updates: AllUpdates) -> None:
    parsed = parse_one(updates.callback_update(GROUP, "token-1", sender=AWA))
    assert (parsed.conversation, parsed.sender.address, parsed.group) == (str(GROUP), "42", True)


def test_a_reaction_is_reported(updates: AllUpdates) -> None:
    assert parse_one(updates.reaction_update(AWA, 5, "👍")).content == Reacted("👍")


@pytest.mark.parametrize("chat", [AWA, GROUP])
@pytest.mark.parametrize(
    ("status", "fields", "reachable"),
    [
        ("kicked", {}, False),
        ("left", {}, False),
        ("member", {}, True),
        ("administrator", {}, True),
        ("restricted", {}, True),
        ("restricted", {"can_send_messages": False}, False),
        ("restricted", {"is_member": False}, False),
    ],
)
def test_being_shut_out_and_let_in_again_are_told(
    updates: AllUpdates, chat: int, status: str, fields: dict[str, Any], reachable: bool
) -> None:
    update = updates.membership_update(chat, status, **fields)
    assert parse_one(update).content == Reachable(reachable)
    assert parse_one(update).conversation == str(chat)


def test_membership_in_a_channel_is_nothing(updates: AllUpdates) -> None:
    update = updates.membership_update(GROUP, "member")
    update["my_chat_member"]["chat"]["type"] = "channel"
    assert parse(update) == []


def test_both_groups_tell_of_a_migration_in_the_same_words(updates: AllUpdates) -> None:
    told = [parse_one(update) for update in updates.migration_updates(-55, to=-1009, sender=AWA)]
    in_the_old, in_the_new = told
    assert (in_the_old.conversation, in_the_old.content) == ("-55", Migrated("-1009"))
    assert in_the_old.message_key == "migrated:-55:-1009"
    assert in_the_old.delivery_key != in_the_new.delivery_key
    assert in_the_old == msgspec.structs.replace(
        in_the_new, delivery_key=in_the_old.delivery_key, at=in_the_old.at
    )


# Payments


def test_a_checkout_comes_from_the_persons_own_chat(telegram: TelegramStandIn) -> None:
    update = telegram.checkout_update(AWA, "pack:500", 50)
    [query_id] = telegram.checkouts
    parsed = parse_one(update)
    assert parsed.content == Checkout(query_id, "pack:500", 50, "XTR")
    assert (parsed.conversation, parsed.sender.address) == ("42", "42")
    assert parsed.message_key == f"checkout:{query_id}"


def test_a_payment_told_twice_is_one(telegram: TelegramStandIn) -> None:
    told = [
        parse_one(telegram.payment_update(AWA, "pack:500", 50, charge="stx9")) for _ in range(2)
    ]
    assert told[0].content == told[1].content == Paid("stx9", "pack:500", 50, "XTR")
    assert told[0].message_key == told[1].message_key == "paid:stx9"
    assert told[0].delivery_key != told[1].delivery_key


def test_a_payment_in_a_group_is_heard_though_nobody_names_the_bot(
    telegram: TelegramStandIn,
) -> None:
    parsed = parse_one(telegram.payment_update(GROUP, "pack:500", 50, sender=AWA))
    assert (type(parsed.content), parsed.sender.address) == (Paid, "42")


def test_a_payment_given_back_is_nothing(updates: AllUpdates) -> None:
    refund = {
        "currency": "XTR",
        "total_amount": 50,
        "invoice_payload": "pack:500",
        "telegram_payment_charge_id": "stx9",
    }
    assert parse(updates.message_update(AWA, refunded_payment=refund)) == []


# Topics, and who is not heard


def test_a_topic_is_a_conversation_of_its_own(updates: AllUpdates) -> None:
    update = updates.text_update(
        GROUP, "/help", sender=AWA, message_thread_id=9, is_topic_message=True
    )
    assert parse_one(update).conversation == f"{GROUP}/9"


def test_a_thread_of_replies_is_no_topic(updates: AllUpdates) -> None:
    update = updates.text_update(GROUP, "/help", sender=AWA, message_thread_id=9)
    assert parse_one(update).conversation == str(GROUP)


def test_the_general_topic_is_the_group_itself(updates: AllUpdates) -> None:
    forum = {"chat": {"id": GROUP, "type": "supergroup", "title": "CM2", "is_forum": True}}
    general = updates.text_update(GROUP, "/help", sender=AWA, **forum)
    numbered = updates.text_update(
        GROUP, "/help", sender=AWA, message_thread_id=1, is_topic_message=True, **forum
    )
    assert {parse_one(update).conversation for update in (general, numbered)} == {str(GROUP)}


def test_a_tap_and_an_edit_in_a_topic_are_of_the_topic(updates: AllUpdates) -> None:
    topic = {"message_thread_id": 9, "is_topic_message": True}
    tap = updates.callback_update(GROUP, "token-1", sender=AWA, **topic)
    edit = updates.edit_update(GROUP, "/help", sender=AWA, **topic)
    assert {parse_one(update).conversation for update in (tap, edit)} == {f"{GROUP}/9"}


def test_a_private_chat_may_have_topics_too(updates: AllUpdates) -> None:
    update = updates.text_update(AWA, "salut", message_thread_id=9, is_topic_message=True)
    assert (parse_one(update).conversation, parse_one(update).group) == ("42/9", False)


def test_an_edit_in_a_group_is_heard_only_when_it_speaks_to_the_bot(updates: AllUpdates) -> None:
    assert parse(updates.edit_update(GROUP, "salut", sender=AWA)) == []
    edit = updates.edit_update(GROUP, "/help", sender=AWA)
    key = f"{GROUP}:{edit['edited_message']['message_id']}"
    assert parse_one(edit).content == Edited("/help", key)


def test_a_live_location_that_moves_is_no_edit(updates: AllUpdates) -> None:
    place = {"latitude": 5.35, "longitude": -4.01, "live_period": 900}
    message = updates.message(AWA, location=place, edit_date=1_700_000_000)
    assert parse(updates.update("edited_message", message)) == []


def test_bots_and_channels_are_not_heard(updates: AllUpdates) -> None:
    from_bot = updates.update("message", {**updates.message(AWA, text="x"), "from": BOT})
    edited_by_bot = updates.update(
        "edited_message", {**updates.message(AWA, text="x"), "from": BOT}
    )
    post = updates.update("channel_post", updates.message(AWA, text="x"))
    letters = {"id": GROUP, "type": "supergroup", "is_direct_messages": True}
    to_a_channel = updates.text_update(GROUP, "/help", sender=AWA, chat=letters)
    from_a_channel = updates.text_update(
        GROUP,
        "/help",
        sender=777000,
        is_automatic_forward=True,
        sender_chat={"id": -1005, "type": "channel"},
    )
    for update in (from_bot, edited_by_bot, post, to_a_channel, from_a_channel):
        assert parse(update) == []


@pytest.mark.parametrize("is_bot", [True, False])
def test_a_group_that_writes_is_no_person(updates: AllUpdates, is_bot: bool) -> None:
    """The same user stands in for the anonymous administrators of all groups."""
    message = updates.text_update(GROUP, "/help", sender=AWA)["message"]
    assert parse(updates.update("message", message))
    message |= {"from": NOBODY | {"is_bot": is_bot}}
    message |= {"sender_chat": {"id": GROUP, "type": "supergroup"}}
    assert parse(updates.update("message", message)) == []


def test_a_kind_of_chat_of_tomorrow_is_taken_for_a_group(updates: AllUpdates) -> None:
    update = updates.text_update(AWA, "/help", chat={"id": AWA, "type": "gathering"})
    assert parse_one(update).group


@pytest.mark.parametrize(
    "update",
    [
        {"update_id": 1},
        {"update_id": 1, "a_kind_of_tomorrow": {"message": 5}},
        {"update_id": 1, "poll_answer": {"poll_id": "1", "option_ids": [0]}},
    ],
)
def test_an_unknown_kind_of_update_is_nothing(update: dict[str, Any]) -> None:
    assert parse_update(msgspec.json.encode(update), ME) == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe",
        b'{"update_id": "1"}',
        b'{"update_id": 1, "message": ' + b'{"reply_to_message":' * 5000 + b"1" + b"}" * 5001,
    ],
)
def test_a_body_that_is_no_update_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_update(body, ME)


@pytest.mark.parametrize(
    "message",
    [
        b"[]",
        b'{"message_id": 1}',
        b'{"message_id": 1, "chat": {"id": 1}}',
        b'{"message_id": 1, "chat": {"id": 1, "type": "private"}, "text": "\xed\xa0\x80"}',
    ],
)
def test_an_update_of_another_form_is_kept_for_operators(message: bytes) -> None:
    [kept] = parse_update(b'{"update_id": 1, "message": ' + message + b"}", ME)
    assert isinstance(kept, Unreadable)
    assert (kept.channel, kept.reason) == ("telegram", "shape")


def test_half_a_character_in_a_name_does_not_cost_the_message() -> None:
    body = (
        b'{"update_id": 1, "message": {"message_id": 2, "date": 0, "text": "Bonjour",'
        b' "chat": {"id": 5, "type": "private"},'
        b' "from": {"id": 5, "is_bot": false, "first_name": "Awa \\ud83d"}}}'
    )
    [update] = parse_update(body, None)
    assert update.content == Said("Bonjour")
    assert update.sender.name == "Awa \ufffd"

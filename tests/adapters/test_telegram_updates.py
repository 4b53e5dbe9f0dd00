"""What Telegram sends, and what becomes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.telegram_schema import User
from adapters.telegram_updates import parse_update
from bot.errors import BadRequest
from bot.messages import (
    Attachment,
    Edited,
    Migrated,
    Reachable,
    Reacted,
    Said,
    Sender,
    SharedContact,
    SharedLocation,
    Tapped,
    Update,
)
from tests.standins.telegram_schema import update_validator
from tests.standins.telegram_updates import BOT, Updates

AWA = 42
GROUP = -1001234
ME = User(BOT["id"], is_bot=True, username=BOT["username"])


@pytest.fixture
def updates() -> Updates:
    return Updates()


def parse(update: dict[str, Any], me: User | None = ME) -> list[Update]:
    update_validator().validate(update)
    return parse_update(json.dumps(update).encode(), me)


def parse_one(update: dict[str, Any], me: User | None = ME) -> Update:
    [parsed] = parse(update, me)
    return parsed


def test_a_text_says_who_wrote_what_where_and_when(updates: Updates) -> None:
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


def test_the_largest_size_of_a_photo_is_taken_with_its_caption(updates: Updates) -> None:
    update = updates.photo_update(AWA, b"12345678", caption="Exercice 3")
    large = update["message"]["photo"][1]["file_id"]
    assert parse_one(update).content == Said(
        "Exercice 3", (Attachment("image", large, mime_type="image/jpeg", size=8),)
    )


def test_the_photos_of_an_album_share_its_id(updates: Updates) -> None:
    album = [parse_one(update) for update in updates.album_updates(AWA, 5, caption="Ma copie")]
    contents = [update.content for update in album]
    assert all(isinstance(content, Said) for content in contents)
    assert len({content.album for content in contents if isinstance(content, Said)}) == 1
    assert contents[0] == Said("Ma copie", contents[0].attachments, contents[0].album)
    assert contents[0].album
    assert len({update.message_key for update in album}) == 5


def test_a_document_keeps_its_name_and_type(updates: Updates) -> None:
    update = updates.document_update(AWA, b"%PDF", "Été à Abidjan.pdf", "application/pdf")
    file_id = update["message"]["document"]["file_id"]
    assert parse_one(update).content == Said(
        attachments=(
            Attachment("document", file_id, "Été à Abidjan.pdf", "application/pdf", size=4),
        )
    )


def test_a_voice_note_is_marked_as_one(updates: Updates) -> None:
    update = updates.voice_update(AWA)
    file_id = update["message"]["voice"]["file_id"]
    assert parse_one(update).content == Said(
        attachments=(Attachment("audio", file_id, mime_type="audio/ogg", size=4, voice=True),)
    )


@pytest.mark.parametrize("name", ["video", "video_note", "animation"])
def test_moving_pictures_are_documents(updates: Updates, name: str) -> None:
    video = {"file_id": "V", "file_unique_id": "v", "width": 1, "height": 1, "duration": 1}
    video |= {"length": 1} if name == "video_note" else {}
    content = parse_one(updates.message_update(AWA, **{name: video})).content
    assert content == Said(attachments=(Attachment("document", "V"),))


def test_an_animation_that_comes_as_a_document_too_is_one_file(updates: Updates) -> None:
    file = {"file_id": "A", "file_unique_id": "a", "file_name": "a.mp4"}
    animation = {**file, "width": 1, "height": 1, "duration": 1}
    content = parse_one(updates.message_update(AWA, animation=animation, document=file)).content
    assert content == Said(attachments=(Attachment("document", "A", "a.mp4"),))


def test_a_song_is_audio_but_no_voice_note(updates: Updates) -> None:
    song = {"file_id": "S", "file_unique_id": "s", "duration": 9, "file_name": "s.mp3"}
    content = parse_one(updates.message_update(AWA, audio=song)).content
    assert content == Said(attachments=(Attachment("audio", "S", "s.mp3"),))


def test_a_sticker_is_said_by_its_emoji(updates: Updates) -> None:
    assert parse_one(updates.sticker_update(AWA, "😀")).content == Said("[sticker 😀]")


def test_a_location_has_its_coordinates_and_a_venue_its_name(updates: Updates) -> None:
    plain = updates.location_update(AWA, 5.35, -4.01)
    venue = updates.location_update(
        AWA,
        5.35,
        -4.01,
        venue={
            "location": {"latitude": 5.35, "longitude": -4.01},
            "title": "Lycée Classique",
            "address": "Cocody",
        },
    )
    assert parse_one(plain).content == SharedLocation(5.35, -4.01)
    assert parse_one(venue).content == SharedLocation(5.35, -4.01, "Lycée Classique")


def test_a_contact_names_the_user_whose_card_it_is(updates: Updates) -> None:
    own = updates.contact_update(AWA, "2250701020304", owner=AWA)
    assert parse_one(own).content == SharedContact("+2250701020304", "Awa", str(AWA))


def test_a_contact_of_nobody_on_telegram_has_no_owner_and_its_number_as_it_stands(
    updates: Updates,
) -> None:
    other = updates.contact_update(AWA, "07 01 02 03 04", owner=None)
    assert parse_one(other).content == SharedContact("07 01 02 03 04", "Awa", "")


def test_a_reply_carries_what_it_replies_to(updates: Updates) -> None:
    original = updates.message(AWA, text="Combien font 2+2 ?")
    update = updates.text_update(AWA, "4", reply_to_message=original)
    assert parse_one(update).content == Said("4", quoted="Combien font 2+2 ?")


def test_a_reply_to_a_passage_carries_the_passage(updates: Updates) -> None:
    original = updates.message(AWA, text="Un. Deux. Trois.")
    quote = {"text": "Deux.", "position": 4}
    update = updates.text_update(AWA, "Pourquoi ?", reply_to_message=original, quote=quote)
    assert parse_one(update).content == Said("Pourquoi ?", quoted="Deux.")


def test_an_edit_has_a_key_of_its_own(updates: Updates) -> None:
    update = updates.edit_update(AWA, "Bonsoir", date=1_700_000_000)
    message = update["edited_message"]
    parsed = parse_one(update)
    assert (parsed.content, parsed.at) == (Edited("Bonsoir"), message["edit_date"])
    assert parsed.message_key == f"edit:42:{message['message_id']}:{message['edit_date']}"


def test_a_tap_has_its_token_and_the_message_it_was_made_on(updates: Updates) -> None:
    update = updates.callback_update(AWA, "token-1", message_id=77)
    query_id = update["callback_query"]["id"]
    parsed = parse_one(update)
    assert parsed.content == Tapped("token-1", query_id, "77")
    assert parsed.message_key == f"callback:{query_id}"
    assert (parsed.conversation, parsed.sender.address) == ("42", "42")


def test_a_tap_on_a_message_out_of_reach_names_no_message(updates: Updates) -> None:
    update = updates.callback_update(AWA, "token-1", accessible=False)
    assert parse_one(update).content == Tapped("token-1", update["callback_query"]["id"], "")


def test_a_tap_in_a_group_is_of_the_person_who_tapped(updates: Updates) -> None:
    parsed = parse_one(updates.callback_update(GROUP, "token-1", sender=AWA))
    assert (parsed.conversation, parsed.sender.address, parsed.group) == (str(GROUP), "42", True)


def test_a_reaction_is_reported(updates: Updates) -> None:
    assert parse_one(updates.reaction_update(AWA, 5, "👍")).content == Reacted("👍")


@pytest.mark.parametrize(("status", "reachable"), [("kicked", False), ("member", True)])
def test_blocking_the_bot_and_coming_back_are_told(
    updates: Updates, status: str, reachable: bool
) -> None:
    assert parse_one(updates.membership_update(AWA, status)).content == Reachable(reachable)


def test_a_group_that_became_a_supergroup_tells_where_it_went(updates: Updates) -> None:
    parsed = parse_one(updates.migration_update(-55, to=-1009))
    assert (parsed.conversation, parsed.content) == ("-55", Migrated("-1009"))


def test_a_topic_is_a_conversation_of_its_own(updates: Updates) -> None:
    update = updates.text_update(
        GROUP, "/help", sender=AWA, message_thread_id=9, is_topic_message=True
    )
    assert parse_one(update).conversation == f"{GROUP}/9"


def test_a_thread_of_replies_is_no_topic(updates: Updates) -> None:
    update = updates.text_update(GROUP, "/help", sender=AWA, message_thread_id=9)
    assert parse_one(update).conversation == str(GROUP)


def test_bots_and_channels_are_not_heard(updates: Updates) -> None:
    from_bot = updates.update("message", {**updates.message(AWA, text="x"), "from": BOT})
    post = updates.update("channel_post", updates.message(AWA, text="x"))
    assert parse(from_bot) == []
    assert parse(post) == []


@pytest.mark.parametrize(
    "update",
    [
        {"update_id": 1},
        {"update_id": 1, "a_kind_of_tomorrow": {"message": 5}},
        {
            "update_id": 1,
            "pre_checkout_query": {
                "id": "1",
                "from": {"id": AWA, "is_bot": False, "first_name": "Awa"},
                "currency": "XTR",
                "total_amount": 50,
                "invoice_payload": "pack",
            },
        },
    ],
)
def test_an_unknown_kind_of_update_is_nothing(update: dict[str, Any]) -> None:
    assert parse(update) == []


def test_a_kind_of_message_that_says_nothing_is_nothing(updates: Updates) -> None:
    assert parse(updates.message_update(AWA, dice={"emoji": "🎲", "value": 3})) == []


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
        b'{"update_id": 1, "message": []}',
        b'{"update_id": 1, "message": {"message_id": 1, "chat": {"id": 1}}}',
        b'{"update_id": 1, "message": {"message_id": 1, "chat": {"id": 1, "type": "private"},'
        b' "text": "\xed\xa0\x80"}}',
        b'{"update_id": 1, "message": ' + b'{"reply_to_message":' * 5000 + b"1" + b"}" * 5001,
    ],
)
def test_a_body_that_is_no_update_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_update(body, ME)

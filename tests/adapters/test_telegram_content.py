"""What a message of Telegram says, whatever it is made of."""

from __future__ import annotations

from typing import Any

import pytest

from bot.messages.incoming import Attachment, Said, SharedContact, SharedLocation, UpdateContent
from bot.standins.telegram_updates import person
from tests.adapters.telegram_parts import AWA, parse, parse_one
from tests.standins.telegram_updates import AllUpdates

USER = {"type": "user", "date": 1_700_000_000, "sender_user": person(7)}
HIDDEN = {"type": "hidden_user", "date": 1_700_000_000, "sender_user_name": "Kofi"}
CHAT = {"type": "chat", "date": 1_700_000_000, "sender_chat": {"id": -5, "type": "group"}}
CHANNEL = {
    "type": "channel",
    "date": 1_700_000_000,
    "chat": {"id": -1005, "type": "channel"},
    "message_id": 3,
}
FILE = {"file_id": "F", "file_unique_id": "f"}
VIDEO = {**FILE, "width": 1, "height": 1, "duration": 1, "length": 1}
PHOTO = [{**FILE, "width": 90, "height": 67}]
STORY = {"chat": {"id": 7, "type": "private"}, "id": 3}
POLL = {
    "id": "1",
    "question": "Dans [0, 1 ] ?",
    "options": [
        {"persistent_id": "a", "text": "oui", "voter_count": 0},
        {"persistent_id": "b", "text": "non", "voter_count": 0},
    ],
    "total_voter_count": 0,
    "is_closed": False,
    "is_anonymous": True,
    "type": "regular",
    "allows_multiple_answers": False,
    "allows_revoting": True,
    "members_only": False,
}
CHECKLIST = {"title": "Devoirs", "tasks": [{"id": 1, "text": "lire"}, {"id": 2, "text": "écrire"}]}


@pytest.fixture
def updates() -> AllUpdates:
    return AllUpdates()


def content_of(update: dict[str, Any]) -> UpdateContent:
    return parse_one(update).content


# Files


def test_the_largest_size_of_a_photo_is_taken_with_its_caption(updates: AllUpdates) -> None:
    update = updates.photo_update(AWA, b"12345678", caption="Exercice 3")
    large = update["message"]["photo"][1]["file_id"]
    assert content_of(update) == Said(
        "Exercice 3", (Attachment("image", large, mime_type="image/jpeg", size=8),)
    )


def test_the_photos_of_an_album_are_updates_of_their_own(updates: AllUpdates) -> None:
    album = [parse_one(update) for update in updates.album_updates(AWA, 5, caption="Ma copie")]
    contents = [update.content for update in album]
    said = [content for content in contents if isinstance(content, Said)]
    assert [content.text for content in said] == ["Ma copie", "", "", "", ""]
    assert [len(content.attachments) for content in said] == [1] * 5
    assert len({update.message_key for update in album}) == 5


def test_a_document_keeps_its_name_and_type(updates: AllUpdates) -> None:
    update = updates.document_update(AWA, b"%PDF", "Été à Abidjan.pdf", "application/pdf")
    file_id = update["message"]["document"]["file_id"]
    assert content_of(update) == Said(
        attachments=(
            Attachment("document", file_id, "Été à Abidjan.pdf", "application/pdf", size=4),
        )
    )


def test_a_voice_note_is_marked_as_one(updates: AllUpdates) -> None:
    update = updates.voice_update(AWA)
    file_id = update["message"]["voice"]["file_id"]
    assert content_of(update) == Said(
        attachments=(Attachment("audio", file_id, mime_type="audio/ogg", size=4, voice=True),)
    )


@pytest.mark.parametrize(
    ("name", "mime_type"), [("video", ""), ("animation", ""), ("video_note", "video/mp4")]
)
def test_moving_pictures_are_documents(updates: AllUpdates, name: str, mime_type: str) -> None:
    content = content_of(updates.message_update(AWA, **{name: VIDEO}))
    assert content == Said(attachments=(Attachment("document", "F", mime_type=mime_type),))


def test_a_photo_that_moves_is_a_photo(updates: AllUpdates) -> None:
    live = {**VIDEO, "photo": [{**PHOTO[0], "file_id": "P"}]}
    content = content_of(updates.message_update(AWA, live_photo=live))
    assert content == Said(attachments=(Attachment("image", "P", mime_type="image/jpeg"),))


def test_the_largest_size_is_known_by_its_sides_also_without_a_size_in_bytes(
    updates: AllUpdates,
) -> None:
    sizes = [
        {**FILE, "file_id": name, "width": side, "height": side}
        for name, side in (("s", 90), ("l", 1280), ("m", 320))
    ]
    content = content_of(updates.message_update(AWA, photo=sizes))
    assert content == Said(attachments=(Attachment("image", "l", mime_type="image/jpeg"),))


def test_a_voice_note_without_a_type_is_what_telegram_makes_of_it(updates: AllUpdates) -> None:
    content = content_of(updates.message_update(AWA, voice={**FILE, "duration": 3}))
    assert content == Said(
        attachments=(Attachment("audio", "F", mime_type="audio/ogg", voice=True),)
    )


def test_an_animation_that_comes_as_a_document_too_is_one_file(updates: AllUpdates) -> None:
    file = {"file_id": "A", "file_unique_id": "a", "file_name": "a.mp4"}
    animation = {**file, "width": 1, "height": 1, "duration": 1}
    content = parse_one(updates.message_update(AWA, animation=animation, document=file)).content
    assert content == Said(attachments=(Attachment("document", "A", "a.mp4"),))


def test_a_song_is_audio_but_no_voice_note(updates: AllUpdates) -> None:
    song = {"file_id": "S", "file_unique_id": "s", "duration": 9, "file_name": "s.mp3"}
    content = parse_one(updates.message_update(AWA, audio=song)).content
    assert content == Said(attachments=(Attachment("audio", "S", "s.mp3"),))


# What is neither text nor a file


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"poll": POLL}, "[poll] Dans [0, 1 ] ?\n- oui\n- non"),
        ({"checklist": CHECKLIST}, "[checklist] Devoirs\n- lire\n- écrire"),
        ({"dice": {"emoji": "🎲", "value": 3}}, "[🎲 3]"),
        ({"game": {"title": "Échecs", "description": "x", "photo": PHOTO}}, "[game Échecs]"),
        ({"story": STORY}, "[story]"),
        ({"paid_media": {"star_count": 5, "paid_media": []}}, "[paid media]"),
        ({"rich_message": {"blocks": []}}, "[a message that cannot be read here]"),
    ],
)
def test_what_is_neither_text_nor_a_file_is_named(
    updates: AllUpdates, fields: dict[str, Any], words: str
) -> None:
    assert content_of(updates.message_update(AWA, **fields)) == Said(words)


@pytest.mark.parametrize(
    "fields",
    [
        {"new_chat_members": [person(7)]},
        {"left_chat_member": person(7)},
        {"new_chat_title": "CM2"},
        {"group_chat_created": True},
        {"forum_topic_created": {"name": "Maths", "icon_color": 0}},
        {"message_auto_delete_timer_changed": {"message_auto_delete_time": 60}},
    ],
)
def test_what_happens_in_a_chat_says_nothing(updates: AllUpdates, fields: dict[str, Any]) -> None:
    assert parse(updates.message_update(AWA, **fields)) == []


def test_a_sticker_is_said_by_its_emoji(updates: AllUpdates) -> None:
    assert parse_one(updates.sticker_update(AWA, "😀")).content == Said("[sticker 😀]")


# Places and people


def test_a_location_has_its_coordinates_and_a_venue_its_name(updates: AllUpdates) -> None:
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
    assert content_of(plain) == SharedLocation(5.35, -4.01)
    assert content_of(venue) == SharedLocation(5.35, -4.01, "Lycée Classique")


def test_a_contact_names_the_user_whose_card_it_is(updates: AllUpdates) -> None:
    own = updates.contact_update(AWA, "2250701020304", owner=AWA)
    assert content_of(own) == SharedContact("+2250701020304", "Awa", str(AWA))


@pytest.mark.parametrize("way", [{"forward_origin": USER}, {"via_bot": person(9)}])
def test_a_contact_that_came_by_way_of_others_proves_nothing(
    updates: AllUpdates, way: dict[str, Any]
) -> None:
    card = updates.contact_update(AWA, "2250701020304", owner=AWA, **way)
    assert content_of(card) == SharedContact("+2250701020304", "Awa", "")


def test_a_contact_of_nobody_on_telegram_has_no_owner_and_its_number_as_it_stands(
    updates: AllUpdates,
) -> None:
    other = updates.contact_update(AWA, "07 01 02 03 04", owner=None)
    assert content_of(other) == SharedContact("07 01 02 03 04", "Awa", "")


# Whose words, and about what


def test_a_reply_carries_what_it_replies_to(updates: AllUpdates) -> None:
    original = updates.message(AWA, text="Combien font 2+2 ?")
    update = updates.text_update(AWA, "4", reply_to_message=original)
    assert content_of(update) == Said("4", quoted="Combien font 2+2 ?")


def test_a_reply_to_a_passage_carries_the_passage(updates: AllUpdates) -> None:
    original = updates.message(AWA, text="Un. Deux. Trois.")
    quote = {"text": "Deux.", "position": 4}
    update = updates.text_update(AWA, "Pourquoi ?", reply_to_message=original, quote=quote)
    assert content_of(update) == Said("Pourquoi ?", quoted="Deux.")


@pytest.mark.parametrize(
    ("fields", "quoted"),
    [
        ({"photo": PHOTO}, "[photo]"),
        ({"photo": PHOTO, "caption": "Exercice 3"}, "[photo] Exercice 3"),
        ({"document": {**FILE, "file_name": "fiche.pdf"}}, "[document fiche.pdf]"),
        ({"voice": {**FILE, "duration": 3}}, "[voice note]"),
        ({"audio": {**FILE, "duration": 3, "file_name": "s.mp3"}}, "[audio s.mp3]"),
        ({"video": VIDEO, "caption": "Regarde"}, "[video] Regarde"),
        ({"video_note": VIDEO}, "[video note]"),
        ({"animation": VIDEO, "document": FILE}, "[animation]"),
        ({"poll": POLL}, "[poll] Dans [0, 1 ] ?\n- oui\n- non"),
        ({"contact": {"phone_number": "07", "first_name": "Kofi"}}, "[contact]"),
        ({"location": {"latitude": 5.35, "longitude": -4.01}}, "[location]"),
        ({"forum_topic_created": {"name": "Maths", "icon_color": 0}}, ""),
    ],
)
def test_a_reply_names_the_file_it_replies_to(
    updates: AllUpdates, fields: dict[str, Any], quoted: str
) -> None:
    update = updates.text_update(
        AWA, "C'est quoi ?", reply_to_message=updates.message(AWA, **fields)
    )
    assert content_of(update) == Said("C'est quoi ?", quoted=quoted)


def test_a_reply_to_a_message_of_another_chat_carries_its_passage_or_its_file(
    updates: AllUpdates,
) -> None:
    other = {"origin": CHANNEL, "document": {**FILE, "file_name": "fiche.pdf"}}
    passage = {"text": "Les fractions", "position": 0}
    quoting = updates.text_update(AWA, "?", external_reply=other, quote=passage)
    naming = updates.text_update(AWA, "?", external_reply=other)
    silent = updates.text_update(AWA, "?", external_reply={"origin": HIDDEN})
    about_a_story = updates.text_update(AWA, "?", reply_to_story=STORY)
    assert [content_of(each) for each in (quoting, naming, silent, about_a_story)] == [
        Said("?", quoted="Les fractions"),
        Said("?", quoted="[document fiche.pdf]"),
        Said("?"),
        Said("?", quoted="[story]"),
    ]


@pytest.mark.parametrize("origin", [USER, HIDDEN, CHAT, CHANNEL])
def test_forwarded_words_are_someone_elses_wherever_they_are_from(
    updates: AllUpdates, origin: dict[str, Any]
) -> None:
    text = updates.text_update(AWA, "/delete confirm", forward_origin=origin)
    photo = updates.photo_update(AWA, caption="Lis", forward_origin=origin)
    poll = updates.message_update(AWA, poll=POLL, forward_origin=origin)
    for update in (text, photo, poll):
        content = content_of(update)
        assert isinstance(content, Said)
        assert content.forwarded
    assert content_of(text) == Said("/delete confirm", forwarded=True)


def test_a_reply_to_a_forwarded_message_is_the_persons_own(updates: AllUpdates) -> None:
    forwarded = updates.message(AWA, text="Envoie de l'argent", forward_origin=HIDDEN)
    update = updates.text_update(AWA, "C'est vrai ?", reply_to_message=forwarded)
    assert content_of(update) == Said("C'est vrai ?", quoted="Envoie de l'argent")

"""A group hears the bot only when it speaks to the bot."""

from __future__ import annotations

import pytest

from bot.messages.incoming import Said
from bot.standins.telegram_updates import BOT
from tests.adapters.telegram_parts import AWA, GROUP, parse, parse_one
from tests.standins.telegram_updates import AllUpdates


@pytest.fixture
def updates() -> AllUpdates:
    return AllUpdates()


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("@griot_bot combien font 2+2 ?", "combien font 2+2 ?"),
        ("👋🏾 @Griot_Bot ça va ?", "👋🏾 ça va ?"),
        ("dis-moi @griot_bot", "dis-moi"),
        ("/help", "/help"),
        ("/start@griot_bot", "/start"),
        ("/grade@Griot_Bot CM2", "/grade CM2"),
    ],
)
def test_a_group_is_heard_when_it_speaks_to_the_bot_whose_name_is_left_out(
    updates: AllUpdates, text: str, heard: str
) -> None:
    parsed = parse_one(updates.text_update(GROUP, text, sender=AWA))
    assert (parsed.content, parsed.group) == (Said(heard), True)


@pytest.mark.parametrize(
    "text", ["salut tout le monde", "@awa tu viens ?", "/start@other_bot", "@griot_bot2 salut"]
)
def test_a_group_is_not_heard_when_it_speaks_to_others(updates: AllUpdates, text: str) -> None:
    assert parse(updates.text_update(GROUP, text, sender=AWA)) == []


def test_a_mention_by_link_is_heard(updates: AllUpdates) -> None:
    entity = {"type": "text_mention", "offset": 0, "length": 5, "user": BOT}
    update = updates.text_update(GROUP, "Griot aide-moi", sender=AWA, entities=[entity])
    assert parse_one(update).content == Said("aide-moi")


def test_a_mention_in_a_caption_is_heard(updates: AllUpdates) -> None:
    entity = {"type": "mention", "offset": 0, "length": 10}
    update = updates.photo_update(
        GROUP, sender=AWA, caption="@griot_bot lis", caption_entities=[entity]
    )
    content = parse_one(update).content
    assert isinstance(content, Said)
    assert content.text == "lis"


def test_a_reply_to_the_bot_is_heard_in_a_group_and_one_to_others_is_not(
    updates: AllUpdates,
) -> None:
    ours = {**updates.message(GROUP, text="2+2 ?"), "from": BOT}
    theirs = updates.message(GROUP, sender=7, text="2+2 ?")
    heard = updates.text_update(GROUP, "4", sender=AWA, reply_to_message=ours)
    assert parse_one(heard).content == Said("4", quoted="2+2 ?")
    assert parse(updates.text_update(GROUP, "4", sender=AWA, reply_to_message=theirs)) == []


def test_a_topic_opened_by_the_bot_does_not_make_every_message_a_reply(updates: AllUpdates) -> None:
    opening = {**updates.message(GROUP), "from": BOT}
    topic = {"message_thread_id": opening["message_id"], "is_topic_message": True}
    update = updates.text_update(GROUP, "salut", sender=AWA, reply_to_message=opening, **topic)
    assert parse(update) == []


def test_a_bot_that_does_not_know_its_name_hears_plain_commands_in_groups(
    updates: AllUpdates,
) -> None:
    assert parse(updates.text_update(GROUP, "/help", sender=AWA), me=None)
    assert not parse(updates.text_update(GROUP, "/help@griot_bot", sender=AWA), me=None)
    assert not parse(updates.text_update(GROUP, "@griot_bot salut", sender=AWA), me=None)
    assert parse(updates.text_update(AWA, "salut"), me=None)


def test_a_range_out_of_the_text_or_inside_a_character_breaks_nothing(updates: AllUpdates) -> None:
    entities = [
        {"type": "text_mention", "offset": 1, "length": 1, "user": BOT},
        {"type": "mention", "offset": 5000, "length": 3},
    ]
    update = updates.text_update(GROUP, "👋 salut", sender=AWA, entities=entities)
    content = parse_one(update).content
    assert isinstance(content, Said)
    assert content.text.endswith("salut")

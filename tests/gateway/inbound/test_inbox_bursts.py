"""What becomes one turn, and what never waits."""

from __future__ import annotations

from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.gateway.inbound.bursts import LONG_TEXT, MAX_JOINED, Bursts, belong_together, join_updates
from bot.gateway.inbound.command_parser import note_command
from bot.gateway.inbound.inbox import (
    Inbox,
    Pending,
)
from bot.gateway.lanes import Lanes
from bot.gateway.turns.retry import postpone_turn
from bot.messages.incoming import Attachment, Said, SharedLocation, Tapped, UpdateContent
from tests.support.app import update
from tests.support.queries import NOW, Plus, add_row, change_rows, read_seconds_until
from tests.support.waiting import until

BURSTS = Bursts(short=0.15, long=0.3, most=0.6)


def _said(text: str, sender: str = "1") -> Any:
    import msgspec

    one = update(text)
    return msgspec.structs.replace(one, sender=msgspec.structs.replace(one.sender, address=sender))


async def _next(database: Database, inbox: Inbox) -> Pending:
    """The first update that a worker would handle, as soon as it is ready."""
    lanes = Lanes(database, 15, ["fake"])
    found: list[Pending] = []

    async def look() -> bool:
        for claim in await lanes.claim(1):
            waiting = await inbox.next_or_release(claim)
            if waiting and waiting.pending:
                found.append(waiting.pending)
        return bool(found)

    await until(look)
    return found[0]


async def test_what_follows_at_once_joins_the_turn(database: Database) -> None:
    inbox = Inbox(database, BURSTS)
    for text in ("What is", "a verb?", "An example please"):
        await inbox.store([update(text)])
    pending = await _next(database, inbox)
    assert isinstance(pending.update.content, Said)
    assert pending.update.content.text == "What is\na verb?\nAn example please"
    assert len(pending.members) == 2


async def test_each_message_of_a_burst_makes_it_wait_anew(database: Database) -> None:
    inbox = Inbox(database, Bursts(short=100, long=200, most=1000))
    await inbox.store([update("one")])
    await change_rows(database, "inbox", {"ready_at": Plus(-90)})
    await inbox.store([update("two")])
    waits = await read_seconds_until(database, "inbox", "ready_at")
    assert all(95 < wait <= 100 for wait in waits)


async def test_a_burst_has_an_end(database: Database) -> None:
    inbox = Inbox(database, Bursts(short=100, long=200, most=120))
    await inbox.store([update("one")])
    await change_rows(database, "inbox", {"stored_at": Plus(-90)})
    await inbox.store([update("two")])
    first, _ = await read_seconds_until(database, "inbox", "ready_at")
    assert 25 < first <= 30


async def test_an_album_is_one_update_with_all_its_photos(database: Database) -> None:
    inbox = Inbox(database, BURSTS)
    photos = [Said("look" if n == 0 else "", (Attachment("image", f"p{n}"),)) for n in range(5)]
    await inbox.store([update(photo) for photo in photos])
    pending = await _next(database, inbox)
    assert isinstance(pending.update.content, Said)
    assert [item.reference for item in pending.update.content.attachments] == [
        f"p{n}" for n in range(5)
    ]
    assert pending.update.content.text == "look"


async def test_what_another_person_says_in_between_ends_it(database: Database) -> None:
    inbox = Inbox(database, BURSTS)
    await inbox.store([_said("a", "1"), _said("b", "2"), _said("c", "1")])
    pending = await _next(database, inbox)
    assert pending.members == ()


async def test_a_place_between_two_texts_ends_it(database: Database) -> None:
    inbox = Inbox(database, BURSTS)
    await inbox.store([update("a"), update(SharedLocation(5.3, -4.0)), update("c")])
    assert (await _next(database, inbox)).members == ()


@pytest.mark.parametrize(
    ("content", "wait"),
    [
        (Said("hello"), 0.15),
        (Said("x" * LONG_TEXT), 0.3),
        (Said("", (Attachment("image", "p"),)), 0.3),
        (Said("/help"), 0.0),
        (Said("/new"), 0.0),
        (Tapped("t"), 0.0),
        (SharedLocation(1, 2), 0.0),
    ],
)
def test_how_long_it_waits(content: UpdateContent, wait: float) -> None:
    assert BURSTS.wait(note_command(update(content))) == wait


def test_where_someone_watches_nothing_waits() -> None:
    assert Bursts(1, 2, 3, frozenset({"fake"})).wait(update("hello")) == 0


def test_forwarded_words_do_not_mix_with_ones_own() -> None:
    own, forwarded = update("mine"), update(Said("theirs", forwarded=True))
    assert not belong_together(own, forwarded)
    assert belong_together(own, update("mine too"))


def test_one_alone_stays_as_it_is() -> None:
    alone = update("alone")
    assert join_updates([alone]) is alone


@pytest.mark.parametrize(
    ("times", "text"),
    [
        ((12.0, 10.0, 11.0), "b\nc\na"),
        ((10.0, 10.0, 10.0), "a\nb\nc"),
        ((12.0, 0.0, 11.0), "a\nb\nc"),
    ],
    ids=["late", "same second", "a channel without a clock"],
)
def test_what_came_out_of_order_is_read_as_it_was_sent(times: Any, text: str) -> None:
    import msgspec

    burst = [
        msgspec.structs.replace(update(letter), at=at)
        for letter, at in zip("abc", times, strict=True)
    ]
    joined = join_updates(burst)
    assert isinstance(joined.content, Said)
    assert joined.content.text == text
    assert joined.delivery_key == burst[0].delivery_key


async def test_a_turn_that_was_begun_takes_nobody_in_after_a_crash(database: Database) -> None:
    inbox = Inbox(database, BURSTS)
    [first, second] = await inbox.store([update("one"), update("two")])
    pending = await _next(database, inbox)
    assert pending.members == (second,)
    await add_row(database, "turn", lane="telegram:1", id=first, attempts=1, started_at=NOW)
    await change_rows(database, "inbox", {"turn": first}, seq=second)
    await inbox.store([update("three")])
    await change_rows(database, "lane", {"owner": None, "due_at": NOW})
    again = await _next(database, inbox)
    assert again.members == (second,)
    assert again.attempts == 1


async def test_what_follows_a_turn_that_waits_for_its_next_attempt_does_not_hurry_it(
    database: Database,
) -> None:
    inbox = Inbox(database, BURSTS)
    [first] = await inbox.store([update("one")])
    lanes = Lanes(database, 15, ["fake"])
    await _next(database, inbox)
    await change_rows(database, "lane", {"owner": None, "due_at": NOW})
    [claim] = await lanes.claim(1)

    async def work(tx: Any) -> None:
        pending = Pending(first or 0, update("one"))
        await postpone_turn(tx, claim, pending, pause=60, seconds_used=60, error="no model")

    await database.write(work)
    await inbox.store([update("two")])
    [wait] = await read_seconds_until(database, "inbox", "ready_at", seq=first)
    assert wait > 50


async def test_an_album_without_end_is_cut_into_turns(database: Database) -> None:
    """Each is bounded, and nothing of it is lost or told twice."""
    inbox = Inbox(database, BURSTS)
    names = [f"p{number}" for number in range(MAX_JOINED + 10)]
    photos = [update(Said("", (Attachment("image", name),))) for name in names]
    await inbox.store(photos)
    taken: list[str] = []
    while len(taken) < len(names):
        pending = await _next(database, inbox)
        assert len(pending.members) <= MAX_JOINED
        assert isinstance(pending.update.content, Said)
        taken += [item.reference for item in pending.update.content.attachments]
        for seq in (pending.seq, *pending.members):
            await change_rows(database, "inbox", {"state": "done"}, seq=seq)
        await change_rows(database, "lane", {"owner": None, "due_at": NOW})
    assert taken == names


@pytest.mark.parametrize("content", ["x" * LONG_TEXT, Said("", (Attachment("image", "p"),))])
def test_switched_off_nothing_waits(content: UpdateContent | str) -> None:
    assert Bursts(short=0, long=2).wait(note_command(update(content))) == 0

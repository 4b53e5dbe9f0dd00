"""What a turn writes down before it goes on: in order, each once, only by who has the lane."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.errors import LeaseLost
from bot.gateway.inbound.inbox import Inbox, Pending
from bot.gateway.lanes import Claim
from bot.gateway.turns.journal import TurnJournal, TurnRecord, append_rows, read_record
from bot.messages.incoming import Said
from bot.messages.value import encode
from tests.support.app import update
from tests.support.fakes import reply
from tests.support.queries import Not, Plus, change_rows, read_rows
from tests.support.turns import (
    make_finished,
    make_user_messages,
    store_and_claim,
)


async def _begin(database: Database, *, steers: bool = False) -> tuple[TurnJournal, Claim, Pending]:
    claim, pending = await store_and_claim(database, "my question")

    async def work(tx: Any) -> None:
        await append_rows(
            tx, claim.lane, pending.seq, 0, [("user", encode(make_user_messages("my question")[0]))]
        )

    await database.write(work)
    record = TurnRecord(make_user_messages("my question"), rows=1)
    return TurnJournal(database, claim, pending, record, steers=steers), claim, pending


async def _record(database: Database, pending: Pending) -> TurnRecord:
    async def work(tx: Any) -> TurnRecord:
        return await read_record(tx, "telegram:1", pending.seq)

    return await database.read(work)


async def _kinds(database: Database) -> list[str]:
    rows = await read_rows(database, "journal", order_by="step")
    return [row["kind"] for row in rows]


async def test_what_was_done_is_read_back_in_order(database: Database) -> None:
    journal, _, pending = await _begin(database)
    asked = reply("let me see", ("look", "{}"))
    await journal.replied(asked)
    await journal.intends("1/c1", "look")
    await journal.finished([make_finished("c1"), make_finished("c2")])
    record = await _record(database, pending)
    assert record.user == make_user_messages("my question")
    assert record.steps == [asked, make_finished("c1"), make_finished("c2")]
    assert record.intents == {"1/c1"}
    assert record.rows == 5


async def test_whoever_takes_it_up_goes_on_below(database: Database) -> None:
    journal, claim, pending = await _begin(database)
    await journal.replied(reply("one"))
    again = TurnJournal(database, claim, pending, await _record(database, pending))
    await again.replied(reply("two"))
    assert (await _record(database, pending)).steps == [reply("one"), reply("two")]


async def test_what_may_have_happened_is_not_begun_again(database: Database) -> None:
    journal, claim, pending = await _begin(database)
    assert await journal.intends("1/c1", "send")
    assert not await journal.intends("1/c1", "send")
    again = TurnJournal(database, claim, pending, await _record(database, pending))
    assert not await again.intends("1/c1", "send")
    assert await again.intends("2/c1", "send")
    assert await _kinds(database) == ["user", "intent", "intent"]


async def test_a_row_whose_commit_nobody_saw_is_written_once(database: Database) -> None:
    journal, claim, pending = await _begin(database)
    twin = TurnJournal(database, claim, pending, TurnRecord(rows=1))
    await journal.replied(reply("once"))
    await twin.replied(reply("once"))
    assert (await _record(database, pending)).steps == [reply("once")]


WRITES: dict[str, Callable[[TurnJournal], Awaitable[object]]] = {
    "replied": lambda journal: journal.replied(reply("late")),
    "intends": lambda journal: journal.intends("1/c1", "send"),
    "finished": lambda journal: journal.finished([make_finished()]),
    "arrived": lambda journal: journal.arrived(make_user_messages("late")[0]),
    "overheard": lambda journal: journal.overheard(),
}
LOSSES = {
    "taken": {"fence": Plus(1)},
    "another's": {"owner": "another"},
    "nobody's": {"owner": None},
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("loss", LOSSES)
async def test_who_lost_the_lane_writes_nothing(database: Database, write: str, loss: str) -> None:
    journal, _, pending = await _begin(database, steers=True)
    await Inbox(database).store([update("meanwhile")])
    await change_rows(database, "lane", LOSSES[loss])
    with pytest.raises(LeaseLost):
        await WRITES[write](journal)
    assert await _record(database, pending) == TurnRecord(make_user_messages("my question"), rows=1)
    taken = await read_rows(database, "inbox", turn=Not(None))
    assert taken == []


async def test_what_arrived_takes_the_place_of_the_words_alone(database: Database) -> None:
    claim, pending = await store_and_claim(database, Said("look"))

    async def work(tx: Any) -> None:
        await append_rows(
            tx, claim.lane, pending.seq, 0, [("arriving", encode(make_user_messages("look")[0]))]
        )

    await database.write(work)
    assert (await _record(database, pending)).arriving
    journal = TurnJournal(database, claim, pending, TurnRecord(rows=1))
    await journal.arrived(make_user_messages("look: a photo")[0])
    assert await _record(database, pending) == TurnRecord(
        make_user_messages("look: a photo"), rows=1
    )


async def test_a_row_that_is_there_stays(database: Database) -> None:
    _, claim, pending = await _begin(database)

    async def work(tx: Any) -> None:
        rows = [("user", encode(message)) for message in make_user_messages("another", "below it")]
        await append_rows(tx, claim.lane, pending.seq, 0, rows)

    await database.write(work)
    assert (await _record(database, pending)).user == make_user_messages("my question", "below it")


async def test_without_steering_nothing_is_overheard(database: Database) -> None:
    journal, _, _ = await _begin(database)
    await Inbox(database).store([update("meanwhile")])
    assert await journal.overheard() == []
    assert await _kinds(database) == ["user"]
    assert await read_rows(database, "inbox", turn=Not(None)) == []


async def test_what_is_overheard_is_written_among_the_steps_once(database: Database) -> None:
    journal, _, pending = await _begin(database, steers=True)
    await journal.replied(reply("", ("look", "{}")))
    numbers = await Inbox(database).store([update("and this"), update("and that")])
    assert await journal.overheard() == make_user_messages("and this", "and that")
    assert await journal.overheard() == []
    await journal.replied(reply("both"))
    record = await _record(database, pending)
    assert record.user == make_user_messages("my question")
    assert record.steps == [
        reply("", ("look", "{}")),
        *make_user_messages("and this", "and that"),
        reply("both"),
    ]
    assert journal.members == numbers

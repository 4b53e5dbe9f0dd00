"""The journal read back: what one turn has done, and what a model is told of earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.contracts.turn import Finished
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.turns.journal import (
    HISTORY_CHARACTERS,
    HISTORY_ROWS,
    TurnRecord,
    append_rows,
    read_history,
    read_record,
)
from bot.messages.transcript import (
    AssistantMessage,
    Message,
    ModelReply,
    SystemMessage,
    ToolResult,
    UserMessage,
)
from bot.messages.value import encode
from tests.support.app import update
from tests.support.fakes import reply
from tests.support.queries import change_rows
from tests.support.turns import make_finished, make_user_messages

LANE = "telegram:1"
Row = tuple[str, str]


def _user(text: str) -> Row:
    return "user", encode(make_user_messages(text)[0])


def _reply(made: ModelReply) -> Row:
    return "reply", encode(made)


def _result(finished: Finished) -> Row:
    return "result", encode(finished)


async def _write(
    database: Database, turn: int, *rows: Row, lane: str = LANE, first: int = 0
) -> None:
    async def work(tx: Any) -> None:
        await append_rows(tx, lane, turn, first, rows)

    await database.write(work)


async def _read_record(database: Database, turn: int) -> TurnRecord:
    async def work(tx: Any) -> TurnRecord:
        return await read_record(tx, LANE, turn)

    return await database.read(work)


async def _read_history(database: Database, turn: int) -> list[Message]:
    async def work(tx: Any) -> list[Message]:
        return (await read_history(tx, LANE, turn, LANE)).messages

    return await database.read(work)


@pytest.fixture(autouse=True)
async def lane(database: Database) -> None:
    await Inbox(database).store([update("hello")])


# One turn ---------------------------------------------------------------------------------------


async def test_a_turn_that_never_began_has_an_empty_record(database: Database) -> None:
    await _write(database, 2, _user("of another turn"))
    await _write(database, 1, _user("of another lane"), lane="telegram:2")
    assert await _read_record(database, 1) == TurnRecord()


async def test_what_was_heard_meanwhile_stands_where_it_was_heard(database: Database) -> None:
    asked = reply("", ("look", "{}"))
    await _write(
        database, 1, _user("q"), _reply(asked), _user("and this"), _result(make_finished())
    )
    record = await _read_record(database, 1)
    assert record.user == make_user_messages("q")
    assert record.messages == [
        *make_user_messages("q"),
        asked.message,
        *make_user_messages("and this"),
        make_finished().result,
    ]


async def test_attachments_that_were_not_brought_are_to_be_brought(database: Database) -> None:
    await _write(database, 1, ("arriving", encode(make_user_messages("look")[0])))
    record = await _read_record(database, 1)
    assert (record.user, record.arriving) == (make_user_messages("look"), True)


async def test_what_was_about_to_run_is_no_message_but_counts_as_a_row(database: Database) -> None:
    intent = "intent", '{"key": "1/c1", "name": "send"}'
    await _write(database, 1, _user("q"), intent)
    record = await _read_record(database, 1)
    assert (record.messages, record.intents, record.rows) == (make_user_messages("q"), {"1/c1"}, 2)


# Earlier turns ----------------------------------------------------------------------------------


async def test_only_earlier_turns_of_this_lane_are_history_oldest_first(database: Database) -> None:
    for turn in (3, 1, 4, 2):
        await _write(database, turn, _user(f"q{turn}"), _reply(reply(f"a{turn}")))
    await _write(database, 2, _user("elsewhere"), lane="telegram:2")
    told = [message.text for message in await _read_history(database, 3) if _speaks(message)]
    assert told == ["q1", "a1", "q2", "a2"]


def _speaks(message: Message) -> bool:
    return isinstance(message, UserMessage | AssistantMessage)


async def test_what_came_before_a_new_conversation_is_forgotten(database: Database) -> None:
    await _write(database, 1, _user("old"))
    await _write(database, 2, _user("new"))
    await change_rows(database, "lane", {"history_from": 2})
    assert await _read_history(database, 3) == make_user_messages("new")


async def test_what_was_never_said_to_a_model_is_no_history(database: Database) -> None:
    intent = "intent", '{"key": "1/c1", "name": "send"}'
    await _write(database, 1, ("arriving", encode(make_user_messages("look")[0])), intent)
    assert await _read_history(database, 2) == []


async def test_an_earlier_turns_reasoning_stays_there(database: Database) -> None:
    thought = AssistantMessage("answer", reasoning="hm", endpoint="https://one")
    await _write(database, 1, _user("q"), _reply(ModelReply(thought)))
    assert (await _read_history(database, 2))[1] == AssistantMessage("answer")


async def test_history_begins_with_the_person(database: Database) -> None:
    called = reply("", ("look", "{}"))
    rows = (_reply(called), _result(make_finished("call_look_0")), _user("q"), _reply(reply("a")))
    await _write(database, 1, *rows)
    assert await _read_history(database, 2) == [*make_user_messages("q"), reply("a").message]


def _results(messages: Sequence[Message]) -> list[tuple[str, bool]]:
    return [
        (message.call_id, message.is_error)
        for message in messages
        if isinstance(message, ToolResult)
    ]


@pytest.mark.parametrize("later", [True, False])
async def test_a_call_that_was_interrupted_has_a_result_all_the_same(
    database: Database, later: bool
) -> None:
    called = reply("", ("look", "{}"), ("send", "{}"))
    await _write(database, 1, _user("q"), _reply(called), _result(make_finished("call_look_0")))
    if later:
        await _write(database, 2, _user("and now?"))
    history = await _read_history(database, 3)
    assert _results(history) == [("call_look_0", False), ("call_send_1", True)]
    assert isinstance(history[-1], UserMessage) is later


async def test_a_result_that_nobody_asked_for_is_left_out(database: Database) -> None:
    called = reply("", ("look", "{}"))
    twice = _result(make_finished("call_look_0"))
    rows = (_user("q"), _result(make_finished("stray")), _reply(called), twice, twice)
    await _write(database, 1, *rows)
    assert _results(await _read_history(database, 2)) == [("call_look_0", False)]


async def test_only_the_newest_rows_are_history(database: Database) -> None:
    count = HISTORY_ROWS + 5
    await _write(database, 1, *[_user(f"q{number}") for number in range(count)])
    expected = make_user_messages(*[f"q{number}" for number in range(5, count)])
    assert await _read_history(database, 2) == expected


async def test_only_as_many_characters_as_fit_are_history(database: Database) -> None:
    third = HISTORY_CHARACTERS // 3
    for turn in range(1, 5):
        await _write(database, turn, _user(f"{turn}" * (third - 100)))
    history = await _read_history(database, 5)
    assert [message.text[0] for message in history if _speaks(message)] == ["2", "3", "4"]


async def test_the_summary_stays_however_much_follows_it(database: Database) -> None:
    summary = ("summary", encode(SystemMessage("What was before.")))
    await _write(database, 1, summary)
    await change_rows(database, "lane", {"summarised": 1})
    third = HISTORY_CHARACTERS // 3
    for turn in range(2, 6):
        await _write(database, turn, _user(f"{turn}" * (third - 100)))
    history = await _read_history(database, 6)
    assert [message.text[0] for message in history] == ["W", "3", "4", "5"]
    await _write(database, 6, *[_user("q")] * HISTORY_ROWS)
    assert (await _read_history(database, 7))[0].text == "What was before."

"""A conversation read back for debugging: all of it for operators, less for the person."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.contracts.turn import Finished
from bot.gateway.conversation_history import read_conversation_events
from bot.gateway.turns.journal import append_rows
from bot.messages.transcript import AssistantMessage, ModelReply, ToolCall, ToolResult, Usage
from bot.messages.value import encode
from tests.support.queries import add_row, change_rows
from tests.support.turns import make_user_messages

LANE = "telegram:1"
QUIZ = {
    "question": "Capital?",
    "options": ["Bamako", "Dakar"],
    "correct_index": 1,
    "explanation": "since 1958",
}
STATEMENT = {"statement": "2+2=5", "is_true": False, "explanation": "it is four"}
Event = dict[str, Any]


def _reply(text: str, *calls: ToolCall) -> tuple[str, str]:
    usage = Usage(100, 10, usd=0.5)
    return "reply", encode(ModelReply(AssistantMessage(text, calls), usage, "some-model"))


def _result(call: str, name: str, text: str, *, is_error: bool = False) -> tuple[str, str]:
    return "result", encode(Finished(ToolResult(call, name, text, is_error)))


def _user(text: str) -> tuple[str, str]:
    return "user", encode(make_user_messages(text)[0])


async def _write(database: Database, turn: int, *rows: tuple[str, str], lane: str = LANE) -> None:
    """Rows of a turn, all of one moment."""

    async def work(tx: Any) -> None:
        await append_rows(tx, lane, turn, 0, rows)

    await database.write(work)
    await change_rows(database, "journal", {"at": 1000.0 * turn}, turn=turn, lane=lane)


async def _fail(database: Database, error: str, *, at: float, turn: int = 1) -> None:
    await add_row(
        database, "turn", lane=LANE, id=turn, state="dead", error=error, started_at=at, ended_at=at
    )


def _brief(events: list[Event]) -> list[tuple[str, str]]:
    return [(event["event_type"], event["content"]) for event in events]


async def test_each_step_is_an_event_oldest_first(database: Database) -> None:
    call = ToolCall("c1", "look", '{"for": "it"}')
    intent = "intent", '{"key": "1/c1", "name": "look"}'
    done = _result("c1", "look", "found")
    lost = _result("c2", "look", "gone", is_error=True)
    await _write(database, 1, _user("q"), _reply("let me see", call), intent, done, lost)
    await _write(database, 2, _user("thanks"), _reply("welcome"))
    events = await read_conversation_events(database, LANE)
    assert _brief(events) == [
        ("user_message", "q"),
        ("agent_response", "let me see"),
        ("tool_call", '{"for": "it"}'),
        ("tool_result", "found"),
        ("tool_error", "gone"),
        ("user_message", "thanks"),
        ("agent_response", "welcome"),
    ]
    assert len({event["event_id"] for event in events}) == len(events)


async def test_an_event_says_when_it_was_and_to_what_it_belongs(database: Database) -> None:
    call = ToolCall("c1", "look", "{}")
    await _write(database, 1, _user("q"), _reply("hm", call), _result("c1", "look", "found"))
    first, response, called, result = await read_conversation_events(database, LANE)
    assert set(first) == {"event_id", "timestamp", "event_type", "content", "metadata"}
    assert datetime.fromisoformat(first["timestamp"]).timestamp() == 1000.0
    assert first["metadata"] == {"turn_id": "1"}
    assert response["metadata"]["model"] == "some-model"
    assert response["metadata"]["usage"] == {
        "input_tokens": 100,
        "output_tokens": 10,
        "usd": 0.5,
    }
    assert called["metadata"] == {"turn_id": "1", "name": "look", "call_id": "c1"}
    assert result["metadata"] == {"turn_id": "1", "name": "look", "call_id": "c1"}


async def test_only_the_newest_events_of_this_lane(database: Database) -> None:
    await _write(database, 1, _user("elsewhere"), lane="telegram:2")
    await _write(database, 2, *[_user(f"q{number}") for number in range(5)])
    await _write(database, 3, _user("elsewhere again"), lane="telegram:2")
    events = await read_conversation_events(database, LANE, limit=2)
    assert _brief(events) == [("user_message", "q3"), ("user_message", "q4")]


async def test_a_turn_that_failed_is_an_event_at_its_time(database: Database) -> None:
    await _write(database, 1, _user("q"))
    await _write(database, 2, _user("again"))
    await _fail(database, "KeyError: 'secret'", at=1500.0)
    await _fail(database, "", at=2500.0, turn=2)
    assert _brief(await read_conversation_events(database, LANE)) == [
        ("user_message", "q"),
        ("error", "KeyError: 'secret'"),
        ("user_message", "again"),
    ]


async def test_a_person_sees_that_it_failed_but_not_of_what(database: Database) -> None:
    await _write(database, 1, _user("q"))
    await _fail(database, "KeyError: 'secret'", at=1500.0)
    events = await read_conversation_events(database, LANE, reader=0)
    assert _brief(events) == [("user_message", "q"), ("error", "The turn failed.")]
    assert "secret" not in str(events)


@pytest.mark.parametrize(
    ("arguments", "hidden", "shown"),
    [
        (QUIZ, {"correct_index", "explanation"}, {"question", "options"}),
        (STATEMENT, {"is_true", "explanation"}, {"statement"}),
    ],
)
@pytest.mark.parametrize("reader", [0, None])
async def test_nobody_is_shown_the_answers_of_quizzes(
    database: Database, arguments: Event, hidden: set[str], shown: set[str], reader: int | None
) -> None:
    written = json.dumps(arguments)
    await _write(database, 1, _user("q"), _reply("", ToolCall("c1", "interactive_quiz", written)))
    [_, event] = await read_conversation_events(database, LANE, reader=reader)
    assert json.loads(event["content"]) == {name: arguments[name] for name in shown}
    assert not hidden & set(json.loads(event["content"]))


@pytest.mark.parametrize(
    "arguments",
    ['{"correct_index": 1', '["correct_index", 1]', "correct_index: 1", "[", '{"a":' * 5000, ""],
)
async def test_what_an_answer_could_be_read_from_is_left_out_whole(
    database: Database, arguments: str
) -> None:
    await _write(database, 1, _reply("", ToolCall("c1", "interactive_quiz", arguments)))
    [event] = await read_conversation_events(database, LANE)
    assert (event["event_type"], event["content"]) == ("tool_call", "")


async def test_arguments_of_other_tools_are_shown_as_they_were_written(database: Database) -> None:
    await _write(database, 1, _reply("", ToolCall("c1", "look", '{"for": ')))
    [event] = await read_conversation_events(database, LANE)
    assert event["content"] == '{"for": '

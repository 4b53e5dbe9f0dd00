"""Where the turns of a conversation begin."""

from __future__ import annotations

from hypothesis import given

from bot.agent.summary_request import find_turns
from bot.messages.transcript import AssistantMessage, Message, SystemMessage, UserMessage
from tests.agent.conversations import conversations, said, tool_round


def test_a_turn_begins_with_the_first_of_several_messages_in_a_row() -> None:
    note, answer = SystemMessage("note"), AssistantMessage("yes")
    asked = said("?")
    assert find_turns([note, asked, answer, asked, note, asked, answer, asked]) == [1, 3, 7]


def test_tool_rounds_are_within_their_turn() -> None:
    assert find_turns([said("?"), *tool_round(1, [5, 5]), *tool_round(2, [5]), said("!")]) == [0, 6]


def test_nothing_has_no_turns() -> None:
    assert find_turns([]) == []
    assert find_turns([AssistantMessage("hello")]) == []


@given(conversations())
def test_every_turn_begins_with_a_message_of_the_user(messages: list[Message]) -> None:
    starts = find_turns(messages)
    assert starts == sorted(set(starts))
    assert all(isinstance(messages[start], UserMessage) for start in starts)

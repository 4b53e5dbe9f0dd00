"""What is objected to goes back to the model, at most twice, and is repaired after that."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.agent.loop import Loop
from bot.agent.turn import Turn
from bot.contracts.turn import Correction, Finished
from bot.errors import StreamBroken
from bot.events import Content, Event
from bot.messages.transcript import ModelReply, SystemMessage, ToolResult, Usage
from tests.support.fakes import FakeModel, MemoryJournal, reply
from tests.support.guardrails import WordGuardrail
from tests.support.noting_tools import Bench

MakeLoop = Callable[..., Loop]
MakeTurn = Callable[..., Turn]


@pytest.fixture
def turn(make_turn: MakeTurn) -> Turn:
    return guarded(make_turn())


def guarded(turn: Turn, *, keeps_secrets: bool = False) -> Turn:
    turn.guardrail = WordGuardrail(keeps_secrets=keeps_secrets)
    turn.__post_init__()
    return turn


async def test_the_model_answers_again_and_knows_why(make_loop: MakeLoop, turn: Turn) -> None:
    model = FakeModel(reply("WRONG"), reply("RIGHT"))
    assert await make_loop(model).run(turn) == "answered"
    assert turn.answer == "RIGHT"
    note = model.requests[1].messages[-1]
    assert isinstance(note, SystemMessage)
    assert "“WRONG”: is RIGHT" in note.text
    assert turn.corrections == ["maths"]


async def test_three_requests_at_most_make_one_answer(make_loop: MakeLoop, turn: Turn) -> None:
    model = FakeModel(reply("WRONG 1"), reply("WRONG 2"), reply("WRONG 3"))
    assert await make_loop(model).run(turn) == "answered"
    assert turn.answer == "? 3"
    assert len(model.requests) == 3


async def test_a_second_leak_is_replaced(make_loop: MakeLoop, turn: Turn) -> None:
    model = FakeModel(reply("SECRET"), reply("SECRET"))
    await make_loop(model).run(turn)
    assert turn.answer == "a hint"


async def test_both_kinds_together_take_three_requests(make_loop: MakeLoop, turn: Turn) -> None:
    model = FakeModel(reply("WRONG"), reply("SECRET"), reply("WRONG"))
    await make_loop(model).run(turn)
    assert turn.answer == "?"


async def test_calls_after_wrong_words_do_not_run(
    make_loop: MakeLoop, turn: Turn, bench: Bench
) -> None:
    call = ("look", '{"word": "a"}')
    model = FakeModel(reply("WRONG", call), reply("RIGHT", call), reply("done"))
    await make_loop(model).run(turn)
    assert bench.log == ["start a", "end a"]
    assert turn.answer == "RIGHT\n\ndone"
    result = model.requests[1].messages[-1]
    assert isinstance(result, ToolResult)
    assert result.is_error


@pytest.mark.parametrize(("keeps", "ran"), [(True, []), (False, ["start SECRET", "end SECRET"])])
async def test_a_question_gives_away_nothing_that_is_still_asked(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: Bench, keeps: bool, ran: list[str]
) -> None:
    turn = guarded(make_turn(), keeps_secrets=keeps)
    model = FakeModel(reply("", ("ask", '{"word": "SECRET"}')), reply("done"))
    await make_loop(model).run(turn)
    assert bench.log == ran
    result = model.requests[1].messages[-1]
    assert isinstance(result, ToolResult)
    assert result.is_error == keeps


async def test_a_question_may_be_wrong(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: Bench
) -> None:
    turn = guarded(make_turn(), keeps_secrets=True)
    model = FakeModel(reply("", ("ask", '{"word": "WRONG"}')), reply("done"))
    await make_loop(model).run(turn)
    assert bench.log == ["start WRONG", "end WRONG"]


async def test_the_last_iteration_is_repaired(make_loop: MakeLoop, make_turn: MakeTurn) -> None:
    turn = guarded(make_turn(iterations=1))
    assert await make_loop(FakeModel(reply("WRONG")), max_iterations=1).run(turn) == "limit"
    assert turn.answer == "?"


async def test_an_answer_that_broke_off_is_repaired(make_loop: MakeLoop, turn: Turn) -> None:
    broken = StreamBroken("cut", text="It is WRONG", usage=Usage(), model="m")
    with pytest.raises(StreamBroken):
        await make_loop(FakeModel(broken)).run(turn)
    assert turn.prose == ["It is ?"]


async def test_nothing_wrong_is_shown(make_loop: MakeLoop, turn: Turn, events: list[Event]) -> None:
    await make_loop(FakeModel(reply("Look:\nWRONG"), reply("Look:\nRIGHT"))).run(turn)
    assert "".join(each.text for each in events if isinstance(each, Content)) == "Look:\nRIGHT"


async def test_a_statement_over_two_replies_is_inspected_whole(
    make_loop: MakeLoop, make_turn: MakeTurn, events: list[Event]
) -> None:
    turn = guarded(make_turn())
    call = ("look", '{"word": "a"}')
    model = FakeModel(reply("Right. It is WRO", call), reply("NG, so."), reply("RIGHT"))
    turn.guardrail = WordGuardrail(wrong="WRO NG", careful="WRO")
    turn.__post_init__()
    await make_loop(model).run(turn)
    assert turn.answer == "Right. It is WRO\n\nRIGHT"
    shown = "".join(each.text for each in events if isinstance(each, Content))
    assert "NG, so." not in shown
    whole = FakeModel(reply("Right. It is done.", call), reply("NG, so."))
    other = guarded(make_turn())
    other.guardrail = WordGuardrail(wrong="done. NG", careful="done")
    other.__post_init__()
    await make_loop(whole).run(other)
    assert other.answer == "Right. It is done.\n\nNG, so."


# After a crash ----------------------------------------------------------------------------------


def interrupted(turn: Turn, *steps: ModelReply | Correction | Finished) -> Turn:
    """A turn whose journal holds these steps, as it is read after a crash."""
    for step in steps:
        if isinstance(step, ModelReply) and (step.message.text or step.message.tool_calls):
            turn.messages.append(step.message)
        elif isinstance(step, Correction) and step.note:
            turn.messages.append(SystemMessage(step.note))
    turn.replay_journal(steps)
    return turn


async def test_a_reply_that_nobody_had_inspected_is_inspected(
    make_loop: MakeLoop, turn: Turn
) -> None:
    model = FakeModel(reply("RIGHT"))
    await make_loop(model).run(interrupted(turn, reply("WRONG")))
    assert turn.answer == "RIGHT"
    assert turn.corrections == ["maths"]


async def test_a_correction_is_not_counted_twice(make_loop: MakeLoop, turn: Turn) -> None:
    corrected = [reply(""), Correction("maths", "WRONG", "", "“WRONG”: is RIGHT")]
    model = FakeModel(reply("WRONG 3"))
    await make_loop(model).run(interrupted(turn, *corrected, *corrected))
    assert turn.answer == "? 3"
    assert turn.corrections == ["maths"] * 3


async def test_the_journal_keeps_what_was_said(make_loop: MakeLoop, make_turn: MakeTurn) -> None:
    journal = MemoryJournal()
    turn = guarded(make_turn(journal=journal))
    await make_loop(FakeModel(reply("WRONG"), reply("RIGHT"))).run(turn)
    [correction] = [row for row in journal.rows if isinstance(row, Correction)]
    assert (correction.kind, correction.quote, correction.text) == ("maths", "WRONG", "")


# Words in the arguments of tools ----------------------------------------------------------------


async def test_words_of_a_tool_are_refused_twice_then_repaired(
    make_loop: MakeLoop, turn: Turn, bench: Bench
) -> None:
    call = ("say", '{"word": "WRONG", "lines": ["1", {"a": "WRONG"}]}')
    model = FakeModel(*[reply("", call)] * 3, reply("done"))
    await make_loop(model).run(turn)
    assert bench.log == ["said ? ['1', {'a': '?'}]"]


async def test_words_that_repair_makes_too_long_are_refused(
    make_loop: MakeLoop, turn: Turn, bench: Bench
) -> None:
    call = ("label", '{"word": "WRONG"}')
    model = FakeModel(*[reply("", call)] * 3, reply("done"))
    turn.guardrail = WordGuardrail(repaired="I left it out.")
    assert await make_loop(model).run(turn) == "answered"
    assert turn.answer == "done"
    assert bench.log == []


async def test_a_leak_in_the_words_of_a_tool_never_passes(
    make_loop: MakeLoop, turn: Turn, bench: Bench
) -> None:
    call = ("say", '{"word": "SECRET", "lines": []}')
    model = FakeModel(*[reply("", call)] * 4, reply("done"))
    await make_loop(model, max_iterations=20).run(turn)
    assert bench.log == []

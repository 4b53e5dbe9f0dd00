from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable

import pytest

from bot.agent.loop import Loop
from bot.agent.scripted_model import ScriptedModel
from bot.agent.turn import Turn
from bot.contracts.models import ModelRequest
from bot.contracts.turn import Finished
from bot.errors import ModelUnavailable, StreamBroken
from bot.events import Content, Emit, Event
from bot.messages.transcript import AssistantMessage, ModelReply, ToolCall, ToolResult
from tests.support.fakes import Clock, FakeModel, MemoryJournal, reply
from tests.support.noting_tools import Bench

MakeLoop = Callable[..., Loop]
MakeTurn = Callable[..., Turn]


async def test_a_turn_without_tools_is_one_call(make_loop: MakeLoop, make_turn: MakeTurn) -> None:
    model, turn = FakeModel(reply("Bonjour")), make_turn()
    assert await make_loop(model).run(turn) == "answered"
    assert turn.answer == "Bonjour"
    assert len(model.requests) == 1


async def test_results_follow_their_calls_in_order(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    calls = [("look", '{"word": "a"}'), ("write", '{"word": "b"}'), ("look", '{"word": "c"}')]
    model, turn = FakeModel(reply("", *calls), reply("done")), make_turn()
    await make_loop(model).run(turn)
    seen = model.requests[1].messages
    asked = next(m for m in seen if isinstance(m, AssistantMessage))
    results = [m for m in seen if isinstance(m, ToolResult)]
    assert [r.call_id for r in results] == [c.id for c in asked.tool_calls]
    assert seen.index(asked) < seen.index(results[0])


async def test_what_is_said_before_and_after_a_tool_streams_apart(
    make_loop: MakeLoop, make_turn: MakeTurn, events: list[Event]
) -> None:
    model = FakeModel(reply("I look.", ("look", '{"word": "a"}')), reply("Done."))
    turn = make_turn()
    await make_loop(model).run(turn)
    shown = "".join(event.text for event in events if isinstance(event, Content))
    assert shown == turn.answer == "I look.\n\nDone."


async def test_a_call_in_prose_of_a_tool_that_was_not_offered_runs(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: Bench
) -> None:
    call = '<tool_call>{"name": "look", "arguments": {"word": "a"}}</tool_call>'
    turn = make_turn()
    turn.offered = ()
    await make_loop(ScriptedModel([f"I look.\n{call}", "Done."])).run(turn)
    assert bench.log == ["start a", "end a"]
    assert turn.answer == "I look.\n\nDone."


async def test_every_step_is_journaled_before_the_next(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    journal = MemoryJournal()
    seen: list[int] = []

    def second(request: ModelRequest, emit: Emit) -> ModelReply:
        seen.append(len(journal.rows))
        return reply("done")

    turn = make_turn(journal=journal)
    await make_loop(FakeModel(reply("", ("write", '{"word": "b"}')), second)).run(turn)
    kinds = [row if isinstance(row, str) else type(row).__name__ for row in journal.rows]
    assert kinds == ["ModelReply", "intends write", "Finished", "ModelReply"]
    assert seen == [3]


async def test_the_last_iteration_offers_no_tools_and_ends_in_text(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    step = reply("", ("look", '{"word": "a"}'))
    model, turn = FakeModel(step, step, reply("that is all")), make_turn(iterations=3)
    assert await make_loop(model).run(turn) == "limit"
    assert [r.tool_choice for r in model.requests] == ["auto", "auto", "none"]
    assert turn.answer == "that is all"


async def test_a_call_made_in_the_closing_iteration_is_not_run(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: object
) -> None:
    step = reply("", ("look", '{"word": "a"}'))
    model, turn = FakeModel(step, step), make_turn(iterations=2)
    assert await make_loop(model).run(turn) == "limit"
    assert bench.log == ["start a", "end a"]  # type: ignore[attr-defined]
    assert not turn.unanswered_calls
    assert turn.answer


async def test_a_dollar_limit_ends_the_turn_with_an_answer(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    dear = reply("", ("look", '{"word": "a"}'), usd=0.6)
    model, turn = FakeModel(dear, reply("in short")), make_turn()
    assert await make_loop(model).run(turn) == "limit"
    assert model.requests[1].tool_choice == "none"


async def test_a_limit_of_zero_asks_no_model_at_all(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    for limits in ({"usd": 0.0}, {"iterations": 0}):
        model, turn = FakeModel(), make_turn(**limits)
        assert await make_loop(model).run(turn) == "limit"
        assert turn.answer


async def test_when_time_is_up_the_turn_still_says_something(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    clock = Clock()

    def slow(request: ModelRequest, emit: Emit) -> ModelReply:
        clock.advance(160)
        return reply("", ("look", '{"word": "a"}'))

    model, turn = FakeModel(slow, reply("so far")), make_turn(clock=clock)
    assert await make_loop(model).run(turn) == "limit"
    assert turn.answer == "so far"
    assert model.requests[1].tool_choice == "none"
    assert 0 < model.requests[1].seconds <= 20


async def test_a_model_that_times_out_ends_in_an_apology(
    make_loop: MakeLoop, make_turn: MakeTurn, events: list[Event]
) -> None:
    turn = make_turn()
    assert await make_loop(FakeModel(TimeoutError())).run(turn) == "limit"
    assert Content(turn.answer) in events
    assert turn.is_free


async def test_an_answer_cut_by_the_time_limit_is_kept_and_no_failure(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    clock = Clock()

    def cut(request: ModelRequest, emit: Emit) -> ModelReply:
        clock.advance(200)
        raise StreamBroken("the time is over", "So far")

    turn = make_turn(clock=clock)
    assert await make_loop(FakeModel(cut)).run(turn) == "limit"
    assert turn.answer == "So far"


async def test_no_time_at_all_asks_no_model(make_loop: MakeLoop, make_turn: MakeTurn) -> None:
    turn = make_turn(seconds=0.0)
    assert await make_loop(FakeModel()).run(turn) == "limit"
    assert turn.is_free


@pytest.mark.parametrize(
    ("limits", "words"),
    [({"seconds": 0.0}, "no time"), ({"iterations": 1}, "too much"), ({"usd": 0.0}, "too much")],
)
async def test_the_apology_for_a_limit_asks_for_no_other_words(
    make_loop: MakeLoop, make_turn: MakeTurn, limits: dict[str, float], words: str
) -> None:
    turn = make_turn(**limits)
    assert await make_loop(FakeModel(reply(""))).run(turn) == "limit"
    assert words in turn.answer
    assert "other words" not in turn.answer


async def test_the_apology_of_a_model_that_took_all_the_time_says_so(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    clock = Clock()

    def slow(request: ModelRequest, emit: Emit) -> ModelReply:
        clock.advance(180)
        raise TimeoutError

    turn = make_turn(clock=clock)
    assert await make_loop(FakeModel(slow)).run(turn) == "limit"
    assert "no time" in turn.answer


async def test_an_empty_answer_becomes_an_honest_apology(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    turn = make_turn()
    assert await make_loop(FakeModel(reply(""))).run(turn) == "answered"
    assert "other words" in turn.answer


async def test_a_broken_stream_keeps_what_was_shown(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    journal = MemoryJournal()
    turn = make_turn(journal=journal)
    with pytest.raises(StreamBroken):
        await make_loop(FakeModel(StreamBroken("reset", "The capital of"))).run(turn)
    assert turn.answer == "The capital of"
    assert len(journal.rows) == 1


async def test_no_endpoint_is_the_gateways_business(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    with pytest.raises(ModelUnavailable):
        await make_loop(FakeModel(ModelUnavailable("all down"))).run(make_turn())


async def test_prose_beside_tool_calls_is_part_of_the_answer(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    model = FakeModel(reply("A lesson.", ("look", '{"word": "a"}')), reply("Now try."))
    turn = make_turn()
    await make_loop(model).run(turn)
    assert turn.answer == "A lesson.\n\nNow try."


# After a crash ----------------------------------------------------------------------------------


def _interrupted(turn: Turn, asked: ModelReply, *results: Finished) -> Turn:
    turn.messages.append(asked.message)
    turn.messages.extend(finished.result for finished in results)
    turn.replay_journal([asked, *results])
    return turn


async def test_a_turn_is_taken_up_after_its_last_result(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: object
) -> None:
    asked = reply("", ("look", '{"word": "a"}'), ("look", '{"word": "b"}'))
    first = Finished(ToolResult(asked.message.tool_calls[0].id, "look", "saw a"))
    turn = _interrupted(make_turn(), asked, first)
    model = FakeModel(reply("done"))
    assert await make_loop(model).run(turn) == "answered"
    assert bench.log == ["start b", "end b"]  # type: ignore[attr-defined]
    assert turn.iterations == 2


async def test_an_answer_that_was_journaled_is_not_asked_for_again(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    turn = _interrupted(make_turn(), reply("the answer"))
    assert await make_loop(FakeModel()).run(turn) == "answered"
    assert turn.answer == "the answer"


async def test_a_tool_of_effect_once_that_may_have_run_is_not_run_again(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: object
) -> None:
    asked = reply("", ("write", '{"word": "a"}'))
    call: ToolCall = asked.message.tool_calls[0]
    turn = _interrupted(make_turn(journal=MemoryJournal(intents=[f"1/{call.id}"])), asked)
    model = FakeModel(reply("I am not sure it was done."))
    await make_loop(model).run(turn)
    assert bench.log == []  # type: ignore[attr-defined]
    told = model.requests[0].messages[-1]
    assert isinstance(told, ToolResult)
    assert told.is_error
    assert "unknown" in told.text.lower()


async def test_a_call_id_used_again_in_a_later_reply_is_another_call(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: object
) -> None:
    step = reply("", ("write", '{"word": "a"}'))
    turn = make_turn()
    await make_loop(FakeModel(step, step, reply("done"))).run(turn)
    results = [message for message in turn.messages if isinstance(message, ToolResult)]
    assert [result.is_error for result in results] == [False, False]
    assert results[0].text != results[1].text  # the key of each call is its own


def test_the_loop_reads_on_one_screen() -> None:
    source = textwrap.dedent(inspect.getsource(Loop.run))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.AsyncFunctionDef)
    assert (function.end_lineno or 0) - function.lineno + 1 <= 40

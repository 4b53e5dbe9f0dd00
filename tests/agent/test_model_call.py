"""The calls of a turn: tools first, then one answer; a last answer or an honest apology; and, with
VERIFY, a fresh look at whether the job is done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.agent.loop import Loop
from bot.agent.turn import Turn
from bot.contracts.models import ModelRequest
from bot.errors import ContextTooLong, ModelRefused, ModelUnavailable
from bot.events import Content, Emit, Event
from bot.messages.transcript import (
    AssistantMessage,
    ModelReply,
    SystemMessage,
    Text,
    ToolResult,
    UserMessage,
)
from tests.support.fakes import FakeModel, MemoryJournal, reply
from tests.support.noting_tools import Bench

MakeLoop = Callable[..., Loop]
MakeTurn = Callable[..., Turn]
TWO = {"two_phase": True, "answer_model": "fine-model"}


async def test_the_answer_is_asked_of_the_answering_model_without_tools(
    make_loop: MakeLoop, make_turn: MakeTurn, events: list[Event]
) -> None:
    gather = reply("Let me look.", ("look", '{"word": "a"}'))
    model = FakeModel(gather, reply("I have all."), reply("Here it is."))
    turn = make_turn()
    assert await make_loop(model, **TWO).run(turn) == "answered"
    assert [(r.model, r.tool_choice) for r in model.requests] == [
        ("", "auto"),
        ("", "auto"),
        ("fine-model", "none"),
    ]
    assert turn.answer == "Here it is."
    assert [e for e in events if isinstance(e, Content)] == [Content("Here it is.")]


async def test_what_was_thought_while_gathering_is_not_repeated_to_the_answering_model(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    model = FakeModel(reply("I have all."), reply("Here it is."))
    turn = make_turn()
    await make_loop(model, **TWO).run(turn)
    assert not any(isinstance(m, AssistantMessage) for m in model.requests[1].messages)
    assert turn.usage.output_tokens == 20  # both are paid


async def test_a_crash_between_the_phases_asks_again_but_runs_no_tool_twice(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    journal = MemoryJournal()
    model = FakeModel(reply("", ("look", '{"word": "a"}')), TimeoutError())
    await make_loop(model, **TWO).run(make_turn(journal=journal))
    assert [type(row).__name__ for row in journal.rows] == ["ModelReply", "Finished"]


async def test_without_the_answering_model_what_was_gathered_is_the_answer(
    make_loop: MakeLoop, make_turn: MakeTurn, events: list[Event]
) -> None:
    model = FakeModel(reply("Plainly: yes."), ModelUnavailable("away"))
    turn = make_turn()
    assert await make_loop(model, **TWO).run(turn) == "answered"
    assert turn.answer == "Plainly: yes."
    assert [e for e in events if isinstance(e, Content)] == [Content("Plainly: yes.")]
    assert turn.usage.output_tokens == 10


async def test_what_was_gathered_streams_apart_from_what_was_told_before(
    make_loop: MakeLoop, make_turn: MakeTurn, events: list[Event]
) -> None:
    turn = make_turn()
    turn.say("First.")
    await make_loop(FakeModel(reply("Plainly: yes."), ModelUnavailable("away")), **TWO).run(turn)
    shown = "".join(event.text for event in events if isinstance(event, Content))
    assert shown == turn.answer == "First.\n\nPlainly: yes."


async def test_what_the_endpoint_finds_too_long_is_asked_in_short_and_so_from_then_on(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    def answer(request: ModelRequest, emit: Emit) -> ModelReply:
        if sum(len(str(m)) for m in request.messages) > 8_000:
            raise ContextTooLong("400: context_length_exceeded")
        return reply("Here.")

    model = FakeModel(*[answer] * 5)
    loop = make_loop(model)
    for requests in (3, 4):  # two refusals, then none
        turn = make_turn()
        old = [UserMessage((Text("Why? " * 200),)), AssistantMessage("Because. " * 100)]
        turn.messages[1:1] = old * 10
        assert await loop.run(turn) == "answered"
        assert len(model.requests) == requests
        assert model.requests[-1].messages[-1] == turn.messages[-2]  # what is asked now is whole


async def test_a_request_that_cannot_be_shorter_is_refused_for_good(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    model = FakeModel(*[ContextTooLong("413")] * 9)
    with pytest.raises(ModelRefused):
        await make_loop(model).run(make_turn())
    assert len(model.requests) < 9


LOOK = ("look", '{"word": "a"}')


async def test_five_identical_silent_rounds_run_four_times_then_an_answer(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: Bench
) -> None:
    model = FakeModel(*[reply("", LOOK)] * 4, reply("that is it"))
    turn = make_turn()
    assert await make_loop(model).run(turn) == "answered"
    assert bench.log.count("start a") == 4
    assert [request.tool_choice for request in model.requests] == ["auto"] * 4 + ["none"]
    assert turn.answer == "that is it"


async def test_the_same_call_written_otherwise_is_the_same(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: Bench
) -> None:
    written = ['{"word":"a"}', '{ "word": "a" }', '{"word": "a"}\n', '{"word": "\\u0061"}']
    model = FakeModel(*[reply("", ("look", text)) for text in written], reply("done"))
    assert await make_loop(model).run(make_turn()) == "answered"
    assert bench.log.count("start a") == 4


async def test_visible_text_in_each_round_never_trips(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: Bench
) -> None:
    model = FakeModel(*[reply("looking", LOOK)] * 7, reply("done"))
    assert await make_loop(model).run(make_turn()) == "answered"
    assert bench.log.count("start a") == 7


async def test_different_calls_do_not_trip(make_loop: MakeLoop, make_turn: MakeTurn) -> None:
    rounds = [reply("", ("look", f'{{"word": "{n}"}}')) for n in range(7)]
    model = FakeModel(*rounds, reply("done"))
    assert await make_loop(model).run(make_turn()) == "answered"
    assert model.requests[-1].tool_choice == "auto"


async def test_the_fifteenth_call_of_one_tool_does_not_run(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: Bench
) -> None:
    calls = [("look", f'{{"word": "{n}"}}') for n in range(16)]
    model = FakeModel(reply("", *calls[:8]), reply("", *calls[8:]), reply("enough"))
    turn = make_turn()
    assert await make_loop(model).run(turn) == "answered"
    assert len([line for line in bench.log if line.startswith("start")]) == 14
    refused = [m for m in turn.messages if isinstance(m, ToolResult) and m.is_error]
    assert len(refused) == 2
    assert model.requests[-1].tool_choice == "none"


async def test_a_limit_reached_in_circles_is_a_limit(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    calls = [("look", f'{{"word": "{n}"}}') for n in range(60)]
    for limits in ({}, {"usd": 0.01}, {"tool_calls": 60}):
        turn = make_turn(**limits)
        assert (
            await make_loop(FakeModel(reply("", *calls, usd=0.02), reply("enough"))).run(turn)
            == "limit"
        )
        assert turn.answer == "enough"
    turn = make_turn(iterations=5)
    model = FakeModel(*[reply("", LOOK)] * 4, reply("enough"))
    assert await make_loop(model).run(turn) == "limit"


async def test_calls_that_are_used_up_are_a_limit_whatever_the_answer(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    calls = [("look", f'{{"word": "{n}"}}') for n in range(3)]
    for most, reason in ((2, "limit"), (3, "limit"), (4, "answered")):
        model = FakeModel(reply("", *calls), reply("enough"))
        assert await make_loop(model).run(make_turn(tool_calls=most)) == reason


async def test_when_even_that_gives_no_prose_one_last_synthesis_is_asked(
    make_loop: MakeLoop, make_turn: MakeTurn, events: list[Event]
) -> None:
    def synthesise(request: ModelRequest, emit: Emit) -> ModelReply:
        assert "saw a" in str(request.messages)
        assert request.tools == ()
        emit(Content("half an ans"))  # nobody may see it before it is whole
        return reply("It is a.")

    model = FakeModel(*[reply("", LOOK)] * 4, reply(""), synthesise)
    turn = make_turn()
    assert await make_loop(model).run(turn) == "answered"
    assert turn.answer == "It is a."
    assert [event for event in events if isinstance(event, Content)] == [Content("It is a.")]
    assert not turn.is_free


async def test_in_circles_an_empty_answer_is_not_asked_for_again(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    model = FakeModel(*[reply("", LOOK)] * 4, reply(""), reply(""))
    await make_loop(model).run(make_turn())
    assert [request.retries_empty for request in model.requests] == [*[True] * 4, False, False]


async def test_where_no_endpoint_answers_no_synthesis_is_asked(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    model, turn = FakeModel(*[reply("", LOOK)] * 4, ModelUnavailable("away")), make_turn()
    assert await make_loop(model).run(turn) == "limit"
    assert turn.is_free
    assert turn.answer


async def test_then_an_honest_apology_that_costs_nothing(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    for last in (reply(""), ModelUnavailable("away"), TimeoutError()):
        model, turn = FakeModel(*[reply("", LOOK)] * 4, reply(""), last), make_turn()
        assert await make_loop(model).run(turn) == "limit"
        assert turn.is_free
        assert turn.answer


async def test_other_limits_are_no_stall(make_loop: MakeLoop, make_turn: MakeTurn) -> None:
    rounds = [reply("", ("look", f'{{"word": "{n}"}}')) for n in range(2)]
    model, turn = FakeModel(*rounds, reply("")), make_turn(iterations=3)
    assert await make_loop(model).run(turn) == "limit"
    assert len(model.requests) == 3  # no synthesis
    assert turn.is_free


async def test_what_is_synthesised_is_information_never_an_instruction(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    model = FakeModel(*[reply("", LOOK)] * 4, reply(""), reply("so"))
    await make_loop(model).run(make_turn())
    [system] = [m for m in model.requests[-1].messages if isinstance(m, SystemMessage)]
    assert "never instructions" in system.text


WRITE = reply("", ("write", '{"word": "b"}'))
UTILITY = {"verify": True, "utility_model": "small"}


async def test_what_is_missing_is_told_and_done_in_one_more_round(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    verdict = reply('```json\n{"done": false, "missing": "The letter was not written."}\n```')
    model = FakeModel(WRITE, reply("Written."), verdict, WRITE, reply("Now it is."))
    turn = make_turn()
    assert await make_loop(model, **UTILITY).run(turn) == "answered"
    judged = model.requests[2]
    assert judged.model == "small"
    assert judged.tools == ()
    assert "REQUEST: hello" in str(judged.messages)
    assert "ACTION: write" in str(judged.messages)
    last = model.requests[3].messages[-1]
    assert isinstance(last, SystemMessage)
    assert "The letter was not written." in last.text
    assert turn.answer == "Written.\n\nNow it is."
    assert turn.usage.usd == pytest.approx(0.005)


@pytest.mark.parametrize(
    "verdict",
    [
        reply('{"done": true}'),
        reply("I think so"),
        reply('{"done": "perhaps"}'),
        ModelUnavailable("away"),
        TimeoutError(),
    ],
)
async def test_otherwise_the_answer_stands(
    make_loop: MakeLoop, make_turn: MakeTurn, verdict: object
) -> None:
    model = FakeModel(WRITE, reply("Written."), verdict)  # type: ignore[arg-type]
    turn = make_turn()
    assert await make_loop(model, **UTILITY).run(turn) == "answered"
    assert turn.answer == "Written."


async def test_a_turn_that_only_read_is_not_checked(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    model = FakeModel(reply("", ("look", '{"word": "a"}')), reply("Seen."))
    assert await make_loop(model, **UTILITY).run(make_turn()) == "answered"


async def test_it_is_off_by_default(make_loop: MakeLoop, make_turn: MakeTurn) -> None:
    model = FakeModel(WRITE, reply("Written."))
    assert await make_loop(model).run(make_turn()) == "answered"

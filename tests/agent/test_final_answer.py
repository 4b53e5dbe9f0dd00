"""Whatever a model does, a turn ends in an answer, or in an honest apology."""

from __future__ import annotations

from collections.abc import Callable

from bot.agent.loop import Loop
from bot.agent.turn import Turn
from bot.contracts.models import ModelRequest
from bot.errors import ModelUnavailable
from bot.events import Content, Emit, Event
from bot.messages.transcript import ModelReply, SystemMessage, ToolResult
from tests.support.fakes import FakeModel, reply
from tests.support.noting_tools import Bench

MakeLoop = Callable[..., Loop]
MakeTurn = Callable[..., Turn]
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

"""Two phases: tools first, in silence; then one answer, streamed, perhaps by another model."""

from __future__ import annotations

from collections.abc import Callable

from bot.agent.loop import Loop
from bot.agent.turn import Turn
from bot.errors import ModelUnavailable
from bot.events import Content, Event
from bot.messages.transcript import AssistantMessage
from tests.support.fakes import FakeModel, MemoryJournal, reply

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

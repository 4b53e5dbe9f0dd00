"""With VERIFY, a fresh look judges after effects whether the job is done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.agent.loop import Loop
from bot.agent.turn import Turn
from bot.errors import ModelUnavailable
from bot.messages.transcript import SystemMessage
from tests.support.fakes import FakeModel, reply

MakeLoop = Callable[..., Loop]
MakeTurn = Callable[..., Turn]
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

"""Advisors: a turn inside the turn, with what is left of its time, money, calls and depth."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bot.agent.context_window import ContextWindow
from bot.agent.delegation import Advisors
from bot.agent.loop import Loop
from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.contracts.models import Model, ModelRequest
from bot.errors import ModelUnavailable
from bot.events import Content, Emit, Event, ToolStart
from bot.messages.outgoing import Say
from bot.messages.transcript import ModelReply, SystemMessage, ToolResult
from bot.observability import Metrics
from bot.settings import Settings
from tests.support.fakes import FakeModel, make_services, reply
from tests.support.noting_tools import Bench

MakeTurn = Callable[..., Turn]
ASK = ("delegate_to_chemist", '{"task": "Balance H2 + O2"}')
CHEMIST = {
    "name": "chemist",
    "description": "Knows chemistry.",
    "prompt": "You are a chemist.",
    "tools": ["look", "write", "delegate_to_chemist"],
    "model": "big-model",
}
MakeLoop = Callable[..., Loop]


@pytest.fixture
def make_loop(bench: Bench) -> MakeLoop:
    def make(model: Model, advisors: Sequence[dict[str, Any]] = (CHEMIST,)) -> Loop:
        settings = Settings.model_validate({"advisors": json.dumps(list(advisors))})
        services, metrics = make_services(), Metrics()
        window = ContextWindow(settings)
        source = Advisors(model, bench.tools, (), window, services, settings, metrics)
        catalogue = ToolCatalogue(bench.tools, (source,), settings)
        return Loop(model, Toolbox(catalogue, settings, services, metrics), window, settings)

    return make


async def test_an_advisor_has_its_own_prompt_tools_and_model(
    make_loop: MakeLoop, make_turn: MakeTurn, events: list[Event]
) -> None:
    model = FakeModel(
        reply("", ASK), reply("", ("look", '{"word": "a"}')), reply("2 H2 + O2"), reply("Voilà")
    )
    turn = make_turn()
    assert await make_loop(model).run(turn) == "answered"
    inner = model.requests[1]
    assert inner.messages[0] == SystemMessage("You are a chemist.")
    assert "hello" not in str(inner.messages)
    assert inner.model == "big-model"
    assert {tool.name for tool in inner.tools} == {"look", "write", "delegate_to_chemist"}
    assert [m.text for m in turn.messages if isinstance(m, ToolResult)] == ["2 H2 + O2"]
    assert turn.answer == "Voilà"
    assert [e for e in events if isinstance(e, Content)] == [Content("Voilà")]
    assert [e.name for e in events if isinstance(e, ToolStart)] == ["delegate_to_chemist", "look"]


async def test_what_it_costs_is_counted_in_the_turn(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    model = FakeModel(reply("", ASK), reply("so", usd=0.2), reply("Voilà"))
    turn = make_turn()
    await make_loop(model).run(turn)
    assert turn.usage.usd == pytest.approx(0.202)
    assert turn.spending["model", "fake-model"][0] == 3


async def test_it_cannot_exceed_what_is_left_of_the_turn(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    dear = reply("", ("look", '{"word": "a"}'), usd=0.3)
    model = FakeModel(reply("", ASK, usd=0.3), dear, reply("so far"), reply("Voilà"))
    turn = make_turn(usd=0.5)
    assert await make_loop(model).run(turn) == "limit"
    assert model.requests[2].tool_choice == "none"  # the advisor had 0.2 left
    assert model.requests[3].tool_choice == "none"


async def test_what_it_makes_is_delivered(make_loop: MakeLoop, make_turn: MakeTurn) -> None:
    model = FakeModel(
        reply("", ASK), reply("", ("write", '{"word": "b"}')), reply("so"), reply("Voilà")
    )
    turn = make_turn()
    await make_loop(model).run(turn)
    assert turn.outgoing == [Say("written b")]


POST, PAGE = ("post", '{"word": "b"}'), ("page", '{"word": "a"}')
CLERK = {**CHEMIST, "tools": ["page", "post"]}


@pytest.mark.parametrize(
    "calls", [[PAGE, ASK, POST], [ASK, PAGE, POST], [ASK, PAGE, None, POST]], ids=str
)
async def test_what_a_delegate_or_its_asker_read_counts_for_both(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: Bench, calls: list[tuple[str, str] | None]
) -> None:
    replies = [reply("", each) if each else reply("Post it, it says.") for each in calls]
    model = FakeModel(*replies, *[reply("Shall I?")] * 2)
    await make_loop(model, [CLERK]).run(make_turn())
    assert bench.log == []
    refused = [
        each
        for request in model.requests
        for each in request.messages
        if isinstance(each, ToolResult) and "ask whether they want it" in each.text
    ]
    assert refused


async def test_a_delegate_of_a_delegate_cannot_delegate(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    offered: list[set[str]] = []

    def ask_on(request: ModelRequest, emit: Emit) -> ModelReply:
        offered.append({tool.name for tool in request.tools})
        return reply("", ASK)

    model = FakeModel(ask_on, ask_on, ask_on, reply("deep"), reply("less"), reply("Voilà"))
    turn = make_turn()
    assert await make_loop(model).run(turn) == "answered"
    assert ["delegate_to_chemist" in names for names in offered] == [True, True, False]
    refused = model.requests[3].messages[-1]
    assert isinstance(refused, ToolResult)
    assert refused.is_error


async def test_delegates_come_after_the_other_calls_and_results_stay_in_order(
    make_loop: MakeLoop, make_turn: MakeTurn, bench: Bench
) -> None:
    def advise(request: ModelRequest, emit: Emit) -> ModelReply:
        bench.log.append("advised")
        return reply("so")

    model = FakeModel(reply("", ASK, ("write", '{"word": "b"}')), advise, reply("Voilà"))
    turn = make_turn()
    await make_loop(model).run(turn)
    assert bench.log == ["start b", "end b", "advised"]
    names = [m.name for m in turn.messages if isinstance(m, ToolResult)]
    assert names == ["delegate_to_chemist", "write"]


async def test_an_advisor_that_fails_is_a_result_that_can_be_read(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    model = FakeModel(reply("", ASK), ModelUnavailable("no endpoint"), reply("without"))
    turn = make_turn()
    assert await make_loop(model).run(turn) == "answered"
    [result] = [m for m in turn.messages if isinstance(m, ToolResult)]
    assert result.is_error
    assert "no endpoint" not in result.text


async def test_two_advisors_share_what_is_left_of_the_turn(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    thinker = CHEMIST | {"tools": []}  # it only reads, and yet it does not run beside another
    asked: list[str] = []

    def advise(request: ModelRequest, emit: Emit) -> ModelReply:
        asked.append(request.tool_choice)
        return reply("so", usd=0.6)

    model = FakeModel(reply("", ASK, ASK), advise, reply("Voilà"))
    turn = make_turn(usd=0.5)
    assert await make_loop(model, [thinker]).run(turn) == "limit"
    assert len(asked) == 1  # nothing was left for the second
    assert turn.answer == "Voilà"


async def test_the_calls_of_two_delegations_have_keys_of_their_own(
    make_loop: MakeLoop, make_turn: MakeTurn
) -> None:
    """Some endpoints number the calls of each reply anew."""
    inner = reply("", ("write", '{"word": "b"}')), reply("so")
    model = FakeModel(reply("", ASK), *inner, reply("", ASK), *inner, reply("Voilà"))
    await make_loop(model).run(make_turn())
    first, second = (model.requests[number].messages[-1] for number in (2, 5))
    assert isinstance(first, ToolResult)
    assert isinstance(second, ToolResult)
    assert first.call_id == second.call_id
    assert first.text != second.text  # which is the key

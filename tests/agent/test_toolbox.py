from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.events import Event, Progress, ToolEnd, ToolStart
from bot.messages.outgoing import Say
from bot.messages.transcript import ToolCall, ToolResult
from tests.support.fakes import Clock
from tests.support.noting_tools import GUEST, Bench

MakeToolbox = Callable[..., Toolbox]
MakeTurn = Callable[..., Turn]


def call(name: str, arguments: str = '{"word": "a"}', number: int = 1) -> ToolCall:
    return ToolCall(f"c{number}", name, arguments)


async def results(toolbox: Toolbox, turn: Turn, *calls: ToolCall) -> list[ToolResult]:
    await toolbox.execute_all(calls, turn)
    return [message for message in turn.messages if isinstance(message, ToolResult)]


def test_a_person_is_offered_only_the_tools_of_their_mode(
    make_toolbox: MakeToolbox, make_turn: MakeTurn
) -> None:
    toolbox = make_toolbox(disabled_tools="flood")
    names = {spec.name for spec in toolbox.offer(make_turn())}
    assert "look" in names
    assert not names & {"pro_only", "flood"}
    assert toolbox.offer(make_turn(person=GUEST)) == ()


def test_the_offer_is_the_same_object_every_time(
    make_toolbox: MakeToolbox, make_turn: MakeTurn
) -> None:
    toolbox, turn = make_toolbox(), make_turn()
    assert toolbox.offer(turn) is toolbox.offer(turn)


@pytest.mark.parametrize("name", ["pro_only", "no_such_tool", "flood"])
async def test_a_tool_never_offered_is_refused_all_the_same(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench, name: str
) -> None:
    [result] = await results(make_toolbox(disabled_tools="flood"), make_turn(), call(name))
    assert result.is_error
    assert name in result.text
    assert bench.log == []


async def test_a_guest_runs_nothing(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench
) -> None:
    [result] = await results(make_toolbox(), make_turn(person=GUEST), call("look"))
    assert result.is_error
    assert bench.log == []


async def test_reads_run_side_by_side_and_effects_one_after_another(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench
) -> None:
    calls = [
        call("look", '{"word": "r1"}', 1),
        call("look", '{"word": "r2"}', 2),
        call("write", '{"word": "e1"}', 3),
        call("write", '{"word": "e2"}', 4),
        call("look", '{"word": "r3"}', 5),
    ]
    ended = await results(make_toolbox(), make_turn(), *calls)
    assert [r.call_id for r in ended] == ["c1", "c2", "c3", "c4", "c5"]
    assert bench.log[:2] == ["start r1", "start r2"]
    assert bench.log[4:] == [
        "start e1", "end e1", "start e2", "end e2", "start r3", "end r3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ('{"word": ', "JSON"),
        ("[]", "object"),
        ('"text"', "object"),
        ("null", "object"),
        ("{}", "word"),
        ('{"word": 5}', "string"),
    ],
)
async def test_wrong_arguments_teach_the_right_form(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench, arguments: str, hint: str
) -> None:
    [result] = await results(make_toolbox(), make_turn(), call("look", arguments))
    assert result.is_error
    assert hint in result.text
    assert bench.log == []


async def test_an_unknown_extra_argument_is_ignored(
    make_toolbox: MakeToolbox, make_turn: MakeTurn
) -> None:
    [result] = await results(
        make_toolbox(), make_turn(), call("look", '{"word": "a", "colour": "red"}')
    )
    assert not result.is_error


async def test_a_failure_is_told_and_an_inner_error_is_not(
    make_toolbox: MakeToolbox, make_turn: MakeTurn
) -> None:
    failed, crashed = await results(
        make_toolbox(), make_turn(), call("fail", number=1), call("crash", number=2)
    )
    assert failed.text == "try look instead"
    assert crashed.is_error
    assert "secret detail" not in crashed.text


async def test_a_slow_tool_is_stopped_in_its_own_time(
    make_toolbox: MakeToolbox, make_turn: MakeTurn
) -> None:
    async with asyncio.timeout(5):
        [result] = await results(make_toolbox(), make_turn(), call("sleep"))
    assert result.is_error
    assert "longer" in result.text


async def test_tool_timeout_is_an_upper_bound(
    make_toolbox: MakeToolbox, make_turn: MakeTurn
) -> None:
    [result] = await results(make_toolbox(tool_timeout=0.001), make_turn(), call("look"))
    assert result.is_error


async def test_a_long_result_is_cut_and_says_so(
    make_toolbox: MakeToolbox, make_turn: MakeTurn
) -> None:
    [result] = await results(make_toolbox(), make_turn(), call("flood"))
    assert len(result.text) == 500
    assert "truncated" in result.text


async def test_calls_beyond_the_budget_are_answered_but_not_run(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench
) -> None:
    calls = [call("write", f'{{"word": "w{n}"}}', n) for n in range(3)]
    ended = await results(make_toolbox(), make_turn(tool_calls=2), *calls)
    assert [r.is_error for r in ended] == [False, False, True]
    assert "start w2" not in bench.log


async def test_what_a_tool_wants_said_waits_for_the_turns_end(
    make_toolbox: MakeToolbox, make_turn: MakeTurn
) -> None:
    turn = make_turn()
    await results(make_toolbox(), turn, call("write"))
    assert turn.outgoing == [Say("written a")]


async def test_a_tool_tells_when_it_starts_and_ends(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, events: list[Event]
) -> None:
    await results(make_toolbox(), make_turn(), call("look", number=1), call("fail", number=2))
    assert [type(event) for event in events if isinstance(event, ToolStart | ToolEnd)].count(
        ToolStart
    ) == 2
    assert ToolEnd("c1", "look", is_error=False) in events
    assert ToolEnd("c2", "fail", is_error=True) in events
    assert any(isinstance(event, Progress) and event.action == "look" for event in events)


@pytest.mark.parametrize(
    ("name", "arguments"), [("look", "{}"), ("look", "[]"), ("pro_only", "{}"), ("x" * 99, "{}")]
)
async def test_a_call_that_is_refused_is_seen_to_fail(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, events: list[Event], name: str, arguments: str
) -> None:
    await results(make_toolbox(), make_turn(), call(name, arguments))
    started, ended = (event for event in events if isinstance(event, ToolStart | ToolEnd))
    assert isinstance(started, ToolStart)
    assert started.id == "c1"
    assert ended == ToolEnd("c1", name[:64], is_error=True)


async def test_a_reply_with_more_reads_than_the_budget_runs_only_the_budget(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench
) -> None:
    calls = [call("look", f'{{"word": "w{n}"}}', n) for n in range(30)]
    ended = await results(make_toolbox(), make_turn(tool_calls=3), *calls)
    assert [r.is_error for r in ended] == [False] * 3 + [True] * 27
    assert len(bench.log) == 6


async def test_few_reads_run_at_the_same_time(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench
) -> None:
    calls = [call("look", f'{{"word": "w{n}"}}', n) for n in range(20)]
    await results(make_toolbox(), make_turn(), *calls)
    running = most = 0
    for line in bench.log:
        running += 1 if line.startswith("start") else -1
        most = max(most, running)
    assert most == 8


async def test_no_tool_outlives_its_turn(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench
) -> None:
    clock = Clock()
    turn = make_turn(clock=clock, seconds=10)
    clock.advance(10)
    [result] = await results(make_toolbox(), turn, call("look"))
    assert result.is_error
    assert bench.log == []


async def test_arguments_nested_without_end_are_refused(
    make_toolbox: MakeToolbox, make_turn: MakeTurn
) -> None:
    deep = '{"word": ' + "[" * 100_000 + "]" * 100_000 + "}"
    [result] = await results(make_toolbox(), make_turn(), call("look", deep))
    assert result.is_error


async def test_nul_never_reaches_a_tool(make_toolbox: MakeToolbox, make_turn: MakeTurn) -> None:
    """Postgres keeps no text that holds one."""
    given = ToolCall("call_1", "look", r'{"word": "a\u0000b"}')
    [result] = await results(make_toolbox(), make_turn(), given)
    assert (result.text, result.is_error) == ("saw ab", False)

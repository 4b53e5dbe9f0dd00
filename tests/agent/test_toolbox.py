from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from bot.agent.toolbox import Toolbox, read_arguments
from bot.agent.turn import Turn
from bot.contracts.tools import FORWARDED, Tool
from bot.errors import ToolFailed
from bot.events import Event, Progress, ToolEnd, ToolStart
from bot.messages.outgoing import Say
from bot.messages.transcript import Text, ToolCall, ToolResult, UserMessage
from tests.support.fakes import Clock
from tests.support.guardrails import WordGuardrail
from tests.support.noting_tools import GUEST, Bench
from tests.support.tool_arguments import SAMPLES
from tools import TOOLS

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


async def test_what_acts_outside_waits_for_the_person_once_strangers_were_read(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench
) -> None:
    toolbox, turn = make_toolbox(), make_turn()
    await results(toolbox, turn, call("page"), call("post", number=2))  # both asked for before
    assert bench.log == ["start a", "end a"]
    *_, refused = await results(toolbox, turn, call("post", number=3))
    *_, written = await results(toolbox, turn, call("write", '{"word": "b"}', number=4))
    assert refused.is_error
    assert "ask whether they want it" in refused.text
    assert not written.is_error
    turn.messages.append(UserMessage((Text("Yes, post it."),)))
    *_, posted = await results(toolbox, turn, call("post", '{"word": "c"}', number=5))
    assert not posted.is_error
    assert bench.log[-1] == "end c"


async def test_what_acts_outside_waits_after_a_forwarded_message(
    make_toolbox: MakeToolbox, make_turn: MakeTurn, bench: Bench
) -> None:
    turn = make_turn()
    turn.messages.append(UserMessage((Text(f"{FORWARDED}\nPost it."),)))
    [refused] = await results(make_toolbox(), turn, call("post"))
    assert (refused.is_error, bench.log) == (True, [])


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
        ('{"word": [5]}', "string"),
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


@pytest.mark.parametrize(("word", "shown"), [("SECRET", False), ("fractions", True)])
async def test_the_line_about_a_tool_gives_no_solution_away(
    make_toolbox: MakeToolbox,
    make_turn: MakeTurn,
    events: list[Event],
    word: str,
    shown: bool,
) -> None:
    turn = make_turn()
    turn.guardrail = WordGuardrail(keeps_secrets=True)
    await results(make_toolbox(), turn, call("look", json.dumps({"word": word})))
    [started] = [event for event in events if isinstance(event, ToolStart)]
    [progress] = [event for event in events if isinstance(event, Progress)]
    assert (word in started.detail, word in progress.target) == (shown, shown)


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


TOOL_OF = {tool.name: tool for tool in TOOLS}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_what_may_be_left_out_may_be_null(tool: Tool[Any]) -> None:
    """Models that fill in every argument write null for those they have nothing for."""
    sample = SAMPLES[tool.name]
    needed = tool.spec.parameters.get("required") or ()
    others = [name for name in tool.spec.parameters["properties"] if name not in needed]
    bare = {name: value for name, value in sample.items() if name in needed}
    assert read(tool, bare | dict.fromkeys(others)) == read(tool, bare)


def read(tool: Tool[Any], arguments: dict[str, Any]) -> object:
    """The arguments as the tool takes them, or why it does not."""
    try:
        return read_arguments(tool, json.dumps(arguments))
    except ToolFailed as refused:
        return str(refused)


def test_a_null_deep_inside_counts_as_left_out_too() -> None:
    slide = {"title": "Water", "bullets": None, "table": None, "notes": None}
    given = {"filename": "f", "title": "Physics", "slides": [slide]}
    bare = {"filename": "f", "title": "Physics", "slides": [{"title": "Water"}]}
    tool = TOOL_OF["generate_pptx"]
    assert read_arguments(tool, json.dumps(given)) == read_arguments(tool, json.dumps(bare))


def test_a_null_for_what_is_needed_is_told_as_missing() -> None:
    with pytest.raises(ToolFailed, match="title: Field required"):
        read_arguments(TOOL_OF["create_task"], '{"title": null}')


def test_a_null_in_a_list_is_refused_where_it_is() -> None:
    with pytest.raises(ToolFailed, match=r"slides\.0"):
        read_arguments(
            TOOL_OF["generate_pptx"], '{"filename": "f", "title": "Physics", "slides": [null]}'
        )


def test_a_number_for_a_text_is_written_out() -> None:
    tool = TOOL_OF["give_exercise"]
    sample: dict[str, Any] = {**SAMPLES["give_exercise"], "kind": "number"}
    given = sample | {"solution": [56, 5.5], "hints": ["Count.", 7]}
    written = sample | {"solution": ["56", "5.5"], "hints": ["Count.", "7"]}
    assert read(tool, given) == read(tool, written)
    assert read(tool, sample | {"solution": 56}) == read(tool, sample | {"solution": "56"})
    assert "solution" in str(read(tool, sample | {"solution": True}))
    assert "tolerance" in str(read(tool, sample | {"tolerance": -1}))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_form_that_a_wrong_call_is_taught_is_right(tool: Tool[Any]) -> None:
    with pytest.raises(ToolFailed) as refused:
        read_arguments(tool, "[]")
    form = str(refused.value).partition(f"{tool.name} ")[2]
    assert read_arguments(tool, form)


def test_slides_are_taught_with_a_slide() -> None:
    with pytest.raises(ToolFailed, match=r'"slides":\[\{"title":"…"\}\]'):
        read_arguments(TOOL_OF["generate_pptx"], "{")


class Pair(BaseModel):
    """Two numbers."""

    pair: tuple[int, int]


@pytest.mark.parametrize("given", ["[1]", "[]", "[1, null]", "null"])
def test_what_is_missing_in_a_list_is_told(given: str) -> None:
    tool = replace(TOOL_OF["create_task"], arguments=Pair)
    with pytest.raises(ToolFailed, match=r"Wrong arguments\. pair"):
        read_arguments(tool, f'{{"pair": {given}}}')


def test_no_class_of_ours_is_named() -> None:
    sheet = {"name": "Stock", "columns": ["Article"], "rows": []}
    with pytest.raises(ToolFailed, match=r"columns\.0: Input should be an object") as refused:
        read_arguments(TOOL_OF["generate_xlsx"], json.dumps({"filename": "f", "sheets": [sheet]}))
    assert "_Column" not in str(refused.value)


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}])
def test_a_cell_is_one_value(cell: object) -> None:
    sheet = {"name": "Stock", "columns": [{"header": "Article"}], "rows": [["riz"], [cell]]}
    with pytest.raises(ToolFailed, match="in row 2 of the sheet 'Stock' a cell is a list"):
        read_arguments(TOOL_OF["generate_xlsx"], json.dumps({"filename": "f", "sheets": [sheet]}))

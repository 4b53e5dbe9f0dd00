"""The parser while a text streams: what is held back, and for how long."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.agent.tool_calls.answer_text import MOST_CALLS
from bot.agent.tool_calls.read_calls import MOST_RAW
from bot.agent.tool_calls.tool_call_parser import MOST_HELD, ToolCallParser
from tests.agent.tool_calls.cuts import (
    KNOWN,
    assert_never_leaks,
    cut,
    filter_pieces,
    recover_tool_calls,
)
from tests.support.memory import measure_bytes

NATIVE = pytest.mark.parametrize("native", [True, False])
CALL = '<tool_call>{"name": "web_search", "arguments": {"query": "x"}}</tool_call>'
FRAGMENTS = [
    *(
        "<tool_call>",
        "</tool_call>",
        "<tool_call",
        "<invoke name=",
        '"web_search">',
        "<",
        "/>",
        ">",
    ),
    *("<invoke name='web_search'>", "</invoke>", '<parameter name="query">', "</parameter>"),
    *("<function=web_search>", "</function>", "<parameter=query>", "<tool>", "</tool>"),
    *("<tool>web_search</tool>", "<function>nuke</function>", "<parameters>", "</parameters>"),
    *("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", '<param name="x"/>', "{}", "<"),
    *("<name>web_search</name>", '<tool name="web_search">', "minimax:", "<b>", "x <y", "<|", "|>"),
    *("[TOOL_CALL]", "[/TOOL_CALL]", "[TOOL_CALLS]", "[ARGS]", "[TO", "[1]", "[", "]", "{", "}"),
    *('{"name": "web_search", "arguments": {"query": "x"}}', '{"tool_calls": [', '{"name": "'),
    *('{"tool_calls": [{"name": "web_search", "arguments": {}}]}', '{"action": "web_search", '),
    *('"action_input": {"query": 1}}', '{"action": {}}', "Action: web_search", "Action", "A"),
    *("\nAction Input: ", '{tool => "web_search", args => {--query "x"}}', "<tool_code>"),
    *(
        "</tool_code>",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁sep｜>",
        "<｜tool▁call▁end｜>",
        "<｜DSML｜",
    ),
    *('<｜DSML｜invoke name="web_search">', "</｜DSML｜invoke>", "<｜DSML｜function_calls>", "｜"),
    *("<|python_tag|>", "<|im_end|>", "<|tool_call|>", "web_search", "web_search:", '(query="x")'),
    *("```", "```json", "```web_search", "~~~", "`", "``", "\n", "\n\n", " ", "  ", '"', "'", "\\"),
    *("bonjour", "é", ",", ";", ":", "=", "1. ", "- ", "> ", "<tool_response>", "&lt;", "A\n"),
    *("]<]minimax[>[", '<|open|>call tool="web_search"', "<|sep|>", "<|close|>call<|sep|>"),
    *("call:", "web_search{query:", '<|"|>', "}", "<tool_call|>", "[CALL_ID]", "1a", "</think>"),
    *("<|channel|>analysis<|message|>", "to=functions.web_search ", "<|message|>", "<|end|>"),
    *(
        "analysis",
        "assistantfinal",
        "[web_search(",
        ")]",
        "<think>",
        "<thought>x",
        "[/THINK]",
        "functools",
    ),
    *('{"action": "Final Answer", "action_input": "oui"}', "<![CDATA[", "]]>", "print("),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=16).map("".join)


@NATIVE
@given(
    text=st.text(st.characters(exclude_characters="<[]{`~A◁")).map("Été ".__add__),
    cuts=st.lists(st.integers(0, 200), max_size=8),
)
def test_text_without_any_trigger_passes_at_once(
    *, native: bool, text: str, cuts: list[int]
) -> None:
    edges = [0, *sorted(cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(edges)]
    shown, calls = filter_pieces(pieces, native=native)
    assert (shown, calls) == ([*pieces, ""], [])


@NATIVE
@given(text=TEXTS, size=st.integers(1, 12))
def test_any_mixture_is_read_alike_however_it_is_cut(*, native: bool, text: str, size: int) -> None:
    whole, calls = filter_pieces([text], native=native)
    shown, cut_calls = filter_pieces(cut(text, size), native=native)
    assert ("".join(shown), cut_calls) == ("".join(whole), calls)
    assert_never_leaks(shown)


@NATIVE
@given(text=TEXTS)
@example(text="<｜tool▁call▁begin｜>A\n<｜tool▁call▁begin｜>[web_search(")
def test_a_cut_anywhere_in_any_mixture_does_not_matter(*, native: bool, text: str) -> None:
    whole, calls = filter_pieces([text], native=native)
    for place in range(1, len(text)):
        shown, cut_calls = filter_pieces([text[:place], text[place:]], native=native)
        assert ("".join(shown), cut_calls) == ("".join(whole), calls)
        assert_never_leaks(shown)


@NATIVE
@given(text=st.text())
def test_nothing_makes_it_raise(*, native: bool, text: str) -> None:
    recover_tool_calls(f"<tool_call>{text}</tool_call>{text}", KNOWN, native=native)


@NATIVE
@given(before=st.text("ab \n.é", max_size=30), after=st.text("ab \n.é", max_size=30))
def test_only_the_markup_and_blanks_beside_it_are_lost(
    *, native: bool, before: str, after: str
) -> None:
    rescued = recover_tool_calls(before + CALL + after, KNOWN, native=native)
    assert rescued.text.startswith(before)
    assert rescued.text.split() == (before + after).split() or not before[-1:].isspace()
    assert "".join(rescued.text.split()) == "".join((before + after).split())
    assert len(rescued.calls) == 1


@NATIVE
@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["Du <b", ">gras</b"], ["Du ", "<b>gras"]),
        (["a <", " b"], ["a ", "< b"]),
        (["x <y ", "z"], ["x <y ", "z"]),
        (["voir [", "1] et"], ["voir ", "[1] et"]),
        (["voir [1]", " et"], ["voir [1", "] et"]),
        (["web", " et"], ["", "web et"]),
        (["Web", " et"], ["Web", " et"]),
        (["[le cours](x)"], ["[le cours](x)"]),
        (["écris `prin", "t` puis"], ["écris `prin", "t` puis"]),
        (["A", "u revoir"], ["", "Au revoir"]),
        (["Voici `<tool_call>", "` dit"], ["Voici `", "<tool_call>` dit"]),
    ],
)
def test_ordinary_text_waits_for_a_few_characters_only(
    *, native: bool, pieces: list[str], shown: list[str]
) -> None:
    assert filter_pieces(pieces, native=native)[0][:-1] == shown


@pytest.mark.parametrize("native", [True, False])
def test_a_brace_in_a_sentence_waits_as_long_as_it_may_begin_a_call(*, native: bool) -> None:
    assert filter_pieces(["x ∈ {", "1}"], native=native)[0][:-1] == ["x ∈ ", "{1}"]


def test_json_in_a_sentence_streams_on_a_model_with_native_calls() -> None:
    pieces = ['On écrit {"name', '": "Awa", ', '"age": 12}.']
    assert filter_pieces(pieces, native=True)[0][:-1] == pieces


def test_code_streams_on_a_model_with_native_calls() -> None:
    pieces = ["```", "web_search\n", '{"query"', ': "x"}\n', "```", "\n"]
    shown, _ = filter_pieces(pieces, native=True)
    assert shown == ["", "```web_search\n", '{"query"', ': "x"}\n', "", "```\n", ""]


def test_other_code_streams_on_a_model_without() -> None:
    pieces = ["```json\n", '{"ville"', ': "Abidjan"}', "\n```\n"]
    shown, _ = filter_pieces(pieces, native=False)
    assert "".join(shown[:3]) == '```json\n{"ville": "Abidjan"}'


@NATIVE
@pytest.mark.parametrize("size", [5, 4096, 10**6])
def test_a_span_beyond_the_limit_is_taken_out_and_not_run(*, native: bool, size: int) -> None:
    long = '<tool_call>{"name": "web_search", "arguments": {"query": "%s"}}</tool_call>'
    text = "Avant " + long % ("x" * MOST_HELD) + "après " + CALL
    shown, calls = filter_pieces(cut(text, size), native=native)
    assert ("".join(shown), calls) == ("Avant après ", [("web_search", {"query": "x"})])


@NATIVE
@pytest.mark.parametrize("size", [7, 10**6])
def test_the_limit_is_the_same_however_it_is_cut(*, native: bool, size: int) -> None:
    frame = '<invoke name="web_search"><parameter name="query">%s</parameter></invoke>'
    fitting = frame % ("x" * (MOST_HELD - len(frame) + 2))
    assert len(fitting) == MOST_HELD
    assert len(filter_pieces(cut(fitting, size), native=native)[1]) == 1
    longer = fitting.replace("x", "xx", 1)
    assert filter_pieces(cut(longer, size), native=native)[1] == []


def test_no_more_is_held_than_the_limit() -> None:
    calls = ToolCallParser(KNOWN, native=True)
    empty = measure_bytes(calls)
    for piece in cut("<tool_call>[" + "x" * 10 * MOST_HELD, 1_000):
        assert calls.feed(piece) == ""
        assert measure_bytes(calls) - empty < 1.2 * MOST_HELD


def test_at_most_so_many_calls_are_given() -> None:
    rescued = recover_tool_calls(CALL * (MOST_CALLS + 5), KNOWN, native=True)
    assert len(rescued.calls) == MOST_CALLS
    assert rescued.text == ""


def test_arguments_that_cannot_be_read_are_cut_and_no_object() -> None:
    text = "```json\n" + '{"name": "web_search", "arguments": {"query": "x"}} ' * 200 + "\n```"
    (call, *_) = recover_tool_calls(text, KNOWN, native=False).calls
    assert len(call.arguments) == MOST_RAW
    assert call.arguments.startswith("```json")


@NATIVE
def test_half_a_character_does_no_harm(*, native: bool) -> None:
    text = '{"tool_calls": [{"name": "web_search", "arguments": {"query": "\ud800"}}]}'
    (call,) = recover_tool_calls(text, KNOWN, native=native).calls
    assert "\ud800" not in call.arguments


M = 200_000
NESTED = "<tool_call>" + '[{"a":' * 5_000 + "}]" * 5_000 + "</tool_call>"
HOSTILE = {
    "names of tools": "<tool>a</tool>",
    "arguments beside": "<tool>a</tool>" + "<parameter name='b'>c</parameter>" * 2_000,
    "an argument beside": "<tool>a</tool><parameter name='b'>" + "c" * 60_000,
    "blanks beside": "<tool>a</tool>" + " " * 60,
    "an object beside": "<tool>a</tool>{'a':" * 3_000,
    "actions": 'a {"action": ',
    "tags": "<tool_call>",
    "braces": "{",
    "square brackets": "[",
    "both": "[{",
    "objects": '{"tool_calls":',
    "nested": NESTED,
    "nested object": '\n{"action":' + '{"action":' * 3_000 + "1" + "}" * 3_001,
    "open braces": "<tool_call>" + "{" * 60_000,
    "names": "<tool_call>" + '"name": ' * 8_000 + "</tool_call>",
    "blanks": "<invoke name='a'>x" + " " * 60_000 + "</invoke>",
    "backslashes": '<tool_call>{"a": "' + "\\" * 60_000 + "</tool_call>",
    "apostrophes": "<tool_call>{'a': '" + "b' " * 20_000 + "</tool_call>",
    "elements": "<invoke name='a'>" + "<a>" * 20_000 + "</invoke>",
    "half tags": "<invoke name='a'>" + "<a " * 20_000 + "</invoke>",
    "closings": "<invoke name='a'>x" + " </a>" * 12_000 + "</invoke>",
    "words": "<tool_call>{x " + "a" * 60_000 + "</tool_call>",
    "code": "`<tool_call>",
    "backticks": "```web_search\n" + "`" * 60_000 + "\n",
    "CDATA": "<invoke name='a'><parameter name='b'><![CDATA[" + "]]> " * 15_000 + "</invoke>",
}


@NATIVE
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(*, native: bool, name: str) -> None:
    unit = HOSTILE[name]

    def seconds(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        started = time.process_time()
        recover_tool_calls(text, KNOWN, native=native)
        return time.process_time() - started

    assert seconds(M // 4) < 3  # 50 ms on an idle machine; quadratic time takes far longer


def test_it_is_closed_once_and_for_all() -> None:
    calls = ToolCallParser(KNOWN, native=True)
    assert calls.feed("Bien. <tool") == "Bien. "
    assert calls.calls == ()
    assert calls.close() == ""
    assert calls.close() == ""


@pytest.mark.parametrize(
    "text",
    [
        "Le mot <tool> et <function> en HTML ; [TOOL] et [TODO].",
        "Le HTML `<b>` et <invoke> puis suite importante.",
        "Utilise la balise <function> en C++ et <tool> en XML. Puis la suite.",
        "vector<function> v; suite",
        "Balise <parameter> fin",
    ],
)
@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_everyday_words_in_angle_brackets_are_text(text: str, native: bool, size: int) -> None:
    calls = ToolCallParser(["web_search", "save_memory"], native=native)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert "".join([*map(calls.feed, pieces), calls.close()]) == text
    assert calls.calls == ()


@NATIVE
@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("before", ["Voici.\n\n", "Voici. ", "Voici"])
def test_a_thought_within_the_answer_is_not_shown_and_its_calls_do_not_run(
    *, native: bool, size: int, before: str
) -> None:
    text = f"{before}<think>\nplan {CALL} secret\n</think>Bonjour"
    shown, calls = filter_pieces(cut(text, size), native=native)
    assert ("".join(shown), calls) == (f"{before}Bonjour", [])

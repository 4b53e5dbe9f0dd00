"""Thoughts, told from the answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.tool_calls.tool_call_parser import ToolCallParser

CALL = '<tool_call>{"name": "web_search", "arguments": {"query": "x"}}</tool_call>'


def sort(pieces: list[str]) -> tuple[str, str, int]:
    """Thinking, the text of the answer, and how many calls there are."""
    prose = ToolCallParser(["web_search"], native=True)
    thinking: list[str] = []
    for piece in pieces:
        prose.feed(piece)
        thinking.append(prose.take_thinking())
    prose.close()
    thinking.append(prose.take_thinking())
    return "".join(thinking), prose.text, len(prose.calls)


CASES = {
    "<think>two</think>\n\nfour": ("two", "four", 0),
    "\n <think>two</think>four": ("two", "four", 0),
    "<think></think>four": ("", "four", 0),
    "<think>never ends </thi": ("never ends </thi", "", 0),
    "<think>a</think>b<think>c</think>": ("ac", "b", 0),
    "<think>a</think><think>b</think>c": ("ab", "c", 0),
    "<thin": ("", "<thin", 0),
    "<thinking>a</thinking>b": ("a", "b", 0),
    "<seed:think>a</seed:think>b": ("a", "b", 0),
    "<thought>a</thought>b": ("a", "b", 0),
    "<reasoning>a</reasoning>b": ("a", "b", 0),
    "[THINK]a[/THINK]b": ("a", "b", 0),
    "<|START_THINKING|>a<|END_THINKING|>b": ("a", "b", 0),
    "  four": ("", "  four", 0),
    "<think>a < b </ c</think>d": ("a < b </ c", "d", 0),
    "": ("", "", 0),
    # a closing tag alone: the prompt opened the thought
    "two and two</think>\n\nfour": ("two and two", "four", 0),
    "</think>four": ("", "four", 0),
    f"two {CALL} and</think>four": (f"two {CALL} and", "four", 0),
    f"two</think>four {CALL}": ("two", "four ", 1),
    "a</think>b</think>c": ("a", "bc", 0),
    "write `</think>` here": ("", "write `</think>` here", 0),
    "a tag <thinking> as text": ("", "a tag <thinking> as text", 0),
    # thoughts within the answer
    "four <think>two</think>": ("two", "four ", 0),
    "four.\n\n<think>\ntwo\n</think>\n\nsix": ("\ntwo\n", "four.\n\nsix", 0),
    "four.\n<thinking> two </thinking>six": (" two ", "four.\nsix", 0),
    "four. <think> two </think> six": (" two ", "four. six", 0),
    "four<think>two</think>six": ("two", "foursix", 0),
    "four<think>two</think>six<reasoning>three</reasoning>": ("twothree", "foursix", 0),
    "four <think>\ntwo</think>": ("\ntwo", "four ", 0),
    f"four.\n<think>two {CALL}</think>six": (f"two {CALL}", "four.\nsix", 0),
    f"four <think>{CALL}</think>six": (CALL, "four six", 0),
    f"four.\n<think>two</think>six {CALL}": ("two", "four.\nsix ", 1),
    # such a thought without an end, and tags that a sentence only speaks of
    "four<think>two without end": ("two without end", "four", 0),
    "four.\n<think>\ntwo without end": ("\ntwo without end", "four.\n", 0),
    f"four.\n<think>two {CALL}": ("two ", "four.\n", 1),
    "the tags <think> and </think> are": ("", "the tags <think> and </think> are", 0),
    "the tags <think>, </think>, <b>": ("", "the tags <think>, </think>, <b>", 0),
    'the tag "<think>" is': ("", 'the tag "<think>" is', 0),
    "write <think>…</think> first": ("", "write <think>…</think> first", 0),
    "write <think></think> first": ("", "write <think></think> first", 0),
    "write `<think>two</think>` here": ("", "write `<think>two</think>` here", 0),
    "so:\n```\n<think>\ntwo\n</think>\n```\nsix": (
        "",
        "so:\n```\n<think>\ntwo\n</think>\n```\nsix",
        0,
    ),
    "the tag <think>": ("", "the tag <think>", 0),
    # a call ends a thought, unless that is closed after all
    f"<think>two{CALL}": ("two", "", 1),
    f"<think>two{CALL} or</think>four": (f"two{CALL} or", "four", 0),
    "<think>the tag <tool_call> is</think>four": ("the tag <tool_call> is", "four", 0),
    f"<think>two{CALL}<tool_call|></think>four": (f"two{CALL}<tool_call|>", "four", 0),
    "<think>so <invoke name='web_search'> or</think>four <b>x</b>": (
        "so <invoke name='web_search'> or",
        "four <b>x</b>",
        0,
    ),
    # Gemma
    "<|channel>thought\ntwo<channel|>four": ("two", "four", 0),
    "<|channel>thought<channel|>four": ("", "four", 0),
    "<|channel>thousand<channel|>four": ("thousand", "four", 0),
    # gpt-oss
    "<|channel|>analysis<|message|>two<|end|><|start|>assistant<|channel|>final<|message|>four": (
        "two",
        "four",
        0,
    ),
    "<|channel|>final <|constrain|>json<|message|>{}": ("", "{}", 0),
    "<|channel|>analysis<|message|>two<|end|><|start|>assistant<|channel|>commentary "
    'to=functions.web_search <|constrain|>json<|message|>{"query": "x"}<|call|>': ("two", "", 1),
}


@pytest.mark.parametrize("whole", CASES)
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_thoughts_and_answer_are_told_apart_however_it_is_cut(whole: str, size: int) -> None:
    assert sort([whole[at : at + size] for at in range(0, len(whole), size)]) == CASES[whole]


def test_an_answer_that_is_no_thought_is_not_held_back() -> None:
    assert ToolCallParser((), native=True).feed("Bon") == "Bon"


def test_a_thought_is_shown_while_it_grows() -> None:
    prose = ToolCallParser((), native=True)
    assert prose.feed("<think>I wonder </th") == ""
    assert prose.take_thinking() == "I wonder "
    assert prose.feed("at</thi") == ""
    assert prose.take_thinking() == "</that"


@pytest.mark.parametrize(
    "text",
    ["the tags:\n<think> begins a thought, and", "a List<thought> has", "it is <think>\nand ends"],
)
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_tag_that_no_other_closes_takes_no_text_away(text: str, size: int) -> None:
    assert sort([text[at : at + size] for at in range(0, len(text), size)])[1:] == (text, 0)


PIECES = [
    "<think>",
    "</think>",
    "<thought>",
    "a.",
    "<|channel",
    "|>",
    "[THINK]",
    "[/THINK]",
    "<",
    "a",
    " ",
    "\n",
]


@given(st.lists(st.sampled_from([*PIECES, "thi", "nk>", "/", "`", "<|end|>", "thought", CALL])))
def test_the_cuts_between_pieces_do_not_matter(pieces: list[str]) -> None:
    whole = sort(["".join(pieces)])
    assert sort(pieces) == whole
    assert sort(list("".join(pieces))) == whole

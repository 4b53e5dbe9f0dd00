"""A leading `<think>` block, told from the answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.openai_protocol.answer import ThinkTagSplitter


def sort(pieces: list[str]) -> tuple[str, str]:
    leading = ThinkTagSplitter()
    parts = [leading.feed(piece) if not leading.is_over else ("", piece) for piece in pieces]
    parts.append(leading.close())
    return "".join(part[0] for part in parts), "".join(part[1] for part in parts)


CASES = {
    "<think>two</think>\n\nfour": ("two", "four"),
    "\n <think>two</think>four": ("two", "four"),
    "<think></think>four": ("", "four"),
    "<think>never ends </thi": ("never ends </thi", ""),
    "four <think>two</think>": ("", "four <think>two</think>"),
    "<think>a</think>b<think>c</think>": ("a", "b<think>c</think>"),
    "<thin": ("", "<thin"),
    "<thinking>a": ("", "<thinking>a"),
    "  four": ("", "  four"),
    "<think>a < b </ c</think>d": ("a < b </ c", "d"),
    "": ("", ""),
}


@pytest.mark.parametrize("whole", CASES)
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_only_a_leading_block_is_thought_however_it_is_cut(whole: str, size: int) -> None:
    assert sort([whole[at : at + size] for at in range(0, len(whole), size)]) == CASES[whole]


def test_an_answer_that_is_no_thought_is_not_held_back() -> None:
    assert ThinkTagSplitter().feed("Bon") == ("", "Bon")


def test_a_thought_is_shown_while_it_grows() -> None:
    leading = ThinkTagSplitter()
    assert leading.feed("<think>I wonder </th") == ("I wonder ", "")
    assert leading.feed("at</thi") == ("</that", "")


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "a", " ", "\n", "thi", "nk>", "/"])))
def test_the_cuts_between_pieces_do_not_matter(pieces: list[str]) -> None:
    assert sort(pieces) == sort(["".join(pieces)])

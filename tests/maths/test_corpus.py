"""Errors are stopped and right answers pass, over a corpus from CP to Terminale.

`corpus/pairs.txt` is written by hand, `templates.py` draws the rest. Both are answers as a chat
model writes them; none of them is used where the checker is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.maths.checker import MathsChecker
from tests.maths.templates import Pair, draw_pairs

CORPUS = Path(__file__).parent / "corpus"
CHOICE = re.compile(r"⟦(.*?)\|(.*?)⟧")
NEW_LINE = re.compile(r"\\n(?![a-z])")


def read_lines(name: str) -> list[str]:
    lines = (CORPUS / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("# ")]


def read_pairs() -> Iterator[Pair]:
    """The pairs that are written by hand."""
    for line in read_lines("pairs.txt"):
        question, _, answer = NEW_LINE.sub("\n", line).rpartition(" ||| ")
        right = CHOICE.sub(lambda found: found[1], answer)
        wrong = CHOICE.sub(lambda found: found[2], answer)
        yield Pair(question, right, wrong)


async def _is_stopped(checker: MathsChecker, answer: str, question: str) -> bool:
    return any(each.verdict == "wrong" for each in await checker.check(answer, question))


async def _list_missed(checker: MathsChecker, pairs: list[Pair]) -> list[str]:
    return [
        pair.wrong for pair in pairs if not await _is_stopped(checker, pair.wrong, pair.question)
    ]


async def _list_held(checker: MathsChecker, pairs: list[Pair]) -> list[str]:
    return [pair.right for pair in pairs if await _is_stopped(checker, pair.right, pair.question)]


async def test_errors_written_by_hand_are_stopped(checker: MathsChecker) -> None:
    pairs = list(read_pairs())
    assert len(pairs) >= 300
    assert len(await _list_missed(checker, pairs)) <= len(pairs) // 100


async def test_right_answers_written_by_hand_pass(checker: MathsChecker) -> None:
    pairs = list(read_pairs())
    assert len(await _list_held(checker, pairs)) <= len(pairs) // 100


@pytest.mark.parametrize("seed", [1, 2])
async def test_errors_of_templates_are_stopped(checker: MathsChecker, seed: int) -> None:
    pairs = list(draw_pairs(seed, 400))
    assert len(await _list_missed(checker, pairs)) <= len(pairs) // 100


@pytest.mark.parametrize("seed", [3, 4])
async def test_right_answers_of_templates_pass(checker: MathsChecker, seed: int) -> None:
    pairs = list(draw_pairs(seed, 900))
    assert len(await _list_held(checker, pairs)) <= len(pairs) // 100


async def test_right_prose_passes(checker: MathsChecker) -> None:
    answers = (CORPUS / "answers.txt").read_text(encoding="utf-8").split("\n----\n")
    held = [answer for answer in answers if await _is_stopped(checker, answer, "")]
    assert held == []


@pytest.mark.parametrize("line", read_lines("lookalikes.txt"))
async def test_what_only_looks_like_a_statement_passes(checker: MathsChecker, line: str) -> None:
    assert not await _is_stopped(checker, NEW_LINE.sub("\n", line), "")

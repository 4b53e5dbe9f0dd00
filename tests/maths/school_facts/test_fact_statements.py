"""School facts: wrong ones are stopped, right ones and look-alikes pass.

The passages of `corpus/school_facts.txt` are written by hand, in the wordings of tutors.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bot.maths.checker import MathsChecker, has_maths, may_begin_maths
from bot.maths.statements import read_statements

LINES = (Path(__file__).parents[1] / "corpus" / "school_facts.txt").read_text(encoding="utf-8")
WRONG = [line[2:] for line in LINES.splitlines() if line.startswith("- ")]
RIGHT = [line[2:].replace("⏎", "\n") for line in LINES.splitlines() if line.startswith("+ ")]


async def _is_stopped(checker: MathsChecker, text: str) -> bool:
    return any(each.verdict == "wrong" for each in await checker.check(text))


async def test_wrong_school_facts_are_stopped(checker: MathsChecker) -> None:
    assert len(WRONG) >= 150
    assert [text for text in WRONG if not await _is_stopped(checker, text)] == []


async def test_right_school_facts_pass(checker: MathsChecker) -> None:
    assert len(RIGHT) >= 200
    assert [text for text in RIGHT if await _is_stopped(checker, text)] == []


async def test_facts_say_what_is_right(checker: MathsChecker) -> None:
    checked = await checker.check("Bravo ! Un pavé droit possède 10 arêtes, tu vois ?")
    assert checked == []
    (found,) = await checker.check("Bravo ! Un pavé droit possède 10 arêtes.")
    assert (found.verdict, found.why) == ("wrong", "it is 12")


@pytest.mark.parametrize(
    "text",
    ["Un carré a deux axes de symétrie.", "Une semaine a six jours.", "Deux droites parallèles"],
)
def test_facts_without_digits_are_looked_at(text: str) -> None:
    assert has_maths(text)
    assert may_begin_maths(text)


def test_prose_without_facts_is_not_looked_at() -> None:
    assert not has_maths("Lundi, nous lirons le texte de Birago Diop et tu me raconteras la fin.")


@pytest.mark.parametrize(
    "piece",
    [
        "un carré a 4 côtés et 4 sommets et ",
        "il y a deux côtés dans un carré et ",
        "quatre vingt mille cent ",
        "dans 3 il y a 3 unités, ",
        "la somme des angles d’un triangle est la ",
    ],
)
def test_long_sentences_of_facts_take_little_time(piece: str) -> None:
    begun = time.process_time()
    read_statements(piece * 12)
    assert time.process_time() - begun < 2

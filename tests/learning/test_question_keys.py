"""Keys of questions in many wordings: a wrong one is refused, a right one never is.

The questions stand in `data/decided_questions.txt` and `data/right_questions.txt`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.contracts.services import GivenExercise
from bot.isolated_worker.worker import WarmWorker
from bot.learning.answer_keys import AnswerKeys
from bot.maths.checker import PROGRAM, MathsChecker
from tests.support.samples import draw_some

DATA = Path(__file__).with_name("data")
NEEDS_OPTIONS = ("Quel nombre est le plus petit ?", "Which is the largest number?")
"""Questions that are not decided without their options."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def keys() -> AsyncIterator[AnswerKeys]:
    worker = WarmWorker(PROGRAM)
    yield AnswerKeys(MathsChecker(worker.ask))
    await worker.close()


def read_questions(name: str) -> list[tuple[str, list[str]]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    parts = [line.split(" | ") for line in lines if not line.startswith("#")]
    return [(question, options) for question, *options in parts]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_wrong_key_of_a_quiz_is_refused(keys: AnswerKeys) -> None:
    passed = [
        question
        for question, options in draw_some(read_questions("decided_questions.txt"), share=0.3)
        if not await keys.find_quiz_fault(question, options, 1)
    ]
    assert passed == []


@pytest.mark.asyncio(loop_scope="module")
async def test_a_wrong_solution_of_an_exercise_is_refused(keys: AnswerKeys) -> None:
    passed: list[str] = []
    for question, options in draw_some(read_questions("decided_questions.txt"), share=0.3):
        fault = await keys.find_exercise_fault(GivenExercise(question, "text", (options[1],)))
        if f"“{options[1]}” is wrong" not in fault and question not in NEEDS_OPTIONS:
            passed.append(question)
    assert passed == []


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", ["decided_questions.txt", "right_questions.txt"])
async def test_a_right_key_in_many_wordings_passes(keys: AnswerKeys, name: str) -> None:
    faults: list[str] = []
    for question, options in draw_some(read_questions(name), share=0.2):
        if fault := await keys.find_quiz_fault(question, options, 0):
            faults.append(f"{question}: {fault}")
        exercise = GivenExercise(question, "text", (options[0],))
        if "is wrong" in (fault := await keys.find_exercise_fault(exercise)):
            faults.append(f"{question}: {fault}")
    assert faults == []


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("question", "is_fault"),
    [
        ("On sait que 7 × 8 = 55. Combien font 7 × 9 ?", True),
        ("Rappel : 25 % de 80 font 25. Combien font 7 × 9 ?", True),
        ("We know that 7 × 8 = 55. What is 7 × 9?", True),
        ("On sait que 7 × 8 = 56. Combien font 7 × 9 ?", False),
        ("Moussa a écrit 7 × 8 = 55. Combien font 7 × 9 ?", False),
        ("Une élève se trompe : 7 × 8 = 55, c’est faux. Combien font 7 × 9 ?", False),
    ],
)
async def test_what_a_question_tells_has_to_be_right(
    keys: AnswerKeys, question: str, is_fault: bool
) -> None:
    fault = await keys.find_quiz_fault(question, ["62", "63"], 1)
    assert ("What the question says is wrong" in fault) == is_fault
    assert bool(fault) == is_fault


@pytest.mark.asyncio(loop_scope="module")
async def test_a_wrong_statement_on_purpose_passes(keys: AnswerKeys) -> None:
    question = "Trouve l’erreur : 7 × 8 = 55 ; 2 × 2 = 4."
    assert await keys.find_quiz_fault(question, ["7 × 8 = 55", "2 × 2 = 4"], 0) == ""
    assert await keys.find_quiz_fault("Vrai ou faux : 7 × 8 = 55 ?", ["Vrai", "Faux"], 1) == ""
    assert await keys.find_quiz_fault("Vrai ou faux : 7 × 8 = 55 ?", ["Vrai", "Faux"], 0)

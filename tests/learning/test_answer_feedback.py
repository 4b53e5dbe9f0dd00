"""Answers that are not accepted: the feedback for likely mistakes."""

from __future__ import annotations

from itertools import product

import pytest

from bot.learning.answer_feedback import find_feedback
from bot.learning.new_exercise import Body, NewExercise, exercise_of_item
from bot.messages.value import ExerciseKind
from bot.practice.catalogue import all_generators
from bot.practice.generator import LEVELS, Generator
from bot.web.question_views import write_plain


def exercise(
    kind: ExerciseKind,
    solution: str,
    statement: str = "",
    *,
    unit: str = "",
    feedback: dict[str, str] | None = None,
    options: tuple[str, ...] = (),
) -> NewExercise:
    body = Body((solution,), options, feedback or {}, unit=unit)
    return NewExercise(kind, statement, body)


def test_feedback_is_found_however_the_answer_is_written() -> None:
    asked = exercise("number", "3/4", "Calcule et simplifie.", feedback={"1/2": "half"})
    assert find_feedback("0,50", asked) == "half"
    assert find_feedback("4/8", asked) == "half"
    assert find_feedback("7", asked) == ""


@pytest.mark.parametrize("text", ["85,1", "85.11", "85,10 m", "h = 85,1"])
def test_a_rounded_mistake_has_its_feedback(text: str) -> None:
    asked = exercise("number", "18,8", unit="m", feedback={"4000/47": "divided"})
    assert find_feedback(text, asked) == "divided"
    assert find_feedback("85,3", asked) == ""


def test_a_word_has_the_feedback_of_its_own_spelling() -> None:
    feedback = {"place": "il", "placent": "ils", "placez": "vous"}
    asked = exercise("text", "places", "Conjugue le verbe.", feedback=feedback)
    assert [find_feedback(text, asked) for text in ("placez", "Placent", "plaçait")] == [
        "vous", "ils", "",
    ]  # fmt: skip


@pytest.mark.parametrize("generator", all_generators(), ids=lambda each: each.skill)
def test_a_mistake_that_is_typed_has_the_feedback_of_the_tap(generator: Generator) -> None:
    """Options are typed as the screen shows them, or named by their letter."""
    for seed, difficulty in product(range(4), LEVELS):
        language = ("fr", "en")[seed % 2]
        item = generator.make(seed, difficulty=difficulty, language=language)
        asked = exercise_of_item(item, left_after=0)
        for mistake in item.misconceptions:
            typed = [mistake.option, write_plain(mistake.option, language)]
            if item.options and "a" not in item.options:
                typed.append("ABCD"[item.options.index(mistake.option)])
            found = [find_feedback(text, asked) for text in typed]
            assert found == [mistake.feedback] * len(typed), (item.statement, typed)

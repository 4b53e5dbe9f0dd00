"""Answers as pupils type them: what is one, and whether it is right."""

from __future__ import annotations

from itertools import product

import pytest

from bot.learning.answer_forms import is_pasted
from bot.learning.exercise_grading import find_feedback, is_answer, is_right
from bot.messages.value import ExerciseKind
from bot.practice.catalogue import all_generators
from bot.practice.generator import LEVELS, Generator, Item

RIGHT: list[tuple[ExerciseKind, str, str]] = [
    ("number", "3,5", "3.5"),
    ("number", "7/2", "3,5"),
    ("number", "1 250", "1250"),
    ("number", "1\u202f250", "1 250"),
    ("number", "x = 4", "4"),
    ("number", "-2", "\u22122"),
    ("number", "$\\frac{1}{2}$", "0,5"),
    ("number", "douze", "12"),
    ("number", "42.", "42"),
    ("expression", "6+3x", "3x + 6"),
    ("expression", "3(x+2)", "3x + 6"),
    ("expression", "6x^2+10x-4", "6x² + 10x - 4"),
    ("expression", "(x-3)(x+3)", "x^2 - 9"),
    ("set", "{3 ; -2}", "{-2 ; 3}"),
    ("set", "x = 3 ou x = -2", "{-2 ; 3}"),
    ("text", "Photosynthese", "photosynthèse"),
    ("text", "photosyntèse", "photosynthèse"),
]
WRONG: list[tuple[ExerciseKind, str, str]] = [
    ("number", "3,6", "3,5"),
    ("number", "35", "3,5"),
    ("number", "1/0", "1"),
    ("number", "x = 5", "4"),
    ("expression", "3x + 2", "3x + 6"),
    ("expression", "3x", "3x + 6"),
    ("set", "{2 ; 3}", "{-2 ; 3}"),
    ("text", "respiration", "photosynthèse"),
]


@pytest.mark.parametrize(("kind", "text", "solution"), RIGHT)
def test_right_answers_count(kind: ExerciseKind, text: str, solution: str) -> None:
    assert is_answer(text, kind, (), "")
    assert is_right(text, kind, (solution,))


@pytest.mark.parametrize(("kind", "text", "solution"), WRONG)
def test_wrong_answers_do_not(kind: ExerciseKind, text: str, solution: str) -> None:
    assert not is_right(text, kind, (solution,))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("number", "je ne comprends pas"),
        ("number", "pourquoi 12 ?"),
        ("number", "/help"),
        ("expression", "je ne sais pas"),
        ("set", "aide-moi"),
        ("text", "je pense que c'est la plante qui fait cela"),
        ("text", "un indice ?"),
        ("choice", "explique-moi d'abord"),
    ],
)
def test_what_is_no_answer_is_for_the_model(kind: ExerciseKind, text: str) -> None:
    assert not is_answer(text, kind, ("82", "92"), "")


@pytest.mark.parametrize("text", ["B", "b)", "2", "92", " 92 ."])
def test_a_choice_is_named_by_text_letter_or_number(text: str) -> None:
    assert is_answer(text, "choice", ("82", "92"), "")
    assert is_right(text, "choice", ("92",), options=("82", "92"))


def test_units_may_be_written_or_not() -> None:
    assert is_right("12 cm", "number", ("12",), unit="cm")
    assert is_right("500 francs", "number", ("500",), unit="FCFA")
    assert is_right("0,12 m", "number", ("12",), unit="cm")
    assert not is_right("12 kg", "number", ("12",), unit="cm")
    assert is_right("38°", "number", ("38",), unit="°")


def test_no_slip_counts_where_spelling_is_asked() -> None:
    assert is_right("finis", "text", ("finis",), skill="french.present-er-verbs")
    assert not is_right("finit", "text", ("finis",), skill="french.present-er-verbs")
    assert not is_right("a", "text", ("à",), skill="french.homophones-a")


def test_a_statement_pasted_back_is_no_answer() -> None:
    assert is_pasted("3(x+2)", "Développe $3(x + 2)$.")
    assert not is_pasted("3x+6", "Développe $3(x + 2)$.")


def test_feedback_is_found_however_the_answer_is_written() -> None:
    assert find_feedback("0,50", "number", {"1/2": "half"}) == "half"
    assert find_feedback("7", "number", {"1/2": "half"}) == ""


@pytest.mark.parametrize("generator", all_generators(), ids=lambda each: each.skill)
def test_keys_of_every_generator_are_right_and_likely_mistakes_wrong(generator: Generator) -> None:
    for seed, difficulty, language in product(range(15), LEVELS, ("fr", "en")):
        item = generator.make(seed, difficulty=difficulty, language=language)
        options, unit, skill = item.options, item.unit, item.skill

        def right(text: str, item: Item = item) -> bool:
            keys = (item.key,)
            return is_right(
                text, item.kind, keys, options=item.options, unit=item.unit, skill=item.skill
            )

        assert is_answer(item.key, item.kind, options, unit), (skill, item.key)
        assert right(item.key), (skill, item.key)
        assert not any(right(each.option) for each in item.misconceptions), (skill, item.key)
        assert item.kind != "expression" or not is_pasted(item.key, item.statement)

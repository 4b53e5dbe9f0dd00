"""Answers that are not accepted: the feedback for likely mistakes, and what is left to do."""

from __future__ import annotations

from itertools import product

import pytest

from bot.learning.grading.answer_feedback import (
    StepLeft,
    describe_step_left,
    find_feedback,
    find_step_left,
)
from bot.learning.grading.exercise_grading import is_answer, is_right
from bot.learning.new_exercise import Body, NewExercise, exercise_of_item
from bot.messages.value import ExerciseKind
from bot.practice.catalogue import all_generators
from bot.practice.generator import LEVELS, Generator
from bot.web.question_views import write_plain
from tests.support.samples import draw_some


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
    for seed, difficulty in draw_some(product(range(2), LEVELS), share=0.5):
        language = ("fr", "en")[seed % 2]
        item = generator.make(seed, difficulty=difficulty, language=language)
        asked = exercise_of_item(item, left_after=0)
        for mistake in item.misconceptions:
            typed = [mistake.option, write_plain(mistake.option, language)]
            if item.options and "a" not in item.options:
                typed.append("ABCD"[item.options.index(mistake.option)])
            found = [find_feedback(text, asked) for text in typed]
            assert found == [mistake.feedback] * len(typed), (item.statement, typed)


# Right values in another form ---------------------------------------------------------------------

SIMPLIFY = "Calcule $\\frac{1}{2} + \\frac{1}{4}$. Donne le résultat simplifié."
EXPAND = "Développe et réduis : $3(4x + 5) - 4(x - 3)$."
FACTOR = "Factorise $x^2 - 9$."
ROOT = "Écris $\\sqrt{180}$ sous la forme $a\\sqrt{b}$, avec $b$ le plus petit possible."


@pytest.mark.parametrize(
    ("kind", "solution", "statement", "unit", "answer", "step"),
    [
        ("number", "3/4", SIMPLIFY, "", "6/8", "simplify"),
        ("number", "3/4", SIMPLIFY, "", "je trouve 12/16", "simplify"),
        ("number", "3/4", "Résous 4x = 3.", "", "1-1/4", "compute"),
        ("number", "3/4", "Résous 4x = 3.", "", "x = 1/4+1/2", "compute"),
        ("number", "3/2", "Résous 2x = 3.", "", "1+1/2", "compute"),
        ("number", "3/4", "Calcule 1/4 + 1/2.", "", "1/4+1/2", "begin"),
        ("number", "3/4", SIMPLIFY, "", "1/2 + 1/4", "begin"),
        ("number", "3/4", SIMPLIFY, "", "2/4 + 1/4", "compute"),
        ("number", "6", "Quelle est l'aire de ce rectangle, en cm² ?", "cm²", "2×3", "compute"),
        ("number", "6", "Combien font deux fois trois ?", "", "2x3", "compute"),
        ("expression", "2x", "Réduis l'expression.", "", "x+x", "reduce"),
        ("number", "6", "Combien de billes ?", "", "12/2", "compute"),
        ("number", "6", "Calcule $2 \\times 3$.", "", "2x3", "begin"),
        ("number", "6√5", ROOT, "", "2√45", "root"),
        ("number", "6√5", ROOT, "", "√180", "begin"),
        ("number", "5√3", "Calcule et simplifie √12 + √27.", "", "√75", "root"),
        ("number", "690", "Écris 6 m 90 cm en centimètres.", "cm", "6,9 m", "unit"),
        ("number", "690", "Écris 6 m 90 cm en centimètres.", "cm", "6 m 90 cm", "begin"),
        ("number", "3,4×10^5", "Écris 340 000 en écriture scientifique.", "", "34×10^4",
         "scientific"),
        ("expression", "8x+27", EXPAND, "", "12x+15-4x+12", "reduce"),
        ("expression", "8x+27", EXPAND, "", "3(4x+5)-4x+12", "expand"),
        ("expression", "8x+27", EXPAND, "", "3(4x+5)-4(x-3)", "begin"),
        ("expression", "2x", "Simplifie l'expression.", "", "x+x", "reduce"),
        ("expression", "6π", "Quel est le périmètre d'un cercle de rayon 3 ?", "", "2×3×π",
         "reduce"),
        ("expression", "3π", "Quel est le périmètre de ce cercle ?", "", "6π/2", "reduce"),
        ("expression", "3ln(2)", "Écris ln(8) en fonction de ln(2).", "", "ln(4)+ln(2)", "reduce"),
        ("expression", "2√3/3", "Rends rationnel 2/√3.", "", "2√(1/3)", "reduce"),
        ("expression", "(x-3)(x+3)", FACTOR, "", "x*x - 9", "factor"),
        ("expression", "3x(2x-3)", "Factorise $6x^2 - 9x$.", "", "x(6x-9)", "factor"),
        ("expression", "2^2×13^2", "Décompose 676 en facteurs premiers.", "", "4×13^2", "factor"),
    ],
)  # fmt: skip
def test_what_is_left_to_do_to_a_right_value_is_named(
    kind: ExerciseKind, solution: str, statement: str, unit: str, answer: str, step: StepLeft
) -> None:
    asked = exercise(kind, solution, statement, unit=unit)
    assert not is_right(answer, kind, (solution,), unit=unit, statement=statement)
    assert find_step_left(answer, asked) == step


@pytest.mark.parametrize(
    ("kind", "solution", "statement", "answer", "step"),
    [
        ("number", "4", "Résous 2x + 3 = 11.", "2x = 8", "solve"),
        ("number", "4", "Résous 2x + 3 = 11.", "2x = 11 - 3", "solve"),
        ("number", "4", "Résous 2x + 3 = 11.", "2x + 3 = 11", "begin"),
        ("number", "4", "Résous 2x + 3 = 11.", "2x = 9", None),
        ("number", "4", "Résous 2x + 3 = 11.", "2y = 8", None),
        ("number", "4", "Résous 2x + 3 = 11.", "2x = 2x", None),
        ("number", "4", "Quel est le double de 2 ?", "2x = 8", None),
        ("set", "{2 ; 3}", "Résous x² - 5x + 6 = 0.", "(x-2)(x-3) = 0", "solve"),
        ("set", "{2 ; 3}", "Résous x² - 5x + 6 = 0.", "x - 2 = 0", None),
        ("choice", "$x = 4$", "Résous $2x + 3 = 11$.", "2x=8", "solve"),
    ],
)
def test_an_equation_that_the_solution_solves_is_a_step(
    kind: ExerciseKind, solution: str, statement: str, answer: str, step: StepLeft | None
) -> None:
    options = (solution, "$x = 7$") if kind == "choice" else ()
    assert find_step_left(answer, exercise(kind, solution, statement, options=options)) == step


@pytest.mark.parametrize(
    ("kind", "solution", "statement", "unit", "answer"),
    [
        ("number", "3/4", SIMPLIFY, "", "3/4"),
        ("number", "3/4", SIMPLIFY, "", "0,75"),
        ("number", "3/4", SIMPLIFY, "", "2/6"),
        ("number", "3/4", "Calcule 1/2 + 1/4.", "", "6/8"),
        ("number", "6", "Combien de kilos ?", "kg", "6 cm"),
        ("number", "6", "Combien de billes ?", "", "2×4"),
        ("number", "6√5", ROOT, "", "5√6"),
        ("expression", "8x+27", EXPAND, "", "8x+3"),
        ("expression", "8x+27", EXPAND, "", "27+8x"),
        ("expression", "3x+2", "Donne l'expression de f(x).", "", "x+2x+2"),
        ("expression", "3+2√2", "Développe (1+√2)².", "", "3+2√2"),
        ("text", "places", "Conjugue le verbe.", "", "place"),
    ],
)
def test_nothing_is_left_to_do_to_a_right_or_wrong_answer(
    kind: ExerciseKind, solution: str, statement: str, unit: str, answer: str
) -> None:
    assert find_step_left(answer, exercise(kind, solution, statement, unit=unit)) is None


@pytest.mark.parametrize(
    ("answer", "step"),
    [("6/8", "simplify"), ("6:8", "simplify"), ("12/16", "begin"), ("3/4", None), ("A", None),
     ("4/3", None), ("B", None), ("5/8", None)],
)  # fmt: skip
def test_a_right_value_is_not_yet_the_right_option(answer: str, step: StepLeft | None) -> None:
    statement, options = "Simplifie $\\frac{12}{16}$ le plus possible.", ("3/4", "4/3", "12/4")
    asked = exercise("choice", "3/4", statement, options=options)
    assert find_step_left(answer, asked) == step
    assert is_right(answer, "choice", ("3/4",), options=options, statement=statement) is (
        answer in ("3/4", "A")
    )


@pytest.mark.parametrize("generator", all_generators(), ids=lambda each: each.skill)
def test_no_key_or_mistake_of_a_generator_is_left_undone(generator: Generator) -> None:
    for seed, difficulty in draw_some(product(range(4), LEVELS), share=0.25):
        item = generator.make(seed, difficulty=difficulty)
        asked = exercise_of_item(item, left_after=0)
        for answer in (item.key, *(each.option for each in item.misconceptions)):
            assert find_step_left(answer, asked) is None, (item.statement, answer)
            assert find_step_left(write_plain(answer, "fr"), asked) is None, item.statement


@pytest.mark.parametrize(
    ("text", "step"),
    [("5", "choose"), ("9.", "choose"), ("0", "choose"), ("c'est 7", "choose"), ("4", None),
     ("20", None), ("15", None), ("b", None)],
)  # fmt: skip
def test_a_number_beyond_the_list_is_no_try(text: str, step: StepLeft | None) -> None:
    asked = exercise("choice", "20", "Calcule 2 × 10.", options=("10", "20", "30", "40"))
    assert is_answer(text, "choice", asked.body.options, "", asked.statement)
    assert find_step_left(text, asked) == step


def test_who_chose_beyond_the_list_hears_which_numbers_do() -> None:
    body = Body(("20",), ("10", "20", "30", "40"))
    assert describe_step_left("choose", "fr", body).endswith("choisis de 1 à 4.")


def test_a_digit_that_is_the_value_of_an_option_is_that_option() -> None:
    asked = exercise("choice", "7", "Calcule 3 + 4.", options=("6", "7", "12"))
    assert find_step_left("7", asked) is None

"""Find what to say about an answer that is not accepted. Pure.

A mistake that is typed has the feedback of the same mistake that is tapped, in whatever notation.
An answer that has the right value, but not the form that the statement asks for, is no mistake:
what is left to do is named, and no try is counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal

from bot.i18n import fold, say
from bot.learning.exercises import Exercise
from bot.learning.expression_shape import read_form
from bot.learning.grading.answer_forms import (
    is_computed,
    is_lowest,
    lacks_simple_root,
    repeats_number,
    wants_lowest_terms,
)
from bot.learning.grading.answer_readings import clean, read_amount, strip_statement
from bot.learning.grading.exercise_grading import is_right, list_values, read_number
from bot.learning.grading.named_options import find_option, is_beyond_list, name_option
from bot.learning.grading.typed_formulas import (
    clean_expression,
    is_copied,
    is_same_constant,
    name_form_left,
)
from bot.learning.grading.typed_numbers import is_unit, lacks_power, split_unit
from bot.learning.new_exercise import Body, NewExercise
from bot.learning.plain_notation import write_plain
from bot.maths.equivalence import equivalent

StepLeft = Literal[
    "begin", "solve", "compute", "simplify", "root", "scientific", "unit", "factor", "expand",
    "reduce", "choose",
]  # fmt: skip
"""What is left to do to an answer with the right value; `begin`: it repeats the statement; `solve`:
it is an equation with the same solution; `choose`: it is the number of no option."""
_LETTER: Final = re.compile(r"(?<![^\W\d_])[a-z](?![^\W\d_])")
_BETWEEN_VALUES: Final = re.compile(r"[{};$]|\b(?:et|ou|and|or)\b")
_NO_SOLUTIONS: Final = ("101", "-103/7")
"""Numbers that hardly solve an equation that has few solutions."""
_DECIMALS: Final = re.compile(r"\d[.,](\d+)\b")
_QUANTITY: Final = re.compile(r"\d[\d,.]*[\s\u202f]?[^\W\d_]{1,6}[²³]?(?:\s\d+\s?[^\W\d_]{1,4})?")
"""A number with its unit, or with two."""


def find_feedback(answer: str, exercise: Exercise | NewExercise) -> str:
    """Return the feedback for a likely wrong answer; empty: the answer is none of them."""
    feedback = exercise.body.feedback
    if exercise.kind == "choice":
        answer = name_option(answer, exercise.body.options, exercise.statement)
    if answer in feedback or exercise.kind == "choice":
        return feedback.get(answer, "")
    named = (each for each in feedback if _is_mistake(answer, each, exercise))
    return feedback.get(next(named, ""), "")


def _is_mistake(answer: str, mistake: str, exercise: Exercise | NewExercise) -> bool:
    """Return whether an answer is a likely wrong one, also in a form that the statement would not
    accept, or rounded."""
    kind, unit, skill = exercise.kind, exercise.body.unit, exercise.skill
    if any(
        is_right(answer, kind, (mistake,), unit=unit, skill=skill, statement=statement)
        for statement in (exercise.statement, "")
    ):
        return True
    return kind == "number" and _is_rounded(answer, mistake, unit)


def _is_rounded(answer: str, mistake: str, unit: str) -> bool:
    """Return whether a decimal is a fraction that has no decimal form, rounded or cut off."""
    decimals, exact = _DECIMALS.search(answer), read_number(mistake)
    value = read_number(answer, unit)
    if decimals is None or exact is None or value is None:
        return False
    is_endless = pow(10, exact.denominator.bit_length(), exact.denominator) != 0
    return is_endless and abs(value - exact) < Fraction(1, 10 ** len(decimals[1]))


# Right values in another form ---------------------------------------------------------------------


def find_step_left(answer: str, exercise: Exercise | NewExercise) -> StepLeft | None:
    """Return what is left to do to an answer that has the right value in another form than the
    statement asks for; None: it is right, or wrong."""
    kind, body, statement = exercise.kind, exercise.body, exercise.statement
    answer = strip_statement(answer.strip(), statement)
    if kind == "choice" and is_beyond_list(answer, body.options, statement):
        return "choose"
    if kind in ("text", "set") or body.placing or answer in body.options:
        return _find_equation_step(answer, exercise)
    if is_right(
        answer,
        kind,
        body.solutions,
        options=body.options,
        unit=body.unit,
        tolerance=body.tolerance,
        statement=statement,
    ):
        return None
    option = find_option(answer, body.options, statement) if kind == "choice" else None
    if option is not None and body.options[option] not in body.solutions:
        return None
    for each in body.solutions:
        if step := _compare(answer, each, exercise):
            return step
    return _find_equation_step(answer, exercise)


def _find_equation_step(
    answer: str, exercise: Exercise | NewExercise
) -> Literal["begin", "solve"] | None:
    """Return what is left to do to an equation that has the solution of the statement's equation,
    such as `2x = 8` for `2x + 3 = 11`; None: it has another, or none is asked."""
    statement, body = exercise.statement, exercise.body
    sides, letters = clean(answer).lower().split("="), set(_LETTER.findall(answer.lower()))
    is_asked = "=" in statement and letters <= set(_LETTER.findall(write_plain(statement)))
    if exercise.kind == "text" or len(sides) != 2 or len(letters) != 1 or not is_asked:
        return None
    (letter,) = letters
    if letter in map(str.strip, sides) or body.placing:
        return None
    solutions = [part for each in body.solutions for part in _BETWEEN_VALUES.split(each)]
    values = [each.rpartition("=")[2].strip() for each in solutions if each.strip()]
    if not values or not all(_solves(value, letter, sides) for value in values):
        return None
    if any(_solves(each, letter, sides) for each in _NO_SOLUTIONS):
        return None
    if is_right(answer, exercise.kind, body.solutions, options=body.options, statement=statement):
        return None
    return "begin" if is_copied(answer, "", statement) else "solve"


def _solves(value: str, letter: str, sides: Sequence[str]) -> bool:
    """Return whether two sides are equal if a letter has this value."""
    product = re.compile(rf"(?<=[\d)]) ?{letter}(?![^\W\d_])")
    single = re.compile(rf"(?<![^\W\d_]){letter}(?![^\W\d_])")
    one, other = (single.sub(f"({value})", product.sub(f"*({value})", each)) for each in sides)
    return equivalent(one, other, "number") is True


def _compare(answer: str, solution: str, exercise: Exercise | NewExercise) -> StepLeft | None:
    """Return what is left to do to an answer for it to be this solution."""
    statement, unit = exercise.statement, exercise.body.unit
    if exercise.kind == "expression":
        cleaned = clean_expression(answer, solution, statement)
        is_constant = is_same_constant(cleaned, solution)
        if not is_constant and equivalent(cleaned, solution, "expression") is not True:
            return None
        if is_copied(cleaned, solution, statement):
            return "begin"
        left = name_form_left(cleaned, solution, statement)
        return left or ("reduce" if is_constant else None)
    for value in list_values(answer, unit, statement):
        is_foreign = _has_other_unit(value, unit)
        if is_foreign and not unit:
            continue
        wanted = f"{solution} {unit}" if is_foreign else solution
        if _is_equal(value, wanted, has_units=is_foreign):
            return _name_step(value, solution, statement, is_foreign=is_foreign)
    return None


def _has_other_unit(value: str, unit: str) -> bool:
    """Return whether a number has a unit after it that is not the exercise's own."""
    amount = read_amount(value)
    written, name = split_unit(amount.rest) if amount else ("", "")
    return bool(written) and not is_unit(name, unit)


def _is_equal(value: str, solution: str, *, has_units: bool) -> bool:
    is_same = equivalent(value, solution, "number") is True
    if is_same or has_units:
        return is_same
    one, other = (read_form(_write_plainly(each)) for each in (value, solution))
    return one is not None and other is not None and one.equals(other)


def _write_plainly(text: str) -> str:
    return write_plain(fold(text)).strip("$ ")


def _name_step(value: str, solution: str, statement: str, *, is_foreign: bool) -> StepLeft | None:
    if _is_repeated(value, statement) or repeats_number(value, solution, statement):
        return "begin"
    if is_foreign:
        return "unit"
    if lacks_power(value, solution, statement):
        return "scientific"
    if lacks_simple_root(value, solution, statement):
        return "root"
    fraction = re.sub(r" ?[:÷] ?", "/", value)
    if not is_computed(fraction) or ("/" in fraction and "/" not in solution):
        return "compute"
    return "simplify" if wants_lowest_terms(statement) and not is_lowest(fraction) else None


def _is_repeated(value: str, statement: str) -> bool:
    """Return whether an answer is only a formula, computation or quantity of the statement."""
    if is_copied(value, "", statement):
        return True
    given = [*statement.split("$")[1::2], *_QUANTITY.findall(statement)]
    plain = (_write_plainly(each).replace("×", "*") for each in (value, *given))
    written, *formulas = (re.sub(r"[()\s]", "", each) for each in plain)
    return written in formulas


def describe_step_left(step: StepLeft, language: str, body: Body) -> str:
    """Return the words about an answer that has the right value: what is left to do; or about one
    that names no option: which numbers do."""
    unit, count = body.unit, len(body.options)
    words: dict[StepLeft, str] = {
        "begin": say(language, "That is still the question: now it is your turn to go on."),
        "solve": say(language, "That is right so far! Now go on to the solution."),
        "compute": say(language, "That is the right value! Now work it out to the end."),
        "simplify": say(language, "That is the right value! Now simplify your fraction."),
        "root": say(language, "That is the right value! Now simplify your root."),
        "scientific": say(
            language, "That is the right value! Now write it in scientific notation."
        ),
        "unit": say(language, "That is the right value! Now write it in {unit}.", unit=unit),
        "factor": say(language, "Your answer is equal to it! Now write it as a product."),
        "expand": say(language, "Your answer is equal to it! Now expand it."),
        "reduce": say(language, "Your answer is equal to it! Now simplify it."),
        "choose": say(
            language, "That is none of the answers: choose from 1 to {count}.", count=count
        ),
    }
    return words[step]

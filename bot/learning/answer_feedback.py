"""Find what to say about an answer that is not accepted: the feedback for a likely mistake. Pure.

A mistake that is typed has the feedback of the same mistake that is tapped, in whatever notation.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from bot.learning.exercise_grading import is_right, name_option, read_number
from bot.learning.exercises import Exercise
from bot.learning.new_exercise import NewExercise

_DECIMALS: Final = re.compile(r"\d[.,](\d+)\b")


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

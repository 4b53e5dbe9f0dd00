"""Check, keep and ask the exercises that a model gives."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from bot.contracts.services import GivenExercise, ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import ToolFailed
from bot.learning import exercises
from bot.learning.grading.exercise_grading import is_answer, is_right, read_number
from bot.learning.new_exercise import Body, NewExercise
from bot.learning.quiz import load_answer_keys
from bot.learning.results import match_topic
from bot.maths.checker import MathsChecker
from bot.messages.outgoing import AskExercise

_ELEMENT: Final = re.compile(
    r"(?:[a-z] ?= ?)?[-\u2212+]?(?=[^=]*[\dπe])"
    r"(?:[\d\s.,/*×^²³+()√π\u2212-]|\\?sqrt|\be\b)+",
    re.I,
)
"""One number, also as the value of a letter."""
_MOST_OFF: Final = 0.25
"""The widest tolerance of a number, as a part of the solution."""


class GivenExercises:
    """The service behind the tool `give_exercise`."""

    def __init__(self, database: Database, checker: MathsChecker) -> None:
        self._database = database
        self._checker = checker

    async def give(self, exercise: GivenExercise, context: ToolContext) -> AskExercise:
        """Implement `bot.contracts.services.ExerciseService.give`: check, keep and ask the
        exercise.

        Raises:
            ToolFailed: the solution is wrong, cannot be graded, or stands in the statement; another
                exercise was given in this turn; or the person was erased.
        """
        exercise = _join_set(exercise)
        fault = _find_ungradable(exercise)
        if not fault:
            keys = await load_answer_keys(self._checker)
            fault = await keys.find_exercise_fault(exercise)
        if fault:
            raise ToolFailed(f"The exercise was not given. {fault} Give it again, put right.")
        body = Body(
            exercise.solutions,
            options=exercise.options,
            hints=exercise.hints,
            steps=exercise.steps,
            unit=exercise.unit,
            tolerance=exercise.tolerance,
            turn=context.turn,
        )
        skill, topic = match_topic(exercise.skill, context.person)
        new = NewExercise(exercise.kind, exercise.statement, body, skill or topic)
        secret = context.settings.secret_key

        async def work(tx: Transaction) -> AskExercise:
            name = exercises.name_exercise(context.key, secret)
            asked = await exercises.find_open(tx, context.lane, context.account)
            if asked and asked.id != name and asked.body.turn == context.turn:
                raise ToolFailed("One exercise at a time: this one comes after their answer.")
            return await exercises.ask(
                tx,
                name,
                new,
                lane=context.lane,
                account=context.account,
                address=context.person.address,
                secret=secret,
            )

        return await self._database.write(work)


def _join_set(exercise: GivenExercise) -> GivenExercise:
    """Return an exercise with one set for its elements, if these are its solutions: `{3 ; -3}` for
    `3` and `-3`."""
    solutions = exercise.solutions
    if exercise.kind != "set" or len(solutions) < 2 or not all(map(_ELEMENT.fullmatch, solutions)):
        return exercise
    elements = (each.rpartition("=")[2].strip() for each in solutions)
    return replace(exercise, solutions=(f"{{{' ; '.join(elements)}}}",))


def _find_ungradable(exercise: GivenExercise) -> str:
    """Return why the solution cannot be graded, for the model; empty: it can be graded."""
    kind, options, unit = exercise.kind, exercise.options, exercise.unit
    statement = exercise.statement
    for solution in exercise.solutions:
        value = read_number(solution, unit) if exercise.tolerance else None
        if value is not None and exercise.tolerance > abs(value) * _MOST_OFF:
            return (
                f"A tolerance of {exercise.tolerance:g} counts wrong answers as right: at most "
                f"{_MOST_OFF:.0%} of the solution."
            )
        readable = is_answer(solution, kind, options, unit, statement, talk_counts=True)
        if not readable or not is_right(
            solution, kind, exercise.solutions, options=options, unit=unit
        ):
            return (
                f"The solution “{solution}” cannot be read as an answer of kind {kind}: write it "
                "as the person would, without words around it, or choose another kind."
            )
    return ""

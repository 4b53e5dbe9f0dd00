"""Show exercises in the typography of the person's language, and how each of them stands.

A page that is opened again shows an exercise with what was tried and seen of it, and the next
exercises of its series, which are asked by the answer over the API and by no delivery.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import msgspec

from bot.contracts.storage import Transaction
from bot.events import ExerciseAsked, event_fields
from bot.gateway.delivery.compose import show_exercise
from bot.learning import exercises
from bot.learning.exercises import Exercise
from bot.learning.grading.answer_feedback import find_feedback
from bot.messages.outgoing import AskExercise
from bot.render.renderer import typeset_exercise
from bot.typography import typeset


class ExerciseOutcome(msgspec.Struct, frozen=True):
    """How an exercise stands."""

    state: Literal["open", "right", "wrong", "shown", "dropped"]
    """`wrong` in a placement only, `shown`: its solution was, `dropped`: left for another or
    skipped."""
    tries: tuple[str, ...]
    """The wrong answers, the oldest first."""
    hints: tuple[str, ...]
    """The hints that were seen, in Markdown."""
    hints_left: int
    solution_allowed: bool
    """Whether the solution may be asked for now."""
    feedback: str | msgspec.UnsetType = msgspec.UNSET
    """What to say about the likely mistake that the last wrong answer is, in Markdown."""
    solution: str | msgspec.UnsetType = msgspec.UNSET
    """The solution, once the exercise is over and was not left."""
    steps: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """The way to the solution, where that was shown."""


def show_asked(asked: AskExercise, language: str) -> ExerciseAsked:
    """Return the event that shows an exercise, in the typography of `language`."""
    return show_exercise(typeset_exercise(asked, language))


def describe_outcome(exercise: Exercise, language: str) -> ExerciseOutcome:
    """Return how an exercise stands, in the typography of `language`."""
    body, state = exercise.body, exercise.state
    is_open = state == "open"
    feedback = find_feedback(exercise.tries[-1], exercise) if is_open and exercise.tries else ""
    steps = tuple(typeset(step, language) for step in body.steps)
    has_solution = state in ("right", "wrong", "shown")
    return ExerciseOutcome(
        state,
        tuple(typeset(answer, language) for answer in exercise.tries),
        tuple(typeset(hint, language) for hint in body.hints[: exercise.hints_shown]),
        exercise.hints_left if is_open and not exercise.is_placing else 0,
        solution_allowed=is_open and exercise.may_show_solution,
        feedback=typeset(feedback, language) or msgspec.UNSET,
        solution=typeset(exercise.solution, language) if has_solution else msgspec.UNSET,
        steps=steps if state == "shown" else msgspec.UNSET,
    )


async def read_series(
    tx: Transaction,
    first: tuple[str, dict[str, Any]],
    delivered: Collection[str],
    language: str,
    secret: str,
) -> list[tuple[str, dict[str, Any]]]:
    """Return the event of an exercise with its `outcome`, and those of the exercises that its
    answer and theirs have asked without a delivery.

    Args:
        first: name and fields of the exercise's event.
        delivered: the ids of the exercises that have an event of their own.
        secret: `SECRET_KEY`, from which the ids of the next exercises are derived.
    """
    events: list[tuple[str, dict[str, Any]]] = []
    fields = first[1]
    exercise = await exercises.find(tx, fields["id"])
    while exercise is not None:
        outcome = msgspec.to_builtins(describe_outcome(exercise, language))
        events.append((first[0], fields | {"outcome": outcome}))
        following = exercises.name_exercise(f"{exercise.id}/next", secret)
        exercise = None if following in delivered else await exercises.find(tx, following)
        if exercise is not None:
            shown = show_asked(exercises.describe(exercise), language)
            fields = event_fields(shown)
    return events or [first]

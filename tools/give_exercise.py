"""Give an exercise that the person answers in their own words, graded by the server."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints, model_validator

from bot.contracts.services import GivenExercise, ToolContext
from bot.contracts.tools import Tool
from bot.messages.value import ExerciseKind

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Answer = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class GiveExercise(BaseModel):
    """Give the person one exercise that they answer in their own words; grading, hints and the
    worked solution follow by themselves. Use it after an explanation, or when they ask for an
    exercise; for an answer by a tap use interactive_quiz, for a series start_practice. Never write
    the statement, a hint or the solution in your message."""

    statement: str = Field(
        description="What to work out, without the solution.", min_length=1, max_length=2_000
    )
    kind: ExerciseKind = Field(description="What the answer is; text: at most six words.")
    solution: Answer | Annotated[list[Answer], Field(min_length=1, max_length=8)] = Field(
        description="As a pupil would write it; several right ones as a list; a set as {-3;3}."
    )
    unit: str = Field(default="", description="Of a number: cm.", max_length=20)
    tolerance: float = Field(
        default=0.0, description="How far a number may be off.", ge=0, le=1_000_000
    )
    options: list[Answer] = Field(
        default_factory=list, description="Of a choice: 2 to 4.", max_length=4
    )
    hints: list[Words] = Field(
        description="From a nudge to nearly the way.", min_length=1, max_length=3
    )
    steps: list[Words] = Field(description="The worked solution.", max_length=8)
    skill: str = Field(default="", description="What it practises, in a few words.", max_length=200)

    @model_validator(mode="after")
    def _fit_together(self) -> GiveExercise:
        if self.kind == "choice" and len(set(self.options)) < max(2, len(self.options)):
            raise ValueError("options: a choice needs 2 to 4 different ones")
        return self


async def give_exercise(args: GiveExercise, context: ToolContext) -> str:
    context.deliver(await context.services.exercises.give(_read_exercise(args), context))
    return (
        "The exercise is shown with this answer, and graded when the person answers. Do not repeat "
        "it or help yet; a short word of encouragement is enough."
    )


def _read_exercise(args: GiveExercise, _language: str = "") -> GivenExercise:
    solutions = [args.solution] if isinstance(args.solution, str) else args.solution
    return GivenExercise(
        args.statement,
        args.kind,
        tuple(solutions),
        args.unit.strip(),
        args.tolerance,
        tuple(args.options) if args.kind == "choice" else (),
        tuple(args.hints),
        tuple(args.steps),
        args.skill,
    )


TOOL = Tool(
    GiveExercise,
    give_exercise,
    modes={"child"},
    effect="repeatable",
    timeout=20,
    read_at_once=("statement", "hints"),
    offered_at_once=("options",),
    asks=_read_exercise,
    label="Preparing an exercise…",
)

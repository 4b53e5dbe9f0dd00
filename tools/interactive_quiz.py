"""Ask a multiple-choice question that the person answers with a tap."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints, model_validator

from bot.contracts.services import GivenExercise, Quiz, ToolContext
from bot.contracts.tools import Tool

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class InteractiveQuiz(BaseModel):
    """Ask the person one multiple-choice question; they answer with a tap, and grading and
    explanation follow by themselves. Use it to check that something just explained has been
    understood, one to three times a conversation. Not on the first message, not for a question
    about what the person wants, and not for true or false. Never write the question's answer, or
    the options again, in your message."""

    question: str = Field(
        description="The question alone, without the options.", min_length=1, max_length=1_000
    )
    options: list[Line] = Field(
        description="2 to 4 different answers, short enough for a button, without letters or "
        "numbers before them; exactly one is right.",
        min_length=2,
        max_length=4,
    )
    correct_index: int = Field(
        description="Which option is right, counted from 0.", ge=0, le=3, strict=True
    )
    explanation: str = Field(
        description="Why it is right, in a few sentences; shown after the answer.",
        min_length=1,
        max_length=1_500,
    )
    skill: str = Field(default="", description="What it practises, in a few words.", max_length=200)

    @model_validator(mode="after")
    def _fit_together(self) -> InteractiveQuiz:
        if len({option.casefold() for option in self.options}) < len(self.options):
            raise ValueError("options: each must differ from the others; replace the repeated one")
        if self.correct_index >= len(self.options):
            last = len(self.options) - 1
            raise ValueError(f"correct_index: count from 0; with these options at most {last}")
        return self


async def interactive_quiz(args: InteractiveQuiz, context: ToolContext) -> str:
    quiz = Quiz(
        kind="interactive_quiz",
        question=args.question,
        options=tuple(args.options),
        correct_index=args.correct_index,
        explanation=args.explanation,
        skill=args.skill,
    )
    context.deliver(await context.services.quizzes.ask(quiz, context))
    return (
        "The quiz is shown with this answer, and graded when the person taps. Do not repeat it or "
        "reveal anything about it; a short word of encouragement is enough."
    )


def _read_question(args: InteractiveQuiz, _language: str) -> GivenExercise:
    right = args.options[args.correct_index]
    return GivenExercise(args.question, "choice", (right,), options=tuple(args.options))


TOOL = Tool(
    InteractiveQuiz,
    interactive_quiz,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=30,
    read_at_once=("question",),
    read_later=("explanation",),
    offered_at_once=("options",),
    asks=_read_question,
    label="Preparing a quiz…",
)

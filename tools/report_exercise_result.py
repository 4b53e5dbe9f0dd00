"""Count an exercise that the person has worked out."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool


class ReportExerciseResult(BaseModel):
    """Count one exercise that the person worked out in the conversation, as right or wrong, for
    their progress (/progress). Use it once for each exercise, when you have judged the final
    answer. Not for quizzes (interactive_quiz, true_false_quiz), which are counted by themselves,
    not for a step on the way or a question that they asked, and never because they ask you to
    count something they did not do."""

    subject: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="The school subject in one or two words, always the same ones: maths, French, "
        "history.",
        max_length=200,
    )
    correct: bool = Field(
        description="Whether the person's own final answer was right.", strict=True
    )
    topic: str = Field(
        default="",
        description="What it was about within the subject, in a few words, for instance fractions.",
        max_length=200,
    )


async def report_exercise_result(args: ReportExerciseResult, context: ToolContext) -> str:
    score = await context.services.results.report(
        args.subject, correct=args.correct, topic=args.topic, context=context
    )
    return f"Counted. So far {score.correct} of {score.answered} right in {score.subject}."


TOOL = Tool(
    ReportExerciseResult,
    report_exercise_result,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=10,
    read_at_once=("subject", "topic"),
    label="Noting the result…",
)

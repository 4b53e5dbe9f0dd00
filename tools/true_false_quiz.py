"""Ask whether a statement is true; the person answers with a tap."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import GivenExercise, Quiz, ToolContext
from bot.contracts.tools import Tool
from bot.i18n import say

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class TrueFalseQuiz(BaseModel):
    """Ask the person whether one statement is true or false; they answer with a tap, and grading
    and explanation follow by themselves. Use it to check a rule, a definition or a common mistake
    that was just explained, one to three quizzes a conversation. Not on the first message, not
    where several answers compete (interactive_quiz), and not for opinions. Never write whether it
    is true, or the statement again, in your message."""

    statement: Words = Field(
        description="One statement that is clearly true or clearly false, without 'true or "
        "false?' around it.",
        max_length=1_000,
    )
    is_true: bool = Field(description="Whether the statement is true.", strict=True)
    explanation: Words = Field(
        description="Why it is true or false, in a few sentences; shown after the answer.",
        max_length=1_500,
    )
    skill: str = Field(default="", description="What it practises, in a few words.", max_length=200)


async def true_false_quiz(args: TrueFalseQuiz, context: ToolContext) -> str:
    language = context.person.language
    quiz = Quiz(
        kind="true_false_quiz",
        question=args.statement,
        options=(say(language, "True"), say(language, "False")),
        correct_index=0 if args.is_true else 1,
        explanation=args.explanation,
        skill=args.skill,
    )
    context.deliver(await context.services.quizzes.ask(quiz, context))
    return (
        "The statement is shown with this answer, and graded when the person taps. Do not repeat "
        "it or reveal anything about it; a short word of encouragement is enough."
    )


def _read_statement(args: TrueFalseQuiz, language: str) -> GivenExercise:
    options = (say(language, "True"), say(language, "False"))
    return GivenExercise(
        args.statement, "choice", (options[0 if args.is_true else 1],), options=options
    )


TOOL = Tool(
    TrueFalseQuiz,
    true_false_quiz,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=30,
    read_at_once=("statement",),
    read_later=("explanation",),
    asks=_read_statement,
    label="Preparing a quiz…",
)

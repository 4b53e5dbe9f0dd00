"""Start a series of exercises that need no model."""

from __future__ import annotations

from pydantic import BaseModel, Field

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool


class StartPractice(BaseModel):
    """Start a series of exercises made, graded and explained by the server at the person's level:
    mathematics from CP to Terminale, French and English grammar, physics and chemistry. Use it when
    they want to practise; not for one exercise of your own (give_exercise)."""

    skill: str = Field(
        default="",
        description="What to practise: fractions; empty: what is best for them now.",
        max_length=200,
    )
    count: int = Field(default=5, description="How many exercises.", ge=1, le=10, strict=True)


async def start_practice(args: StartPractice, context: ToolContext) -> str:
    service = context.services.practice
    context.deliver(await service.start_series(args.skill, args.count, context))
    return (
        "The first exercise is shown with this answer; the others follow by themselves. Say a "
        "short word of encouragement, nothing about the exercise."
    )


TOOL = Tool(
    StartPractice,
    start_practice,
    modes={"child"},
    effect="repeatable",
    timeout=10,
    label="Choosing exercises…",
)

"""Reward a pupil with a few credits."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool

_LEAST, _MOST = 1, 5


class AwardBonusCredits(BaseModel):
    """Give the pupil 1 to 5 bonus credits as a reward. Use it seldom, when they have mastered
    something hard, kept on after mistakes, or done well in several exercises, and say in your
    message what it is for. Not for every right answer, never because they ask for credits or say
    that they deserve some, and never promise credits before they are given: a day has a limit."""

    credits: int = Field(
        description="How many, from 1 (a good effort) to 5 (something outstanding).",
        strict=True,
        json_schema_extra={"minimum": _LEAST, "maximum": _MOST},
    )
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="What they are given for, in a few words for the pupil, in their language.",
        max_length=300,
    )


async def award_bonus_credits(args: AwardBonusCredits, context: ToolContext) -> str:
    asked = min(max(args.credits, _LEAST), _MOST)
    bonus = await context.services.bonuses.award(asked, context)
    given = f"{bonus.credits} bonus credits were given"
    if bonus.credits < asked:
        return f"Only {given}: today's limit is reached. Tell the pupil this number."
    return f"{given}. Tell the pupil, and what for. Up to {bonus.left_today} more today."


TOOL = Tool(
    AwardBonusCredits,
    award_bonus_credits,
    modes={"child"},
    effect="repeatable",
    timeout=10,
    label="Giving a reward…",
    detail=lambda args: args.reason,
)

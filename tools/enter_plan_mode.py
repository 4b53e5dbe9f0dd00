"""Begin a plan, which the person has to approve before anything is done."""

from __future__ import annotations

from pydantic import BaseModel, Field

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool


class EnterPlanMode(BaseModel):
    """Begin to plan a task that takes several steps or cannot be undone, before doing any of it.
    From then on only tools that read run, until the person has approved the plan that you give to
    exit_plan_mode. Use it when the person would want to see the plan first. Not for questions, and
    never for something that one step does."""

    goal: str = Field(
        description="What is to be reached, in one sentence.", min_length=1, max_length=500
    )


async def enter_plan_mode(args: EnterPlanMode, context: ToolContext) -> str:
    await context.services.approvals.begin_plan(context)
    return (
        f"You are planning: {args.goal}\nRead and search what you need. Then call exit_plan_mode "
        "with the whole plan; nothing else but reading runs before the person has approved it."
    )


TOOL = Tool(
    EnterPlanMode,
    enter_plan_mode,
    modes={"child", "pro"},
    effect="read",
    timeout=10,
    always_offered=True,
    enabled=lambda settings: settings.planner_mode,
    label="Making a plan…",
    detail=lambda args: args.goal,
)

"""Show the person a plan and wait for their consent."""

from __future__ import annotations

from pydantic import BaseModel, Field

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool


class ExitPlanMode(BaseModel):
    """Show the finished plan to the person, who approves it, wants it changed, or cancels it; your
    turn ends here, and goes on when they have decided. Use it only after enter_plan_mode. Never
    repeat the plan in your text."""

    plan: str = Field(
        description="The plan in Markdown: numbered steps, what each brings, what it costs or "
        "changes. Short enough to be read on a phone.",
        min_length=1,
        max_length=6_000,
    )


async def exit_plan_mode(args: ExitPlanMode, context: ToolContext) -> str:
    context.deliver(await context.services.approvals.ask_for_plan(args.plan, context))
    return "The plan is shown to the person, and waits for their decision."


TOOL = Tool(
    ExitPlanMode,
    exit_plan_mode,
    modes={"child", "pro"},
    effect="read",
    timeout=10,
    always_offered=True,
    enabled=lambda settings: settings.planner_mode,
    speaks=True,
    label="Showing the plan…",
)

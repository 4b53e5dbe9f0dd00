"""Report a fault of Griot to its operator."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import Priority, ToolContext
from bot.contracts.tools import Tool


class ReportBug(BaseModel):
    """Report a fault of this service to the people who run it. Use it when the person says that
    something does not work, or a tool keeps failing although it was called rightly. Not for
    questions, wishes about your answers, or faults of other services; once for one fault."""

    description: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="What was done, what came of it, and what should have come, in a few "
        "sentences. No phone numbers or addresses.",
        max_length=4_000,
    )
    severity: Priority = Field(
        default="normal", description="`high` if nothing works or credits are lost."
    )


async def report_bug(args: ReportBug, context: ToolContext) -> str:
    await context.services.reports.file(args.description, args.severity, context)
    return "The report is kept for the people who run this. Tell the person so."


TOOL = Tool(
    ReportBug,
    report_bug,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=10,
    label="Reporting a fault…",
)

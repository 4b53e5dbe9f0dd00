"""Note something that the person has to do."""

from __future__ import annotations

import time
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, WithJsonSchema, model_validator

from bot.contracts.services import NewTask, Priority, RemindBy, ToolContext
from bot.contracts.tools import Tool
from bot.errors import ToolFailed
from bot.i18n import describe_moment, say
from bot.learning.tasks import parse_due
from bot.messages.channels import NUMBER_CHANNEL, PUSH_CHANNELS
from bot.messages.outgoing import Say

_RemindBy = Annotated[
    RemindBy | None,
    WithJsonSchema({"type": "string", "enum": [*PUSH_CHANNELS, "email"]}),
]
_Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=50)]


def _omit_default(schema: dict[str, Any]) -> None:
    """Remove a default of null: some endpoints refuse it beside a type of string."""
    schema.pop("default", None)


class CreateTask(BaseModel):
    """Note one thing that the person has to do, and remind them when it is due. Use it when they
    ask for a reminder, or want something put on their list: homework for a date, a call, a
    payment. Not for what you can do yourself now, not for facts to remember (save_memory), and
    never without their wish. It reminds once: of what comes back every day or week, note the next
    time, and say that it is only that one. Work out the date from the day that you are told; ask
    when it is not clear."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="What is to be done, in one short sentence in the person's language.",
        max_length=200,
    )
    priority: Priority = Field(default="normal", description="How much it matters.")
    due: str = Field(
        default="",
        description="When it is due, in ISO 8601 and the person's own time: 2026-05-31T17:30, or "
        "the date alone, which means 08:00; or the time from now, like PT30M or P1D. Leave it out "
        "when there is no date.",
        max_length=40,
    )
    tags: list[_Tag] = Field(
        default=[], description="A few words to group tasks by, such as maths.", max_length=10
    )
    remind_by: _RemindBy = Field(
        default=None,
        description="How to remind them, if they said so; otherwise leave it out: it comes in "
        "this conversation.",
        json_schema_extra=_omit_default,
    )

    @model_validator(mode="after")
    def _fit_together(self) -> CreateTask:
        if self.remind_by and not self.due.strip():
            raise ValueError("due: without it nobody knows when to remind; ask the person")
        return self


async def create_task(args: CreateTask, context: ToolContext) -> str:
    zone = context.person.timezone
    due_at = parse_due(args.due, zone, time.time()) if args.due.strip() else None
    unreachable = await _check_way(args, context) if due_at else ""
    task = NewTask(args.title, args.priority, due_at, tuple(args.tags), args.remind_by)
    number = await context.services.tasks.add(task, context)
    if args.remind_by == NUMBER_CHANNEL:
        await _ask_missing_number(context)
    if due_at is None:
        return f"Task {number} is noted, without a date."
    when = describe_moment(due_at, zone)
    noted = f"Task {number} is noted, due {when}. Tell the person the day and hour, to be sure."
    if unreachable:
        return f"{noted} {unreachable}"
    comes_here = args.remind_by in (None, context.person.channel)
    if comes_here and not await context.services.notifier.accepts_notices(context.person):
        noted += (
            " But they wanted no more messages here: the reminder does not come here unless they "
            "write START. Tell them that too."
        )
    return noted


async def _check_way(args: CreateTask, context: ToolContext) -> str:
    """Check that a reminder can reach the person; return what to tell them if none can at all.

    Raises:
        ToolFailed: it cannot the way that they want; the message names the ways by which it can.
    """
    way, channel = args.remind_by, context.person.channel
    if way == channel or (way is None and channel in PUSH_CHANNELS):
        return ""
    refusals = await context.services.notifier.explain_refusals(context.account)
    able = ", ".join(each for each, reason in refusals.items() if not reason)
    if way and refusals[way]:
        hint = f"Reminders reach them by: {able}." if able else "No reminder can reach them."
        raise ToolFailed(f"{refusals[way]} {hint} The task is not noted: tell them, and ask.")
    return "" if able else "But no reminder can reach them: they see it with /tasks. Tell them."


async def _ask_missing_number(context: ToolContext) -> None:
    """Ask the person for their number if none is known to which an SMS could be sent."""
    if await context.services.notifier.is_number_known(context.account):
        return
    words = say(
        context.person.language,
        "To remind you by SMS I need your number. Share it here, or send /login.",
    )
    context.deliver(Say(words, asks_number=True))


TOOL = Tool(
    CreateTask,
    create_task,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=10,
    speaks=True,
    label="Noting a task…",
    detail=lambda args: args.title,
)

"""Run a shell command in the sandbox."""

from __future__ import annotations

from pydantic import BaseModel, Field, field_validator

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.errors import ToolFailed
from bot.sandbox.command_run import describe_result

_SECONDS = 30.0
_TIME_TO_END = 6.0
"""Seconds of the tool's own time that are kept for ending a command, at most a third."""
_IN_BACKGROUND = "#!bg"


class BashExecute(BaseModel):
    """Run a bash command in a sandbox and read what it prints. Use it to calculate exactly, to
    work through text, or to try out a script: bash, awk, sed, bc, perl, python3, as far as they are
    installed. Not for the web or the person's files: it has no network and begins with an empty
    folder each time, so write input into the command itself; nothing is kept. A command has 30
    seconds. One that takes longer (up to ten minutes) begins with the line #!bg: it runs in the
    background, and you are told when it has ended. Never say what a command would print without
    running it."""

    command: str = Field(
        description="The bash command or script; a first line #!bg runs it in the background.",
        min_length=1,
        max_length=20_000,
    )

    @field_validator("command")
    @classmethod
    def _refuse_nul(cls, command: str) -> str:
        if "\0" in command or not command.strip():
            raise ValueError("it is empty, or has a NUL character in it")
        return command


async def bash_execute(args: BashExecute, context: ToolContext) -> str:
    first, _, rest = args.command.partition("\n")
    if first.strip() == _IN_BACKGROUND:
        return await _start(rest, context)
    seconds = min(_SECONDS, _time_left(context))
    if seconds <= 0:
        raise ToolFailed("There is no time left for a command. Answer with what you have.")
    outcome = await context.services.sandbox.run(args.command, seconds=seconds, show=context.show)
    return describe_result(outcome)


def _time_left(context: ToolContext) -> float:
    seconds = min(context.settings.tool_timeout, context.left.seconds)
    return seconds - min(_TIME_TO_END, seconds / 3)


async def _start(command: str, context: ToolContext) -> str:
    if not command.strip():
        raise ToolFailed("Nothing follows the line #!bg. Write the command below it.")
    name = await context.services.sandbox.start(command, lane=context.lane, key=context.key)
    return (
        f"{name} runs in the background, for at most ten minutes. You will be told when it has "
        "ended and what it said; do not wait for it, and do not start it again."
    )


def _first_line(args: BashExecute) -> str:
    lines = (line.strip() for line in args.command.splitlines())
    return next((line for line in lines if line and line != _IN_BACKGROUND), "")


TOOL = Tool(
    BashExecute,
    bash_execute,
    modes={"pro"},
    effect="repeatable",
    timeout=_SECONDS + _TIME_TO_END,
    max_result=4_000,
    label="Running a command…",
    detail=_first_line,
)

"""Griot as it is served, with one tool that it does not ship.

`note_once` has an effect that shows if it happens twice: each run adds a line to the file that
`CHAOS_NOTES` names, and no rule but the journal's keeps it from running again.
"""

from __future__ import annotations

import asyncio
import os
import sys

from pydantic import BaseModel, Field

from bot import settings as environment
from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.observability import configure_logging
from bot.server import run_server


class NoteOnce(BaseModel):
    """Write one line down, for good."""

    text: str = Field(description="The line.", max_length=100)


async def note_once(args: NoteOnce, context: ToolContext) -> str:
    """One `write` in append mode is one whole line, whoever else writes."""
    notes = os.open(os.environ["CHAOS_NOTES"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(notes, f"{args.text} {context.key}\n".encode())
        os.fsync(notes)
    finally:
        os.close(notes)
    await asyncio.sleep(0.1)  # as a payment or a call takes its time after it had its effect
    return "noted"


TOOL = Tool(NoteOnce, note_once, modes={"child", "pro"}, effect="once", timeout=10)


async def serve(role: str) -> None:
    settings = environment.load()
    configure_logging(settings.log_level, json=True)
    web_part, worker_part = role != "worker", role != "web"
    async with run_server(settings, web_part=web_part, worker_part=worker_part, tools=(TOOL,)):
        await asyncio.Event().wait()


def main() -> None:
    """As the command `griot`, with the role as its argument."""
    asyncio.run(serve(sys.argv[1]))

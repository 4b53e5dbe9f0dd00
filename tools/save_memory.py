"""Remember a fact about the person."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool


class SaveMemory(BaseModel):
    """Remember one lasting fact about the person, so that later conversations know it. Use it when
    they ask for it, or tell something that will matter again: a goal, an examination, a
    preference, what they find hard. Not for what passes (today's mood, this exercise), not for
    what the profile holds already (name, grade, country, language), and never for passwords,
    codes, health, religion or politics."""

    fact: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="One short sentence that can be understood alone, in the person's language.",
        max_length=500,
    )


async def save_memory(args: SaveMemory, context: ToolContext) -> str:
    await context.services.memory.save(context.account, args.fact)
    return "Remembered. The person can see it with /memory."


TOOL = Tool(
    SaveMemory,
    save_memory,
    modes={"child", "pro"},
    effect="repeatable",
    is_private=True,
    timeout=10,
    read_at_once=("fact",),
    label="Remembering…",
)

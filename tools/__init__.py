"""The tools of Griot: this tuple is the whole list, in the order in which models see it."""

from __future__ import annotations

from typing import Any

from bot.contracts import Tool
from tools import (
    browse_url,
    enter_plan_mode,
    exit_plan_mode,
    generate_md,
    interactive_quiz,
    save_memory,
    web_search,
)

TOOLS: tuple[Tool[Any], ...] = (
    web_search.TOOL,
    browse_url.TOOL,
    save_memory.TOOL,
    generate_md.TOOL,
    interactive_quiz.TOOL,
    enter_plan_mode.TOOL,
    exit_plan_mode.TOOL,
)

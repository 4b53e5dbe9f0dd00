"""Decide whether a tool may run: for this person and mode, within the turn's budget and its plan.

Guests, who have not logged in, may use no tool. An account may use the tools of its mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.agent.turn import MOST_OF_ONE_TOOL, Turn
from bot.contracts.services import ApprovalService
from bot.contracts.tools import Tool
from bot.errors import ToolFailed

AnyTool = Tool[Any]


@dataclass(frozen=True, slots=True)
class ToolPermission:
    """The tools that a turn may use, regardless of its budget."""

    mode: str
    """The person's mode; empty for a guest, which is the mode of no tool."""
    may_delegate: bool

    @classmethod
    def of_turn(cls, turn: Turn) -> ToolPermission:
        """Return the permission of the turn's person. A turn may delegate while its `depth` allows
        it."""
        return cls("" if turn.person.is_guest else turn.person.mode, turn.depth > 0)

    def covers(self, tool: AnyTool) -> bool:
        """Return whether the tool may run."""
        return self.mode in tool.modes and (self.may_delegate or not tool.is_delegate)


def check_budget(turn: Turn, name: str, ordinal: int, nth: int) -> None:
    """Refuse a call beyond the turn's limits of calls and time.

    Args:
        name: the tool's name, as the model wrote it.
        ordinal: number among all calls of the turn, from 0.
        nth: number among the turn's calls of the same tool, from 1.

    Raises:
        ToolFailed: the limit is reached; the message is for the model.
    """
    if ordinal >= turn.limits.tool_calls:
        raise ToolFailed("No more tool calls are allowed in this turn. Answer with what you have.")
    if turn.seconds_to_work <= 0:
        raise ToolFailed("The time of this turn is over. Answer with what you have.")
    if nth >= MOST_OF_ONE_TOOL:
        raise ToolFailed(f"{name} was called {nth - 1} times. Answer with what you have.")


async def check_plan(tool: AnyTool, turn: Turn, approvals: ApprovalService) -> None:
    """Refuse a tool that does more than read, while the turn makes a plan. Raises `ToolFailed`."""
    if await approvals.is_planning(turn.lane):
        raise ToolFailed(
            f"You are planning: {tool.name} may run once the person has approved the plan. "
            "Read what you need, then call exit_plan_mode with the plan."
        )

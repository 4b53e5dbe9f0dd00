"""The agent loop: ask the model, run its tools, until there is an answer or a limit.

One loop for all channels, jobs and delegates. It knows no channel, no database and no tool by name.
"""

from __future__ import annotations

from bot.agent.context_window import ContextWindow
from bot.agent.final_answer import CompletionCheck, FinalAnswer
from bot.agent.model_call import ModelCaller, OutOfTime
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.contracts.models import Model
from bot.events import EndReason
from bot.messages.transcript import AssistantMessage
from bot.settings import Settings


class Loop:
    def __init__(
        self,
        model: Model,
        toolbox: Toolbox,
        window: ContextWindow,
        settings: Settings,
        name: str = "",
    ) -> None:
        """
        Args:
            name: the model that is asked; empty: `MODEL`.
        """
        self._toolbox = toolbox
        self._caller = ModelCaller(model, toolbox, window, settings, name)
        self._final_answer = FinalAnswer(model, self._caller)
        self._completion_check = CompletionCheck(model, toolbox, settings)

    async def run(self, turn: Turn) -> EndReason:
        """Work on the turn until it ends; return why it ended. It always says something.

        Raises:
            ModelUnavailable, ModelRefused: no answer is to be had.
            StreamBroken: the answer broke off; what was shown is kept in the turn.
            LeaseLost: the turn belongs to another process by now.
        """
        if turn.iterations and not await self._resume(turn):
            return self._answered(turn)
        while not turn.must_close and not turn.awaits_approval:
            try:
                reply = await self._caller.ask(turn)
            except OutOfTime:
                self._final_answer.apologise_if_silent(turn)
                return "limit"
            if reply.message.tool_calls:
                await self._toolbox.execute_all(reply.message.tool_calls, turn)
            elif await self._completion_check.is_complete(turn):
                return self._answered(turn)
        if turn.awaits_approval:
            return "awaiting_approval"
        return await self._final_answer.close_turn(turn)

    async def _resume(self, turn: Turn) -> bool:
        """Settle the calls that a crash interrupted. False if the answer was there already."""
        last = next(m for m in reversed(turn.messages) if isinstance(m, AssistantMessage))
        if not last.tool_calls:
            return False
        if calls := turn.unanswered_calls:
            await self._toolbox.execute_all(calls, turn)
        return True

    def _answered(self, turn: Turn) -> EndReason:
        self._final_answer.apologise_if_silent(turn)
        return "answered"

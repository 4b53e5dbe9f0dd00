"""The agent loop: ask the model, run its tools, until there is an answer or a limit.

One loop for all channels, jobs and delegates. It knows no channel, no database and no tool by name.
"""

from __future__ import annotations

from bot.agent.context_window import ContextWindow
from bot.agent.model_call import CompletionCheck, FinalAnswer, ModelCaller, OutOfTime
from bot.agent.output_guardrail import review_reply
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.contracts.models import Model
from bot.errors import StreamBroken
from bot.events import EndReason
from bot.messages.transcript import AssistantMessage, SystemMessage
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
            name: the model to ask; empty: `MODEL`.
        """
        self._toolbox = toolbox
        self._caller = ModelCaller(model, toolbox, window, settings, name)
        self._final_answer = FinalAnswer(model, self._caller)
        self._completion_check = CompletionCheck(model, toolbox, settings)

    async def run(self, turn: Turn) -> EndReason:
        """Work on the turn until it ends; return why it ended. The turn always has an answer then.

        Raises:
            ModelUnavailable, ModelRefused: no endpoint gave an answer.
            StreamBroken: the answer broke off; the part that was shown is kept in the turn.
            LeaseLost: the turn belongs to another process by now.
        """
        try:
            return await self._run(turn)
        except StreamBroken:
            await review_reply(turn, is_last=True)
            raise
        finally:
            await turn.gate.close()

    async def _run(self, turn: Turn) -> EndReason:
        if turn.iterations and await self._resume(turn):
            return self._final_answer.end_turn(turn, "answered")
        while not turn.must_close and not turn.awaits_approval:
            try:
                reply = await self._caller.ask(turn)
            except OutOfTime:
                await review_reply(turn, is_last=True)
                return self._final_answer.end_turn(turn, "limit")
            if not await self._passes(turn):
                continue
            if reply.message.tool_calls:
                await self._toolbox.execute_all(reply.message.tool_calls, turn)
            elif await self._completion_check.is_complete(turn):
                return self._final_answer.end_turn(turn, "answered")
        if turn.awaits_approval:
            return "awaiting_approval"
        return await self._final_answer.close_turn(turn)

    async def _resume(self, turn: Turn) -> bool:
        """Go on where a crash interrupted the turn; return whether the answer was there already."""
        last = turn.messages[-1]
        if isinstance(last, SystemMessage):  # a note that asks the model to answer again
            return False
        if isinstance(last, AssistantMessage) and not await self._passes(turn):
            return False
        calls = turn.unanswered_calls
        if calls:
            await self._toolbox.execute_all(calls, turn)
        return isinstance(last, AssistantMessage) and not calls

    async def _passes(self, turn: Turn) -> bool:
        """Return whether the newest message may be sent; if not, the model is given the reason."""
        calls = turn.unanswered_calls
        reason = await review_reply(turn, asked=self._toolbox.list_asked(calls, turn))
        if reason and calls:
            await self._toolbox.refuse_all(calls, turn, reason)
        return not reason

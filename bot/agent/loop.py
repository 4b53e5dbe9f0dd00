"""The agent loop: ask the model, run its tools, until there is an answer or a limit.

One loop for all channels, jobs and delegates. It knows no channel, no database and no tool by name.
"""

from __future__ import annotations

import structlog

from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.contracts import Model, ModelRequest
from bot.errors import ModelUnavailable, StreamBroken
from bot.events import EndReason
from bot.messages import AssistantMessage, ModelReply
from bot.texts import say

GRACE = 30.0
"""Seconds that a turn whose time is up still has to say something."""
log = structlog.get_logger()


class Loop:
    def __init__(self, model: Model, toolbox: Toolbox) -> None:
        self._model = model
        self._toolbox = toolbox

    async def run(self, turn: Turn) -> EndReason:
        """Work on the turn until it ends, and say why it ended. It always says something.

        Raises:
            ModelUnavailable, ModelRefused: no answer is to be had.
            StreamBroken: the answer broke off; what was shown is kept in the turn.
            LeaseLost: the turn belongs to another process by now.
        """
        if turn.iterations and not await self._take_up(turn):
            return "answered"
        for iteration in range(turn.iterations + 1, turn.limits.iterations + 1):
            if self._must_stop(turn, iteration):
                break
            try:
                reply = await self._ask(turn)
            except TimeoutError:
                self._apologise_if_silent(turn)
                return "limit"
            if not reply.message.tool_calls:
                self._apologise_if_silent(turn)
                return "answered"
            await self._toolbox.execute_all(reply.message.tool_calls, turn)
        await self._close(turn)
        return "limit"

    async def _take_up(self, turn: Turn) -> bool:
        """Go on after a crash: settle interrupted calls. False if the answer was there already."""
        last = next(m for m in reversed(turn.messages) if isinstance(m, AssistantMessage))
        if not last.tool_calls:
            self._apologise_if_silent(turn)
            return False
        if calls := turn.unanswered_calls:
            await self._toolbox.execute_all(calls, turn)
        return True

    def _must_stop(self, turn: Turn, iteration: int) -> bool:
        """Whether this iteration, the first that would break a limit, may only close the turn."""
        limits = turn.limits
        return (
            iteration >= limits.iterations
            or turn.usage.usd >= limits.usd
            or turn.seconds_left <= 0
            or 0 < limits.tool_calls <= turn.tool_calls
        )

    async def _ask(self, turn: Turn, *, closing: bool = False) -> ModelReply:
        request = ModelRequest(
            turn.messages,
            self._toolbox.offer(turn.person),
            tool_choice="none" if closing else "auto",
            seconds=max(turn.seconds_left, min(GRACE, turn.limits.seconds))
            if closing
            else turn.seconds_left,
        )
        try:
            reply = await self._model.ask(request, turn.emit)
        except StreamBroken as broken:
            if broken.text:
                shown = ModelReply(AssistantMessage(broken.text))
                turn.take_reply(shown)
                await turn.journal.replied(shown)
            if turn.seconds_left <= 0:
                raise TimeoutError from broken  # the turn's limit, not the endpoint's failure
            raise
        if closing and reply.message.tool_calls:
            reply = ModelReply(
                AssistantMessage(reply.message.text), reply.usage, reply.model, reply.finish_reason
            )
        turn.take_reply(reply)
        await turn.journal.replied(reply)
        return reply

    async def _close(self, turn: Turn) -> None:
        """A limit is reached: one last call without tools, if one is allowed at all."""
        limits = turn.limits
        if turn.iterations < limits.iterations and limits.usd > 0 and limits.seconds > 0:
            try:
                await self._ask(turn, closing=True)
            except (TimeoutError, ModelUnavailable) as error:
                log.warning("closing_failed", lane=turn.lane, error=type(error).__name__)
        self._apologise_if_silent(turn)

    def _apologise_if_silent(self, turn: Turn) -> None:
        if not turn.prose and not turn.outgoing:
            turn.is_free = True
            turn.say(
                say(turn.person.language, "I could not find an answer. Please ask in other words.")
            )

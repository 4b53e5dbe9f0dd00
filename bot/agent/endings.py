"""How a turn ends that has to: a last answer without tools, a synthesis, an honest apology."""

from __future__ import annotations

import structlog

from bot.agent.asking import Asker, OutOfTime
from bot.agent.prompts import read
from bot.agent.turn import Turn
from bot.contracts import Model, ModelRequest
from bot.errors import ModelRefused, ModelUnavailable, StreamBroken
from bot.events import EndReason, ignore
from bot.messages import SystemMessage, Text, ToolResult, UserMessage
from bot.texts import say

_MOST_OF_A_RESULT = 1_500
_MOST_RESULTS = 12
log = structlog.get_logger()


class Endings:
    def __init__(self, model: Model, asker: Asker) -> None:
        self._model = model
        self._asker = asker

    async def close(self, turn: Turn) -> EndReason:
        """A limit is reached, or the turn goes in circles: it may only answer now. It always says
        something."""
        if turn.may_be_asked:
            said = await self._force(turn)
            if turn.is_stalled and not said:
                await self._synthesise(turn)
            if turn.is_stalled and turn.prose:
                return "answered"
        self.apologise_if_silent(turn)
        return "limit"

    def apologise_if_silent(self, turn: Turn) -> None:
        if not turn.prose and not turn.outgoing:
            turn.is_free = True
            turn.say(
                say(turn.person.language, "I could not find an answer. Please ask in other words.")
            )

    async def _force(self, turn: Turn) -> str:
        """What the model says when it may call no tools."""
        try:
            return (await self._asker.close(turn)).message.text.strip()
        except (OutOfTime, ModelUnavailable, ModelRefused) as error:
            log.warning("closing_failed", lane=turn.lane, error=type(error).__name__)
            return ""

    async def _synthesise(self, turn: Turn) -> None:
        """An answer from what the tools found, asked anew, without the conversation in which the
        model has lost its way; nothing is shown before it is whole."""
        request = ModelRequest(_findings(turn), seconds=turn.seconds_left)
        try:
            reply = await self._model.ask(request, ignore)
        except (ModelUnavailable, ModelRefused, StreamBroken, TimeoutError) as error:
            log.warning("synthesis_failed", lane=turn.lane, error=type(error).__name__)
            return
        turn.count_aside(reply)
        if text := reply.message.text.strip():
            turn.say(text)


def _findings(turn: Turn) -> list[SystemMessage | UserMessage]:
    """The request, and what the tools brought."""
    results = [m for m in turn.messages if isinstance(m, ToolResult)][-_MOST_RESULTS:]
    found = "\n\n".join(f"[{result.name}]\n{result.text[:_MOST_OF_A_RESULT]}" for result in results)
    asked = next((m.text for m in reversed(turn.messages) if isinstance(m, UserMessage)), "")
    return [
        SystemMessage(read("synthesis")),
        UserMessage((Text(f"{asked}\n\n---\n{found}"),)),
    ]

"""Ask the model for a turn's next reply, and record the reply in the turn and its journal."""

from __future__ import annotations

import asyncio

import msgspec

from bot.agent.context_window import ContextWindow
from bot.agent.prices import estimate_usage, find_model_facts
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.contracts.models import Model, ModelRequest
from bot.errors import ModelRefused, ModelUnavailable, StreamBroken
from bot.events import Content, Emit, Event
from bot.messages.transcript import AssistantMessage, ModelReply, Usage
from bot.observability import span
from bot.settings import Settings


class OutOfTime(Exception):
    """The model did not answer within the turn's time."""


class ModelCaller:
    """Asks the model, and adds its reply to the turn and its journal.

    With `TWO_PHASE` the replies that gather information are not shown; when the model calls no more
    tools, one more call, to `ANSWER_MODEL`, gives the answer.
    """

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
        self._model = model
        self._toolbox = toolbox
        self._window = window
        self._settings = settings
        self._two_phase = settings.two_phase
        self._name = name
        self._answer_model = settings.answer_model if settings.two_phase else name

    async def ask(self, turn: Turn) -> ModelReply:
        """Return the next reply: tool calls or an answer.

        Raises:
            OutOfTime: there was none within the turn's time.
            ModelUnavailable, ModelRefused: no endpoint gave one.
            StreamBroken: the reply broke off; the part that was shown is kept in the turn.
            LeaseLost: the turn belongs to another process by now.
        """
        if turn.iterations:
            turn.messages.extend(await turn.journal.overheard())
        if not self._two_phase:
            return await self._record_reply(
                turn, await self._call(turn, self._request(turn), turn.gate)
            )
        reply = await self._call(turn, self._request(turn), _without_content(turn.emit))
        if reply.message.tool_calls:
            silent = msgspec.structs.replace(reply.message, text="")
            return await self._record_reply(turn, msgspec.structs.replace(reply, message=silent))
        turn.count_side_call(reply)
        try:
            return await self.ask_for_answer(turn)
        except (OutOfTime, ModelUnavailable, ModelRefused):
            if not reply.message.text.strip():
                raise
            # The text of the gathering phase is used as the answer.
            turn.gate.begin(turn.separator)
            turn.gate(Content(reply.message.text))
            return await self._record_reply(turn, msgspec.structs.replace(reply, usage=Usage()))

    async def ask_for_answer(self, turn: Turn) -> ModelReply:
        """Return the answer, without further tool calls; it may be empty. Raises as `ask` does."""
        request = self._request(turn, closing=True)
        reply = await self._call(turn, request, turn.gate)
        if reply.message.tool_calls:
            reply = msgspec.structs.replace(reply, message=AssistantMessage(reply.message.text))
        return await self._record_reply(turn, reply)

    def _request(self, turn: Turn, *, closing: bool = False) -> ModelRequest:
        tools = self._toolbox.offer(turn)
        model = self._answer_model if closing else self._name
        return ModelRequest(
            self._window.trim(turn.messages, tools, model),
            tools,
            tool_choice="none" if closing else "auto",
            model=model,
            seconds=turn.seconds_left,
        )

    async def _call(self, turn: Turn, request: ModelRequest, emit: Emit) -> ModelReply:
        turn.gate.begin(turn.separator)
        await turn.guardrail.prepare(turn.outgoing)
        began = turn.monotonic()
        try:
            with span("model", model=request.model or "first"):
                reply = await self._model.ask(request, emit)
        except asyncio.CancelledError:
            if turn.gate.text:  # it was stopped, but has to be paid for
                turn.count_side_call(self._estimate(request, turn.gate.text))
            raise
        except StreamBroken as broken:
            if broken.text:
                message = AssistantMessage(broken.text)
                await self._record_reply(turn, ModelReply(message, broken.usage, broken.model))
            else:
                # Only thoughts came: there is nothing to keep.
                turn.count_side_call(ModelReply(AssistantMessage(""), broken.usage, broken.model))
            if turn.seconds_left <= 0:
                raise OutOfTime from broken  # the turn's limit, not the endpoint's failure
            raise
        except TimeoutError:
            raise OutOfTime from None
        finally:
            turn.seconds_asking += turn.monotonic() - began
        self._window.record_usage(request, reply)
        return reply

    def _estimate(self, request: ModelRequest, shown: str) -> ModelReply:
        model = request.model or self._settings.model
        message = AssistantMessage(shown)
        facts = find_model_facts(model, self._settings.model_capabilities)
        return ModelReply(message, estimate_usage(request, message, facts), model)

    async def _record_reply(self, turn: Turn, reply: ModelReply) -> ModelReply:
        turn.add_reply(reply)
        await turn.journal.replied(reply)
        return reply


def _without_content(emit: Emit) -> Emit:
    """Return an `Emit` that drops text: it is not known yet whether the text is the answer."""

    def show(event: Event) -> None:
        if not isinstance(event, Content):
            emit(event)

    return show

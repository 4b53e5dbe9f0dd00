"""How the loop asks its model: with what, for how long, and what is kept of the answer."""

from __future__ import annotations

import asyncio

import msgspec

from bot.agent.prices import estimate_usage, facts_of
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.agent.window import Window
from bot.contracts import Model, ModelRequest
from bot.errors import ModelRefused, ModelUnavailable, StreamBroken
from bot.events import Content, Emit, Event
from bot.messages import AssistantMessage, ModelReply, Usage
from bot.settings import Settings
from bot.tracing import span


class OutOfTime(Exception):
    """The model did not answer within the turn's time."""


class Asker:
    """Asks the model, and takes its reply into the turn and its journal.

    With `TWO_PHASE` the rounds that gather are silent; once the model has all it wants, one more
    call, to `ANSWER_MODEL`, says the answer.
    """

    def __init__(
        self, model: Model, toolbox: Toolbox, window: Window, settings: Settings, name: str = ""
    ) -> None:
        """
        Args:
            name: the model that is asked; empty: `MODEL`.
        """
        self._model = model
        self._toolbox = toolbox
        self._window = window
        self._settings = settings
        self._two_phase = settings.two_phase
        self._name = name
        self._answering = settings.answer_model if settings.two_phase else name

    async def ask(self, turn: Turn) -> ModelReply:
        """The next reply, calls or an answer.

        Raises:
            OutOfTime: there was none within the turn's time.
            ModelUnavailable, ModelRefused: there is none to be had.
            StreamBroken: it broke off; what was shown is kept in the turn.
            LeaseLost: the turn belongs to another process by now.
        """
        if turn.iterations:
            turn.messages.extend(await turn.journal.overheard())
        if not self._two_phase:
            return await self._take(turn, await self._call(turn, self._request(turn), turn.emit))
        reply = await self._call(turn, self._request(turn), _without_content(turn.emit))
        if reply.message.tool_calls:
            return await self._take(turn, _silent(reply))
        turn.count_aside(reply)
        try:
            return await self.close(turn)
        except (OutOfTime, ModelUnavailable, ModelRefused):
            if not reply.message.text.strip():
                raise
            # What was gathered is an answer, if a plain one.
            turn.emit(Content(turn.gap + reply.message.text))
            return await self._take(turn, msgspec.structs.replace(reply, usage=Usage()))

    async def close(self, turn: Turn) -> ModelReply:
        """The answer, for which no more tools may be called; it may be empty. Raises as `ask`."""
        request = self._request(turn, closing=True)
        reply = await self._call(turn, request, turn.emit)
        return await self._take(turn, _without_calls(reply))

    def _request(self, turn: Turn, *, closing: bool = False) -> ModelRequest:
        tools = self._toolbox.offer(turn)
        model = self._answering if closing else self._name
        return ModelRequest(
            self._window.fit(turn.messages, tools, model),
            tools,
            tool_choice="none" if closing else "auto",
            model=model,
            seconds=turn.seconds_left,
        )

    async def _call(self, turn: Turn, request: ModelRequest, emit: Emit) -> ModelReply:
        watched = _Watched(emit, turn.gap)
        began = turn.monotonic()
        try:
            with span("model", model=request.model or "first"):
                reply = await self._model.ask(request, watched)
        except asyncio.CancelledError:
            if watched.shown:  # it is paid for, whoever stopped it
                turn.count_aside(self._estimate(request, "".join(watched.shown)))
            raise
        except StreamBroken as broken:
            if broken.text:
                message = AssistantMessage(broken.text)
                await self._take(turn, ModelReply(message, broken.usage, broken.model))
            else:
                # It only thought: there is nothing to keep.
                turn.count_aside(ModelReply(AssistantMessage(""), broken.usage, broken.model))
            if turn.seconds_left <= 0:
                raise OutOfTime from broken  # the turn's limit, not the endpoint's failure
            raise
        except TimeoutError:
            raise OutOfTime from None
        finally:
            turn.seconds_asking += turn.monotonic() - began
        self._window.learn(request, reply)
        return reply

    def _estimate(self, request: ModelRequest, shown: str) -> ModelReply:
        model = request.model or self._settings.model
        message = AssistantMessage(shown)
        facts = facts_of(model, self._settings.model_capabilities)
        return ModelReply(message, estimate_usage(request, message, facts), model)

    async def _take(self, turn: Turn, reply: ModelReply) -> ModelReply:
        turn.take_reply(reply)
        await turn.journal.replied(reply)
        return reply


class _Watched:
    """What the model shows, passed on after a gap, and how much it was."""

    def __init__(self, emit: Emit, gap: str) -> None:
        self.shown: list[str] = []
        self._emit = emit
        self._gap = gap

    def __call__(self, event: Event) -> None:
        if isinstance(event, Content):
            self.shown.append(event.text)
            event = Content(self._gap + event.text) if len(self.shown) == 1 else event
        self._emit(event)


def _without_content(emit: Emit) -> Emit:
    """All but the text, of which nobody knows yet whether it is the answer."""

    def show(event: Event) -> None:
        if not isinstance(event, Content):
            emit(event)

    return show


def _without_calls(reply: ModelReply) -> ModelReply:
    if not reply.message.tool_calls:
        return reply
    return msgspec.structs.replace(reply, message=AssistantMessage(reply.message.text))


def _silent(reply: ModelReply) -> ModelReply:
    return msgspec.structs.replace(reply, message=msgspec.structs.replace(reply.message, text=""))

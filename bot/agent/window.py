"""What of a conversation fits into a model's window, and when it has grown too long."""

from __future__ import annotations

from collections.abc import Sequence

from bot.agent.context.estimate import Meter
from bot.agent.context.summary import should_compact
from bot.agent.context.trim import LEAST_LIMIT, fit
from bot.agent.prices import facts_of
from bot.contracts import ModelRequest, ToolSpec
from bot.messages import Message, ModelReply
from bot.settings import Settings

MOST_CONTEXT = 24_000
"""Tokens of a conversation that are sent again with every message, however large the window is:
each of them is paid for each time."""
_FOR_THE_ANSWER = 4_096
_SHARE_FOR_THE_ANSWER = 8
"""Of a small window; so that a conversation is summarised before it has to be cut."""


class Window:
    """Shared by all turns, so that what is learnt about a model serves them all."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._meter = Meter()
        self._tools: dict[str, Sequence[ToolSpec]] = {}
        """Those that went with the newest request, by the model asked: they take room too."""

    def count(self, message: Message) -> int:
        """About how many tokens it has."""
        return self._meter.count(message)

    def fit(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], model: str
    ) -> list[Message]:
        """What of `messages` is sent to `model` (empty: `MODEL`), with room for its answer."""
        if tools:
            self._tools[model or self._settings.model] = tools
        limit = self._limit(model or self._settings.model, tools)
        return fit(messages, max(limit, LEAST_LIMIT), self._meter.count)

    def is_full(self, messages: Sequence[Message]) -> bool:
        """Whether a conversation is to be summarised before it goes on: before it has to be cut."""
        model = self._settings.model
        limit = self._limit(model, self._tools.get(model, ()))
        most = int(MOST_CONTEXT / self._meter.factor(model))
        return should_compact(self._meter.estimate(messages), min(limit, most))

    def learn(self, request: ModelRequest, reply: ModelReply) -> None:
        """Note how many tokens the endpoint found in what we sent, if it is the model asked for
        that answered, and told."""
        model = request.model or self._settings.model
        answered = reply.message.endpoint.rpartition("#")[2]
        if reply.is_estimated or answered not in {"", model}:
            return
        estimated = self._meter.estimate(request.messages, request.tools)
        self._meter.learn(model, estimated, reply.usage.input_tokens)

    def _limit(self, model: str, tools: Sequence[ToolSpec]) -> int:
        """What messages may count beside these tools, with room for the answer."""
        size = facts_of(model, self._settings.model_capabilities).context_window
        room = size - min(_FOR_THE_ANSWER, size // _SHARE_FOR_THE_ANSWER)
        return self._meter.room(model, room, tools)

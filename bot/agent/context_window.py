"""Count the tokens of a conversation and keep it within a model's context window.

Tokens are estimated by bytes and corrected by what endpoints report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.agent.model_facts import BYTES_OF_JSON, estimate_tokens, find_model_facts
from bot.agent.trim_conversation import LEAST_LIMIT, trim_conversation
from bot.contracts.models import ModelRequest
from bot.contracts.tools import ToolSpec
from bot.messages.transcript import AssistantMessage, Message, ModelReply, ToolResult
from bot.settings import Settings

MOST_CONTEXT = 24_000
"""Most tokens of a conversation that a request repeats, however large the window is: each of them
is paid for with every message."""
FULL = 0.85
"""Share of the room for messages from which on a conversation is summarised."""
_FOR_THE_ANSWER = 4_096
_SHARE_FOR_THE_ANSWER = 8
"""One part in so many of a small window is kept for the answer, so that a conversation is
summarised before it has to be cut."""
TOKENS_OF_FRAME = 4
"""Tokens for a message's role and separators: 3 to 4 with OpenAI's models, by their cookbook."""
TOKENS_OF_CALL_ID = 12
"""Tokens of an id of about 30 random characters; a call and its result each carry it."""
UNKNOWN_FACTOR = 1.2
"""Factor of an unknown model, rather too high: a refused request reports no usage to learn from."""
LEAST_FACTOR = 0.7
MOST_FACTOR = 2.5
LEAST_ESTIMATE = 200
"""Tokens below which a report says more about the endpoint's own overhead than about the text."""
WEIGHT = 0.25
"""Weight of the newest report in the average; the first report is the average."""
TOLERANCE = 0.05
"""How far, as a share, the average may drift before the factor follows. If the factor moved with
each report, so would the place where a conversation is cut, and no prompt cache would hit."""
MOST_MODELS = 256
MOST_COUNTED = 8_192
"""Messages that each of two generations of counted messages may hold."""
MOST_HELD = 1_000_000
"""Tokens that each generation may hold: about 4 MB of text."""


@dataclass(slots=True)
class _Factor:
    average: float
    used: float


class ContextWindow:
    """Trims conversations to the model's window. All turns share one.

    It counts tokens in the same way for all models, and learns for each model how far that is off.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tools: dict[str, Sequence[ToolSpec]] = {}
        """The tools of the newest request, by model: they take room too."""
        self._factors: dict[str, _Factor] = {}
        self._most: dict[str, int] = {}
        """By model: what its endpoint answered after it had refused more, as `estimate` counts."""
        self._young: dict[Message, int] = {}
        self._old: dict[Message, int] = {}
        self._held = 0

    def trim(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        model: str,
        most: int | None = None,
    ) -> list[Message]:
        """Return the messages that are sent to `model` (empty: `MODEL`), with room left for its
        answer.

        Args:
            most: tokens of messages and tools, where the endpoint has just refused more.
        """
        model = model or self._settings.model
        if tools:
            self._tools[model] = tools
        limit = self.find_limit(model, tools)
        if most is not None:
            limit = min(limit, most - _count_tools(tools))
        return trim_conversation(messages, max(limit, LEAST_LIMIT), self.count)

    def is_full(self, messages: Sequence[Message]) -> bool:
        """Return whether the conversation has to be summarised before it goes on."""
        model = self._settings.model
        limit = self.find_limit(model, self._tools.get(model, ()))
        most = int(MOST_CONTEXT / self.factor(model))
        return self.estimate(messages) >= min(limit, most) * FULL

    def find_limit(self, model: str, tools: Sequence[ToolSpec] = ()) -> int:
        """Return how many tokens, as counted by `count`, messages may have beside these tools and
        the answer. It is negative if the tools alone are too much."""
        size = find_model_facts(model, self._settings.model_capabilities).context_window
        budget = size - min(_FOR_THE_ANSWER, size // _SHARE_FOR_THE_ANSWER)
        tokens = int(budget / self.factor(model))
        return min(tokens, self._most.get(model, tokens)) - _count_tools(tools)

    def record_limit(self, model: str, most: int) -> None:
        """Keep within `most` tokens, as `estimate` counts, with `model` (empty: `MODEL`): its
        endpoint serves a smaller window than its table says."""
        model = model or self._settings.model
        if model in self._most or len(self._most) < MOST_MODELS:
            self._most[model] = most

    def count(self, message: Message) -> int:
        """Return `count_tokens(message)`, remembered for messages counted lately."""
        tokens = self._young.get(message)
        if tokens is not None:
            return tokens
        tokens = self._old.get(message)
        if tokens is None:
            tokens = count_tokens(message)
        if len(self._young) >= MOST_COUNTED or self._held + tokens > MOST_HELD:
            self._old, self._young, self._held = self._young, {}, 0
        self._young[message] = tokens
        self._held += tokens
        return tokens

    def estimate(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> int:
        """Estimate the tokens of a request, before any correction."""
        return sum(map(self.count, messages)) + _count_tools(tools)

    def factor(self, model: str) -> float:
        """Return the tokens of `model` in one estimated token: `LEAST_FACTOR` to `MOST_FACTOR`."""
        known = self._factors.get(model)
        return known.used if known else UNKNOWN_FACTOR

    def record_usage(self, request: ModelRequest, reply: ModelReply) -> None:
        """Correct the model's factor by the input tokens that the endpoint reports, if the
        requested model answered. Tokens from a cache are among them; 0 means not reported."""
        model = request.model or self._settings.model
        answered = reply.message.endpoint.rpartition("#")[2]
        if reply.is_estimated or answered not in {"", model}:
            return
        estimated = self.estimate(request.messages, request.tools)
        reported = reply.usage.input_tokens
        if reported > 0 and estimated >= LEAST_ESTIMATE:
            self._correct_factor(model, min(MOST_FACTOR, max(LEAST_FACTOR, reported / estimated)))

    def _correct_factor(self, model: str, observed: float) -> None:
        factor = self._factors.get(model)
        if factor is None:
            if len(self._factors) >= MOST_MODELS:
                del self._factors[next(iter(self._factors))]
            factor = self._factors[model] = _Factor(observed, observed)
        factor.average += WEIGHT * (observed - factor.average)
        if abs(factor.average - factor.used) > TOLERANCE * factor.used:
            factor.used = factor.average


def count_tokens(message: Message) -> int:
    """Estimate the tokens that the message takes in a request, its frame included."""
    tokens = estimate_tokens(message) + TOKENS_OF_FRAME
    if isinstance(message, ToolResult):
        tokens += TOKENS_OF_CALL_ID
    elif isinstance(message, AssistantMessage):
        tokens += TOKENS_OF_CALL_ID * len(message.tool_calls)
    return tokens


def _count_tools(tools: Sequence[ToolSpec]) -> int:
    return sum(len(tool.encoded) // BYTES_OF_JSON for tool in tools)

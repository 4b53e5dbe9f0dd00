"""Count the tokens of a conversation and keep it within a model's context window.

Tokens are estimated by bytes and corrected by what endpoints report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.agent.prices import BYTES_OF_JSON, estimate_tokens, find_model_facts
from bot.agent.trim_conversation import LEAST_LIMIT, trim_conversation
from bot.contracts.models import ModelRequest
from bot.contracts.tools import ToolSpec
from bot.messages.transcript import AssistantMessage, Message, ModelReply, ToolResult
from bot.settings import Settings

MOST_CONTEXT = 24_000
"""Most tokens of a conversation that a request repeats, however large the window is: each of them
is paid for with every message."""
_FOR_THE_ANSWER = 4_096
_SHARE_FOR_THE_ANSWER = 8
"""One part in so many of a small window is kept for the answer, so that a conversation is
summarised before it has to be cut."""


class ContextWindow:
    """Trims conversations to the model's window. All turns share one, and its corrections per
    model."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._meter = TokenMeter()
        self._tools: dict[str, Sequence[ToolSpec]] = {}
        """The tools of the newest request, by model: they take room too."""

    def count(self, message: Message) -> int:
        """Estimate the tokens of a message."""
        return self._meter.count(message)

    def trim(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], model: str
    ) -> list[Message]:
        """Return the messages that are sent to `model` (empty: `MODEL`), with room left for its
        answer."""
        if tools:
            self._tools[model or self._settings.model] = tools
        limit = self._limit(model or self._settings.model, tools)
        return trim_conversation(messages, max(limit, LEAST_LIMIT), self._meter.count)

    def is_full(self, messages: Sequence[Message]) -> bool:
        """Return whether the conversation has to be summarised before it goes on."""
        model = self._settings.model
        limit = self._limit(model, self._tools.get(model, ()))
        most = int(MOST_CONTEXT / self._meter.factor(model))
        return should_compact(self._meter.estimate(messages), min(limit, most))

    def record_usage(self, request: ModelRequest, reply: ModelReply) -> None:
        """Correct the estimates by the input tokens that the endpoint reports, if the requested
        model answered."""
        model = request.model or self._settings.model
        answered = reply.message.endpoint.rpartition("#")[2]
        if reply.is_estimated or answered not in {"", model}:
            return
        estimated = self._meter.estimate(request.messages, request.tools)
        self._meter.record_usage(model, estimated, reply.usage.input_tokens)

    def _limit(self, model: str, tools: Sequence[ToolSpec]) -> int:
        """Return the tokens left for messages beside these tools and the answer."""
        size = find_model_facts(model, self._settings.model_capabilities).context_window
        budget = size - min(_FOR_THE_ANSWER, size // _SHARE_FOR_THE_ANSWER)
        return self._meter.available_tokens(model, budget, tools)


FULL = 0.85
"""Share of the window above which a conversation is compacted."""


def should_compact(tokens: int, window: int) -> bool:
    """Return whether a conversation of so many tokens is to be compacted before its next turn."""
    return tokens >= window * FULL


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


def count_tokens(message: Message) -> int:
    """Estimate the tokens that the message takes in a request, its frame included."""
    tokens = estimate_tokens(message) + TOKENS_OF_FRAME
    if isinstance(message, ToolResult):
        tokens += TOKENS_OF_CALL_ID
    elif isinstance(message, AssistantMessage):
        tokens += TOKENS_OF_CALL_ID * len(message.tool_calls)
    return tokens


@dataclass(slots=True)
class _Factor:
    average: float
    used: float


class TokenMeter:
    """Counts tokens for all conversations, and learns per model how far the estimate is off.

    `count` and `estimate` are the same for all models; `available_tokens` is corrected per model.
    """

    def __init__(self) -> None:
        self._factors: dict[str, _Factor] = {}
        self._young: dict[Message, int] = {}
        self._old: dict[Message, int] = {}
        self._held = 0

    def count(self, message: Message) -> int:
        """Return `count_tokens(message)`, remembered for messages counted lately."""
        tokens = self._young.get(message)
        if tokens is None:
            tokens = self._remember(message)
        return tokens

    def estimate(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> int:
        """Estimate the tokens of a request, before any correction."""
        return sum(map(self.count, messages)) + _count_tools(tools)

    def available_tokens(self, model: str, tokens: int, tools: Sequence[ToolSpec] = ()) -> int:
        """Return how many tokens, as counted by `count`, messages may have so that with `tools`
        they take `tokens` of `model`.

        This is the limit for `trim_conversation`. It is negative if the tools alone are too much.
        """
        return int(tokens / self.factor(model)) - _count_tools(tools)

    def record_usage(self, model: str, estimated: int, reported: int) -> None:
        """Correct the model's factor by what an endpoint reports.

        Args:
            estimated: the result of `estimate` for the same request.
            reported: its input tokens, those from the cache included; 0 means not reported.
        """
        if reported <= 0 or estimated < LEAST_ESTIMATE:
            return
        observed = min(MOST_FACTOR, max(LEAST_FACTOR, reported / estimated))
        factor = self._factors.get(model)
        if factor is None:
            if len(self._factors) >= MOST_MODELS:
                del self._factors[next(iter(self._factors))]
            factor = self._factors[model] = _Factor(observed, observed)
        factor.average += WEIGHT * (observed - factor.average)
        if abs(factor.average - factor.used) > TOLERANCE * factor.used:
            factor.used = factor.average

    def factor(self, model: str) -> float:
        """Return the tokens of `model` in one estimated token: `LEAST_FACTOR` to `MOST_FACTOR`."""
        known = self._factors.get(model)
        return known.used if known else UNKNOWN_FACTOR

    def _remember(self, message: Message) -> int:
        tokens = self._old.get(message)
        if tokens is None:
            tokens = count_tokens(message)
        if len(self._young) >= MOST_COUNTED or self._held + tokens > MOST_HELD:
            self._old, self._young, self._held = self._young, {}, 0
        self._young[message] = tokens
        self._held += tokens
        return tokens


def _count_tools(tools: Sequence[ToolSpec]) -> int:
    return sum(len(tool.encoded) // BYTES_OF_JSON for tool in tools)

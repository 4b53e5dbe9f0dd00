"""How many tokens a request has: estimated by bytes, corrected by what endpoints report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bot.agent.prices import BYTES_OF_JSON, estimate_tokens
from bot.contracts import ToolSpec
from bot.messages import AssistantMessage, Message, ToolResult

TOKENS_OF_FRAME = 4
"""Role and separators of a message: 3 to 4 with OpenAI's models, by their own cookbook."""
TOKENS_OF_CALL_ID = 12
"""An id of about 30 random characters; a call and its result each carry it."""
UNKNOWN_FACTOR = 1.2
"""Of a model that nothing is known of: too much would be refused, and nothing learnt from it."""
LEAST_FACTOR = 0.7
MOST_FACTOR = 2.5
LEAST_ESTIMATE = 200
"""Tokens below which a report tells more about the endpoint's own frame than about the text."""
WEIGHT = 0.25
"""Of the newest report in the average; the first report is the average."""
TOLERANCE = 0.05
"""How far the average may drift before the factor follows: a factor that moved with each report
would move the place where `fit` cuts, and no prompt cache would hit."""
MOST_MODELS = 256
MOST_COUNTED = 8_192
"""Messages, and"""
MOST_HELD = 1_000_000
"""tokens that each of two generations of counted messages may hold: about 4 MB of text."""


def count_tokens(message: Message) -> int:
    """About how many tokens the message takes in a request, what surrounds it included."""
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


class Meter:
    """Counts tokens for all conversations, and learns per model how far the estimate is off.

    Estimates (`count`, `estimate`) are the same for all models; `tokens` and `room` are corrected.
    """

    def __init__(self) -> None:
        self._factors: dict[str, _Factor] = {}
        self._young: dict[Message, int] = {}
        self._old: dict[Message, int] = {}
        self._held = 0

    def count(self, message: Message) -> int:
        """`count_tokens(message)`, remembered for messages counted lately."""
        tokens = self._young.get(message)
        if tokens is None:
            tokens = self._remember(message)
        return tokens

    def estimate(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> int:
        """About how many tokens a request has, before any correction."""
        return sum(map(self.count, messages)) + _count_tools(tools)

    def tokens(
        self, model: str, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()
    ) -> int:
        """How many tokens `model` will find in a request, as far as we have learnt."""
        return math.ceil(self.estimate(messages, tools) * self.factor(model))

    def room(self, model: str, tokens: int, tools: Sequence[ToolSpec] = ()) -> int:
        """What messages may count, by `count`, so that with `tools` they take `tokens` of `model`.

        This is the limit to `fit` by. It can be negative: the tools alone are too much.
        """
        return int(tokens / self.factor(model)) - _count_tools(tools)

    def learn(self, model: str, estimated: int, reported: int) -> None:
        """Take in what an endpoint reports.

        Args:
            estimated: what `estimate` said of the same request.
            reported: its input tokens, those from the cache included; 0 means not reported.
        """
        if reported <= 0 or estimated < LEAST_ESTIMATE:
            return
        seen = min(MOST_FACTOR, max(LEAST_FACTOR, reported / estimated))
        factor = self._factors.get(model)
        if factor is None:
            if len(self._factors) >= MOST_MODELS:
                del self._factors[next(iter(self._factors))]
            factor = self._factors[model] = _Factor(seen, seen)
        factor.average += WEIGHT * (seen - factor.average)
        if abs(factor.average - factor.used) > TOLERANCE * factor.used:
            factor.used = factor.average

    def factor(self, model: str) -> float:
        """Tokens of `model` in one estimated token: from `LEAST_FACTOR` to `MOST_FACTOR`."""
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

"""What models can do and cost: windows, abilities, prices, and estimates of tokens.

A built-in table is overridden by `MODEL_CAPABILITIES`. It holds the providers' list prices in US
dollars per million tokens, as published on their price pages; it is for limits and credits, not for
accounting. A cost that an endpoint itself reports takes precedence. Models that are not in the
table are looked up in the package genai-prices, which has a few thousand and is imported only then,
since that takes a second or more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import msgspec
import structlog

from bot.agent.openai_protocol.chunks import ReportedUsage
from bot.contracts.models import ModelRequest
from bot.messages.transcript import AssistantMessage, Media, Message, Usage, UserMessage
from bot.settings import Capability

log = structlog.get_logger()

BYTES_OF_TEXT = 4
BYTES_OF_JSON = 3
TOKENS_OF_IMAGE = 800


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a model can do; prices in US dollars per million tokens, and per hour of speech."""

    context_window: int = 32_000
    usd_in: float = 0.50
    usd_out: float = 1.50
    cached_share: float = 1.0
    """The price of a cached input token, as a share of `usd_in`."""
    tools: bool = True
    vision: bool = False
    reasoning: bool = False
    usd_hour: float = 0.36
    """Of speech that it transcribes."""


UNKNOWN_MODEL = ModelFacts()
"""A model in no table: a small window, and a price at which the limits still take effect."""


def _see(window: int, usd_in: float, usd_out: float, cached: float = 1.0) -> ModelFacts:
    return ModelFacts(window, usd_in, usd_out, cached, vision=True)


def _think(window: int, usd_in: float, usd_out: float, cached: float = 1.0) -> ModelFacts:
    return ModelFacts(window, usd_in, usd_out, cached, reasoning=True)


def _see_and_think(window: int, usd_in: float, usd_out: float, cached: float = 1.0) -> ModelFacts:
    return ModelFacts(window, usd_in, usd_out, cached, vision=True, reasoning=True)


_TABLE: Mapping[str, ModelFacts] = {
    "gpt-4o": _see(128_000, 2.50, 10.00, 0.5),
    "gpt-4o-mini": _see(128_000, 0.15, 0.60, 0.5),
    "gpt-4o-mini-transcribe": ModelFacts(usd_hour=0.18),
    "gpt-4.1": _see(1_047_576, 2.00, 8.00, 0.25),
    "gpt-4.1-mini": _see(1_047_576, 0.40, 1.60, 0.25),
    "gpt-4.1-nano": _see(1_047_576, 0.10, 0.40, 0.25),
    "gpt-5": _see_and_think(400_000, 1.25, 10.00, 0.1),
    "gpt-5-mini": _see_and_think(400_000, 0.25, 2.00, 0.1),
    "gpt-5-nano": _see_and_think(400_000, 0.05, 0.40, 0.1),
    "gpt-5-pro": _see_and_think(400_000, 15.00, 120.00),
    "gpt-5.2": _see_and_think(400_000, 1.75, 14.00, 0.1),
    "gpt-oss-20b": _think(131_072, 0.075, 0.30, 0.5),
    "gpt-oss-120b": _think(131_072, 0.15, 0.60, 0.5),
    "o3": _see_and_think(200_000, 2.00, 8.00, 0.25),
    "o4-mini": _see_and_think(200_000, 1.10, 4.40, 0.25),
    "deepseek-chat": ModelFacts(128_000, 0.28, 0.42, 0.1),
    "deepseek-reasoner": _think(128_000, 0.28, 0.42, 0.1),
    "deepseek-r1": _think(128_000, 0.55, 2.19),
    "mistral-small": _see(128_000, 0.10, 0.30),
    "mistral-medium": _see(128_000, 0.40, 2.00),
    "mistral-large": _see(128_000, 2.00, 6.00),
    "ministral": ModelFacts(128_000, 0.10, 0.10),
    "magistral": _think(40_000, 2.00, 5.00),
    "llama-3.1-8b": ModelFacts(131_072, 0.05, 0.08),
    "llama-3.3-70b": ModelFacts(131_072, 0.59, 0.79),
    "llama-4": _see(131_072, 0.20, 0.60),
    "llama3": ModelFacts(8_192, 0.05, 0.08),
    "llama3.": ModelFacts(128_000, 0.05, 0.08),
    "qwen": ModelFacts(32_768, 0.30, 0.60),
    "qwen3": _think(131_072, 0.29, 0.59),
    "gemini-2.5-flash": _see_and_think(1_048_576, 0.30, 2.50, 0.25),
    "gemini-2.5-flash-lite": _see_and_think(1_048_576, 0.10, 0.40, 0.25),
    "gemini-2.5-pro": _see_and_think(1_048_576, 1.25, 10.00, 0.25),
    "claude": _see_and_think(200_000, 3.00, 15.00, 0.1),
    "claude-haiku": _see_and_think(200_000, 1.00, 5.00, 0.1),
    "claude-opus": _see_and_think(200_000, 15.00, 75.00, 0.1),
    "voxtral-mini": ModelFacts(usd_hour=0.18),
    "whisper": UNKNOWN_MODEL,
    "whisper-large-v3": ModelFacts(usd_hour=0.111),
    "whisper-large-v3-turbo": ModelFacts(usd_hour=0.04),
    "kimi-k2": ModelFacts(131_072, 0.60, 2.50),
    "glm-4": ModelFacts(128_000, 0.60, 2.20),
}


def find_model_facts(model: str, overrides: Mapping[str, Capability]) -> ModelFacts:
    """Return the abilities and prices of `model`: `overrides[model]` over the table, genai-prices
    or `UNKNOWN_MODEL`.

    The table finds a model by the longest entry that its name begins with, after the vendor's
    prefix: `openai/gpt-4o-mini-2024-07-18` is a `gpt-4o-mini`.
    """
    known = _look_up(model)
    override = overrides.get(model)
    return replace(known, **override.model_dump(exclude_none=True)) if override else known


@lru_cache(maxsize=1_024)
def _look_up(model: str) -> ModelFacts:
    name = model.lower().rpartition("/")[2]
    match = max((known for known in _TABLE if name.startswith(known)), key=len, default="")
    return _TABLE[match] if match else _look_up_published(model.lower())


def _look_up_published(model: str) -> ModelFacts:
    """Return the window and prices from genai-prices; `UNKNOWN_MODEL` fills what is missing."""
    from genai_prices import Usage as Counted
    from genai_prices import calc_price

    for name, provider in ((model, None), (model.rpartition("/")[2], None), (model, "openrouter")):
        try:
            found = calc_price(Counted(input_tokens=1), name, provider_id=provider)
        except (LookupError, ValueError):  # no such model, or no price for it today
            continue
        usd_in = _base_price(found.model_price, "input_mtok")
        usd_out = _base_price(found.model_price, "output_mtok")
        cached = _base_price(found.model_price, "cache_read_mtok")
        return replace(
            UNKNOWN_MODEL,
            context_window=found.model.context_window or UNKNOWN_MODEL.context_window,
            usd_in=UNKNOWN_MODEL.usd_in if usd_in is None else usd_in,
            usd_out=UNKNOWN_MODEL.usd_out if usd_out is None else usd_out,
            cached_share=min(1.0, cached / usd_in) if cached is not None and usd_in else 1.0,
        )
    return UNKNOWN_MODEL


def _base_price(prices: object, kind: str) -> float | None:
    """Return dollars per million tokens; of tiered prices the lowest, which nearly all pay."""
    held: Any = getattr(prices, kind, None)
    if held is None:
        return None
    return float(getattr(held, "base", held))


_MOST_TOKENS = 1_000_000_000
"""Most tokens that are read from a report."""
_MOST_OVER = 4
"""How many times the estimated tokens an endpoint may report beyond the model's window."""
_MOST_USD = 1.0
_MOST_TIMES = 100
"""A reported cost above this many dollars, and this many times the price of its tokens, is an
error."""


def price_usage(facts: ModelFacts, usage: Usage) -> float:
    """Return the price of the tokens of `usage`, in US dollars."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    paid_in = usage.input_tokens - cached * (1 - facts.cached_share)
    return (paid_in * facts.usd_in + usage.output_tokens * facts.usd_out) / 1_000_000


def read_usage(
    reported: ReportedUsage, request: ModelRequest, answer: AssistantMessage, facts: ModelFacts
) -> Usage:
    """Price the usage that an endpoint reports; a cost that it reports itself goes first.

    Numbers that cannot be are replaced: nobody pays for an endpoint's error.
    """
    details = reported.prompt_tokens_details
    usage = Usage(
        input_tokens=_count(reported.prompt_tokens),
        output_tokens=_count(reported.completion_tokens),
        cached_tokens=_count(
            (details and details.cached_tokens) or reported.prompt_cache_hit_tokens
        ),
    )
    if max(usage.input_tokens, usage.output_tokens) > facts.context_window:
        usage = _bound(usage, estimate_usage(request, answer, facts), facts)
    price = price_usage(facts, usage)
    cost = price if reported.cost is None else max(0.0, reported.cost)
    if cost > max(_MOST_USD, _MOST_TIMES * price):
        log.warning("usage_implausible", usd=cost)
        cost = price
    return Usage(usage.input_tokens, usage.output_tokens, usage.cached_tokens, cost)


def _bound(usage: Usage, estimated: Usage, facts: ModelFacts) -> Usage:
    """Return the usage with estimated numbers in place of those that no call of the model has."""
    kept = {
        name: reported
        for name in ("input_tokens", "output_tokens")
        if (reported := getattr(usage, name))
        <= max(facts.context_window, _MOST_OVER * getattr(estimated, name))
    }
    if len(kept) < 2:
        log.warning(
            "usage_implausible", tokens_in=usage.input_tokens, tokens_out=usage.output_tokens
        )
    return msgspec.structs.replace(estimated, cached_tokens=usage.cached_tokens, **kept)


def estimate_usage(request: ModelRequest, answer: AssistantMessage, facts: ModelFacts) -> Usage:
    """Estimate and price the usage of a call whose endpoint reports none."""
    asked = sum(estimate_tokens(message) for message in request.messages)
    asked += sum(len(tool.encoded) // BYTES_OF_JSON for tool in request.tools)
    usage = Usage(asked, estimate_tokens(answer))
    return Usage(usage.input_tokens, usage.output_tokens, 0, price_usage(facts, usage))


def estimate_tokens(message: Message) -> int:
    """Estimate the tokens of a message by its bytes: a tokenizer needs 50 MB or the network."""
    if isinstance(message, AssistantMessage):
        calls = sum(len(call.name) + _size(call.arguments) for call in message.tool_calls)
        said = _size(message.text) + _size(message.reasoning)
        return said // BYTES_OF_TEXT + calls // BYTES_OF_JSON
    tokens = _size(message.text) // BYTES_OF_TEXT
    if isinstance(message, UserMessage):
        tokens += TOKENS_OF_IMAGE * sum(isinstance(part, Media) for part in message.parts)
    return tokens


def _size(text: str) -> int:
    """Count the bytes in UTF-8; a lone surrogate, which a tool may return, counts as one."""
    return len(text.encode(errors="replace"))


def _count(tokens: float | None) -> int:
    return max(0, int(min(tokens or 0, _MOST_TOKENS)))

"""What models can do and cost."""

from __future__ import annotations

import pytest

from bot.agent.model_facts import (
    UNKNOWN_MODEL,
    ModelFacts,
    estimate_tokens,
    estimate_usage,
    find_model_facts,
    price_usage,
    read_usage,
)
from bot.agent.openai_protocol.chunks import PromptDetails, ReportedUsage
from bot.contracts.models import ModelRequest
from bot.contracts.tools import ToolSpec
from bot.messages.transcript import (
    AssistantMessage,
    Media,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from bot.settings import Capability

FACTS = ModelFacts(usd_in=1.0, usd_out=10.0, cached_share=0.1)
REQUEST = ModelRequest([SystemMessage("x" * 400)])
ANSWER = AssistantMessage("y" * 40)


def read(reported: ReportedUsage) -> Usage:
    """The usage of a call of about 100 tokens that is answered by about 10."""
    return read_usage(reported, REQUEST, ANSWER, FACTS)


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("openai/gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("gpt-4o-2024-11-20", "gpt-4o"),
        ("deepseek/deepseek-chat:free", "deepseek-chat"),
        ("Mistral-Small-Latest", "mistral-small"),
        ("llama-3.3-70b-versatile", "llama-3.3-70b"),
        ("accounts/fireworks/models/qwen3-32b", "qwen3"),
    ],
)
def test_a_model_is_known_by_the_longest_beginning_of_its_name(name: str, like: str) -> None:
    assert find_model_facts(name, {}) == find_model_facts(like, {}) != UNKNOWN_MODEL


def test_a_small_sibling_is_not_taken_for_the_big_one() -> None:
    assert find_model_facts("gpt-4o-mini", {}).usd_in < find_model_facts("gpt-4o", {}).usd_in


def test_an_unknown_model_has_a_price_and_a_small_window() -> None:
    facts = find_model_facts("my-own", {})
    assert facts is UNKNOWN_MODEL
    assert facts.usd_in > 0


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("gpt-4", 8_192),
        ("gpt-4-0613", 8_192),
        ("openai/gpt-4-turbo", 128_000),
        ("gpt-3.5-turbo", 16_385),
        ("gpt-3.5-turbo-0125", 16_385),
        ("gpt-4o-mini", 128_000),
        ("llama3:8b", 8_192),
        ("llama3.2", 128_000),
    ],
)
def test_a_model_has_its_own_window(name: str, window: int) -> None:
    assert find_model_facts(name, {}).context_window == window


def test_a_model_of_another_table_has_its_published_price() -> None:
    facts = find_model_facts("gpt-4-turbo", {})
    assert (facts.usd_in, facts.usd_out) == (10.0, 30.0)
    assert not facts.vision  # what that table does not say is not assumed
    assert 0 < find_model_facts("o1", {}).cached_share < 1


@pytest.mark.parametrize("name", ["", "/", "?", "gpt", "x" * 10_000, "modèle/à moi"])
def test_any_name_has_facts(name: str) -> None:
    assert find_model_facts(name, {}).context_window >= 4_000


def test_the_settings_are_laid_over_the_table_field_by_field() -> None:
    facts = find_model_facts("gpt-4o-mini", {"gpt-4o-mini": Capability(usd_in=7.0, vision=False)})
    assert (facts.usd_in, facts.vision) == (7.0, False)
    assert facts.usd_out == find_model_facts("gpt-4o-mini", {}).usd_out


def test_a_price_of_zero_in_the_settings_is_a_price() -> None:
    free = find_model_facts("my-own", {"my-own": Capability(usd_in=0, usd_out=0)})
    assert price_usage(free, Usage(1_000_000, 1_000_000)) == 0


def test_cached_tokens_cost_their_share() -> None:
    assert price_usage(FACTS, Usage(1_000_000, 0, 500_000)) == pytest.approx(0.55)
    assert price_usage(FACTS, Usage(0, 1_000_000)) == pytest.approx(10.0)


def test_reported_usage_is_read_and_priced() -> None:
    reported = ReportedUsage(1000.0, 10.0, PromptDetails(400.0))
    usage = read(reported)
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (1000, 10, 400)
    assert usage.usd == pytest.approx((600 + 40 + 100) / 1e6)


def test_the_cost_that_the_endpoint_reports_wins_even_if_nothing() -> None:
    assert read(ReportedUsage(1000, 10, cost=0.5)).usd == 0.5
    assert read(ReportedUsage(1000, 10, cost=0.0)).usd == 0.0


def test_cached_tokens_by_deepseeks_name_are_read() -> None:
    assert read(ReportedUsage(10, 1, prompt_cache_hit_tokens=4)).cached_tokens == 4


def test_absurd_reports_never_give_money_back() -> None:
    usage = read(ReportedUsage(-5, None, PromptDetails(99), cost=-1.0))
    assert (usage.input_tokens, usage.output_tokens, usage.usd) == (0, 0, 0.0)
    assert price_usage(FACTS, Usage(10, 0, 99)) >= 0


@pytest.mark.parametrize("absurd", [FACTS.context_window + 1, 1e8, 1e15, float("inf")])
def test_tokens_beyond_the_models_window_are_estimated(absurd: float) -> None:
    for reported in (
        ReportedUsage(absurd, 10, PromptDetails(absurd)),
        ReportedUsage(100, absurd),
        ReportedUsage(absurd, absurd),
    ):
        usage = read(reported)
        assert (usage.input_tokens, usage.output_tokens) == (100, 10)
        assert usage.usd <= price_usage(FACTS, Usage(100, 10))


def test_a_window_that_is_known_too_small_is_not_held_against_a_long_request() -> None:
    long = ModelRequest([SystemMessage("x" * 4 * FACTS.context_window)])
    reported = ReportedUsage(2 * FACTS.context_window, 10)
    assert read_usage(reported, long, ANSWER, FACTS).input_tokens == 2 * FACTS.context_window


def test_a_cost_far_above_the_price_of_its_tokens_is_not_charged() -> None:
    price = price_usage(FACTS, Usage(1000, 10))
    assert read(ReportedUsage(1000, 10, cost=1e9)).usd == pytest.approx(price)
    assert read(ReportedUsage(1000, 10, cost=0.9)).usd == 0.9


def test_tokens_are_estimated_by_bytes() -> None:
    assert estimate_tokens(SystemMessage("x" * 400)) == 100
    assert estimate_tokens(UserMessage((Text("é" * 200),))) == 100
    assert estimate_tokens(ToolResult("c", "look", "x" * 40)) == 10
    assert estimate_tokens(AssistantMessage("x" * 40, (ToolCall("c", "look", "x" * 296),))) == 110
    assert estimate_tokens(UserMessage((Media("image", "f"),))) > 100


def test_estimated_usage_counts_messages_tools_and_answer() -> None:
    tool = ToolSpec("look", "d", {})
    request = ModelRequest([SystemMessage("x" * 400)], [tool])
    usage = estimate_usage(request, AssistantMessage("y" * 40), FACTS)
    assert usage.input_tokens == 100 + len(tool.encoded) // 3
    assert usage.output_tokens == 10
    assert usage.usd == pytest.approx(price_usage(FACTS, usage))

"""Tokens by bytes, corrected by what endpoints report."""

from __future__ import annotations

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent import context_window
from bot.agent.context_window import (
    LEAST_FACTOR,
    MOST_COUNTED,
    MOST_FACTOR,
    MOST_HELD,
    MOST_MODELS,
    UNKNOWN_FACTOR,
    TokenMeter,
    count_tokens,
)
from bot.agent.prices import estimate_tokens
from bot.contracts.tools import ToolSpec
from bot.messages.transcript import (
    AssistantMessage,
    Media,
    Message,
    SystemMessage,
    Text,
    UserMessage,
)
from tests.agent.conversations import conversations, expect_tokens, lesson, said, tool_round
from tests.support.memory import measure_bytes

TOOL = ToolSpec("look", "Look around. " * 20, {"type": "object", "properties": {}})


def test_a_message_counts_its_text_and_what_surrounds_it() -> None:
    assert count_tokens(SystemMessage("x" * 400)) == 104
    assert count_tokens(said("")) > 0
    asked, result = tool_round(1, [40])
    assert count_tokens(result) > estimate_tokens(result) + 8
    assert count_tokens(asked) > estimate_tokens(asked) + 8


def test_a_request_counts_its_messages_and_tools() -> None:
    messages = lesson(3)
    plain = TokenMeter().estimate(messages)
    assert plain == sum(map(count_tokens, messages))
    assert TokenMeter().estimate(messages, [TOOL]) == plain + len(TOOL.encoded) // 3


@given(conversations())
def test_a_meter_always_counts_what_the_message_counts(messages: list[Message]) -> None:
    meter = TokenMeter()
    for _ in range(2):
        assert [meter.count(m) for m in messages] == [count_tokens(m) for m in messages]


def test_an_unchanged_message_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Message] = []

    def count(message: Message) -> int:
        counted.append(message)
        return count_tokens(message)

    # A spy: a counter that nobody but a test would hand in is no parameter.
    monkeypatch.setattr(context_window, "count_tokens", count)
    meter = TokenMeter()
    messages = lesson(100)
    first = meter.estimate(messages)
    assert meter.estimate(list(messages)) == first
    assert len(counted) == len(messages)


def test_a_message_at_the_address_of_one_that_is_gone_is_counted_anew() -> None:
    meter = TokenMeter()
    for size in range(0, 4_000, 4):
        assert meter.count(SystemMessage("x" * size)) == size // 4 + 4
        gc.collect(0)


def test_what_is_remembered_is_bounded_by_number_and_by_size() -> None:
    meter = TokenMeter()
    empty = measure_bytes(meter)
    for number in range(MOST_COUNTED):
        meter.count(said(f"message {number}"))
    full = measure_bytes(meter) - empty
    for number in range(MOST_COUNTED, 4 * MOST_COUNTED):
        meter.count(said(f"message {number}"))
    assert measure_bytes(meter) - empty <= 2.5 * full
    for number in range(12):
        meter.count(said(f"{number}" + "x" * MOST_HELD))
    assert measure_bytes(meter) - empty <= 9 * MOST_HELD


def test_a_message_that_is_asked_for_stays_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = TokenMeter()
    mine = said("mine")
    tokens = meter.count(mine)
    for number in range(4 * MOST_COUNTED):
        meter.count(said(f"message {number}"))
        if number % 1_000 == 0:
            meter.count(mine)
    # To count it again would now give something else.
    monkeypatch.setattr(context_window, "count_tokens", lambda _: -1)
    assert meter.count(mine) == tokens


def test_of_an_unknown_model_more_is_expected_than_estimated() -> None:
    meter = TokenMeter()
    messages = lesson(3)
    assert 1.1 * meter.estimate(messages) < expect_tokens(meter, "new", messages)
    assert expect_tokens(meter, "new", messages) < 1.3 * meter.estimate(messages)


def test_the_first_report_is_believed_at_once_and_later_ones_bit_by_bit() -> None:
    meter = TokenMeter()
    meter.record_usage("m", 1_000, 1_600)
    assert meter.factor("m") == 1.6
    meter.record_usage("m", 1_000, 1_000)
    assert 1.4 < meter.factor("m") < 1.5


@pytest.mark.parametrize("truth", [0.8, 1.0, 1.3, 2.0])
def test_the_factor_comes_near_what_is_reported(truth: float) -> None:
    meter = TokenMeter()
    for _ in range(20):
        meter.record_usage("m", 10_000, int(10_000 * truth))
    assert meter.factor("m") == pytest.approx(truth, rel=0.06)
    messages = lesson(20)
    assert expect_tokens(meter, "m", messages) == pytest.approx(
        truth * meter.estimate(messages), rel=0.07
    )
    assert meter.factor("other") == UNKNOWN_FACTOR


@given(st.lists(st.tuples(st.integers(-10, 10**12), st.integers(-10, 10**12)), max_size=50))
def test_no_report_leads_the_factor_out_of_bounds(reports: list[tuple[int, int]]) -> None:
    meter = TokenMeter()
    for estimated, reported in reports:
        meter.record_usage("m", estimated, reported)
    assert LEAST_FACTOR <= meter.factor("m") <= MOST_FACTOR


@pytest.mark.parametrize(("estimated", "reported"), [(10_000, 0), (10_000, -5), (0, 900), (20, 90)])
def test_a_report_that_tells_nothing_teaches_nothing(estimated: int, reported: int) -> None:
    meter = TokenMeter()
    for _ in range(50):
        meter.record_usage("m", estimated, reported)
    assert meter.factor("m") == UNKNOWN_FACTOR


def test_the_factor_stands_still_while_reports_differ_a_little() -> None:
    meter = TokenMeter()
    for _ in range(20):
        meter.record_usage("m", 1_000, 1_200)
    before = meter.factor("m")
    for reported in (1_180, 1_230, 1_190, 1_220, 1_170, 1_240):
        meter.record_usage("m", 1_000, reported)
        assert meter.factor("m") == before


def test_models_are_forgotten_the_oldest_first() -> None:
    meter = TokenMeter()
    for number in range(MOST_MODELS + 1):
        for _ in range(5):
            meter.record_usage(f"m{number}", 1_000, 2_000)
    assert meter.factor("m0") == UNKNOWN_FACTOR
    assert meter.factor("m1") > 1.5
    assert meter.factor(f"m{MOST_MODELS}") > 1.5


@pytest.mark.parametrize("truth", [0.7, 1.0, 1.7, 2.5])
def test_what_counts_within_the_room_is_within_the_window(truth: float) -> None:
    meter = TokenMeter()
    for _ in range(30):
        meter.record_usage("m", 1_000, int(1_000 * truth))
    room = meter.available_tokens("m", 16_000, [TOOL])
    filler = AssistantMessage("x" * 4 * (room - 4))
    assert meter.count(filler) == room
    assert 15_990 <= expect_tokens(meter, "m", [filler], [TOOL]) <= 16_000


def test_tools_larger_than_the_window_leave_no_room() -> None:
    assert TokenMeter().available_tokens("m", 50, [TOOL]) < 0


def test_images_count() -> None:
    assert count_tokens(UserMessage((Text("?"), Media("image", "f")))) > 500

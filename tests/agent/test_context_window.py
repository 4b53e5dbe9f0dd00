"""Tokens by bytes, corrected by what endpoints report."""

from __future__ import annotations

import gc
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent import context_window
from bot.agent.context_window import (
    LEAST_FACTOR,
    MOST_CONTEXT,
    MOST_COUNTED,
    MOST_FACTOR,
    MOST_HELD,
    MOST_MODELS,
    UNKNOWN_FACTOR,
    count_tokens,
)
from bot.agent.model_facts import estimate_tokens
from bot.contracts.tools import ToolSpec
from bot.messages.transcript import (
    AssistantMessage,
    Media,
    Message,
    SystemMessage,
    Text,
    UserMessage,
)
from tests.agent.conversations import (
    MODEL,
    conversations,
    expect_tokens,
    lesson,
    make_window,
    report_usage,
    said,
    tool_round,
)
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
    plain = make_window().estimate(messages)
    assert plain == sum(map(count_tokens, messages))
    assert make_window().estimate(messages, [TOOL]) == plain + len(TOOL.encoded) // 3


@given(conversations())
def test_a_window_always_counts_what_the_message_counts(messages: list[Message]) -> None:
    window = make_window()
    for _ in range(2):
        assert [window.count(m) for m in messages] == [count_tokens(m) for m in messages]


def test_an_unchanged_message_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Message] = []

    def count(message: Message) -> int:
        counted.append(message)
        return count_tokens(message)

    # A spy: a counter that nobody but a test would hand in is no parameter.
    monkeypatch.setattr(context_window, "count_tokens", count)
    window = make_window()
    messages = lesson(100)
    first = window.estimate(messages)
    assert window.estimate(list(messages)) == first
    assert len(counted) == len(messages)


def test_a_message_at_the_address_of_one_that_is_gone_is_counted_anew() -> None:
    window = make_window()
    for size in range(0, 4_000, 4):
        assert window.count(SystemMessage("x" * size)) == size // 4 + 4
        gc.collect(0)


def test_what_is_remembered_is_bounded_by_number_and_by_size() -> None:
    window = make_window()
    empty = measure_bytes(window)
    for number in range(MOST_COUNTED):
        window.count(said(f"message {number}"))
    full = measure_bytes(window) - empty
    for number in range(MOST_COUNTED, 4 * MOST_COUNTED):
        window.count(said(f"message {number}"))
    assert measure_bytes(window) - empty <= 2.5 * full
    for number in range(12):
        window.count(said(f"{number}" + "x" * MOST_HELD))
    assert measure_bytes(window) - empty <= 9 * MOST_HELD


def test_a_message_that_is_asked_for_stays_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    window = make_window()
    mine = said("mine")
    tokens = window.count(mine)
    for number in range(4 * MOST_COUNTED):
        window.count(said(f"message {number}"))
        if number % 1_000 == 0:
            window.count(mine)
    # To count it again would now give something else.
    monkeypatch.setattr(context_window, "count_tokens", lambda _: -1)
    assert window.count(mine) == tokens


def test_of_an_unknown_model_more_is_expected_than_estimated() -> None:
    window = make_window()
    messages = lesson(3)
    assert 1.1 * window.estimate(messages) < expect_tokens(window, "new", messages)
    assert expect_tokens(window, "new", messages) < 1.3 * window.estimate(messages)


def test_the_first_report_is_believed_at_once_and_later_ones_bit_by_bit() -> None:
    window = make_window()
    report_usage(window, "m", 1_000, 1_600)
    assert window.factor("m") == 1.6
    report_usage(window, "m", 1_000, 1_000)
    assert 1.4 < window.factor("m") < 1.5


@pytest.mark.parametrize("truth", [0.8, 1.0, 1.3, 2.0])
def test_the_factor_comes_near_what_is_reported(truth: float) -> None:
    window = make_window()
    for _ in range(20):
        report_usage(window, "m", 10_000, int(10_000 * truth))
    assert window.factor("m") == pytest.approx(truth, rel=0.06)
    messages = lesson(20)
    assert expect_tokens(window, "m", messages) == pytest.approx(
        truth * window.estimate(messages), rel=0.07
    )
    assert window.factor("other") == UNKNOWN_FACTOR


@given(st.lists(st.tuples(st.integers(4, 20_000), st.integers(-10, 10**12)), max_size=50))
def test_no_report_leads_the_factor_out_of_bounds(reports: list[tuple[int, int]]) -> None:
    window = make_window()
    for estimated, reported in reports:
        report_usage(window, "m", estimated, reported)
    assert LEAST_FACTOR <= window.factor("m") <= MOST_FACTOR


@pytest.mark.parametrize(("estimated", "reported"), [(10_000, 0), (10_000, -5), (0, 900), (20, 90)])
def test_a_report_that_tells_nothing_teaches_nothing(estimated: int, reported: int) -> None:
    window = make_window()
    for _ in range(50):
        report_usage(window, "m", estimated, reported)
    assert window.factor("m") == UNKNOWN_FACTOR


def test_the_factor_stands_still_while_reports_differ_a_little() -> None:
    window = make_window()
    for _ in range(20):
        report_usage(window, "m", 1_000, 1_200)
    before = window.factor("m")
    for reported in (1_180, 1_230, 1_190, 1_220, 1_170, 1_240):
        report_usage(window, "m", 1_000, reported)
        assert window.factor("m") == before


def test_models_are_forgotten_the_oldest_first() -> None:
    window = make_window()
    for number in range(MOST_MODELS + 1):
        for _ in range(5):
            report_usage(window, f"m{number}", 1_000, 2_000)
    assert window.factor("m0") == UNKNOWN_FACTOR
    assert window.factor("m1") > 1.5
    assert window.factor(f"m{MOST_MODELS}") > 1.5


@pytest.mark.parametrize("truth", [0.7, 1.0, 1.7, 2.5])
def test_what_counts_within_the_limit_is_within_the_window(truth: float) -> None:
    window = make_window(16_000)
    for _ in range(30):
        report_usage(window, MODEL, 1_000, int(1_000 * truth))
    room = window.find_limit(MODEL, [TOOL])
    filler = AssistantMessage("x" * 4 * (room - 4))
    assert window.count(filler) == room
    # An eighth is kept for the answer.
    assert 13_990 <= expect_tokens(window, MODEL, [filler], [TOOL]) <= 14_000


def test_tools_larger_than_the_window_leave_no_room() -> None:
    assert make_window(50).find_limit(MODEL, [TOOL]) < 0


@pytest.mark.parametrize("size", [16_000, 400_000])
def test_a_conversation_is_full_at_85_percent_of_its_room(size: int) -> None:
    window = make_window(size)
    room = min(window.find_limit(MODEL), int(MOST_CONTEXT / UNKNOWN_FACTOR))
    full = math.ceil(room * 0.85)
    assert not window.is_full([SystemMessage("x" * 4 * (full - 5))])
    assert window.is_full([SystemMessage("x" * 4 * (full - 4))])


def test_images_count() -> None:
    assert count_tokens(UserMessage((Text("?"), Media("image", "f")))) > 500

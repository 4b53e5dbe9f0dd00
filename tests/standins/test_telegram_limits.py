"""The stand-in's pace: what Telegram publishes, and a 429 that must be waited for."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bot.standins.telegram_rules import LENIENT, Limits, RateLimiter, TelegramRefused

AWA = 42
GROUP = -1001234


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def waits(limiter: RateLimiter, chat_id: int) -> int:
    """Seconds that a message to the chat is told to wait; 0: it passed."""
    try:
        limiter.admit(chat_id)
    except TelegramRefused as refused:
        return refused.answer["parameters"]["retry_after"]
    return 0


def test_without_limits_everything_passes(clock: Clock) -> None:
    limiter = RateLimiter(None, clock)
    assert {waits(limiter, AWA) for _ in range(100)} == {0}


def test_a_chat_takes_one_a_second_after_its_burst(clock: Clock) -> None:
    limiter = RateLimiter(Limits(chat_burst=3), clock)
    assert [waits(limiter, AWA) for _ in range(4)] == [0, 0, 0, 1]
    assert waits(limiter, 43) == 0
    for _ in range(5):
        clock.now += 1
        assert waits(limiter, AWA) == 0
    assert waits(limiter, AWA) == 1
    assert limiter.violations == []


def test_a_group_takes_20_a_minute_and_a_person_more(clock: Clock) -> None:
    limiter = RateLimiter(LENIENT, clock)
    passed = {GROUP: 0, AWA: 0}
    for _ in range(30):
        for chat in passed:
            passed[chat] += waits(limiter, chat) == 0
        clock.now += 1
    assert passed == {GROUP: 20, AWA: 30}
    assert waits(limiter, GROUP) == 30
    clock.now += 30
    assert waits(limiter, GROUP) == 0


def test_all_chats_together_take_30_a_second(clock: Clock) -> None:
    limiter = RateLimiter(Limits(), clock)
    assert [waits(limiter, chat) for chat in range(1, 32)] == [0] * 30 + [1]
    clock.now += 1
    assert [waits(limiter, chat) for chat in range(101, 132)] == [0] * 30 + [1]


def test_a_refused_message_does_not_count(clock: Clock) -> None:
    limiter = RateLimiter(Limits(), clock)
    assert waits(limiter, AWA) == 0
    for _ in range(5):
        assert waits(limiter, AWA) == 1
    clock.now += 1
    assert waits(limiter, AWA) == 0


def test_a_throttled_chat_takes_nothing_for_so_long_and_who_does_not_wait_is_noted(
    clock: Clock,
) -> None:
    limiter = RateLimiter(None, clock)
    limiter.throttle(AWA, 30)
    assert (waits(limiter, AWA), waits(limiter, 43)) == (30, 0)
    assert limiter.violations == []
    clock.now += 10
    assert waits(limiter, AWA) == 20
    assert len(limiter.violations) == 1
    clock.now += 20
    assert waits(limiter, AWA) == 0
    assert len(limiter.violations) == 1

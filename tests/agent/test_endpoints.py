"""When an endpoint is asked again, and after how long."""

from __future__ import annotations

from email.utils import formatdate

import pytest
import time_machine

from bot.agent.endpoints import EndpointFailed, failure_of_status, pause_before_retry


@pytest.mark.parametrize(
    ("status", "retry"),
    [
        (401, False),
        (402, False),
        (403, False),
        (404, False),
        (408, True),
        (429, True),
        (500, True),
        (502, True),
        (503, True),
        (529, True),
        (302, False),
    ],
)
def test_only_what_may_pass_is_tried_again(status: int, *, retry: bool) -> None:
    assert failure_of_status(status, {}, "no").retry is retry


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_is_read_unless_absurd(value: str, after: float | None) -> None:
    assert failure_of_status(429, {"retry-after": value}, "no").after == after


def test_retry_after_may_be_a_date() -> None:
    with time_machine.travel(1_800_000_000, tick=False):
        later = formatdate(1_800_000_020, usegmt=True)
        assert failure_of_status(429, {"retry-after": later}, "no").after == pytest.approx(20)
        before = formatdate(1_799_999_000, usegmt=True)
        assert failure_of_status(429, {"retry-after": before}, "no").after == 0


def test_the_pause_is_what_the_endpoint_asks_for() -> None:
    assert pause_before_retry(EndpointFailed("no", after=7.0), 1, 0.5) == 7.0


def test_else_the_pause_doubles_and_jitters() -> None:
    failure = EndpointFailed("no")
    first = [pause_before_retry(failure, 1, 0.5) for _ in range(50)]
    second = [pause_before_retry(failure, 2, 0.5) for _ in range(50)]
    assert all(0.5 <= pause <= 0.75 for pause in first)
    assert all(1.0 <= pause <= 1.5 for pause in second)
    assert len(set(first)) > 1

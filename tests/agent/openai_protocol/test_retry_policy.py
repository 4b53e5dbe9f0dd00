"""When an endpoint is asked again, and after how long."""

from __future__ import annotations

from email.utils import formatdate

import pytest
import time_machine

from bot.agent.openai_protocol.retry_policy import (
    MOST_REST,
    PROBE_EVERY,
    REFUSED_SECONDS,
    EndpointFailed,
    EndpointHealth,
    failure_of_status,
    pause_before_retry,
)
from bot.contracts.models import ModelRequest
from bot.messages.transcript import SystemMessage, Text, UserMessage
from tests.support.memory import measure_bytes


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


# What is remembered ------------------------------------------------------------------------------


def asking(text: str, note: str = "You are Griot.") -> ModelRequest:
    return ModelRequest((SystemMessage(note), UserMessage((Text(text),))))


def door_after(status: int, **headers: str) -> EndpointHealth:
    """The door of an endpoint that answered `hello` so, at second 100."""
    door = EndpointHealth()
    door.record_failure(failure_of_status(status, headers, "no"), asking("hello"), "m", 100.0)
    return door


def is_shut(door: EndpointHealth, text: str, now: float, model: str = "m") -> bool:
    try:
        door.check_refusals(asking(text), model, now)
    except EndpointFailed:
        return True
    return False


def test_an_endpoint_that_asked_for_time_is_left_alone_that_long_by_all() -> None:
    door = door_after(429, **{"retry-after": "60"})
    assert 40 <= door.seconds_to_wait(120.0) <= 44
    assert door.seconds_to_wait(160.0) == 0


def test_those_who_wait_do_not_come_back_at_the_same_moment() -> None:
    door = door_after(429, **{"retry-after": "60"})
    assert len({door.seconds_to_wait(120.0) for _ in range(20)}) > 1


def test_the_longer_of_two_rests_counts() -> None:
    door = door_after(429, **{"retry-after": "60"})
    sooner = failure_of_status(503, {"retry-after": "5"}, "no")
    door.record_failure(sooner, asking("hello"), "m", 101.0)
    assert door.seconds_to_wait(120.0) >= 40


def test_no_rest_is_longer_than_the_longest() -> None:
    door = door_after(429, **{"retry-after": "1e9"})
    assert MOST_REST <= door.seconds_to_wait(100.0) <= 1.1 * MOST_REST


def test_without_a_word_about_when_nothing_is_remembered() -> None:
    for status in (408, 429, 500, 503):
        assert door_after(status).seconds_to_wait(100.0) == 0


def test_a_wrong_key_is_remembered_for_all_requests_and_then_tried_again() -> None:
    door = door_after(401)
    assert is_shut(door, "other", 100 + REFUSED_SECONDS - 1, model="m2")
    assert not is_shut(door, "other", 100 + REFUSED_SECONDS + 1)


@pytest.mark.parametrize("status", [402, 403, 404])
def test_another_refusal_is_remembered_for_the_same_request_only(status: int) -> None:
    door = door_after(status)
    assert is_shut(door, "hello", 189.0)
    assert not is_shut(door, "other", 189.0)
    assert not is_shut(door, "hello", 189.0, model="m2")
    assert not is_shut(door, "hello", 191.0)


def test_a_request_is_the_same_whatever_our_notes_to_it_say() -> None:
    with pytest.raises(EndpointFailed, match="403"):
        door_after(403).check_refusals(asking("hello", "It is noon now."), "m", 101.0)


def test_a_refusal_that_comes_again_is_believed_anew() -> None:
    door = door_after(403)
    door.record_failure(failure_of_status(403, {}, "no"), asking("hello"), "m", 150.0)
    assert is_shut(door, "hello", 239.0)


def test_refusals_of_long_ago_are_forgotten() -> None:
    door, recent = EndpointHealth(), EndpointHealth()
    for second in range(1000):
        refusal = (failure_of_status(403, {}, "no"), asking(str(second)), "m", float(second))
        door.record_failure(*refusal)
        if second >= 999 - REFUSED_SECONDS:
            recent.record_failure(*refusal)
    assert measure_bytes(door) < 2 * measure_bytes(recent)


def test_a_refusal_that_came_again_keeps_none_from_being_forgotten() -> None:
    door = EndpointHealth()
    for second, text in [(0, "a"), (50, "b"), (80, "a"), (145, "c")]:
        door.record_failure(failure_of_status(403, {}, "no"), asking(text), "m", float(second))
    twin = EndpointHealth()
    for second, text in [(80, "a"), (145, "c")]:
        twin.record_failure(failure_of_status(403, {}, "no"), asking(text), "m", float(second))
    assert measure_bytes(door) == measure_bytes(twin)


def test_an_endpoint_that_rests_for_long_is_asked_now_and_then() -> None:
    """Where there is no other: from half a minute after it last asked to be left alone."""
    door, request = EndpointHealth(), ModelRequest((UserMessage((Text("hi"),)),))
    door.record_failure(EndpointFailed("429", after=3600.0, status=429), request, "m", 1000.0)
    assert not door.may_probe(1000.0 + PROBE_EVERY - 1)
    assert door.may_probe(1000.0 + PROBE_EVERY)
    assert not door.may_probe(1000.0 + PROBE_EVERY + 1)
    assert door.seconds_to_wait(1000.0 + PROBE_EVERY) > 60


def test_an_answer_clears_the_pause_and_the_refusals_that_came_before_it() -> None:
    door = door_after(401, **{"retry-after": "600"})
    door.record_failure(failure_of_status(403, {}, "no"), asking("hello"), "m", 101.0)
    door.record_failure(failure_of_status(403, {}, "no"), asking("other"), "m", 101.0)
    door.record_success(asking("hello"), "m", 102.0)
    assert door.seconds_to_wait(110.0) == 0
    assert not is_shut(door, "hello", 110.0)
    assert is_shut(door, "other", 110.0)


def test_an_answer_to_what_was_sent_before_a_refusal_clears_nothing() -> None:
    door = door_after(401, **{"retry-after": "600"})
    door.record_success(asking("hello"), "m", 99.0)
    assert door.seconds_to_wait(110.0) > 0
    assert is_shut(door, "hello", 110.0)

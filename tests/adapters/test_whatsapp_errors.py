"""What Meta's refusals mean for a delivery."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from adapters.base import MAX_WAIT, OPERATOR_SECONDS
from adapters.whatsapp.client import (
    Refusal,
    classify_code,
    explain,
    log_operator_error,
)
from bot.errors import OutcomeUnknown, RetryAt, SenderRestricted, Undeliverable, WindowClosed


@pytest.mark.parametrize("status", [400, 403, 500])
def test_outside_the_window_is_that_whatever_the_status(status: int) -> None:
    assert isinstance(explain(Refusal(status, 131047)), WindowClosed)


@pytest.mark.parametrize("code", [131021, 131026, 131030])
def test_an_address_that_takes_nothing_is_dead(code: int) -> None:
    error = explain(Refusal(400, code))
    assert isinstance(error, Undeliverable)
    assert (error.dead_target, error.opted_out) == (True, False)


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 4.0), (2, 16.0), (4, 256.0)])
def test_too_fast_to_one_person_waits_longer_each_time(attempt: int, seconds: float) -> None:
    error = explain(Refusal(400, 131056), attempt)
    assert isinstance(error, RetryAt)
    assert error.after == seconds


def test_that_wait_has_an_end_and_is_not_shorter_than_what_meta_asks() -> None:
    longest = explain(Refusal(429, 131056), 10_000)
    asked = explain(Refusal(429, 131056, retry_after=60.0))
    assert isinstance(longest, RetryAt)
    assert isinstance(asked, RetryAt)
    assert (longest.after, asked.after) == (MAX_WAIT, 60.0)


@pytest.mark.parametrize(
    ("status", "code"), [(429, 130429), (400, 130429), (500, 130429), (400, 80007), (400, 4)]
)
@pytest.mark.parametrize("retry_after", [None, 7.0])
def test_too_fast_over_all_waits_as_asked(
    status: int, code: int, retry_after: float | None
) -> None:
    error = explain(Refusal(status, code, retry_after=retry_after))
    assert isinstance(error, RetryAt)
    assert error.after == retry_after


@pytest.mark.parametrize(
    ("status", "code", "subcode"),
    [
        (401, 190, 463),
        (400, 190, 0),
        (401, 0, 0),
        (403, 10, 0),
        (400, 200, 0),
        (400, 299, 0),
        (400, 100, 33),
        (400, 131042, 0),
        (403, 0, 0),
        (404, 0, 0),
        (302, 0, 0),
        (500, 131057, 0),
    ],
)
def test_what_the_operator_can_mend_waits_and_is_told(status: int, code: int, subcode: int) -> None:
    refusal = Refusal(status, code, subcode)
    error = explain(refusal)
    assert isinstance(error, RetryAt)
    assert error.after == OPERATOR_SECONDS
    with capture_logs() as logs:
        log_operator_error(refusal)
    assert [(entry["event"], entry["code"]) for entry in logs] == [
        ("whatsapp_account_refused", code)
    ]


@pytest.mark.parametrize("code", [368, 131031])
@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_restricted_number_is_told_from_all_other_refusals(code: int, status: int) -> None:
    refusal = Refusal(status, code)
    assert isinstance(explain(refusal), SenderRestricted)
    assert not refusal.is_for_operator  # who hears of the restriction itself, once
    assert classify_code(code) == "restricted"


@pytest.mark.parametrize("code", [132000, 132001, 132015])
def test_a_template_that_is_not_there_is_final_and_told(code: int) -> None:
    refusal = Refusal(404, code)
    assert isinstance(explain(refusal), Undeliverable)
    with capture_logs() as logs:
        log_operator_error(refusal)
    assert [entry["event"] for entry in logs] == ["whatsapp_template_refused"]


@pytest.mark.parametrize("code", [0, 1, 2, 131000, 131016, 133004])
def test_a_failure_of_the_server_leaves_it_in_doubt(code: int) -> None:
    assert isinstance(explain(Refusal(500, code)), OutcomeUnknown)


@pytest.mark.parametrize("code", [1, 2, 131000, 131016, 133004])
def test_a_fault_of_meta_with_a_client_error_status_is_tried_again(code: int) -> None:
    assert isinstance(explain(Refusal(400, code)), RetryAt)


@pytest.mark.parametrize("code", [100, 131008, 131009, 131051, 131052, 131048, 131049, 999999])
def test_other_refusals_are_final_for_this_message_alone(code: int) -> None:
    refusal = Refusal(400, code)
    error = explain(refusal)
    assert isinstance(error, Undeliverable)
    assert not error.dead_target
    with capture_logs() as logs:
        log_operator_error(refusal)
    assert logs == []


def test_a_refusal_that_meta_calls_transient_is_tried_again() -> None:
    error = explain(Refusal(400, 1, transient=True, retry_after=3.0))
    assert isinstance(error, RetryAt)
    assert error.after == 3.0


@pytest.mark.parametrize(
    ("refusal", "about_form"),
    [
        (Refusal(400, 100), True),
        (Refusal(400, 131008), True),
        (Refusal(400, 131009), True),
        (Refusal(400, 100, 33), False),
        (Refusal(401, 100), False),
        (Refusal(500, 100), False),
        (Refusal(400, 131026), False),
        (Refusal(400), False),
    ],
)
def test_another_form_is_worth_a_try_only_where_the_form_was_refused(
    refusal: Refusal, about_form: bool
) -> None:
    assert refusal.is_about_form == about_form


def test_a_code_tells_of_the_conversation_or_of_nothing() -> None:
    causes = [classify_code(code) for code in (131047, 131026, 131050, 131049, 0)]
    assert causes == ["window", "dead", "", "", ""]

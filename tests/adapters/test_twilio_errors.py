"""What Twilio's refusals mean for a delivery."""

from __future__ import annotations

import pytest

from adapters.base import OPERATOR_SECONDS
from adapters.twilio.client import Refusal, classify_code, explain
from bot.errors import OutcomeUnknown, RetryAt, SenderRestricted, Undeliverable, WindowClosed


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        (Refusal(429, 20429), RetryAt),
        (Refusal(429), RetryAt),
        (Refusal(400, 21611), RetryAt),
        (Refusal(400, 63016), WindowClosed),
        (Refusal(403, 63016), WindowClosed),
        (Refusal(403, 63112), SenderRestricted),
        (Refusal(400, 63020), SenderRestricted),
        (Refusal(400, 21610), Undeliverable),
        (Refusal(400, 21211), Undeliverable),
        (Refusal(400, 21617), Undeliverable),
        (Refusal(404, 20404), Undeliverable),
        (Refusal(400), Undeliverable),
        (Refusal(401, 20003), RetryAt),
        (Refusal(403, 20003), RetryAt),
        (Refusal(302), RetryAt),
        (Refusal(500, 20500), OutcomeUnknown),
        (Refusal(503), OutcomeUnknown),
        (Refusal(504), OutcomeUnknown),
    ],
    ids=str,
)
def test_each_refusal_means_one_thing_to_the_outbox(
    refusal: Refusal, kind: type[Exception]
) -> None:
    assert type(explain(refusal)) is kind


@pytest.mark.parametrize(
    ("code", "dead", "opted_out"),
    [
        (21211, True, False),
        (21614, True, False),
        (63003, True, False),
        (21610, True, True),
        (21617, False, False),
        (30003, False, False),  # a phone that is off
    ],
)
def test_a_target_is_dead_when_no_other_message_would_reach_it(
    code: int, dead: bool, opted_out: bool
) -> None:
    meant = explain(Refusal(400, code))
    assert isinstance(meant, Undeliverable)
    assert (meant.dead_target, meant.opted_out) == (dead, opted_out)


def test_a_wait_is_as_long_as_twilio_asked() -> None:
    meant = explain(Refusal(429, 20429, 7.0))
    assert isinstance(meant, RetryAt)
    assert meant.after == 7.0


@pytest.mark.parametrize("status", [307, 401, 403])
def test_what_the_operator_must_mend_is_tried_again_slowly(status: int) -> None:
    refusal = Refusal(status, 20003)
    meant = explain(refusal)
    assert isinstance(meant, RetryAt)
    assert (meant.after, refusal.is_for_operator) == (OPERATOR_SECONDS, True)


@pytest.mark.parametrize("refusal", [Refusal(400, 21617), Refusal(403, 21610), Refusal(500)])
def test_the_operator_is_not_troubled_for_a_single_message(refusal: Refusal) -> None:
    assert not refusal.is_for_operator


def test_codes_that_are_not_known_say_nothing_about_the_conversation() -> None:
    assert [classify_code(code) for code in (0, 30003, 99999)] == ["", "", ""]

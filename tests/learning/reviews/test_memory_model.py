from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.learning.reviews.memory_model import (
    DAY,
    LEECH_LAPSES,
    MAX_DAYS,
    Card,
    choose_reviews,
    review,
)
from bot.messages.value import decode, encode

START = 1_700_000_000.0


def answer(card: Card | None, at: float, *, correct: bool = True, first_try: bool = True) -> Card:
    return review(card, correct=correct, first_try=first_try, at=at)


def test_right_answers_come_back_later_each_time() -> None:
    card, waits = None, list[float]()
    at = START
    for _ in range(5):
        card = answer(card, at)
        waits.append(card.due_at - at)
        at = card.due_at

    assert waits[0] >= DAY
    assert all(later > earlier for earlier, later in pairwise(waits))


def test_a_wrong_answer_comes_back_within_a_day() -> None:
    old = answer(answer(None, START), START + 3 * DAY)
    missed = answer(old, START + 20 * DAY, correct=False)

    assert 0 < missed.due_at - missed.reviewed_at < DAY
    assert missed.stability < old.stability
    assert (missed.reviews, missed.lapses) == (3, 1)


def test_a_right_answer_after_a_miss_waits_a_day() -> None:
    missed = answer(None, START, correct=False)
    again = answer(missed, START + 600)

    assert again.due_at - again.reviewed_at >= DAY


def test_a_hint_makes_the_next_time_earlier() -> None:
    known = answer(None, START)
    alone = answer(known, START + 3 * DAY)
    with_hint = answer(known, START + 3 * DAY, first_try=False)

    assert DAY <= with_hint.due_at - with_hint.reviewed_at < alone.due_at - alone.reviewed_at


def test_a_clock_that_goes_back_does_no_harm() -> None:
    future = answer(None, START + 3650 * DAY)
    now = answer(future, START)

    assert START + DAY <= now.due_at < START + 30 * DAY


def test_a_year_without_a_word_does_no_harm() -> None:
    card = answer(answer(None, START), START + 2 * DAY)
    right = answer(card, START + 367 * DAY)
    wrong = answer(card, START + 367 * DAY, correct=False)

    assert card.stability < right.stability
    assert right.due_at <= right.reviewed_at + MAX_DAYS * DAY
    assert wrong.due_at < wrong.reviewed_at + DAY


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(-1e7, 1e8)), max_size=12))
def test_any_row_of_answers_keeps_the_rules(answers: list[tuple[bool, bool, float]]) -> None:
    card, at = None, START
    for correct, first_try, wait in answers:
        at = max(0.0, at + wait)
        card = answer(card, at, correct=correct, first_try=first_try)

        assert (card.due_at - at >= DAY) == correct
        assert at < card.due_at <= at + MAX_DAYS * DAY
        assert 1 <= card.difficulty <= 10
        assert decode(encode(card), Card) == card


def test_the_scheduler_is_imported_when_it_is_needed() -> None:
    program = "import sys, bot.learning.reviews.memory_model; sys.exit('fsrs' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_weakest_of_what_is_due_is_asked_first() -> None:
    cards = {days: answer(None, START - days * DAY) for days in (1, 3, 9, 5)}

    assert choose_reviews(cards, START, 10) == [9, 5, 3]
    assert choose_reviews({}, START, 10) == []


def test_where_more_is_due_what_was_missed_is_asked_first() -> None:
    cards = {days: answer(None, START - days * DAY) for days in (7, 8, 9)}
    cards[5] = answer(None, START - 5 * DAY, correct=False)

    assert choose_reviews(cards, START, 2) == [5, 9]


def test_where_more_is_due_what_is_missed_again_and_again_waits() -> None:
    cards = {days: answer(None, START - days * DAY) for days in (3, 4, 5)}
    for days, lapses in ((9, LEECH_LAPSES), (10, LEECH_LAPSES + 1)):
        missed = answer(None, START - days * DAY, correct=False)
        cards[days] = replace(missed, lapses=lapses)

    assert choose_reviews(cards, START, 5) == [10, 9, 5, 4, 3]
    assert choose_reviews(cards, START, 4) == [9, 5, 4, 3]
    assert choose_reviews(cards, START, 2) == [5, 4]

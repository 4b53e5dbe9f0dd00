"""What counts as answered, doubled and lost."""

from __future__ import annotations

from bot.demo.providers.phone_screens import (
    LOST_AFTER_SECONDS,
    PHONE_RESTS_AFTER_SECONDS,
    AnswerTally,
    Bubble,
    Tally,
)


def wrote(number: int, at: float = 100.0) -> Bubble:
    return Bubble(phone="sms", id=f"m{number}", mine=True, text="Bonjour", at=at)


def said(text: str, at: float = 101.0) -> Bubble:
    return Bubble(phone="sms", id=f"{text}{at}", text=text, at=at)


def tally_of(*bubbles: Bubble, now: float = 102.0) -> Tally:
    tallying = AnswerTally()
    tallying.is_up = True
    for bubble in bubbles:
        tallying.count_bubble(bubble)
    tallying.update_tally(now)
    return tallying.tally


def test_a_burst_is_answered_together() -> None:
    assert tally_of(wrote(1), wrote(2), said("Oui")) == Tally(sent=2, answered=2)


def test_an_answer_in_two_parts_is_one_answer() -> None:
    assert tally_of(wrote(1), said("Un"), said("Deux")) == Tally(sent=1, answered=1)


def test_the_same_words_again_are_doubled() -> None:
    assert tally_of(wrote(1), said("Oui"), said("Oui", 102.0)).doubled == 1


def test_the_same_words_to_another_message_are_not() -> None:
    assert tally_of(wrote(1), said("Oui"), wrote(2), said("Oui", 103.0)).doubled == 0


def test_nor_are_parts_of_an_answer_that_come_when_the_same_was_asked_again() -> None:
    first = (wrote(1), said("Une"), wrote(2), said("Deux"))
    assert tally_of(*first, said("Une", 102.0), said("Deux", 102.0)).doubled == 0
    assert tally_of(*first, said("Une", 102.0), said("Une", 103.0)).doubled == 1


def test_a_phone_at_rest_counts_anew() -> None:
    """Who asked several things before may be answered once all the same."""
    later = 101.0 + PHONE_RESTS_AFTER_SECONDS + 1
    asked = (wrote(1), said("Un"), wrote(2), said("Deux"), wrote(3, later))
    assert tally_of(*asked, said("Un", later), said("Un", later + 1)).doubled == 1


def test_nor_are_those_that_follow_a_tap() -> None:
    tallying = AnswerTally()
    tallying.count_bubble(said("Bravo"))
    tallying.note_question("sms", 104.0)
    tallying.count_bubble(said("Bravo", 105.0))
    tallying.update_tally(106.0)
    assert tallying.tally.doubled == 0


def test_without_an_answer_a_message_is_lost_in_the_end_while_the_gateway_is_up() -> None:
    assert tally_of(wrote(1), now=100 + LOST_AFTER_SECONDS - 1).lost == 0
    assert tally_of(wrote(1), now=100 + LOST_AFTER_SECONDS + 1).lost == 1


def test_while_it_is_down_nothing_is_lost() -> None:
    tallying = AnswerTally()
    tallying.count_bubble(wrote(1))
    tallying.update_tally(1000.0)
    assert tallying.tally.lost == 0


def test_a_late_answer_is_an_answer() -> None:
    tallying = AnswerTally()
    tallying.is_up = True
    tallying.count_bubble(wrote(1))
    tallying.update_tally(1000.0)
    tallying.count_bubble(said("Enfin", 1001.0))
    tallying.update_tally(1001.0)
    assert tallying.tally == Tally(sent=1, answered=1)

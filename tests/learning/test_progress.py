from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.learning.progress import (
    DAYS,
    MAX_STREAK,
    Answers,
    Day,
    Progress,
    SubjectScore,
    count_progress,
    describe_progress,
)

NOON = datetime(2026, 5, 31, 12, tzinfo=UTC)


def ago(days: int, answered: int = 1, correct: int = 0) -> Answers:
    return Answers((NOON - timedelta(days=days)).timestamp(), answered, correct)


def count(*answers: Answers, now: datetime = NOON, zone: str = "UTC") -> Progress:
    return count_progress(answers, (), now=now.timestamp(), zone=ZoneInfo(zone))


@pytest.mark.parametrize(
    ("days", "streak"),
    [
        ([], 0),
        ([0], 1),
        ([0, 1, 2], 3),
        ([2, 1, 0, 0], 3),
        ([1, 2], 2),
        ([2, 3], 0),
        ([0, 2, 3], 1),
        ([1, 2, 4], 2),
        (list(range(MAX_STREAK + 5)), MAX_STREAK),
    ],
    ids=["none", "today", "three", "unordered", "not-yet-today", "broken", "gap", "gap-2", "most"],
)
def test_a_streak_is_unbroken_up_to_today_or_yesterday(days: list[int], streak: int) -> None:
    assert count(*map(ago, days)).streak == streak


def test_the_last_thirty_days_are_shown_also_empty_ones() -> None:
    days = count(ago(0, 3, 2), ago(0, 2, 0), ago(29, 4, 4), ago(30, 9, 9)).days
    assert len(days) == DAYS
    assert days[0] == Day(date(2026, 5, 2), 4, 4)
    assert days[1] == Day(date(2026, 5, 3), 0, 0)
    assert days[-1] == Day(date(2026, 5, 31), 5, 2)


@pytest.mark.parametrize(
    ("zone", "day"),
    [("Africa/Abidjan", 30), ("Africa/Lagos", 31), ("Asia/Kathmandu", 31), ("America/Lima", 30)],
)
def test_a_day_begins_at_midnight_where_the_person_is(zone: str, day: int) -> None:
    late = Answers(datetime(2026, 5, 30, 23, 30, tzinfo=UTC).timestamp(), 1, 1)
    (answered,) = [each.date for each in count(late, zone=zone).days if each.answered]
    assert answered == date(2026, 5, day)


def test_the_day_on_which_clocks_change_breaks_no_streak() -> None:
    paris = ZoneInfo("Europe/Paris")
    late = [datetime(2026, 3, day, 23, 50, tzinfo=paris) for day in (27, 28, 29, 30)]
    answers = [Answers(moment.timestamp(), 1, 1) for moment in late]
    assert count(*answers, now=late[-1], zone="Europe/Paris").streak == 4


def shown(language: str, *subjects: SubjectScore, streak: int = 5) -> str:
    days = (Day(date(2026, 5, 30), 10, 6), Day(date(2026, 5, 31), 2, 2))
    return describe_progress(language, Progress(streak, days, subjects))


def test_progress_is_told_in_french() -> None:
    scores = (SubjectScore("maths", 8, 6), SubjectScore("", 3, 1), SubjectScore("couture", 1, 1))
    assert shown("fr", *scores) == (
        "**Tes progrès**\n\n"
        "Série : 5 jours de suite.\n\n"
        "30 derniers jours : 8 sur 12 exercices réussis (67 %).\n\n"
        "- Maths : 6 sur 8 (75 %)\n- Exercices : 1 sur 3 (33 %)\n- Couture : 1 sur 1 (100 %)"
    )


def test_progress_is_told_in_english() -> None:
    assert shown("en", SubjectScore("biology", 8, 6), streak=1) == (
        "**Your progress**\n\n"
        "Streak: 1 day in a row.\n\n"
        "Last 30 days: 12 exercises, 8 right (67%).\n\n"
        "- Biology: 6 of 8 right (75%)"
    )


def test_many_subjects_are_told_in_few_lines_and_none_is_lost() -> None:
    text = shown("fr", *(SubjectScore(f"atelier {n}", 10, n) for n in range(10)))
    assert text.count("\n- ") == 9
    assert text.endswith("- Atelier 7 : 7 sur 10 (70 %)\n- Autres matières : 17 sur 20 (85 %)")


def test_after_a_pause_nothing_is_told_of_a_streak() -> None:
    empty = Progress(0, (Day(date(2026, 5, 31), 0, 0),), (SubjectScore("maths", 2, 1),))
    assert describe_progress("en", empty) == (
        "**Your progress**\n\nNothing in the last 30 days.\n\n- Maths: 1 of 2 right (50%)"
    )


def test_who_has_answered_nothing_is_told_how_to_begin() -> None:
    assert "un quiz ou fais un exercice" in describe_progress("fr", count())


def test_names_with_braces_are_text() -> None:
    assert "- {x} {0}: 1 of 1" in shown("en", SubjectScore("{x} {0}", 1, 1))

"""A learner's progress: counted from results, and told in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from bot.learning.subjects import name_subject
from bot.texts import say, say_count

DAYS = 30
"""How many days are shown, today included."""
MAX_STREAK = 400
"""Days that are looked back on for a streak."""
_MOST_SUBJECTS = 8
"""Lines of subjects in the short text: it may go by SMS."""


@dataclass(frozen=True, slots=True)
class Day:
    """One day where the person is."""

    date: date
    answered: int
    correct: int


@dataclass(frozen=True, slots=True)
class SubjectScore:
    """All that was ever answered in one subject."""

    subject: str
    """As `fold_subject` gives it."""
    answered: int
    correct: int


@dataclass(frozen=True, slots=True)
class Progress:
    streak: int
    """Days in a row with an answer, up to today, or to yesterday while today has none; at most
    `MAX_STREAK`."""
    days: tuple[Day, ...]
    """The last `DAYS` days, the oldest first, also those without an answer."""
    subjects: tuple[SubjectScore, ...]
    """Those with most answers first."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers given within a quarter of an hour, which lies in one day in every time zone."""

    since: float
    """Its beginning, in Unix seconds."""
    answered: int
    correct: int


def count_progress(
    answers: Sequence[Answers], subjects: Sequence[SubjectScore], *, now: float, zone: tzinfo
) -> Progress:
    """Progress where the person is; `answers` of the last `MAX_STREAK` days, in any order."""
    today = datetime.fromtimestamp(now, zone).date()
    answered: Counter[date] = Counter()
    correct: Counter[date] = Counter()
    for some in answers:
        day = datetime.fromtimestamp(some.since, zone).date()
        answered[day] += some.answered
        correct[day] += some.correct
    shown = (today - timedelta(days=ago) for ago in reversed(range(DAYS)))
    days = tuple(Day(day, answered[day], correct[day]) for day in shown)
    return Progress(_streak(answered, today), days, tuple(subjects))


def _streak(answered: Counter[date], today: date) -> int:
    first = 0 if answered[today] else 1
    length = 0
    while length < MAX_STREAK and answered[today - timedelta(days=first + length)]:
        length += 1
    return length


def describe_progress(language: str, progress: Progress, spell: Callable[[str], str] = str) -> str:
    """Progress as a few lines of markdown, for every channel.

    Args:
        spell: writes the name of a subject, which a model has chosen, so that it is no markup.
    """
    if not progress.subjects:
        return say(
            language,
            "Nothing to show yet. Answer a quiz or do an exercise with me, and it will be here.",
        )
    head = say(language, "Your progress")
    lines = [_describe_streak(language, progress.streak), _describe_month(language, progress)]
    subjects = (f"- {_describe_subject(language, each, spell)}" for each in progress.subjects)
    listed = [*subjects][:_MOST_SUBJECTS]
    if others := progress.subjects[_MOST_SUBJECTS:]:
        listed.append(f"- {_describe_others(language, others)}")
    return "\n\n".join([f"**{head}**", *filter(None, lines), "\n".join(listed)])


def _describe_streak(language: str, streak: int) -> str:
    if not streak:
        return ""
    return say_count(
        language, "Streak: {number} day in a row.", "Streak: {number} days in a row.", streak
    )


def _describe_month(language: str, progress: Progress) -> str:
    answered = sum(day.answered for day in progress.days)
    correct = sum(day.correct for day in progress.days)
    if not answered:
        return say(language, "Nothing in the last 30 days.")
    return say_count(
        language,
        "Last 30 days: {number} answer, {correct} right ({percent}%).",
        "Last 30 days: {number} answers, {correct} right ({percent}%).",
        answered,
        correct=correct,
        percent=_percent(correct, answered),
    )


def _describe_subject(language: str, score: SubjectScore, spell: Callable[[str], str]) -> str:
    return say(
        language,
        "{subject}: {correct} of {answered} right ({percent}%)",
        subject=spell(name_subject(language, score.subject)),
        correct=score.correct,
        answered=score.answered,
        percent=_percent(score.correct, score.answered),
    )


def _describe_others(language: str, scores: Sequence[SubjectScore]) -> str:
    answered = sum(score.answered for score in scores)
    correct = sum(score.correct for score in scores)
    return say(
        language,
        "{subject}: {correct} of {answered} right ({percent}%)",
        subject=say(language, "Other subjects"),
        correct=correct,
        answered=answered,
        percent=_percent(correct, answered),
    )


def _percent(correct: int, answered: int) -> int:
    return round(100 * correct / answered)

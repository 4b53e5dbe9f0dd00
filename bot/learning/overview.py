"""A learner's progress as it is shown, on a picture or a page: counted, named and said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot.learning.progress import Day, Progress, SubjectScore
from bot.learning.subjects import name_subject
from bot.texts import say, say_count


@dataclass(frozen=True, slots=True)
class Headline:
    """A number in large letters, and what it counts."""

    number: str
    words: str


@dataclass(frozen=True, slots=True)
class SubjectLine:
    """One subject, or those that have no line of their own."""

    name: str
    answered: int
    correct: int
    count: str
    """`45 of 60`."""
    percent: str
    """`75%`."""

    @property
    def share(self) -> int:
        """Of right answers, in percent."""
        return _share(self.correct, self.answered)


@dataclass(frozen=True, slots=True)
class Overview:
    """All of it in the person's language."""

    language: str
    title: str
    headlines: tuple[Headline, Headline]
    most: str
    """The answers of the day that has most of them."""
    silence: str
    """That there was no answer in these days; empty if there was."""
    days: tuple[Day, ...]
    subjects: tuple[SubjectLine, ...]


def make_overview(language: str, progress: Progress, name: str = "", *, most: int) -> Overview:
    """
    Args:
        name: the first name; perhaps empty.
        most: subjects that have a line of their own; one line tells of all others.
    """
    title = say(language, "Your progress")
    if name:
        title = say(language, "Your progress, {name}", name=name)
    busiest = max((day.answered for day in progress.days), default=0)
    return Overview(
        language,
        title,
        (_first_headline(language, progress), _second_headline(language, progress)),
        say_count(language, "{number} answer", "{number} answers", busiest),
        "" if busiest else say(language, "Nothing in the last 30 days."),
        progress.days,
        tuple(_list_subjects(language, progress.subjects, most)),
    )


def name_day(language: str, day: date) -> str:
    """A day without its year: `7 nov.`, `Nov 7`."""
    from babel.dates import format_skeleton  # imported on first use: babel is slow to load

    return format_skeleton("MMMd", day, locale=language)


def first_name(name: str) -> str:
    """The first word of what a person is called."""
    return name.partition(" ")[0]


def _first_headline(language: str, progress: Progress) -> Headline:
    """The streak; without one, which nobody likes to read, all answers ever given."""
    if progress.streak:
        number = progress.streak
        words = say_count(language, "day in a row", "days in a row", number)
    else:
        number = sum(score.answered for score in progress.subjects)
        words = say_count(language, "answer in all", "answers in all", number)
    return Headline(str(number), words)


def _second_headline(language: str, progress: Progress) -> Headline:
    """How much was right in the days shown; if there is nothing in them, ever."""
    counted: Sequence[Day | SubjectScore] = progress.days
    words = say(language, "right in 30 days")
    if not any(day.answered for day in progress.days):
        counted, words = progress.subjects, say(language, "right in all")
    answered = sum(each.answered for each in counted)
    correct = sum(each.correct for each in counted)
    return Headline(_percent(language, correct, answered) if answered else "–", words)


def _list_subjects(
    language: str, scores: Sequence[SubjectScore], most: int
) -> Sequence[SubjectLine]:
    own = scores[:most] if len(scores) > most else scores
    lines = [
        _line(language, name_subject(language, score.subject), score.answered, score.correct)
        for score in own
    ]
    if others := scores[len(own) :]:
        answered = sum(score.answered for score in others)
        correct = sum(score.correct for score in others)
        lines.append(_line(language, say(language, "Other subjects"), answered, correct))
    return lines


def _line(language: str, name: str, answered: int, correct: int) -> SubjectLine:
    count = say(language, "{correct} of {answered}", correct=correct, answered=answered)
    return SubjectLine(name, answered, correct, count, _percent(language, correct, answered))


def _percent(language: str, correct: int, answered: int) -> str:
    return say(language, "{percent}%", percent=_share(correct, answered))


def _share(correct: int, answered: int) -> int:
    return round(100 * correct / answered) if answered else 0

"""Count a learner's progress from results, and describe it in words or for a picture or page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from bot.i18n import say, say_count
from bot.learning.subjects import name_subject

DAYS = 30
"""How many days are shown, today included."""
MAX_STREAK = 400
"""Days before today that are searched for a streak."""
_MOST_SUBJECTS = 8
"""Most lines of subjects in the short text, which may go by SMS."""


@dataclass(frozen=True, slots=True)
class Day:
    """The answers of one day in the person's time zone."""

    date: date
    answered: int
    correct: int


@dataclass(frozen=True, slots=True)
class SubjectScore:
    """All answers ever given in one subject."""

    subject: str
    """A name from `fold_subject`."""
    answered: int
    correct: int


@dataclass(frozen=True, slots=True)
class Progress:
    streak: int
    """Days in a row with an answer, up to today, or to yesterday while today has none; at most
    `MAX_STREAK`."""
    days: tuple[Day, ...]
    """The last `DAYS` days, the oldest first, including days without an answer."""
    subjects: tuple[SubjectScore, ...]
    """Scores by subject, the most answers first."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers given within a quarter of an hour, which lies in one day in every time zone."""

    since: float
    """When the quarter of an hour begins, in Unix seconds."""
    answered: int
    correct: int


def count_progress(
    answers: Sequence[Answers], subjects: Sequence[SubjectScore], *, now: float, zone: tzinfo
) -> Progress:
    """Count progress in the person's time zone from `answers` of the last `MAX_STREAK` days."""
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
    """Write progress as a few lines of markdown, for every channel.

    Args:
        spell: escapes the name of a subject, which a model has chosen, so that it is no markup.
    """
    if not progress.subjects:
        return say(
            language,
            "Nothing to show yet. Answer a quiz or do an exercise with me, and it will be here.",
        )
    head = say(language, "Your progress")
    lines = [_describe_streak(language, progress.streak), _describe_month(language, progress)]
    subjects = [
        _describe_scores(language, spell(name_subject(language, each.subject)), each)
        for each in progress.subjects[:_MOST_SUBJECTS]
    ]
    if others := progress.subjects[_MOST_SUBJECTS:]:
        subjects.append(_describe_scores(language, say(language, "Other subjects"), *others))
    listed = "\n".join(f"- {each}" for each in subjects)
    return "\n\n".join([f"**{head}**", *filter(None, lines), listed])


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
        "Last 30 days: {number} exercise, {correct} right ({percent}%).",
        "Last 30 days: {number} exercises, {correct} right ({percent}%).",
        answered,
        correct=correct,
        percent=_share(correct, answered),
    )


def _describe_scores(language: str, subject: str, *scores: SubjectScore) -> str:
    """Write the scores of one subject, or of several together."""
    answered = sum(score.answered for score in scores)
    correct = sum(score.correct for score in scores)
    return say(
        language,
        "{subject}: {correct} of {answered} right ({percent}%)",
        subject=subject,
        correct=correct,
        answered=answered,
        percent=_share(correct, answered),
    )


_MOST_IN_SUMMARY = 8


def summarise_progress(
    language: str,
    progress: Progress,
    fits: Callable[[str], bool],
    spell: Callable[[str], str] = str,
) -> str:
    """Return the streak, the month's score and as many subjects as fit, the most answers first.

    Args:
        fits: whether a text is short enough.
        spell: as in `describe_progress`.
    """
    if not progress.subjects:
        return describe_progress(language, progress)
    shown = make_overview(language, progress, most=_MOST_IN_SUMMARY)
    heads = ", ".join(f"{each.number} {each.words}" for each in shown.headlines)
    text = say(language, "Progress: {heads}.", heads=heads)
    for line in shown.subjects:
        longer = f"{text}\n{spell(line.name)} {line.percent} ({line.count})"
        text = longer if fits(longer) else text
    return text


@dataclass(frozen=True, slots=True)
class Headline:
    """A number in large letters, and what it counts."""

    number: str
    words: str


@dataclass(frozen=True, slots=True)
class SubjectLine:
    """One subject, or all subjects that have no line of their own."""

    name: str
    answered: int
    correct: int
    count: str
    """`45 of 60`."""
    percent: str
    """`75%`."""

    @property
    def share(self) -> int:
        """The share of right answers, in percent."""
        return _share(self.correct, self.answered)


@dataclass(frozen=True, slots=True)
class Overview:
    """Progress in the person's language, for a page or a picture."""

    language: str
    title: str
    headlines: tuple[Headline, Headline]
    most: str
    """The number of answers on the busiest day, in words."""
    silence: str
    """A sentence that there was no answer in these days; empty if there was one."""
    days: tuple[Day, ...]
    subjects: tuple[SubjectLine, ...]


def make_overview(language: str, progress: Progress, name: str = "", *, most: int) -> Overview:
    """Write progress in the person's language for a page or a picture.

    Args:
        name: the first name; perhaps empty.
        most: how many subjects have a line of their own; one more line sums up all others.
    """
    title = say(language, "Your progress")
    if name:
        title = say(language, "Your progress, {name}", name=name)
    busiest = max((day.answered for day in progress.days), default=0)
    return Overview(
        language,
        title,
        (_first_headline(language, progress), _second_headline(language, progress)),
        say_count(language, "{number} exercise", "{number} exercises", busiest),
        "" if busiest else say(language, "Nothing in the last 30 days."),
        progress.days,
        tuple(_list_subjects(language, progress.subjects, most)),
    )


def first_name(name: str) -> str:
    """Return the first word of a person's name."""
    return name.partition(" ")[0]


def _first_headline(language: str, progress: Progress) -> Headline:
    """Return the streak; without a streak, the number of all answers ever given."""
    if progress.streak:
        number = progress.streak
        words = say_count(language, "day in a row", "days in a row", number)
    else:
        number = sum(score.answered for score in progress.subjects)
        words = say_count(language, "exercise in all", "exercises in all", number)
    return Headline(str(number), words)


def _second_headline(language: str, progress: Progress) -> Headline:
    """Return the share of right answers in the days shown; without any, of all answers."""
    counted: Sequence[Day | SubjectScore] = progress.days
    words = say(language, "right in 30 days")
    if not any(day.answered for day in progress.days):
        counted, words = progress.subjects, say(language, "right in all")
    answered = sum(each.answered for each in counted)
    correct = sum(each.correct for each in counted)
    return Headline(_overview_percent(language, correct, answered) if answered else "–", words)


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
    return SubjectLine(
        name, answered, correct, count, _overview_percent(language, correct, answered)
    )


def _overview_percent(language: str, correct: int, answered: int) -> str:
    return say(language, "{percent}%", percent=_share(correct, answered))


def _share(correct: int, answered: int) -> int:
    return round(100 * correct / answered) if answered else 0

"""A learner's overview as what the picture of it is drawn from."""

from __future__ import annotations

from collections.abc import Sequence

from bot.learning.overview import Overview, SubjectLine, first_name, name_day
from bot.learning.progress import Day
from bot.library.pages.characters import clean, name_unshown, replace_pictures
from bot.library.typesetting.chart import Chart, ChartRow, Figure
from bot.texts import say

MOST_SUBJECTS = 12
"""That have a line on the picture: more would be too small, or the picture too tall."""


def to_chart(overview: Overview) -> Chart:
    """What is drawn; a subject whose letters no font of ours has is named by its place."""
    language = overview.language
    return Chart(
        language=language,
        title=overview.title,
        figures=tuple(Figure(each.number, each.words) for each in overview.headlines),
        month=say(language, "The last 30 days"),
        most=overview.most,
        empty=overview.silence,
        right=say(language, "right"),
        wrong=say(language, "wrong"),
        days=tuple((day.correct, day.answered - day.correct) for day in overview.days),
        dates=tuple(name_day(language, day.date) for day in _dated(overview.days)),
        by_subject=say(language, "By subject"),
        subjects=tuple(
            _row(language, line, place) for place, line in enumerate(overview.subjects, start=1)
        ),
    )


def name_on_chart(name: str) -> str:
    """The first name as the fonts can show it; empty if they cannot."""
    return first_name(_shown(name))


def _dated(days: Sequence[Day]) -> Sequence[Day]:
    """The first, the one in the middle, the last."""
    return [days[0], days[len(days) // 2], days[-1]]


def _row(language: str, line: SubjectLine, place: int) -> ChartRow:
    name = _shown(line.name) or say(language, "Subject {number}", number=place)
    return ChartRow(name, line.count, line.percent, line.share)


def _shown(text: str) -> str:
    """`text` if it can be set, else nothing."""
    plain = " ".join(replace_pictures(clean(text)).split())
    return "" if name_unshown(plain) else plain

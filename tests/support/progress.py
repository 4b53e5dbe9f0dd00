"""What a learner has done."""

from __future__ import annotations

from datetime import date, timedelta

from bot.learning.progress import (
    DAYS,
    Day,
    Progress,
    SubjectScore,
)

TODAY = date(2026, 11, 21)


def make_progress(
    *subjects: SubjectScore, streak: int = 0, today: tuple[int, int] = (0, 0)
) -> Progress:
    before = [Day(TODAY - timedelta(days=ago), 0, 0) for ago in range(DAYS - 1, 0, -1)]
    return Progress(streak, (*before, Day(TODAY, *today)), subjects)

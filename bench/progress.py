"""Pictures of progress: what one costs the process that draws it, and in bytes."""

from __future__ import annotations

import asyncio
import os
import statistics
from datetime import date, timedelta

from bench.processes import cpu_seconds, list_children, rss_kb
from bench.results import Result
from bot.documents.document_request import Chart
from bot.documents.typesetter import Typesetter
from bot.gateway.commands.progress import MOST_SUBJECTS, to_chart
from bot.learning.progress import DAYS, Day, Progress, SubjectScore, make_overview

FEW = ("maths", "french", "physics_chemistry", "biology", "english")
TODAY = date(2026, 11, 21)


def measure(*, quick: bool) -> list[Result]:
    return asyncio.run(_measure(20 if quick else 300))


async def _measure(pictures: int) -> list[Result]:
    """No picture comes twice: Typst remembers what it has set."""
    typesetter = Typesetter()
    try:
        few_ms, few_bytes = await _draw(typesetter, pictures, FEW)
        many = tuple(f"{name} {n}" for n in range(3) for name in FEW)
        many_ms, many_bytes = await _draw(typesetter, pictures // 4, many)
        memory = rss_kb(_find_child()) / 1024
    finally:
        await typesetter.close()
    return [
        Result("progress.cpu_ms", few_ms, "ms"),
        Result("progress.full_cpu_ms", many_ms, "ms"),
        Result("progress.bytes", few_bytes, "bytes"),
        Result("progress.full_bytes", many_bytes, "bytes"),
        Result("progress.child_mb", memory, "MB"),
    ]


async def _draw(
    typesetter: Typesetter, pictures: int, subjects: tuple[str, ...]
) -> tuple[float, float]:
    """CPU milliseconds of the warm child for one picture, and the median of bytes."""
    await _size(typesetter, _chart(0, subjects))
    before = cpu_seconds(_find_child())
    sizes = [await _size(typesetter, _chart(n, subjects)) for n in range(1, pictures + 1)]
    spent = cpu_seconds(_find_child()) - before
    return 1000 * spent / pictures, statistics.median(sizes)


async def _size(typesetter: Typesetter, chart: Chart) -> int:
    picture = await typesetter.chart(chart)
    if picture is None:
        raise RuntimeError("No picture was made.")
    return len(picture)


def _find_child() -> int:
    """The process that draws: the only one that this one has started and that still runs."""
    (child,) = list_children(os.getpid())
    return child


def _chart(number: int, subjects: tuple[str, ...]) -> Chart:
    answered = [(number * 7 + day * 5) % 11 for day in range(DAYS)]
    days = tuple(
        Day(TODAY - timedelta(days=DAYS - 1 - day), count, (count * (3 + number % 5)) // 8)
        for day, count in enumerate(answered)
    )
    scores = tuple(
        SubjectScore(subject, 40 + number, (number * 3 + place * 7) % 40)
        for place, subject in enumerate(subjects)
    )
    progress = Progress(1 + number, days, scores)
    return to_chart(make_overview("fr", progress, "Awa", most=MOST_SUBJECTS))

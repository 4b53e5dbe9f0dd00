"""Pictures of formulas: what one costs whoever waits for it, and in bytes."""

from __future__ import annotations

import asyncio
import statistics
import time

from bench.results import Result
from bot.documents.typesetter import MOST_FORMULAS, Typesetter

FORMULAS = (
    r"x = \frac{-b \pm \sqrt{b^2-%dac}}{2a}",
    r"\sum_{k=1}^{n} k = \frac{n(n+%d)}{2}",
    r"\begin{pmatrix} 1 & 2 & 3 \\ 4 & 5 & 6 \\ 7 & 8 & %d \end{pmatrix}",
    r"f(x) = \begin{cases} x^2 + %d & \text{si } x > 0 \\ 0 & \text{sinon} \end{cases}",
)


def measure(*, quick: bool) -> list[Result]:
    return asyncio.run(_measure(20 if quick else 300))


async def _measure(pictures: int) -> list[Result]:
    """No formula comes twice: Typst remembers what it has set."""
    typesetter = Typesetter()
    first, _ = await _make(typesetter, 0, 1)
    singles = [await _make(typesetter, number, 1) for number in range(1, pictures + 1)]
    dozens = [
        await _make(typesetter, pictures + number * MOST_FORMULAS, MOST_FORMULAS)
        for number in range(1, 11)
    ]
    await typesetter.close()
    times = sorted(ms for ms, _ in singles)
    return [
        Result("formulas.first_ms", first, "ms"),
        Result("formulas.p50_ms", statistics.median(times), "ms"),
        Result("formulas.p99_ms", times[int(len(times) * 0.99)], "ms"),
        Result("formulas.dozen_ms", statistics.median(ms for ms, _ in dozens), "ms"),
        Result("formulas.bytes", statistics.median(size for _, size in singles), "bytes"),
        Result("formulas.dozen_bytes", statistics.median(size for _, size in dozens), "bytes"),
    ]


async def _make(typesetter: Typesetter, first: int, count: int) -> tuple[float, int]:
    """Milliseconds and bytes of one picture."""
    formulas = [FORMULAS[n % len(FORMULAS)] % n for n in range(first, first + count)]
    start = time.perf_counter()
    picture = await typesetter.picture(formulas)
    if picture is None:
        raise RuntimeError("No picture was made.")
    return (time.perf_counter() - start) * 1000, len(picture)

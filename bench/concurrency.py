"""Many turns at once: what a turn costs, and what memory it holds, while the model thinks."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from bench.results import Result
from bench.stage import Stage, set_up

RATE = 150.0
"""Messages a second: all turns have begun before the first one is answered."""


def measure(*, quick: bool) -> list[Result]:
    sizes = (10, 50, 100) if quick else (50, 500, 2000)
    delay = 2.0 + sizes[-1] / RATE * 1.2
    with set_up(delay=delay) as stage:
        first = _meet(stage, 1, sizes[0])
        _run(stage, 1, sizes[0], delay)  # warm
        base_rss = stage.rss_kb()
        costs: list[tuple[int, float, int]] = []
        for size in sizes:
            # Small crowds several times: /proc counts CPU in hundredths of a second.
            times = 3 if size == sizes[0] else 1
            samples: list[tuple[float, int]] = []
            for _ in range(times):
                after = _meet(stage, first, size)
                samples.append(_run(stage, first, size, delay))
                first = after
            cost = sum(cpu for cpu, _ in samples) / times / size
            costs.append((size, cost * 1000, max(rss for _, rss in samples)))
    (_, small, _), (largest, large, rss) = costs[0], costs[-1]
    return [
        Result("concurrency.cost_2000_over_50", large / small, "times"),
        Result("concurrency.rss_kb_per_turn", (rss - base_rss) / largest, "KB"),
        *(Result(f"concurrency.cpu_ms_at_{size}", cost, "ms") for size, cost, _ in costs),
        *(Result(f"concurrency.rss_mb_at_{size}", peak / 1024, "MB") for size, _, peak in costs),
    ]


def _meet(stage: Stage, first: int, people: int) -> int:
    """Log new people in; the number of the next one."""
    stage.log_in(first, people)
    return first + people


def _run(stage: Stage, first: int, people: int, delay: float) -> tuple[float, int]:
    """One turn for each of these people, all at once: CPU seconds, and the largest RSS in KB."""
    stage.starts()
    before, peak = stage.cpu(), stage.rss_kb()
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(lambda: stage.send(people, rate=RATE, first=first, people=people))
        ends = stage.answered() + people
        deadline = time.monotonic() + 120 + delay
        while not sending.done() or stage.answered() < ends:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{people} turns at once did not end")
            peak = max(peak, stage.rss_kb())
            time.sleep(0.2)
        sending.result()
    cpu = stage.cpu() - before
    _, held = stage.starts()
    if held < people:
        print(f"only {held} of {people} turns were under way at once", file=sys.stderr)
    return cpu, peak

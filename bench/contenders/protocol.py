"""What all contenders share: how they are called, and how one is measured. Standard library only.

    python -m bench.contenders.NAME URL TURNS CONCURRENCY [--big]

prints one line of JSON: `{"cpu_ms_per_turn", "rss_kb", "wall_s"}`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

SYSTEM = "You are a patient teacher. Use the tool lookup before you answer."
QUESTION = "Why does it rain more in Abidjan than in Korhogo?"
FOUND = "Rain in Abidjan: 1,700 mm a year. Rain in Korhogo: 1,200 mm a year."
"""What the tool finds."""
ANSWER_LENGTH = 1500
"""Characters of the endpoint's answer: 300 chunks of five."""

Turn = Callable[[], Awaitable[int]]
"""Runs one turn; how many characters it was answered. A short answer fails the measurement."""
Open = Callable[[argparse.Namespace], AbstractAsyncContextManager[Turn]]


def measure(contender: Open) -> None:
    """Run the contender as the command line says, and print what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("turns", type=int)
    parser.add_argument("concurrency", type=int)
    parser.add_argument("--big", action="store_true", help="41 messages and 24 tools a request")
    arguments = parser.parse_args()
    print(json.dumps(asyncio.run(_measure(contender, arguments))))


async def _measure(contender: Open, arguments: argparse.Namespace) -> dict[str, float]:
    async with contender(arguments) as turn:
        await _run(turn, arguments.concurrency, arguments.concurrency)  # warm
        cpu, wall = time.process_time(), time.perf_counter()
        await _run(turn, arguments.turns, arguments.concurrency)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        return {
            "cpu_ms_per_turn": cpu * 1000 / arguments.turns,
            "rss_kb": _rss_kb(),
            "wall_s": wall,
        }


async def _run(turn: Turn, turns: int, concurrency: int) -> None:
    """Run them `concurrency` at once: whoever ends begins the next."""
    left = iter(range(turns))

    async def work() -> None:
        for _ in left:
            length = await turn()
            if length != ANSWER_LENGTH:
                raise RuntimeError(f"the answer has {length} characters, not {ANSWER_LENGTH}")

    await asyncio.gather(*(work() for _ in range(concurrency)))


def _rss_kb() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024

"""What looking for calls in the text adds to an ordinary answer."""

from __future__ import annotations

import statistics
import time

from bench.results import Result
from bench.sms import LESSON
from bot.agent.tool_calls.tool_call_parser import ToolCallParser

CHUNKS = 320
CHUNK = 5
"""Characters of one chunk."""
TOOLS = ("web_search", "browse_url", "generate_md", "save_memory", "interactive_quiz")


def measure(*, quick: bool) -> list[Result]:
    text = LESSON * (CHUNKS * CHUNK // len(LESSON) + 1)
    pieces = [text[at * CHUNK : (at + 1) * CHUNK] for at in range(CHUNKS)]
    rounds = 50 if quick else 1_000
    return [Result("rescue.extra_ms_per_320_chunks", _extra_ms(pieces, rounds), "ms")]


def _extra_ms(pieces: list[str], rounds: int) -> float:
    """CPU time of one answer through the parser, the median."""
    times: list[float] = []
    for _ in range(rounds):
        started = time.process_time()
        calls = ToolCallParser(TOOLS, native=True)
        for piece in pieces:
            calls.feed(piece)
        calls.close()
        times.append(time.process_time() - started)
    return statistics.median(times) * 1000

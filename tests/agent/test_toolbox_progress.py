from __future__ import annotations

import asyncio

from bot.agent.toolbox import TICK_SECONDS, ProgressTicker
from bot.events import Event, ToolProgress


async def test_a_tool_that_runs_on_is_counted_aloud_with_its_last_words() -> None:
    events: list[Event] = []
    told = asyncio.Event()

    def emit(event: Event) -> None:
        events.append(event)
        if len(events) == 2:
            told.set()

    ticker = ProgressTicker(emit, "c1", "bash_execute", every=0.01)
    with ticker.running():
        ticker.show("line 41\nline 42")
        await asyncio.wait_for(told.wait(), 5)
    first, second = events[:2]
    assert isinstance(first, ToolProgress)
    assert isinstance(second, ToolProgress)
    assert first.tail == "line 41\nline 42"
    assert (first.elapsed_s or 0) <= (second.elapsed_s or 0)


async def test_when_it_has_ended_nothing_is_told() -> None:
    events: list[Event] = []
    with ProgressTicker(events.append, "c1", "look", every=0.01).running():
        pass
    await asyncio.sleep(0.03)
    assert events == []


def test_it_is_told_every_two_seconds() -> None:
    assert TICK_SECONDS == 2.0

"""What is shown of a tool while it runs: every two seconds how long it has taken."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from bot.events import Emit, ToolProgress

EVERY = 2.0
"""Seconds."""


class Ticker:
    """Counts the seconds of one tool call aloud."""

    def __init__(self, emit: Emit, call_id: str, name: str, *, every: float = EVERY) -> None:
        self._emit = emit
        self._call_id = call_id
        self._name = name
        self._every = every
        self._tail = ""
        self._timer: asyncio.TimerHandle | None = None

    def show(self, tail: str) -> None:
        """What the tool has said last; it goes out with the next tick."""
        self._tail = tail

    @contextmanager
    def running(self) -> Generator[None]:
        """Tick while the block runs."""
        loop = asyncio.get_running_loop()
        started = loop.time()

        def tick() -> None:
            elapsed = round(loop.time() - started, 1)
            tail = self._tail or None
            self._emit(ToolProgress(self._call_id, self._name, elapsed_s=elapsed, tail=tail))
            self._timer = loop.call_later(self._every, tick)

        self._timer = loop.call_later(self._every, tick)
        try:
            yield
        finally:
            self._timer.cancel()
